"""How well contradictions between two texts are found, and how seldom one is seen where none is."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.contradiction.compare import compare
from app.evals.jsonl import rows

Row = dict[str, Any]
CONTRADICTION = "contradiction"


def evaluate(bench: Path, german: Path) -> dict[str, Any]:
    """Figures on SICK, of which every other pair was not looked at while the rules were written,
    on the German pairs by kind, and on sentences that people judged to be alike."""
    sick = list(rows(bench / "nli_sick" / "train.jsonl"))
    own = list(rows(german))
    return {
        "sick": score(sick, "en", lambda row: row["label"]),
        "sick seen": score(sick[::2], "en", lambda row: row["label"]),
        "sick held out": score(sick[1::2], "en", lambda row: row["label"]),
        "german": score(own, "de", lambda row: row["kind"]),
        "alike": alike(bench),
        "microseconds a pair": _speed(sick),
    }


def score(pairs: list[Row], language: str, group: Callable[[Row], str]) -> dict[str, Any]:
    """Precision, recall and the share of pairs without contradiction in which one is found, all
    between 0 and 1; `groups` has found, wrongly found and missed for each group."""
    groups: dict[str, Counter[str]] = {}
    totals: Counter[str] = Counter()
    for row in pairs:
        outcome = _outcome(row, language)
        totals[outcome] += 1
        groups.setdefault(group(row), Counter())[outcome] += 1
    flagged, real = totals["found"] + totals["wrong"], totals["found"] + totals["missed"]
    return {
        "pairs": len(pairs),
        "precision": totals["found"] / max(1, flagged),
        "recall": totals["found"] / max(1, real),
        "wrong": totals["wrong"] / max(1, len(pairs) - real),
        "groups": {name: dict(counted) for name, counted in sorted(groups.items())},
    }


def alike(bench: Path) -> dict[str, Any]:
    """Share of sentence pairs judged 3 or more of 5 in which a contradiction is seen, in either
    order; none is one."""
    found: dict[str, Any] = {}
    for language in ("en", "de"):
        pairs = [
            row[language]
            for row in rows(bench / "sts_de_en" / "dev.jsonl")
            if row["score"] >= 3 and language in row
        ]
        seen = sum(compare(a, b).found or compare(b, a).found for a, b in pairs)
        found[language] = {"of": len(pairs), "wrong": seen}
    return found


def _outcome(row: Row, language: str) -> str:
    seen = compare(row["a"], row["b"], language).found
    if row["label"] == CONTRADICTION:
        return "found" if seen else "missed"
    return "wrong" if seen else "left alone"


def _speed(pairs: list[Row]) -> float:
    begun = time.perf_counter()
    for row in pairs:
        compare(row["a"], row["b"], "en")
    return (time.perf_counter() - begun) / max(1, len(pairs)) * 1e6
