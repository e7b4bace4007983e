"""The closure of an erasure: what was made from what goes, over DERIVED_FROM and SUPPORTS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from app.kernel.cypher import Q, Query
from app.kernel.graph import Row
from app.lifecycle.model import ERASED, Closure


class Reader(Protocol):
    """A graph, or a transaction on it."""

    async def rows(self, query: Query, /, **params: object) -> list[Row]:
        """All rows of a query."""


async def close_over(reader: Reader, ids: Iterable[str], *, sources: bool = False) -> Closure:
    """Return everything that follows from some memories.

    A fact goes with its last support, or where it is named itself; a note, or a copy in a wider
    scope, goes with anything that it was made from, so that it is made anew from what is left. A
    skill goes with its copies, and with the proposals that say what it says.
    """
    closure = Closure()
    waiting = sorted(set(ids))
    named, asked = set(waiting), set(waiting)
    while waiting:
        await _take(reader, closure, waiting)
        await _facts(reader, closure, named)
        waiting = sorted(_found(closure, sources=sources) - asked)
        asked.update(waiting)
    return closure


async def _take(reader: Reader, closure: Closure, ids: list[str]) -> None:
    for row in await reader.rows(Q.lifecycle.closure_episodes, ids=ids):
        closure.episodes[row["episode"]["id"]] = row
    for kind, erasing in ERASED.items():
        for row in await reader.rows(erasing.closure, ids=ids):
            closure.labelled[kind][row["node"]["id"]] = row
    for row in await reader.rows(Q.erasure.skills_of, ids=ids):
        closure.skills[row["skill"]["id"]] = row
    for row in await reader.rows(Q.kinds.with_parts, ids=ids):
        closure.declared[row["id"]] = row


async def _facts(reader: Reader, closure: Closure, named: set[str]) -> None:
    """Find which facts go and which live on, given the episodes found so far."""
    touched = {c["fact"] for row in closure.episodes.values() for c in row["claims"]}
    rows = await reader.rows(
        Q.lifecycle.closure_facts, ids=sorted(touched | named), episodes=sorted(closure.episodes)
    )
    closure.facts, closure.kept = {}, {}
    for row in rows:
        goes = row["fact"]["id"] in named or row["left"] == 0
        (closure.facts if goes else closure.kept)[row["fact"]["id"]] = row


def _found(closure: Closure, *, sources: bool) -> set[str]:
    parts = (closure.episodes, closure.facts, closure.kept, closure.beside, closure.skills)
    found = {i for part in parts for row in part.values() for i in row["derived"]}
    found |= {part for row in closure.declared.values() for part in row["parts"]}
    if sources:
        found |= {c["episode"] for row in closure.facts.values() for c in row["claims"]}
    return found
