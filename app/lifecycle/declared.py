"""Erasure of kinds that their slices declare: one engine for all of them.

A value that is named by its id goes with its parts. Of an author, and of a person by name, each
kind's struct says itself what is left of a value (`Stored.without`); where nothing is, the value
goes with its parts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.kind import Gone
from app.kernel.scope import parse_scope
from app.kinds import BY_NAME, KINDS
from app.lifecycle.model import Closure, Removed, Target
from app.lifecycle.people import naming, spellings

BATCH = 25  # values read at once: one may have megabytes
MERGED = "context_entry"  # the kind of which one entry may have taken in others
FIELDS = sorted({field for kind in KINDS for field in kind.sanitised})


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Whom an erasure forgets, and in which scopes."""

    scopes: tuple[str, ...]
    names: tuple[str, ...]
    gone: Gone

    async def batches(self, graph: Graph) -> AsyncIterator[list[str]]:
        """Yield ids of values that concern the forgotten one, a batch at a time."""
        for scope in self.scopes:
            async for ids in self._of(graph, scope):
                yield ids

    async def _of(self, graph: Graph, scope: str) -> AsyncIterator[list[str]]:
        after = ""
        while rows := await graph.rows(
            Q.kinds.concerning,
            scope=scope,
            author=self.gone.author or "",
            session=self.gone.session,
            names=list(self.names),
            fields=FIELDS,
            after=after,
            limit=BATCH,
        ):
            after = rows[-1]["row"]["id"]
            found = [row["row"]["id"] for row in rows if self._means(row["row"])]
            if found:
                yield found

    def _means(self, row: Row) -> bool:
        """The query finds a name within a longer word as well."""
        kind = BY_NAME[row["kind"]]
        return kind.concerns(kind.struct.of(row), self.gone)


def of_target(target: Target, home: str) -> Forgotten | None:
    """Return whom an erasure of an author, a person or a session forgets; None for others."""
    scopes = tuple(target.scopes) or (target.scope or home,)
    if target.kind == "author":
        return Forgotten(scopes, (), Gone(author=target.value))
    if target.kind == "session":
        return Forgotten(scopes, (), Gone(session=target.value))
    if target.kind == "person" and (target.names or target.principal):
        gone = Gone(author=target.principal, names=naming(target.names))
        return Forgotten(tuple(target.scopes), tuple(spellings(target.names)), gone)
    return None


async def reach_of(graph: Graph, tenant: str, scope: str) -> tuple[str, ...]:
    """Where what was promoted out of a session of a scope may lie: there, and in the agents' own
    leaves, right below the scope or beside a team's or another agent's."""
    home = parse_scope(scope)
    parent = home.parent if home.kind in ("team", "agent") else home
    paths = (await graph.one(Q.scopes.paths, tenant=tenant))["paths"]
    leaves = [path for path in map(parse_scope, paths) if path.leaf and path.parent == parent]
    return (scope, *sorted({str(path) for path in leaves} - {scope}))


async def forget(tx: Tx, sought: Forgotten, ids: list[str]) -> tuple[Closure, Removed]:
    """Take somebody out of some values, which are locked first; what went, and what changed."""
    closure, removed = Closure(), Removed()
    changed: list[Row] = []
    whole: list[str] = []
    for row in await tx.rows(Q.kinds.lock, ids=ids, at=now()):
        kind = BY_NAME[row["row"]["kind"]]
        value = kind.struct.of(row["row"])
        if not kind.concerns(value, sought.gone):
            continue
        left = value.without(sought.gone)
        if left is None:
            whole.append(value.id)
        else:
            changed.append(kind.row(left))
    for row in await tx.rows(Q.kinds.with_parts, ids=whole):
        closure.declared[row["id"]] = row
        for part in await tx.rows(Q.kinds.with_parts, ids=row["parts"]):
            closure.declared[part["id"]] = part
    rows = [row for row in changed if row["id"] not in closure.declared]
    await tx.rows(Q.kinds.change, rows=rows)
    removed.ids += [row["id"] for row in rows]
    await drop(tx, closure.declared, removed)
    await detach(tx, closure.ids, removed)
    return closure, removed


async def detach(tx: Tx, ids: Iterable[str], removed: Removed) -> None:
    """Have nothing refer to nodes that are gone: each value says what is left of it without them.

    It runs after their removal, since whoever makes a reference holds the lock of its node.
    """
    gone = Gone(ids=frozenset(ids))
    if not gone.ids:
        return
    changed: list[Row] = []
    whole: list[str] = []
    for row in await tx.rows(Q.kinds.referring, ids=sorted(gone.ids), at=now()):
        kind = BY_NAME[row["row"]["kind"]]
        value = kind.struct.of(row["row"])
        left = value.without(gone)
        if left is None:
            whole.append(value.id)
        else:
            changed.append(kind.row(left))
    if changed:
        await tx.rows(Q.kinds.change, rows=changed)
        removed.ids += [row["id"] for row in changed]
    parts = {row["id"]: row for row in await tx.rows(Q.kinds.with_parts, ids=whole)}
    await drop(tx, parts, removed)


async def drop(tx: Tx, declared: Mapping[str, Row], removed: Removed) -> None:
    """Take values of declared kinds out, and count them by kind; none that took one of them in, as
    it said the same, names it any more."""
    if not declared:
        return
    rows = await tx.rows(Q.kinds.drop, ids=sorted(declared))
    removed.add({BY_NAME[row["kind"]].many: row["removed"] for row in rows})
    gone = Gone(ids=frozenset(declared))
    scopes = sorted({row["scope"] for row in declared.values() if row["kind"] == MERGED})
    if not scopes:
        return
    found = await tx.rows(Q.kinds.merging, ids=sorted(gone.ids), scopes=scopes, at=now())
    values = [(BY_NAME[row["row"]["kind"]], row["row"]) for row in found]
    left = [(kind, kind.struct.of(row).without(gone)) for kind, row in values]
    changed = [kind.row(value) for kind, value in left if value is not None]
    await tx.rows(Q.kinds.change, rows=changed)
    removed.ids += [row["id"] for row in changed]
