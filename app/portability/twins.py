"""What a package that is moved into a scope has of the things that are there already.

A package that is taken into another scope gets ids of its own (`At.identifier`). Where it is the
scope's own export, or one that went to another scope and comes back, the things are here: under the
ids that they had, or under those of which the package's follow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.kernel.cypher import Q
from app.kernel.ids import digest
from app.portability.reader import Reader

KEPT = 8  # scopes of packages whose ids here are kept while a run goes on


@dataclass(frozen=True, slots=True)
class Given:
    """An id as the package has it, with its scope there and the one here."""

    id: str
    source: str
    scope: str


Twins = Mapping[tuple[str, str], str]  # the id here of an id and a scope of the package
_here: dict[tuple[str, str, str], dict[str, str]] = {}


def followed(scope: str, identifier: str) -> str:
    """The id under which a scope takes in what has this id in a package."""
    return digest("import", scope, identifier)[:32]


async def twins(reader: Reader, run: str, asked: Iterable[Given]) -> dict[tuple[str, str], str]:
    """Those of the ids that stand here for something, each with its id here."""
    given = set(asked)
    rows = [{"id": one.id, "scope": one.scope} for one in given]
    known = {(row["id"], row["scope"]) for row in await reader.rows(Q.kinds.twins, rows=rows)}
    found = {(one.id, one.source): one.id for one in given if (one.id, one.scope) in known}
    away = [one for one in given if (one.id, one.source) not in found and one.source != one.scope]
    for source, scope in sorted({(one.source, one.scope) for one in away}):
        here = await _ids_in(reader, run, source, scope)
        found |= {
            (one.id, source): here[one.id]
            for one in away
            if (one.source, one.scope) == (source, scope) and one.id in here
        }
    return found


async def _ids_in(reader: Reader, run: str, source: str, scope: str) -> dict[str, str]:
    """The ids of what a scope holds by those that a package from `source` would have of them, made
    once for a run; what the run itself writes there need not be among them."""
    key = run, source, scope
    if key not in _here:
        (row,) = await reader.rows(Q.kinds.ids_in, scope=scope)
        made = await asyncio.to_thread(lambda: {followed(source, own): own for own in row["ids"]})
        if len(_here) >= KEPT:
            _here.clear()
        _here[key] = made
    return _here[key]
