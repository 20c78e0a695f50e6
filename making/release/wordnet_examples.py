"""Write the example sentences of WordNet, as text to make silver trees of.

    python wordnet_examples.py ARCHIVE OUT --model PARSER

ARCHIVE is WordNet as a .tar.gz with the files data.verb, data.noun, data.adj and
data.adv. Its examples show each sense of a word in a short sentence or a phrase, most
of them without a capital and a full stop: "the dog barked". What the parser finds to
be a full sentence gets both.
"""

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc
from tqdm import tqdm

from spacy_gfl.tools.treebanks.inputs import docs_from_lines

FILES = [f"data.{part}" for part in ("verb", "noun", "adj", "adv")]
#: Words of an example.
SHORTEST, LONGEST = 4, 60


def glosses(archive: Path) -> Iterator[str]:
    """The definition and examples of each sense, in the order of FILES."""
    with tarfile.open(archive) as files:
        members = {Path(member.name).name: member for member in files}
        for name in FILES:
            content = files.extractfile(members[name]).read()
            for line in content.decode("utf8").splitlines():
                if not line.startswith("  "):  # the licence
                    yield line.partition("|")[2]


def examples(archive: Path) -> list[str]:
    """All examples, each once. Those with a capital get a full stop."""
    found = {}
    for gloss in glosses(archive):
        for quotation in re.findall(r'"([^"]+)"', gloss):
            text = " ".join(quotation.split()).strip(" ;,")
            if SHORTEST <= len(text.split()) <= LONGEST:
                text = ended(text) if text[0].isupper() else text
                found.setdefault(text.lower().rstrip("."), text)
    return list(found.values())


def ended(text: str) -> str:
    return text if text[-1] in ".?!" else f"{text}."


def is_sentence(doc: Doc) -> bool:
    """Whether the tree of a one-sentence Doc is a clause with subject and predicate."""
    [sent] = doc.sents
    tree = sent._.parse_tree
    labels = [child.label() for child in tree]
    return tree.label() == "S" and {"NP", "VP"} <= set(labels)


def main(
    archive: Annotated[Path, typer.Argument(help="WordNet, a .tar.gz.")],
    out: Annotated[Path, typer.Argument(help="The text to write, one per line.")],
    model: Annotated[str, typer.Option(help="A pipeline with a parser.")],
) -> None:
    """Write WordNet's examples."""
    try:
        texts = examples(archive)
    except (OSError, tarfile.ReadError, KeyError) as error:
        message = f"{archive} is no .tar.gz with {', '.join(FILES)}: {error}"
        raise typer.BadParameter(message) from error
    nlp = spacy.load(model, exclude=["senter", "sentencizer"])
    docs = list(docs_from_lines(nlp, texts, "sentences"))
    lines = []
    for doc in tqdm(nlp.pipe(docs), total=len(docs), unit=" examples", disable=None):
        text = doc.text
        lines.append(ended(text[0].upper() + text[1:]) if is_sentence(doc) else text)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(lines) + "\n", encoding="utf8")
    typer.echo(f"Wrote {len(lines)} examples, {out}")


if __name__ == "__main__":
    typer.run(main)
