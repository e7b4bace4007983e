"""Memories in the graph: what is held that is like some turns, and the writing of a window's."""

from __future__ import annotations

from collections.abc import Sequence

from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.notes import memories
from app.notes.candidates import text_query
from app.notes.kind import AUTHOR
from app.notes.memories import Memory, Place, Plan, Stored
from app.notes.model import Namespace
from app.notes.record import shelf_id

LIKE = 12  # held memories that are shown beside a window
STALE = "a new reading does not find it"


async def like(graph: Graph, scope: str, text: str, language: str, at: object) -> list[Row]:
    """Return the held memories of a scope that share most words with a text: `id` and `text`."""
    query = text_query(text, language, scope, Namespace.MEMORIES)
    if query is None:
        return []
    rows = await graph.rows(Q.notes.sharing_words, q=query, scope=scope, limit=LIKE)
    ids = [row["id"] for row in rows]
    return await graph.rows(Q.memories.like, ids=ids, scope=scope, at=at)


async def remember(
    tx: Tx, found: Sequence[Memory], turns: Sequence[str], place: Place, *, ends: bool = True
) -> Plan:
    """Write the memories of a window whose new turns are `turns`; what came of them.

    Without `ends` they stand beside what was read of the turns before. Writers of one scope queue
    at its shelf, so that one sentence is one memory.
    """
    shelf = shelf_id(place.scope, Namespace.MEMORIES)
    await tx.one(
        Q.notes.lock_shelf,
        id=shelf,
        scope=place.scope,
        namespace=str(Namespace.MEMORIES),
        seen=-1,
        at=place.at,
    )
    hashes = sorted({memory.hash for memory in found})
    rows = await tx.rows(
        Q.memories.held, hashes=hashes, turns=list(turns), scope=place.scope, at=place.at
    )
    read = turns if ends else ()
    made = memories.plan(found, [_stored(row) for row in rows], read, place)
    await _write(tx, made, place)
    return made


async def _write(tx: Tx, made: Plan, place: Place) -> None:
    scope, at = place.scope, place.at
    if made.made:
        rows = [_row(identifier, memory, place) for identifier, memory in made.made.items()]
        await tx.rows(Q.memories.create, rows=rows, scope=scope)
    if made.rests:
        more = [{"id": note, "turns": list(turns)} for note, turns in made.rests.items()]
        await tx.rows(Q.memories.rest_on, rows=more, scope=scope)
    if made.ends:
        await tx.rows(Q.memories.end, ids=list(made.ends), scope=scope, reason=STALE, at=at)
    if made.changes:
        changes = [{"old": old, "new": new, "reason": why} for old, new, why in made.changes]
        await tx.rows(Q.memories.change, rows=changes, scope=scope, at=at)
        newer = sorted({new for _, new, _ in made.changes})
        await tx.rows(Q.memories.overtake, ids=newer, scope=scope, at=at)


def _row(identifier: str, memory: Memory, place: Place) -> Row:
    event = audit.record(
        "memory.read",
        tenant=place.tenant,
        scope=place.scope,
        actor=AUTHOR,
        request="memories.read",
        payload={"turns": len(memory.turns), "content_hash": memory.hash},
    )
    properties = memories.row(identifier, memory, place)
    return {
        "id": identifier,
        "properties": properties,
        "turns": list(memory.turns),
        "audit": event,
    }


def _stored(row: Row) -> Stored:
    return Stored(row["id"], row["text"], row["language"], row["hash"], frozenset(row["turns"]))
