"""How many clauses have a statement, and is it the one that a writer expects?

    python making/benchmarks/statements.py making/benchmarks/statements.dev.tsv

Each line of the file has a sentence, a clause in it and the sentence that it should be,
"-" for none. Prints what differs, to be judged by a reader: several sentences may say
the same.
"""

from pathlib import Path

import spacy
import typer


def main(file: Path, model: str = "en_gfl_lg", all_lines: bool = False) -> None:
    """Compare statements with those expected."""
    nlp = spacy.load(model)
    rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    n_given = n_expected = n_equal = n_none = 0
    for doc, (text, part, expected) in zip(
        nlp.pipe(row[0] for row in rows), rows, strict=True
    ):
        start = text.index(part)
        stop = start + len(part)
        inside = [
            one
            for one in doc._.statements
            if start - 30 <= one.span.start_char <= start + 1
            and abs(one.span.end_char - stop) <= 2
            and (one.kind != "main" or one.span.start_char == start)
        ]
        last = max((one.span.start_char for one in inside), default=0)
        found = [one for one in inside if one.span.start_char == last]
        texts = [one.text for one in found]
        is_equal = expected in texts or (expected == "-" and not texts)
        n_expected += expected != "-"
        n_given += expected != "-" and bool(texts)
        n_equal += expected != "-" and is_equal
        n_none += expected == "-" and is_equal
        if all_lines or not is_equal:
            print(f"{text}\n  [{part}] {expected}\n  {found}")
    print(f"given {n_given} of {n_expected}, equal {n_equal}")
    print(f"none {n_none} of {len(rows) - n_expected}")


if __name__ == "__main__":
    typer.run(main)
