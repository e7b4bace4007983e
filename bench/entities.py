"""How well records of one thing are told from records of two: labelled pairs of two domains."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.embeddings.model import Embedder, Role
from app.entities.describe import described
from app.entities.match import Kind, Match, Rarity, Record, match
from app.entities.names import name_keys
from app.evals.jsonl import rows

SPLITS = ("train", "valid", "test")
# The data's own `class` of a restaurant is the number of the thing itself: it is not looked at.
KINDS = {
    "Brew_Factory_Name": Kind.OWNER,
    "Style": Kind.CATEGORY,
    "ABV": Kind.NUMBER,
    "addr": Kind.ADDRESS,
    "city": Kind.PLACE,
    "phone": Kind.PHONE,
    "type": Kind.CATEGORY,
}
DOMAINS = {
    "beers": ("structured_beer", "Beer_Name"),
    "restaurants": ("structured_fodors-zagats", "name"),
}
DISTANCES = (0.01, 0.02, 0.04, 0.06, 0.08, 0.10, 0.12)
Row = dict[str, Any]


def evaluate(bench: Path) -> dict[str, Any]:
    """Precision and recall of each domain on each split; the figures were set on the first two.

    `open` counts pairs without a verdict; a pair without one is not held to be the same.
    """
    folder = bench / "er_magellan"
    results = {}
    for domain, (stem, name) in DOMAINS.items():
        pairs = {split: list(rows(folder / f"{stem}_{split}.jsonl")) for split in SPLITS}
        rarity = rarity_of([pair for split in SPLITS[:2] for pair in pairs[split]], name)
        for split in SPLITS:
            results[f"{domain} {split}"] = scores(pairs[split], name, rarity)
    return results


def rarity_of(pairs: list[Row], name: str) -> Rarity:
    """Of the words in the names of things and of who makes them."""
    known = [record(pair[side], name) for pair in pairs for side in "ab"]
    owners = {
        text for each in known for kind, text in each.attributes.values() if kind is Kind.OWNER
    }
    return Rarity([*sorted({each.name for each in known}), *sorted(owners)])


def scores(pairs: list[Row], name: str, rarity: Rarity) -> dict[str, float]:
    """Precision, recall and F1 of the verdict "the same", and how many pairs stay open."""
    found = [(bool(pair["label"]), compare(pair, name, rarity).same) for pair in pairs]
    right = sum(label for label, same in found if same)
    said = sum(same is True for _, same in found)
    there = sum(label for label, _ in found)
    precision, recall = right / max(1, said), right / max(1, there)
    return {
        "pairs": len(pairs),
        "same": there,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(1e-9, precision + recall),
        "open": sum(same is None for _, same in found),
    }


def compare(pair: Row, name: str, rarity: Rarity) -> Match:
    """The verdict on one labelled pair."""
    return match(record(pair["a"], name), record(pair["b"], name), rarity)


def record(row: Mapping[str, str], name: str) -> Record:
    """A row of the data as a record; a dash stands for what is not known."""
    texts = {field: clean(row[field]) for field in KINDS if field in row}
    return Record(
        clean(row[name]),
        {field: (KINDS[field], text) for field, text in texts.items() if text.strip(" -")},
    )


def clean(text: str) -> str:
    """Undo what the tokenizer of the data did: quotes around, spaces and strokes before an s."""
    plain = html.unescape(text).replace("`", " ").replace("\\", " ")
    return re.sub(r"\s*[_'](?:s|')?(?=\s|$)", lambda m: "s" if "s" in m[0] else "", plain).strip(
        " '"
    )


async def neighbours(bench: Path, embedder: Embedder) -> dict[str, Any]:
    """Whether the distance of two vectors tells that two records describe one thing.

    For each domain and each text that an entity may be embedded as, over all labelled pairs whose
    names differ after normalising (the names decide the others): what a step "as close as that is
    the same" would join, rightly and wrongly, at each cosine distance. `keys` is the share of true
    pairs that the names unite already.
    """
    results: dict[str, Any] = {}
    for domain, (stem, name) in DOMAINS.items():
        files = [bench / "er_magellan" / f"{stem}_{split}.jsonl" for split in SPLITS]
        pairs = [pair for file in files for pair in rows(file)]
        left = [pair for pair in pairs if not _met(pair, name)]
        true = sum(bool(pair["label"]) for pair in pairs)
        missed = sum(bool(pair["label"]) for pair in left)
        results[f"{domain}: names"] = {
            "keys": (true - missed) / max(1, true),
            "left": missed,
            "of": len(left),
        }
        for kind, text_of in TEXTS.items():
            found = await _distances(left, embedder, text_of, name)
            for distance in DISTANCES:
                key = f"{domain}, {kind}, {distance:.2f}"
                results[key] = _within(found, distance, missed)
    return results


def _met(pair: Row, name: str) -> bool:
    one, other = (set(name_keys(clean(pair[side][name]), "organization")) for side in "ab")
    return bool(one & other)


async def _distances(
    pairs: list[Row], embedder: Embedder, text_of: Callable[[Row, str], str], name: str
) -> list[tuple[float, bool]]:
    texts = sorted({text_of(pair[side], name) for pair in pairs for side in "ab"})
    vectors = dict(zip(texts, await embedder.embed(texts, Role.DOCUMENT), strict=True))
    found = []
    for pair in pairs:
        one, other = (vectors[text_of(pair[side], name)] for side in "ab")
        near = sum(x * y for x, y in zip(one, other, strict=True))
        found.append((1 - near, bool(pair["label"])))
    return found


def _described(row: Row, name: str) -> str:
    """The record as the text that an entity with such attributes is embedded as."""
    known = record(row, name)
    facts = [f"{field} {text}" for field, (_, text) in sorted(known.attributes.items())]
    return described(known.name, "organization", facts)


# What an entity may be embedded as: a row and the name of its column of names, to a text.
TEXTS: Mapping[str, Callable[[Row, str], str]] = {
    "name": lambda row, name: clean(row[name]),
    "name and type": lambda row, name: described(clean(row[name]), "organization", []),
    "name, type and facts": _described,
}


def _within(found: list[tuple[float, bool]], distance: float, true: int) -> dict[str, float]:
    close = [label for far, label in found if far <= distance]
    return {
        "joined": len(close),
        "right": sum(close),
        "wrong": len(close) - sum(close),
        "precision": sum(close) / max(1, len(close)),
        "recall": sum(close) / max(1, true),
    }
