"""A set without links and titles: sentences, each asked for by one that says the same.

`python -m bench.paraphrases FILE FOLDER` reads pairs of sentences with a score of how alike they
are (`sts_de_en`), and writes the set that `python -m bench passages` reads: the second sentences
are passages without a title, and the first of each pair that says the same is a question, in
English and in German. What they name leads nowhere.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import orjson

from app.evals.jsonl import rows

LEAST = 4.5  # score of a pair that says the same, of 5
LANGUAGES = ("en", "de")
QUESTIONS, SEED = 400, 3


def main(source: Path, folder: Path) -> None:
    """Write the set; OSError where a file cannot be read or written."""
    pairs = rows(source)
    ids: dict[str, str] = {}
    asked: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        for language in LANGUAGES:
            question, text = pair[language]
            passage = ids.setdefault(text, f"{pair['id']}-{language}")
            if pair["score"] >= LEAST and question != text:
                asked.setdefault(question, _question(question, passage, language))
    drawn = random.Random(SEED).sample(sorted(asked), min(QUESTIONS, len(asked)))
    folder.mkdir(parents=True, exist_ok=True)
    passages = [{"id": id, "title": "", "text": text} for text, id in ids.items()]
    for name, lines in (("corpus", passages), ("queries", [asked[text] for text in drawn])):
        written = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        (folder / f"{name}.jsonl").write_bytes(written)


def _question(text: str, passage: str, language: str) -> dict[str, Any]:
    return {"id": f"q-{passage}", "question": text, "gold": [passage], "type": language}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
