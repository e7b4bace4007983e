"""A store and a checkpointer of LangGraph that Loci keeps: `loci-client[langgraph]`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from loci_client.client import AsyncLoci, Loci
from loci_client.sessions import letters
from loci_client.talk import Retries, Talk, exact, exchange, pages, reading, writing

CONTEXTS = "/v1/contexts"
LONGEST = 255  # characters of a key with its namespace
DEEPEST = 32  # names of a namespace
PAGE, FOUND = 500, 100  # entries of a page, and of a search
Namespace: TypeAlias = tuple[str, ...]
COMPARED: Mapping[str, Any] = {
    "$eq": lambda held, given: held == given,
    "$ne": lambda held, given: held != given,
    "$gt": lambda held, given: held is not None and held > given,
    "$gte": lambda held, given: held is not None and held >= given,
    "$lt": lambda held, given: held is not None and held < given,
    "$lte": lambda held, given: held is not None and held <= given,
}


@dataclass
class _Shelf:
    """The context that holds a store, found by its name or made when it is first needed."""

    name: str
    scope: str | None
    retries: Retries
    found: str | None = field(default=None)

    def path(self) -> Talk[str]:
        """The route of its entries."""
        if self.found is None:
            self.found = (yield from self._named()) or (yield from self._made())
        return f"{CONTEXTS}/{quote(self.found, safe='')}"

    def _named(self) -> Talk[str | None]:
        """The id of the oldest context of the name; of two that are made at once it is the one."""
        place: dict[str, Any] = {"scope": self.scope, "status": "active", "type": "agent_memory"}
        listed = yield from pages(reading("GET", CONTEXTS, limit=PAGE, **place), self.retries)
        return next((one["id"] for one in listed if one["untrusted"]["name"] == self.name), None)

    def _made(self) -> Talk[str]:
        body = {"name": self.name, "scope": self.scope}
        made = yield from exchange(writing("POST", CONTEXTS, body), self.retries)
        return (yield from self._named()) or str(made["id"])


class LociStore(BaseStore):  # type: ignore[misc]  # its types are not looked at
    """LangGraph's store over the entries of one context of Loci.

    Values are sanitised on their way in. A search with a query goes by meaning, over the `text`,
    `value` or `description` of a value, or over all of it, among the hundred nearest of the
    namespace; what is too new to be compared comes behind them, without a score. There is no time
    to live.
    """

    supports_ttl = False

    def __init__(
        self,
        name: str = "langgraph",
        *,
        scope: str | None = None,
        loci: Loci | None = None,
        aloci: AsyncLoci | None = None,
    ) -> None:
        self._loci, self._aloci = loci, aloci
        used = loci or aloci
        self._shelf = _Shelf(name, scope, used.retries if used else Retries())

    def batch(self, ops: Iterable[Any]) -> list[Result]:
        """Carry operations out in their order."""
        self._loci = self._loci or Loci()
        return self._loci.run(self._done(list(ops)))

    async def abatch(self, ops: Iterable[Any]) -> list[Result]:
        """The same for a program with an event loop."""
        self._aloci = self._aloci or AsyncLoci()
        return await self._aloci.run(self._done(list(ops)))

    def _done(self, ops: Sequence[Any]) -> Talk[list[Result]]:
        path = yield from self._shelf.path()
        results = []
        for op in ops:
            results.append((yield from self._one(path, op)))
        return results

    def _one(self, path: str, op: Any) -> Talk[Any]:
        if isinstance(op, GetOp):
            return self._get(path, op)
        if isinstance(op, PutOp):
            return self._put(path, op)
        if isinstance(op, SearchOp):
            return self._search(path, op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(path, op)
        raise ValueError(f"Loci knows no operation {type(op).__name__}")

    def _get(self, path: str, op: Any) -> Talk[Item | None]:
        rows = yield from self._keyed(path, key_of(op.namespace, op.key))
        return _item(rows[0]) if rows else None

    def _keyed(self, path: str, key: str) -> Talk[list[Any]]:
        return pages(reading("GET", f"{path}/entries", key=key), self._shelf.retries)

    def _put(self, path: str, op: Any) -> Talk[None]:
        key = key_of(op.namespace, op.key)
        if op.value is not None:
            body = {
                "key": key,
                "content": dict(op.value),
                "memory_type": "factual",
                "tags": [_within(op.namespace[:deep]) for deep in range(len(op.namespace) + 1)],
            }
            yield from exchange(exact("POST", f"{path}/entries", body), self._shelf.retries)
            return
        for row in (yield from self._keyed(path, key)):
            gone = writing("DELETE", f"{path}/entries/{quote(row['id'], safe='')}")
            yield from exchange(gone, self._shelf.retries)

    def _search(self, path: str, op: Any) -> Talk[list[SearchItem]]:
        last = op.offset + op.limit
        fits = (yield from self._near(path, op)) if op.query else []
        if len(fits) < last:
            near = {(item.namespace, item.key) for item in fits}
            rows = yield from self._under(path, op.namespace_prefix)
            rest = [item for row in rows if _fits(item := _item(row), op)]
            fits += [item for item in rest if (item.namespace, item.key) not in near]
        return fits[op.offset : last]

    def _near(self, path: str, op: Any) -> Talk[list[SearchItem]]:
        tag = _within(op.namespace_prefix)
        body = {"query": op.query, "limit": FOUND, "threshold": 0.0, "tag": tag}
        told = yield from exchange(reading("POST", f"{path}/search", body), self._shelf.retries)
        items = [_item(hit["entry"], hit["similarity"]) for hit in told["items"]]
        return [item for item in items if _fits(item, op)]

    def _under(self, path: str, prefix: Namespace) -> Talk[list[Any]]:
        ask = reading("GET", f"{path}/entries", tag=_within(prefix), limit=PAGE)
        return pages(ask, self._shelf.retries)

    def _namespaces(self, path: str, op: Any) -> Talk[list[Namespace]]:
        rows = yield from self._under(path, ())
        known = {place_of(row["untrusted"]["key"])[0] for row in rows}
        matching = [
            one for one in known if all(_matches(one, c) for c in op.match_conditions or ())
        ]
        cut = sorted({one[: op.max_depth] if op.max_depth else one for one in matching})
        return cut[op.offset : op.offset + op.limit]


def key_of(namespace: Namespace, key: str) -> str:
    """The key of an entry; ValueError for one that is too long or lies too deep."""
    if len(namespace) >= DEEPEST:
        raise ValueError(f"a namespace of Loci has at most {DEEPEST - 1} names")
    made = "/".join([*(quote(name, safe="") for name in namespace), "", quote(key, safe="")])
    if len(made) > LONGEST:
        raise ValueError(f"a key with its namespace has at most {LONGEST} characters in Loci")
    return made


def place_of(key: str) -> tuple[Namespace, str]:
    """The namespace and the key that `key_of` wrote."""
    *names, _, last = key.split("/")
    return tuple(unquote(name) for name in names), unquote(last)


def _within(prefix: Namespace) -> str:
    """The tag of all entries whose namespace begins so."""
    return letters("prefix", *prefix)


def _item(row: Mapping[str, Any], score: float | None = None) -> SearchItem:
    namespace, key = place_of(row["untrusted"]["key"])
    return SearchItem(
        namespace=namespace,
        key=key,
        value=row["untrusted"]["content"],
        created_at=datetime.fromisoformat(row["created_at"]),
        updated_at=datetime.fromisoformat(row["changed_at"]),
        score=score,
    )


def _fits(item: Any, op: Any) -> bool:
    prefix = tuple(op.namespace_prefix)
    return item.namespace[: len(prefix)] == prefix and _holds(item.value, op.filter or {})


def _holds(held: Any, wanted: Any) -> bool:
    """Whether a value has, is or compares as what a filter asks; ValueError for another operator.

    An object is asked for the fields that the filter names, a list for all of its items, as the
    store in memory of LangGraph does it.
    """
    if isinstance(wanted, Mapping) and any(str(name).startswith("$") for name in wanted):
        return _compares(held, wanted)
    if isinstance(wanted, Mapping):
        found = isinstance(held, Mapping)
        return found and all(_holds(held.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        alike = isinstance(held, list | tuple) and len(held) == len(wanted)
        return alike and all(_holds(one, each) for one, each in zip(held, wanted, strict=True))
    return bool(held == wanted)


def _compares(held: Any, wanted: Mapping[str, Any]) -> bool:
    unknown = wanted.keys() - COMPARED.keys()
    if unknown:
        raise ValueError(f"a filter knows {', '.join(COMPARED)}, and not {sorted(unknown)[0]}")
    try:
        return all(COMPARED[name](held, given) for name, given in wanted.items())
    except TypeError:  # a text is neither more nor less than a number
        return False


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(want in ("*", name) for name, want in zip(part, path, strict=True))
