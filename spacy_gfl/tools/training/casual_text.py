"""Text as people write it in a hurry: without capitals, punctuation or apostrophes."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.annotation.building import set_trees
from spacy_gfl.annotation.storage import sentence_trees
from spacy_gfl.data.corpus import make_example

#: Tags of what is left out: marks at the end of sentences, and all of them. Brackets
#: and hyphens stay.
FINAL_TAGS = frozenset({"."})
MARK_TAGS = FINAL_TAGS | {",", ":", "``", "''", '""', "NFP"}
_NO_APOSTROPHES = str.maketrans("", "", "'’")
#: What is done to a sentence, each time one of equally likely choices: to its letters,
#: to its marks, to its apostrophes.
_CASES: tuple[Callable[[str], str], ...] = (str.lower, str.lower, str, str, str.upper)
_REMOVED = (frozenset[str](), FINAL_TAGS, MARK_TAGS, MARK_TAGS)
_APOSTROPHES_REMOVED = (False, False, True)


def create_casual_text_augmenter(
    level: float, seed: int = 0
) -> Callable[[Language, Example], Iterator[Example]]:
    """Changes text into what people write in a hurry.

    A share of the Examples is written in lower case or in capitals, loses its full
    stops or all punctuation, and its apostrophes; which of these is drawn for each.
    Trees lose the words that are left out.

    Args:
        level: The share of Examples to change, from 0 to 1.
        seed: The seed of the draws.

    Raises:
        ValueError: If the level is no share.
    """
    if not 0 <= level <= 1:
        raise ValueError(f"level must be from 0 to 1, not {level}")
    random = Random(seed)

    def augment(nlp: Language, example: Example) -> Iterator[Example]:
        if random.random() >= level:
            yield example
            return
        reference = casual_doc(example.reference, random)
        given = example.predicted.has_annotation
        yield make_example(
            reference, gold_sents=given("SENT_START"), gold_tags=given("TAG")
        )

    return augment


def casual_doc(doc: Doc, random: Random) -> Doc:
    """Write a Doc as people do in a hurry.

    Args:
        doc: A Doc with tags and trees. White-space tokens are left out.
        random: Decides what is changed, for the whole Doc.

    Returns:
        A Doc with the words that stay, their tags, spaces, sentence starts and trees.
        A sentence of punctuation alone keeps it.
    """
    change = random.choice(_CASES)
    left_out = random.choice(_REMOVED)
    without_apostrophes = random.choice(_APOSTROPHES_REMOVED)
    kept: list[int] = []
    starts: list[bool | int | None] = []
    trees = []
    for words, tree in sentence_trees(doc):
        removed = [tag in left_out for tag in tree.tags]
        if all(removed):
            removed = [False] * len(tree)
        inside = [i for i, gone in zip(words, removed, strict=True) if not gone]
        kept += inside
        starts += [i == inside[0] for i in inside]
        if words:
            trees.append(tree.remove_words(removed).constituents)
    texts = [change(doc[i].text) for i in kept]
    if without_apostrophes:
        texts = [text.translate(_NO_APOSTROPHES) or text for text in texts]
    # White space anywhere before the next word that stays.
    gaps = (
        doc[i:j].text_with_ws[len(doc[i]) :] for i, j in pairwise([*kept, len(doc)])
    )
    spaces = [any(map(str.isspace, gap)) for gap in gaps]
    tags = [doc[i].tag_ for i in kept]
    casual = Doc(doc.vocab, words=texts, spaces=spaces, tags=tags, sent_starts=starts)
    set_trees(casual, trees)
    return casual
