"""What rules alone make of the last text of each row: whether it ends what came before it.

Nothing is stored and nobody is asked: the texts are read, and their statements compared. What a
database adds (names that are joined, times, who may revise whom) is what `bench.truth` measures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from app.extraction.extract import extract
from app.extraction.model import Mode, Statement, Utterance
from app.extraction.predicates import standard
from bench.truth import Case, Said
from bench.updates import bears_on, meeting

_ENDS = (Mode.END, Mode.DENY)


class Became(StrEnum):
    """What became of a row."""

    ENDED = "ended a fact"
    UNREAD = "first text without a fact"
    SILENT = "gives no statement"
    PARTLY = "tells an end that fits, with words left over"
    UNFIT = "tells an end that fits nothing"
    BESIDE = "says only something else that is so"


def became(case: Case) -> Became:
    """What the last text of a row does to what the texts before it say."""
    *before, last = (_read(said) for said in case.texts)
    old, new = [statement for found in before for statement in found], last
    if not old:
        return Became.UNREAD
    if not new:
        return Became.SILENT
    if meeting(old, new, standard()):
        return Became.ENDED
    ends = [statement for statement in new if statement.mode in _ENDS or statement.replaces]
    if any(n.rest and bears_on(n, o, standard()) for n in ends for o in old):
        return Became.PARTLY
    return Became.UNFIT if ends else Became.BESIDE


def table(cases: Iterable[Case]) -> list[dict[str, str | int]]:
    """Rows by kind and half, with how many became what."""
    counted: dict[tuple[str, str], Counter[Became]] = {}
    for case in cases:
        counted.setdefault((case.kind, case.half), Counter())[became(case)] += 1
    return [
        {
            "kind": kind,
            "half": half,
            "rows": found.total(),
            **{str(became): found[became] for became in Became},
        }
        for (kind, half), found in sorted(counted.items())
    ]


def _read(said: Said) -> list[Statement]:
    at = datetime.fromisoformat(said.at)
    utterance = Utterance(said.text, at, **({"speaker": said.speaker} if said.speaker else {}))
    return list(extract(utterance, standard()).statements)
