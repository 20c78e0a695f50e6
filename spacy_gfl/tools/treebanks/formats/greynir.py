r"""Trees of GreynirCorpus, the Icelandic treebank: files `.gld` and `.psd`.

::

    ( (META (ID-CORPUS ...) (URL ...))
      (S0 (S-MAIN (IP (NP-SUBJ (person_et_nf_kvk Anna Jóns (lemma Anna Jóns)))
                      (VP (so_0_et_nt hlær (lemma hlæja) (exp_seg hlær)))))
          (grm .)))

Constituents are in capitals, tags in small letters. META, `(lemma ...)` and
`(exp_... ...)` go; S0 (or S0-X) is the root. As with Penn's trees, what follows the
first hyphen of a label is cut off; of a tag its first field stays, the word class.

A leaf of several words, `person` above, becomes words that have its tag each, side by
side in the same constituent: no token of a Doc has a space inside, and the tree has
exactly the constituents that the treebank has. Such leaves are counted as repairs.
"""

import html
import re
from collections.abc import Iterable, Iterator

from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import FormatError
from spacy_gfl.trees.escaping import INNER_SPACE
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Tree, TreeBuilder

#: A bracket with its label, a closing one, a word, in which \( and \) are brackets.
_PIECE = r"(?:\\.|[^()\s\\])"
_TOKEN = re.compile(rf"\(({_PIECE}*)|\)|{_PIECE}+(?:{INNER_SPACE}+{_PIECE}+)*|\\")
_ESCAPE = re.compile(r"\\(.)")
_ROOT, _META = "S0", "META"
_BESIDE_WORDS = ("lemma", "exp_")


def begins(head: str) -> bool:
    """Whether a file of an ending that others have too begins like one of these."""
    return "(META" in head and "(S0" in head


def read(reading: Reading) -> Iterator[Tree]:
    """Read the trees of a file; each begins with a bracket in column 1.

    Raises:
        FormatError: For brackets that do not balance, and whatever is not described
            in this module's first lines, if `reading` does not say what to do then.
    """
    counts = reading.counts
    for first, block in _blocks(reading.lines()):
        counts.read += 1
        try:
            tree, several, emptied = _read(block, first, reading.name)
        except FormatError as error:
            reading.reject(error, "not as in GreynirCorpus")
            continue
        counts.kept += 1
        counts.repaired += several > 0
        counts.repairs += several
        counts.emptied += emptied
        yield tree


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of each tree, and the number of the first."""
    first, block = 1, list[str]()
    for number, line in enumerate(lines, start=1):
        if line.startswith("(") and block:
            yield first, block
            block = []
        if line.strip() or block:
            first = first if block else number
            block.append(line)
    if block:
        yield first, block


def _read(block: list[str], first: int, source: str) -> tuple[Tree, int, int]:
    """A tree, and the numbers of its leaves of several words and its empty nodes."""
    builder = TreeBuilder()
    # The brackets that are open: what each is, its label, its line, and its words.
    stack: list[tuple[str, str, int, list[str]]] = [("file", "", first, [])]
    seen: set[str] = set()
    several = emptied = 0
    for number, line in enumerate(block, start=first):
        for token in _TOKEN.finditer(line):
            text, label = token[0], token[1]
            inside, name, at, words = stack[-1]
            if label is not None:
                kind = _kind(label, inside)
                if kind is None or (kind in ("tree", "root") and kind in seen):
                    where = f"in ({name}" if len(stack) > 1 else "here"
                    raise FormatError(source, number, f"({label} {where} is unknown")
                seen.add(kind)
                stack.append((kind, label, number, []))
                if kind == "constituent":
                    builder.open(split_label(label)[0])
            elif text != ")":
                if inside not in ("tag", "aside"):
                    raise FormatError(source, number, f"the word {text!r} has no tag")
                words.append(html.unescape(_ESCAPE.sub(r"\1", text)))
            elif inside == "file":
                raise FormatError(
                    source, number, "this closing bracket has no opening bracket"
                )
            else:
                stack.pop()
                if inside == "tag":
                    several += len(words) > 1
                    for word in words:
                        builder.word(word, name.partition("_")[0])
                    if not words:
                        raise FormatError(source, at, f"({name} has no word")
                elif inside == "constituent":
                    emptied += not builder.close(drop_empty=True)
    if len(stack) > 1:
        _, name, at, _ = stack[-1]
        raise FormatError(source, at, f"({name} is not closed")
    tree = builder.finish()
    if not tree.words:
        raise FormatError(source, first, "this tree has no words")
    return tree, several, emptied


def _kind(label: str, inside: str) -> str | None:
    """The kind of a bracket with this label inside another kind; None if unknown."""
    if inside == "file":
        return None if label else "tree"
    if inside == "tree":
        is_root = split_label(label)[0] == _ROOT
        return "aside" if label == _META else "root" if is_root else None
    is_aside = label.startswith(_BESIDE_WORDS)
    if inside in ("tag", "aside"):
        return "aside" if is_aside or inside == "aside" else None
    if is_aside or split_label(label)[0] in (_ROOT, _META):
        return None
    if label[:1].islower():
        return "tag"
    return "constituent" if label[:1].isupper() else None
