"""Soft forgetting and pins: a memory is hidden or kept, and nothing of it is lost.

A forgotten memory is hidden at every moment that may be asked for; its status stays as it was, so
that unforgetting gives back just what there was. A pin protects from sweeps only: it does not
bring back what is forgotten, and resists neither an explicit word nor erasure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.documents.model import shown
from app.entities.model import alias_id
from app.entities.names import FAMILIES, name_keys
from app.errors import Forbidden, InvalidInput, NotFound
from app.facts.following import follow_sources
from app.indexing.compose import REACH
from app.indexing.entry import time_key
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import FOREVER, now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope

BATCH = 200  # memories of one transaction (seed 001, annex 3.a)
NEAR = 4 * REACH  # turns on either side that may have borrowed words


@dataclass(frozen=True, slots=True)
class Kept:
    """How one memory stands after a word about it; `changed` tells whether that word did it."""

    id: str
    changed: bool
    forgotten: bool
    pinned: bool


class ForgettingService:
    """Forget, unforget, pin, unpin: each may be said again, and is audited when it changes."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    async def set(self, caller: Caller, memory: str, verb: str) -> Kept:
        """Carry out `forget`, `unforget`, `pin` or `unpin`.

        Raises NotFound for what is not seen, Forbidden for one who is neither a curator of the
        scope nor the only one who said it.
        """
        (row,) = await self._owned(caller, [memory])
        changed = await self.apply(caller, verb, [row])
        after = (await self.graph.rows(Q.lifecycle.owners, ids=[memory], scopes=caller.visible))[0]
        return Kept(memory, bool(changed), after["expired_at"] < FOREVER, after["is_pinned"])

    async def apply(self, caller: Caller, verb: str, places: Sequence[Row]) -> list[str]:
        """The same for memories whose owner was checked, `places` being rows with id and scope;
        ids of those that it changed."""
        rows = [
            {"id": p["id"], "audit": audit.event(caller, f"memory.{verb}", p["scope"])}
            for p in sorted(places, key=lambda p: str(p["id"]))
        ]
        scopes = sorted({p["scope"] for p in places})

        async def work(tx: Tx) -> list[str]:
            return await _apply(tx, verb, rows, scopes)

        return await self.graph.write(f"lifecycle.{verb}", work)

    async def said_again(self, caller: Caller, memories: Sequence[str]) -> bool:
        """Show again what is forgotten of some memories and is the caller's to show, since he says
        it anew; whether that was any."""
        rows = await self.graph.rows(Q.lifecycle.owners, ids=list(memories), scopes=caller.visible)
        hidden = [row for row in rows if row["expired_at"] < FOREVER and _may(caller, row)]
        return bool(hidden and await self.apply(caller, "unforget", hidden))

    async def forget_named(self, caller: Caller, name: str, scope: str | None) -> int:
        """Forget every fact about what goes by a name; how many that were.

        Raises Forbidden, before any is forgotten, where one of them is not the caller's to forget.
        """
        scopes = caller.among([scope] if scope else None)
        keys = sorted({k for kind in (*FAMILIES, "unknown") for k in name_keys(name, kind)})
        aliases = [alias_id(s, k) for s in scopes for k in keys]
        places: list[Row] = []
        after = ""
        while rows := await self.graph.rows(
            Q.lifecycle.facts_named, aliases=aliases, scopes=scopes, after=after, limit=BATCH
        ):
            ids = [row["id"] for row in rows]
            places += await self._owned(caller, ids)
            after = ids[-1]
        total = 0
        for start in range(0, len(places), BATCH):
            total += len(await self.apply(caller, "forget", places[start : start + BATCH]))
        return total

    async def forget_user(self, caller: Caller, scope: str) -> int:
        """Forget everything in a user's own scope; how many memories that were.

        Raises InvalidInput for a scope of another kind; Forbidden for one who is neither at home
        there nor a curator.
        """
        path = parse_scope(scope, "all_of_user")
        if path.kind != "user":
            raise InvalidInput("name a user's own scope", field="all_of_user")
        caller.require(str(path), Role.WRITER if caller.home == str(path) else Role.CURATOR)
        total = 0
        while rows := await self.graph.rows(Q.lifecycle.live_of, scopes=[str(path)], limit=BATCH):
            places = [{"id": row["id"], "scope": str(path)} for row in rows]
            done = await self.apply(caller, "forget", places)
            total += len(done)
            if not done:
                break
        return total

    async def _owned(self, caller: Caller, ids: Iterable[str]) -> list[Row]:
        wanted = list(ids)
        rows = await self.graph.rows(Q.lifecycle.owners, ids=wanted, scopes=caller.visible)
        known = {row["id"]: row for row in rows}
        for memory in wanted:
            if memory not in known:
                raise NotFound(f"there is no memory {memory}")
            _require_owner(caller, known[memory])
        return [known[memory] for memory in wanted]


async def _apply(tx: Tx, verb: str, rows: list[dict[str, Any]], scopes: list[str]) -> list[str]:
    at = now()
    if verb in ("pin", "unpin"):
        done = await tx.rows(Q.lifecycle.set_pin, rows=rows, scopes=scopes, pinned=verb == "pin")
        return [row["id"] for row in done if row["changes"]]
    if verb == "forget":
        done = await tx.rows(Q.lifecycle.forget, rows=rows, scopes=scopes, at=at, key=time_key(at))
    else:
        away = await _put_away(tx, [row["id"] for row in rows], scopes, at)
        done = await tx.rows(
            Q.lifecycle.unforget,
            rows=[{**row, "away": row["id"] in away} for row in rows],
            scopes=scopes,
            at=at,
            never=FOREVER,
            key=time_key(FOREVER),
        )
    changed = [row for row in done if row["changes"]]
    await _neighbours(tx, [row["id"] for row in changed if row["episode"]])
    await _followers(tx, [row["id"] for row in changed if row["passage"]], rows)
    return [row["id"] for row in changed]


async def _put_away(tx: Tx, ids: list[str], scopes: list[str], at: datetime) -> set[str]:
    """Those that are passages of a document in an archive; it stays there until the transaction
    ends, and none comes into it meanwhile."""
    held = await tx.rows(Q.lifecycle.hold_documents, ids=ids, scopes=scopes, at=at)
    return {
        passage
        for row in held
        if not shown(row["base"], row["document"])
        for passage in row["passages"]
    }


async def _followers(tx: Tx, passages: list[str], rows: list[dict[str, Any]]) -> None:
    """A fact that nothing says any more but what is forgotten is forgotten with it."""
    if not passages:
        return
    said = await tx.rows(Q.facts.supported, ids=passages)
    moved = set(await follow_sources(tx, {fact for row in said for fact in row["facts"]}))
    events = {row["id"]: row["audit"]["id"] for row in rows}
    told = [
        {"audit": events[row["passage"]], "fact": fact}
        for row in said
        for fact in row["facts"]
        if fact in moved
    ]
    if told:
        await tx.rows(Q.lifecycle.tell_followers, rows=told)


async def _neighbours(tx: Tx, episodes: list[str]) -> None:
    """Turns around what is hidden, or shown again, are indexed anew."""
    if not episodes:
        return
    around = await tx.rows(Q.lifecycle.around, ids=episodes, reach=NEAR)
    near = {i for row in around for i in (*row["before"], *row["after"])}
    if left := sorted(near - set(episodes)):
        await tx.rows(Q.lifecycle.unborrow, ids=left, vectors=[])


def _require_owner(caller: Caller, row: Row) -> None:
    if not _may(caller, row):
        raise Forbidden(
            f"this key needs the role curator in {row['scope']}: others said this as well"
        )


def _may(caller: Caller, row: Row) -> bool:
    own = row["principals"] == [caller.principal] and caller.may(row["scope"], Role.WRITER)
    return own or caller.may(row["scope"], Role.CURATOR)
