import pytest
from helpers.docs import make_doc
from spacy.vocab import Vocab

from spacy_gfl.languages import find_language
from spacy_gfl.languages.spacing import guess_spaces


def spaced(lang, tagged):
    """The text of words and tags, with what stands before a next sentence."""
    words, tags = zip(*(pair.rsplit("_", 1) for pair in tagged.split()), strict=True)
    spaces = guess_spaces(words, tags, find_language(lang).spacing)
    return "".join(w + " " * s for w, s in zip(words, spaces, strict=True))


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("Yes_UH ,_, I_PRP do_VBP n't_RB !_.", "Yes, I don't! "),
        ("Mary_NNP 's_POS cat_NN ;_: it_PRP ’s_VBZ old_JJ", "Mary's cat; it’s old "),
        ("boys_NNS '_POS well_RB -_HYPH known_VBN dog_NN", "boys' well-known dog "),
        ("(_-LRB- see_VB Fig._NN 2_CD )_-RRB- ._.", "(see Fig. 2). "),
        ("``_`` Go_VB ,_, ''_'' she_PRP said_VBD", "``Go,'' she said "),
        ("He_PRP said_VBD \"_`` no_UH \"_'' ._.", 'He said "no". '),
        ("the_DT ’_'' 60s_NNS ”_XX and_CC »_XX", "the’ 60s” and» "),
        ("“_XX “_XX a_XX ”_XX b_XX ”_XX c_XX", "““a” b” c "),
        ("$_$ 5_CD for_IN 10_CD %_NN", "$5 for 10% "),
        ("dash_NN -_: here_RB --_: and_CC there_RB", "dash - here -- and there "),
        ("10_CD –_SYM 12_CD", "10–12 "),
        ("p_NN <_SYM 0.1_CD ,_, 3_CD ±_SYM 1_CD", "p < 0.1, 3 ± 1 "),
        ("can_MD not_RB ,_, I_PRP 'm_VBP gon_VBG na_TO", "cannot, I'm gonna "),
        ("Wait_VB ..._: what_WP ?!_.", "Wait... what?! "),
        # The last word is followed by a space, whatever it is.
        ("(_-LRB-", "( "),
    ],
)
def test_spaces_are_guessed_from_words_and_tags(tagged, expected):
    assert spaced("en", tagged) == expected


@pytest.mark.parametrize(
    ("lang", "words", "expected"),
    [
        ("id", "anak -_PUN anak nya .", "anak-anaknya. "),
        ("is", "„ Já “ sagði hann .", "„Já“ sagði hann. "),
        ("es", "¿ Quién ? ¡ Yo ! 5 € hoy", "¿Quién? ¡Yo! 5 € hoy "),
        ("de", "„ Ja “ , “ so ” , « nein » , ‚ so ‘", "„Ja“, “so”, «nein», ‚so‘ "),
        ("de", "EU -_PUNCT Gipfel – 5 % , ja", "EU-Gipfel – 5 %, ja "),
        ("es", "el 5 % .", "el 5 %. "),
        ("zh", "OK , iPhone 15 很 好 。", "OK,iPhone 15很好。"),
        ("fr", "L' ami dort -il ? « Oui » .", "L'ami dort-il ? « Oui ». "),
        (
            "it",
            "Bevo un po' d' acqua dell' isola .",
            "Bevo un po' d'acqua dell'isola. ",
        ),
        ("tr", "Faiz % 12,5 , yüzde 5 % değil .", "Faiz %12,5, yüzde 5% değil. "),
        ("nl", "Hij komt 's avonds .", "Hij komt 's avonds. "),
        # Nothing is known, but the marks are those of many languages.
        ("", "¿ Qué ? „ Ja “ 小明 看 书 。", "¿Qué? „Ja“ 小明看书。 "),
    ],
)
def test_spaces_are_those_of_the_language(lang, words, expected):
    tagged = " ".join(word if "_" in word else f"{word}_XX" for word in words.split())
    assert spaced(lang, tagged) == expected
    assert guess_spaces([], [], find_language(lang).spacing) == []


def test_docs_of_trees_have_the_spaces_of_their_vocabularys_language():
    vocab = Vocab(lex_attr_getters={})
    assert make_doc("(S (N l') (N acqua))", vocab=vocab).text == "l' acqua"
