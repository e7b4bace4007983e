"""The list of skills for a prompt: chosen by rank, told in the order of names. Pure.

The same choice gives the same bytes, whatever the task was, so that a prompt's beginning can be
cached (MOA's manifest).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from app.indexing.analysis import analyse, query_terms
from app.kernel.graph import Row
from app.learning.quality import recency, skill_rank
from app.skills.effectiveness import Tally

LEAST_CHARACTERS, WINDOW_SHARE = 8000, 100  # at least so many, or a hundredth of the window
NAME_MOST, DESCRIPTION_MOST = 64, 256  # characters


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How tasks ended that used a skill: how many, how many of them were resolved, and when the
    last one ended."""

    tasks: int = 0
    resolved: int = 0
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A skill with its rank and the line that a manifest has of it; `rate` is None where no task
    and no use tells one."""

    skill: Row
    rank: float
    rate: float | None
    line: str


@dataclass(frozen=True, slots=True)
class Excluded:
    """A skill that is left out, and why: `shadowed` or `budget`."""

    ranked: Ranked
    reason: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The chosen skills in the order of their names, those left out by rank, and the text."""

    chosen: list[Ranked]
    excluded: list[Excluded]
    text: str
    budget: int


def ranked(
    skills: Iterable[Row], task: str, outcomes: Mapping[str, Outcomes], at: datetime
) -> list[Ranked]:
    """Return skills by rank, the first one the best."""
    rows = list(skills)
    uses = {row["id"]: _uses(row, outcomes) for row in rows}
    most = max(uses.values(), default=0) or 1
    found = [_ranked(row, task, outcomes, uses[row["id"]] / most, at) for row in rows]
    return sorted(found, key=lambda one: (-one.rank, one.skill["id"]))


def manifest(found: Iterable[Ranked], window: int) -> Manifest:
    """Return what of ranked skills fits `max(8000, 1 % of the window)` characters.

    Of skills with one name that of the narrowest scope counts. The first line that does not fit
    ends the list.
    """
    budget = max(LEAST_CHARACTERS, window // WINDOW_SHARE)
    rows = list(found)
    narrowest = _narrowest(rows)
    chosen: list[Ranked] = []
    excluded: list[Excluded] = []
    left, full = budget, False
    for one in rows:
        if narrowest[one.skill["name"].casefold()] != one.skill["id"]:
            excluded.append(Excluded(one, "shadowed"))
            continue
        full = full or len(one.line) + 1 > left
        if full:
            excluded.append(Excluded(one, "budget"))
            continue
        left -= len(one.line) + 1
        chosen.append(one)
    chosen.sort(key=lambda one: (one.skill["name"].casefold(), one.skill["id"]))
    return Manifest(chosen, excluded, "".join(f"{one.line}\n" for one in chosen), budget)


def keywords(task: str, text: str) -> float:
    """Return the share of a task's words that a text has."""
    words, terms = query_terms(task), set(analyse(text))
    held = sum(not terms.isdisjoint(forms) for forms in words)
    return held / len(words) if words else 0.0


def _ranked(
    row: Row, task: str, outcomes: Mapping[str, Outcomes], use: float, at: datetime
) -> Ranked:
    told = outcomes.get(row["id"], Outcomes())
    by_use = Tally(row["success_count"], row["failure_count"]).rate
    rate = told.resolved / told.tasks if told.tasks else by_use
    alike = keywords(task, f"{row['name']}\n{row['description']}")
    last = max((m for m in (told.last, row.get("last_used_at")) if m), default=None)
    return Ranked(row, skill_rank(alike, rate, use, recency(last, at)), rate, _line(row))


def _uses(row: Row, outcomes: Mapping[str, Outcomes]) -> int:
    return int(row["usage_count"]) + outcomes.get(row["id"], Outcomes()).tasks


def _narrowest(rows: list[Ranked]) -> dict[str, str]:
    """Which skill of each name lies in the narrowest scope; the better one of two alike."""
    found: dict[str, Row] = {}
    for one in rows:
        name, held = one.skill["name"].casefold(), found.get(one.skill["name"].casefold())
        if held is None or _depth(one.skill) > _depth(held):
            found[name] = one.skill
    return {name: skill["id"] for name, skill in found.items()}


def _depth(skill: Row) -> int:
    return str(skill["scope"]).count("/")


def _line(row: Row) -> str:
    name, about = _short(row["name"], NAME_MOST), _short(row["description"], DESCRIPTION_MOST)
    return f"- {name}: {about}" if about else f"- {name}"


def _short(text: str | None, most: int) -> str:
    line = " ".join((text or "").split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
