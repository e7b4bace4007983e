"""Batched reading: what many parents of one level ask for is one statement."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiodataloader import DataLoader

from app.facts.service import Moments
from app.graphql.cursors import Order
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Query
from app.kernel.graph import Graph, Row

FIRST, FIRST_MOST = 20, 100
UNHURRIED = 0.1  # seconds of work after which a request lets others go first
OWN = frozenset(("ids", "scopes", "at"))  # parameters that the batch itself gives


@dataclass(frozen=True, slots=True)
class Listing:
    """A list: its rows by `query`, each shown by `show`, in an order that cursors can go on in;
    `given` are parameters of the query that are the same for all who ask."""

    query: Query
    show: Callable[[Row], Any]
    order: Order
    given: Mapping[str, Any] = field(default_factory=dict)


def parent_of(row: Row) -> str:
    """Whom a row is for."""
    return str(row["parent"])


def visible(caller: Caller) -> list[str]:
    """Every scope that a caller sees."""
    return caller.visible


@dataclass(frozen=True, slots=True)
class Lookup:
    """A kind of thing by its id; `kind` is what it is called, `scopes` are where it is shown,
    `more` reads what the query leaves out, given its parameters."""

    kind: str
    query: Query
    show: Callable[[Row], Any]
    key: Callable[[Row], str] = parent_of
    scopes: Callable[[Caller], list[str]] = visible
    more: Callable[[Graph, list[Row], Mapping[str, Any]], Awaitable[list[Row]]] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a field was given, by the names of parameters, and the moments of its answer."""

    moments: Moments
    args: Mapping[str, Any]

    @property
    def first(self) -> int:
        """Most items of the list; the limits have seen to it that it is in bounds."""
        return self.args.get("first") or FIRST

    def values(self, query: Query, order: Order | None = None) -> dict[str, Any]:
        """Every parameter of a query but the batch's own; what was not given is null."""
        known: dict[str, Any] = {**self.args}
        known |= {"as_of": self.moments.as_of, "known_at": self.moments.known_at}
        if order is not None:
            known |= order.read(self.args.get("after"))
            known["limit"] = self.first + 1
        return {name: known.get(name) for name in query.params - OWN}


class Loading:
    """The batches of one request; what is asked for in one turn of the loop is one of them."""

    def __init__(self, graph: Graph, caller: Caller) -> None:
        self.graph = graph
        self._caller = caller
        self._at = now()
        self._start = self._since = time.monotonic()
        self._loaders: dict[tuple[str, bytes], DataLoader[str, list[Row]]] = {}

    async def listed(self, listing: Listing, parent: str, asked: Asked) -> list[Row]:
        """The rows of one parent, one more than asked for where there is one."""
        params = {**asked.values(listing.query, listing.order), **listing.given}
        reading = Lookup("", query=listing.query, show=listing.show)
        return await self._loader(reading, params).load(parent)

    async def one(self, lookup: Lookup, key: str, moments: Moments) -> Any | None:
        """A thing by its id as it is shown; None where absent or not visible."""
        params = Asked(moments, {}).values(lookup.query)
        found = await self._loader(lookup, params).load(key)
        return lookup.show(found[0]) if found else None

    async def many(self, lookup: Lookup, keys: Sequence[str], moments: Moments) -> list[Any]:
        """Things by their ids as they are shown, in that order; None where one is not visible."""
        return list(await asyncio.gather(*(self.one(lookup, key, moments) for key in keys)))

    async def _give_way(self) -> None:
        """Beside others, rest as long as the request has worked since its last rest."""
        moment = time.monotonic()
        if moment - self._start > UNHURRIED:
            await self.graph.give_way(moment - self._since)
        self._since = time.monotonic()

    def _loader(self, lookup: Lookup, params: dict[str, Any]) -> DataLoader[str, list[Row]]:
        query = lookup.query
        name = query.key if lookup.more is None else f"{query.key}+"
        given = (name, orjson.dumps(params, option=orjson.OPT_SORT_KEYS))
        if given not in self._loaders:
            known = {"scopes": lookup.scopes(self._caller), "at": self._at}
            own = {name: value for name, value in known.items() if name in query.params}

            async def load(keys: Sequence[str]) -> list[list[Row]]:
                rows = await self.graph.rows(query, ids=list(dict.fromkeys(keys)), **own, **params)
                if lookup.more is not None:
                    rows = await lookup.more(self.graph, rows, {**own, **params})
                await self._give_way()
                groups: dict[str, list[Row]] = defaultdict(list)
                for row in rows:
                    groups[lookup.key(row)].append(row)
                return [groups[key] for key in keys]

            # Without a cache: what is known already would answer before the rest of its level, and
            # what hangs on it would be read in two statements.
            self._loaders[given] = DataLoader(load, cache=False)
        return self._loaders[given]
