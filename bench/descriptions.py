"""A set without links: Debian's packages, each asked for by its one line.

`python -m bench.descriptions FILE FOLDER` reads a list of descriptions as the Debian archive
has it (`Translation-en`, unpacked) and writes the set that `python -m bench passages` reads: the
long description of a package is a passage, its name the title, and for some the short description
is the question. Nobody wrote them for a search, and what they name leads nowhere.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson

NAME = re.compile(r"^Package: (\S+)", re.MULTILINE)
DESCRIBED = re.compile(r"^Description-en: (.+)\n((?: .*\n?)*)", re.MULTILINE)
LEAST, WORDS = 350, 5  # characters of a long description, words of a short one
ALIKE = 150  # characters by which descriptions of one source begin alike; one of them is kept
PASSAGES, QUESTIONS, SEED = 4000, 300, 3


def main(source: Path, folder: Path) -> None:
    """Write the set; OSError where a file cannot be read or written."""
    found = {text[:ALIKE]: (name, line, text) for name, line, text in _described(source)}
    rows = sorted(row for row in found.values() if len(row[1].split()) >= WORDS)
    random.Random(SEED).shuffle(rows)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("wb") as passages:
        for place, (name, _, text) in enumerate(rows[:PASSAGES]):
            passages.write(orjson.dumps({"id": f"d{place}", "title": name, "text": text}) + b"\n")
    with (folder / "queries.jsonl").open("wb") as questions:
        for place, (_, line, _) in enumerate(rows[:QUESTIONS]):
            asked = {"id": f"q{place}", "question": line, "gold": [f"d{place}"], "type": "one line"}
            questions.write(orjson.dumps(asked) + b"\n")


def _described(source: Path) -> Iterator[tuple[str, str, str]]:
    for block in source.read_text(encoding="utf-8").split("\n\n"):
        name, told = NAME.search(block), DESCRIBED.search(block)
        if name and told and len(told[2]) > LEAST:
            paragraphs = told[2].split("\n .\n")[:2]
            yield name[1], told[1], " ".join(" ".join(part.split()) for part in paragraphs)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
