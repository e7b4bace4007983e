"""Notes that come back once what had taken their place is erased, decided upon as if written anew.

What comes back ends no other: where it contradicts one that is held, and is not the earlier of the
two by right, it waits for a curator.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.embeddings.calibration import AS_IT_IS
from app.facts.claim import Tier
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.notes.candidates import MOST, text_query
from app.notes.decide import decide, place_of
from app.notes.model import Candidate, Decision, Incoming, Namespace, Standing
from app.notes.record import shelf_id
from app.notes.repository import candidate_of


@dataclass(frozen=True, slots=True)
class Return:
    """What becomes of a note that nothing ends any more: it holds again, holds until `until` as
    `by` comes later or says the same, or waits, as it stands `against` others."""

    by: Candidate | None = None
    until: datetime | None = None
    against: tuple[Candidate, ...] = ()
    reason: str = ""


async def turn_shelves(tx: Tx, notes: Iterable[Mapping[str, str]], at: datetime) -> None:
    """Take the locks that writers queue at beside some notes, each with `scope` and `namespace`;
    whoever has looked at them before looks again."""
    places = sorted({(note["scope"], note["namespace"]) for note in notes})
    rows = [
        {"id": shelf_id(scope, Namespace(space)), "scope": scope, "namespace": space}
        for scope, space in places
    ]
    if rows:
        await tx.rows(Q.notes.turn_shelves, rows=rows, at=at)


async def ended_by(tx: Tx, ids: Sequence[str]) -> list[Row]:
    """Return the notes that nothing but some notes had taken the place of, before these go: each
    `note` with the ids of those that came `later`."""
    return await tx.rows(Q.notes.ended_by, ids=list(ids)) if ids else []


async def come_back(tx: Tx, ended: Iterable[Row], at: datetime) -> int:
    """Decide on notes that have lost what ended them, the latest first; how many hold again.

    Their shelves are locked, and what ended them is gone.
    """
    held = 0
    for row in sorted(ended, key=lambda row: place_of(_incoming(row["note"])), reverse=True):
        note: Row = row["note"]
        new = _incoming(note)
        found = await _candidates(tx, note, row["later"])
        decision = await asyncio.to_thread(decide, new, found, AS_IT_IS)
        held += await _written(tx, note, returned(new, decision, row["later"]), at)
    return held


def returned(new: Incoming, decision: Decision, later: Sequence[str]) -> Return:
    """Return what becomes of a note by what a new one of its words would do; pure.

    `later` are notes that had a right to the place of what had taken its place.
    """
    if decision.duplicate is not None:
        same = decision.duplicate
        return Return(same, max(new.valid_from, same.valid_from), reason=decision.reason)
    clashes = [
        old for old in (*decision.ends, *decision.contradicts) if old.standing is Standing.HELD
    ]
    heirs = [old for old in clashes if old.id in later and place_of(old) > place_of(new)]
    if decision.before is not None:
        heirs.append(decision.before)
    if heirs:
        first = min(heirs, key=place_of)
        return Return(first, first.valid_from, reason=decision.reason)
    return Return(against=tuple(clashes), reason=decision.reason)


async def _candidates(tx: Tx, note: Row, later: Sequence[str]) -> list[Candidate]:
    """The notes that hold on its shelf and share words with it, and those that came later."""
    query = text_query(note["content"], note["language"], note["scope"], note["namespace"])
    rows = (
        []
        if query is None
        else await tx.rows(Q.notes.sharing_words, q=query, scope=note["scope"], limit=MOST)
    )
    found = await tx.rows(
        Q.notes.candidates,
        ids=sorted({*later, *(row["id"] for row in rows)}),
        hash=note["content_hash"],
        scope=note["scope"],
        namespace=note["namespace"],
    )
    return [candidate_of(row["note"]) for row in found if row["note"]["id"] != note["id"]]


async def _written(tx: Tx, note: Row, result: Return, at: datetime) -> int:
    """Write what becomes of a note; 1 where it holds again."""
    linked = {"scope": note["scope"], "reason": result.reason, "at": at}
    by, against = result.by, [old.id for old in result.against]
    if against and note["namespace"] == Namespace.MEMORIES:  # no curator decides on these
        by, against = result.against[0], []
    if by is not None:
        until = result.until or note["valid_to"]
        await tx.rows(Q.notes.stay_ended, id=note["id"], by=by.id, until=until, **linked)
        return 0
    await tx.rows(Q.notes.hold_again, id=note["id"], scope=note["scope"], at=at)
    if not against:
        return 1
    await tx.rows(Q.notes.hold_back, ids=[note["id"]], by=against[0], **linked)
    await tx.rows(Q.notes.contradict, id=note["id"], others=against[1:], **linked)
    return 0


def _incoming(note: Row) -> Incoming:
    return Incoming(
        content=note["content"],
        namespace=Namespace(note["namespace"]),
        language=note["language"],
        tier=Tier(note["tier"]),
        author=note["author"],
        valid_from=note["valid_from"],
        read_out=note["cited"] is not None,
    )
