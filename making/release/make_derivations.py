"""Read Redwoods' derivations as constituents that a parser's trees must have.

    python make_derivations.py redwoods corpus/derivations.spacy

A derivation of the English Resource Grammar is the one that an annotator chose. The
words under a daughter that is not the head are nearly always a constituent of the Penn
tree, for some rules of the grammar: those of `RULES`.
"""

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc, DocBin, Span

from spacy_gfl.annotation.dependencies import REQUIRED_KEY
from spacy_gfl.tools.treebanks.inputs import docs_from_lines

_RULES = """
    hd-cmp_u_c hd-aj_int-unsl_c hdn-aj_redrel_c hdn-aj_redrel-pr_c sb-hd_mc_c
    sb-hd_nmc_c hdn-aj_rc_c hdn-aj_rc-pr_c hd-aj_scp_c hd-aj_scp-pr_c
    hd-aj_scp-pr-mc_c aj-hd_scp_c aj-hd_int_c flr-hd_nwh_c flr-hd_nwh-nc_c
    flr-hd_rel-fin-pp_c flr-hd_wh-nmc-fin_c flr-hd_wh-mc_c np-np_crd-m_c
    np-np_crd-im_c vp-vp_crd-fin-t_c hdn-np_app-idf_c hdn-np_app-idf-p_c
    hd-cl_fr-rel_c hdn-n_prnth_c hdn-cl_prnth_c hd-aj_cmod_c
"""
#: Rules whose daughters but the head are constituents of the trees that `en_gfl_trf`
#: gives the same sentences, in nine cases of ten and more.
RULES = frozenset(_RULES.split())
#: Profiles to learn from. Questions and inference problems are test data of others.
PROFILES = ("ws2*", "rtc*", "omw", "csli", "mrs", "esd", "cb", "sh-spec")
#: Wiki markup around text that is read; a sentence with other markup is left out.
_MARKUP = re.compile(r"⌊[>/∗#•\",:⇥]|[>/∗#•\",:⇥]⌋")
_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+')
_TOKEN = re.compile(r'\+FROM \\+"(\d+)\\+" \+TO \\+"(\d+)\\+"')
_INPUT, _WELL_FORMED, _DERIVATION = 6, 10, 10
#: What a sentence is called while derivations are read.
Extent = tuple[int, int]


def main(
    folder: Annotated[Path, typer.Argument(help="Redwoods' profiles.")],
    output: Annotated[Path, typer.Argument(help="A .spacy file.")],
) -> None:
    """Write the sentences, with the constituents of their derivations required."""
    nlp = spacy.blank("en")
    heads = read_heads(folder / "rules.hds")
    docs = []
    for text, derivation in read_items(folder):
        [doc] = docs_from_lines(nlp, [text], "sentences")
        if not 2 < len(doc) <= 100:
            continue
        spans = spans_from_derivation(doc, derivation, heads)
        doc.spans[REQUIRED_KEY] = without_crossing(
            [Span(doc, s.start, s.end) for s in spans if s.label_ in RULES]
        )
        docs.append(doc)
    output.parent.mkdir(parents=True, exist_ok=True)
    DocBin(docs=docs).to_disk(output)
    n_spans = sum(len(doc.spans[REQUIRED_KEY]) for doc in docs)
    print(f"{len(docs):,} sentences, {n_spans:,} constituents required: {output}")


def read_heads(path: Path) -> dict[str, int]:
    """Read which daughter of each rule is the head, from 0."""
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {row[0]: int(row[2]) for row in rows if len(row) > 2}


def read_items(folder: Path) -> Iterator[tuple[str, list[tuple[Extent, str, int]]]]:
    """Read well-formed sentences with one derivation, without wiki markup.

    Yields:
        The text, and of each daughter of a rule its characters in that text, the rule
        and the daughter's number.
    """
    for profile in sorted(p for pattern in PROFILES for p in folder.glob(pattern)):
        derivations = Counter[str]()
        chosen = {}
        for fields in _records(profile / "result.gz"):
            derivations[fields[0]] += 1
            chosen[fields[0]] = fields[_DERIVATION]
        for fields in _records(profile / "item.gz"):
            raw = fields[_INPUT]
            text, places = without_markup(raw)
            if derivations[fields[0]] != 1 or fields[_WELL_FORMED] == "0":
                continue
            if not {"⌊", "⌋", "¦"} & set(text):
                daughters = read_derivation(chosen[fields[0]])
                yield (
                    text,
                    [
                        ((places[start], places[min(end, len(raw))]), rule, number)
                        for (start, end), rule, number in daughters
                    ],
                )


def _records(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("@")


def without_markup(raw: str) -> tuple[str, list[int]]:
    """Take wiki markup out of a text; say where each of its characters is then."""
    kept = [True] * len(raw)
    for match in _MARKUP.finditer(raw):
        kept[match.start() : match.end()] = [False] * len(match.group())
    places = [0]
    for stays in kept:
        places.append(places[-1] + stays)
    return "".join(c for c, stays in zip(raw, kept, strict=True) if stays), places


def read_derivation(text: str) -> list[tuple[Extent, str, int]]:
    """Read a derivation: characters, rule and number of each daughter."""
    daughters: list[tuple[Extent, str, int]] = []
    #: Of each open node: its rule, the extents of its daughters.
    open_nodes: list[tuple[str, list[Extent]]] = []
    symbols = _SYMBOL.findall(text.replace('\\\\"', '\\"'))
    for i, symbol in enumerate(symbols):
        if symbol == "(":
            following = symbols[i + 1]
            is_leaf = following.startswith('"')
            name = "" if is_leaf or following == "(" else following
            if name.lstrip("-").isdigit():
                name = symbols[i + 2]
            open_nodes.append((name, []))
        elif symbol == ")" and open_nodes:
            rule, extents = open_nodes.pop()
            for number, extent in enumerate(extents):
                daughters.append((extent, rule, number))
            if extents and open_nodes:
                whole = min(s for s, _ in extents), max(e for _, e in extents)
                open_nodes[-1][1].append(whole)
        elif open_nodes and (match := _TOKEN.search(symbol)):
            open_nodes[-1][1].append((int(match[1]), int(match[2])))
    return daughters


def spans_from_derivation(
    doc: Doc, daughters: list[tuple[Extent, str, int]], heads: dict[str, int]
) -> Iterator[Span]:
    """Find what a derivation says of constituents.

    Args:
        doc: The sentence.
        daughters: Characters, rule and number of each daughter.
        heads: The number of the daughter that is the head, by rule.

    Yields:
        Spans of two words and more under daughters that are no heads, without
        punctuation at their ends, labelled with their rule.
    """
    for (start, end), rule, number in daughters:
        if heads.get(rule, number) == number:
            continue
        span = doc.char_span(start, end, alignment_mode="contract")
        if span is None or (end - start) - len(span.text) > 2:
            continue
        first, last = span.start, span.end
        while first < last and doc[first].is_punct:
            first += 1
        while last > first and doc[last - 1].is_punct:
            last -= 1
        words = [token.text for token in doc[first:last]]
        marks = Counter(words)
        closed = marks["("] == marks[")"] and marks['"'] % 2 == 0
        if last - first > 1 and closed and last - first < len(doc) - 1:
            yield Span(doc, first, last, label=rule)


def without_crossing(spans: list[Span]) -> list[Span]:
    """Leave out spans that cross one that comes before."""
    kept: list[Span] = []
    for span in sorted(set(spans), key=lambda s: (s.end - s.start, s.start)):
        if not any(crosses(span, other) for other in kept):
            kept.append(span)
    return kept


def crosses(one: Span, other: Span) -> bool:
    """Whether two spans share words and each has words of its own."""
    first, second = sorted(((one.start, one.end), (other.start, other.end)))
    return first[0] < second[0] < first[1] < second[1]


if __name__ == "__main__":
    typer.run(main)
