import pytest

from spacy_gfl.languages.spacing import guess_spaces


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("Yes_UH ,_, I_PRP do_VBP n't_RB !_.", "Yes, I don't! "),
        ("Mary_NNP 's_POS cat_NN ;_: it_PRP ’s_VBZ old_JJ", "Mary's cat; it’s old "),
        ("boys_NNS '_POS well_RB -_HYPH known_VBN dog_NN", "boys' well-known dog "),
        ("(_-LRB- see_VB Fig._NN 2_CD )_-RRB- ._.", "(see Fig. 2). "),
        ("``_`` Go_VB ,_, ''_'' she_PRP said_VBD", "``Go,'' she said "),
        ("He_PRP said_VBD \"_`` no_UH \"_'' ._.", 'He said "no". '),
        ('He_PRP said_VBD "_XX no_XX "_XX ._XX', 'He said "no". '),
        ("$_$ 5_CD for_IN 10_CD %_NN", "$5 for 10% "),
        ("dash_NN -_: here_RB --_: and_CC there_RB", "dash - here -- and there "),
        ("10_CD –_SYM 12_CD", "10–12 "),
        ("at_IN −_SYM 5_CD", "at −5 "),
        ("p_NN <_SYM 0.1_CD ,_, 3_CD ±_SYM 1_CD", "p < 0.1, 3 ± 1 "),
        ("and_CC /_HYPH or_CC", "and/or "),
        ("can_MD not_RB ,_, I_PRP 'm_VBP gon_VBG na_TO", "cannot, I'm gonna "),
        ("Wait_VB ..._: what_WP ?!_.", "Wait... what?! "),
        ("مرحبا_UH 👋_UH", "مرحبا 👋 "),
        ("anak_NNO -_PUN anak_NNO nya_PRK ._PUN", "anak-anaknya. "),
        ("", ""),
        # The last word is followed by a space, whatever it is.
        ("(_-LRB-", "( "),
    ],
)
def test_spaces_are_guessed_from_words_and_tags(tagged: str, expected: str) -> None:
    pairs = [pair.rsplit("_", 1) for pair in tagged.split()]
    words = [word for word, _ in pairs]
    spaces = guess_spaces(words, [tag for _, tag in pairs])
    text = "".join(w + " " * s for w, s in zip(words, spaces, strict=True))
    assert text == expected
