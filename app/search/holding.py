"""What holds at the moments of a reading: which facts may be shown, which words are past."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from app.facts.interval import Standing
from app.facts.service import Moments
from app.kernel.clock import open_end
from app.kernel.graph import Row
from app.notes.model import CONDENSED, NOTE
from app.search.model import Lapse, Mark


def claimed(memories: Iterable[Row]) -> list[str]:
    """Ids of every fact that is shown, or that a shown episode states."""
    found: dict[str, None] = {}
    for memory in memories:
        if memory["kind"] == "fact":
            found[memory["id"]] = None
        found |= dict.fromkeys(memory.get("stated") or ())
    return list(found)


def said_by(memory: Row, held: set[str]) -> list[str]:
    """Ids of the held facts that a memory is, states or is made of."""
    if memory["kind"] == CONDENSED:
        return list(_cited(memory))
    return [fact for fact in claimed([memory]) if fact in held]


def lapsed(memories: Iterable[Row], held: set[str]) -> list[str]:
    """Ids of the facts that a shown episode states and that do not hold."""
    stated = (fact for memory in memories for fact in memory.get("stated") or ())
    return list(dict.fromkeys(fact for fact in stated if fact not in held))


def unrepeated(ordered: Iterable[str], memories: Mapping[str, Row]) -> list[str]:
    """What was read, in order, without condensed notes that a fact of theirs stands beside: a
    statement takes one place, and the fact tells more of it."""
    shown = [i for i in ordered if i in memories]
    there = set(shown)
    return [
        i
        for i in shown
        if memories[i]["kind"] != CONDENSED or there.isdisjoint(_cited(memories[i]))
    ]


def once_of_turns(ordered: Iterable[str], memories: Mapping[str, Row]) -> list[str]:
    """The same without what stands higher already: of a turn and the notes that were read out of
    it the best takes the place, as evidence or with it."""
    kept: list[str] = []
    shown: set[str] = set()
    for i in ordered:
        turns = _cited(memories[i]) if memories[i]["kind"] == NOTE else (i,)
        turns = [*turns] or [i]
        if shown.isdisjoint(turns):
            kept.append(i)
        shown.update(turns)
    return kept


def _cited(memory: Row) -> Iterable[str]:
    return memory.get("sources") or ()


def marks_of(memory: Row, past: Mapping[str, Row], moments: Moments) -> tuple[Mark, ...]:
    """What of an episode's words does not hold at the moments."""
    rows = (past[fact] for fact in memory.get("stated") or () if fact in past)
    return tuple(mark for row in rows if (mark := _mark(row, moments)) is not None)


def all_replaced(memory: Row, marks: Iterable[Mark]) -> bool:
    """Whether an episode states something, and other facts have the place of all of that."""
    stated = set(memory.get("stated") or ())
    gone = {m.fact for m in marks if m.lapse is Lapse.PAST and m.replaced_by is not None}
    return bool(stated) and stated <= gone


def _mark(row: Row, moments: Moments) -> Mark | None:
    known = [_interval(parts) for parts in row["intervals"]]
    if known and all(standing == Standing.QUARANTINED for standing, *_ in known):
        return Mark(row["id"], row["statement"], Lapse.DISPUTED, rivals=frozenset(row["rivals"]))
    if known and all(start > moments.as_of for _, start, _ in known):
        return None  # not yet
    if not known and not row["replaced_by"]:
        return None  # nothing was known of it then
    ends = [open_end(end) for standing, _, end in known if standing == Standing.HELD]
    return Mark(
        row["id"],
        row["statement"],
        Lapse.PAST,
        since=_latest(ends),
        replaced_by=_newest(row["replaced_by"]),
        rivals=frozenset(row["rivals"]),
    )


def _interval(parts: Sequence[str]) -> tuple[str, datetime, datetime]:
    standing, start, end = parts
    return standing, datetime.fromisoformat(start), datetime.fromisoformat(end)


def _latest(ends: Sequence[datetime | None]) -> datetime | None:
    return max((end for end in ends if end is not None), default=None)


def _newest(replaced_by: Sequence[Sequence[str]]) -> tuple[str, str] | None:
    if not replaced_by:
        return None
    _, fact, statement = max(tuple(parts) for parts in replaced_by)
    return fact, statement
