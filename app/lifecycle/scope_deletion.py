"""Deletion of a scope: everything in it and below it, with what other scopes made of it.

What was made of it elsewhere is erased first, as any erasure does it, since belief there has to
follow. The rest hangs on nothing outside and goes in bulk, label by label. No tombstone is written:
a package may bring the scope back. A deletion that was cut short is gone on with by the same job,
or by asking again, under the receipt that it had.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson

from app.access.repository import AccessRepository
from app.access.seal import seal_tenant
from app.errors import Forbidden, InvalidInput, NotFound, SwitchedOff
from app.jobs.access import ADMINISTERED
from app.jobs.runner import Runner
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.scope import ScopePath, parse_scope
from app.kernel.vocab import Label
from app.lifecycle.erasure import BATCH, ErasureService, Order, blank_receipt, new_receipt
from app.lifecycle.in_scopes import drop, held, indexes_of
from app.lifecycle.model import Target
from app.lifecycle.requests import Queued
from app.lifecycle.tasks import DELETE_SCOPE, packed
from app.lifecycle.whole_pages import close_with_pages
from app.scopes.service import ScopeService
from app.working.erasing import WorkingErasure

Progress = Callable[[int], Awaitable[None]]
# Umbrellas are counted by what stands under them; records tell of what is gone by ids and hashes;
# what is not said of a scope goes with its principal or its tenant.
_KEPT = frozenset(
    {
        Label.MEMORY, Label.SEARCHABLE, Label.PASSAGE, Label.PRINCIPAL, Label.AGENT, Label.USER,
        Label.ARTICLE, Label.CONCEPT, Label.DECISION, Label.INCIDENT, Label.LESSON, Label.SOURCE,
        Label.SCOPE, Label.API_KEY, Label.AUDIT_EVENT, Label.AUDIT_HEAD, Label.ERASURE_RECEIPT,
        Label.TOMBSTONE, Label.SCHEMA_VERSION, Label.VECTOR_SPACE, Label.SCHEDULE,
        Label.IDEMPOTENCY, Label.LINK_NAME, Label.DECLARED,
    }
)  # fmt: skip
REMOVED = tuple(label for label in Label if label not in _KEPT)
INDEXES = indexes_of(REMOVED)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a deletion works with; `lag` is for how many seconds a process may know a key that is
    gone."""

    graph: Graph
    erasure: ErasureService
    scopes: ScopeService
    access: AccessRepository
    runner: Runner
    working: WorkingErasure
    lag: float


class ScopeDeletion:
    """Previews, requests and carries out deletions of scopes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._graph = parts.graph

    async def preview(self, caller: Caller, path: str) -> dict[str, Any]:
        """What a deletion would take, in counts; `refused` are other scopes that it reaches into
        and this caller does not administer. Raises NotFound, Forbidden."""
        scopes = await self._places(_governed(caller, path))
        counts: dict[str, int] = {}
        for found_by in INDEXES:
            counts |= await held(self._graph, found_by, scopes)
        people = await self._graph.rows(Q.scope_deletion.residents, scopes=scopes)
        crossing, refused = await self._reach(caller, scopes)
        return {
            "scopes": scopes,
            "counts": counts,
            "principals": [row["id"] for row in people],
            "keys": sum(row["keys"] for row in people),
            "crossing": crossing,
            "refused": refused,
        }

    async def request(self, caller: Caller, path: str) -> Row | Queued:
        """Delete a scope as a job; one that is gone already gives its receipt.

        Raises NotFound; Forbidden where the caller does not administer all that goes or changes;
        InvalidInput for a tenant and for a scope that the caller lives in; SwitchedOff where the
        rules of the scope do not allow erasure.
        """
        parsed = parse_scope(path)
        if parsed.parent is None:
            raise InvalidInput("a tenant is deleted on the command line", field="scope")
        if str(parsed) not in caller.roles:
            return await self._known(caller, parsed)
        order = await self.order(caller, path)
        job = await self._parts.runner.submit(
            DELETE_SCOPE,
            tenant=caller.tenant,
            scope=str(parsed.parent),
            args=packed(order),
            access=ADMINISTERED,
        )
        return Queued(order.receipt, job.id)

    async def order(self, caller: Caller, path: str) -> Order:
        """A deletion that may be carried out; raises as `request` does."""
        parsed = parse_scope(_governed(caller, path))
        path = str(parsed)
        if caller.key != "cli" and _within(caller.home, path):
            raise InvalidInput(
                f"this key lives in {path}: ask with one of a scope above it", field="scope"
            )
        if not (await self._parts.scopes.rules(path)).erasure:
            raise SwitchedOff(f"the rules of {path} do not allow erasure", field="scope")
        _, refused = await self._reach(caller, await self._places(path))
        if refused:
            raise Forbidden(f"this key needs the role admin in {', '.join(refused)}")
        target = Target("scope", path, str(parsed.parent or parsed))
        begun = await self._receipt(caller, target)
        again = begun is not None and begun["state"] != "done"
        return Order(caller, target, begun["id"] if begun and again else new_receipt())

    async def resume(self, order: Order, progress: Progress | None = None) -> Row:
        """Carry out an order of some time ago: what may be done is looked at again, unless it was
        begun."""
        begun = await self._graph.optional(Q.lifecycle.touch_receipt, id=order.receipt, at=now())
        if begun is None:
            await self.order(order.caller, order.target.value)
        return await self.carry_out(order, progress)

    async def carry_out(self, order: Order, progress: Progress | None = None) -> Row:
        """Delete what was ordered; run again, it goes on where it was. Returns the receipt."""
        path = order.target.value
        scopes = await self._places(path)
        receipt = await self._begin(order, scopes)
        if receipt["state"] == "done":
            return receipt
        gone = list(receipt["scopes"])
        await seal_tenant(self._parts.access, order.caller.tenant)
        people = await self._graph.rows(Q.scope_deletion.residents, scopes=gone)
        agents = frozenset(row["id"] for row in people)
        await self._forget_work(order, gone, agents)
        await self._tally(order, await self._graph.one(Q.scope_deletion.shut, scopes=gone))
        await self._cross(order, gone)
        await self._sweep(order, gone, progress)
        await self._tally(order, await self._graph.one(Q.scope_deletion.drop_scopes, scopes=gone))
        # Another process may know a key for a moment longer, and write.
        await asyncio.sleep(self._parts.lag)
        await self._forget_work(order, gone, agents)
        await self._sweep(order, gone, progress)
        if parse_scope(path).parent is None:
            tenant = order.caller.tenant
            await self._parts.working.of_tenant(tenant)
            await self._tally(
                order, await self._graph.one(Q.scope_deletion.drop_records, tenant=tenant)
            )
        return await self._end(order)

    async def _forget_work(self, order: Order, scopes: list[str], agents: frozenset[str]) -> None:
        """Working memory in the scopes, and in any other of whoever is at home in them."""
        tenant, working = order.caller.tenant, self._parts.working
        done = await working.of_scopes(tenant, scopes) + await working.of_agents(tenant, agents)
        await self._tally(order, {"working": done})

    async def _sweep(self, order: Order, scopes: list[str], progress: Progress | None) -> None:
        """Everything that lies in the scopes, until a whole round finds nothing more."""
        tenant, total = order.caller.tenant, 0
        questions = await self._graph.one(
            Q.scope_deletion.drop_questions, tenant=tenant, scopes=scopes
        )
        await self._tally(order, questions)
        referring = await self._graph.one(Q.kinds.drop_referring, scopes=scopes)
        await self._tally(order, referring)
        left = True
        while left:
            left = False
            for found_by in INDEXES:
                if removed := await drop(self._graph, found_by, scopes):
                    left, total = True, total + sum(removed.values())
                    await self._tally(order, removed)
                    if progress is not None:
                        await progress(total)
        await self._tally(order, await self._graph.one(Q.scope_deletion.drop_names, tenant=tenant))

    async def _tally(self, order: Order, row: Row) -> dict[str, int]:
        """Add to the counts of the receipt, so that they outlive this process; all of them."""
        found = await self._graph.optional(Q.lifecycle.touch_receipt, id=order.receipt, at=now())
        counts: dict[str, int] = orjson.loads(found["receipt"]["counts"]) if found else {}
        for name, count in row.items():
            if count:
                counts[name] = counts.get(name, 0) + int(count)
        await self._graph.rows(
            Q.scope_deletion.tally, id=order.receipt, counts=_dumped(counts), at=now()
        )
        return counts

    async def _cross(self, order: Order, scopes: list[str]) -> None:
        """Erase what has made something in another scope, with what it made there."""
        tried: set[str] = set()
        while ids := [i for i in await self._crossing(scopes) if i not in tried]:
            for start in range(0, len(ids), BATCH):
                await self._parts.erasure.remove(order, ids[start : start + BATCH])
            tried.update(ids)

    async def _reach(self, caller: Caller, scopes: list[str]) -> tuple[list[str], list[str]]:
        """Ids in other scopes that go as well, and the scopes of them that are not the caller's."""
        ids = await self._crossing(scopes)
        _, closure, _ = await close_with_pages(self._graph, ids, sources=False)
        rows = (
            *(row["episode"] for row in closure.episodes.values()),
            *(row["fact"] for row in closure.facts.values()),
            *(row["node"] for row in closure.beside.values()),
            *(row["skill"] for row in closure.skills.values()),
        )
        outside = sorted(row["id"] for row in rows if row["scope"] not in scopes)
        others = sorted(closure.scopes - {*scopes})
        return outside, [scope for scope in others if not caller.may(scope, Role.ADMIN)]

    async def _crossing(self, scopes: list[str]) -> list[str]:
        return [
            row["id"] for row in await self._graph.rows(Q.scope_deletion.crossing, scopes=scopes)
        ]

    async def _places(self, path: str) -> list[str]:
        rows = await self._graph.rows(Q.scope_deletion.places, path=path, below=f"{path}/")
        return [row["path"] for row in rows]

    async def _begin(self, order: Order, scopes: list[str]) -> Row:
        """The receipt, which names what goes before anything has gone."""
        row = blank_receipt(order, order.target.scope or order.caller.tenant)
        found = await self._graph.one(
            Q.lifecycle.lock_receipt, id=order.receipt, row={**row, "scopes": scopes}, at=now()
        )
        stored: Row = found["receipt"]
        return stored

    async def _end(self, order: Order) -> Row:
        """The audit event; then what quotes the scopes goes, and the receipt is closed."""
        counts = await self._tally(order, {})
        event = audit.event(
            order.caller,
            "scope.delete",
            order.target.scope or order.caller.tenant,
            receipt=order.receipt,
            counts=counts,
        )
        event["id"] = order.receipt
        await self._graph.rows(
            Q.lifecycle.add_to_receipt, id=order.receipt, properties={}, audit=event
        )
        return await self._parts.erasure.finish(order.receipt)

    async def _receipt(self, caller: Caller, target: Target) -> Row | None:
        row = await self._graph.optional(
            Q.lifecycle.receipt_of, target=target.name, scopes=caller.visible
        )
        return row["receipt"] if row else None

    async def _known(self, caller: Caller, path: ScopePath) -> Row:
        """The receipt of a scope that is gone; NotFound where there was none to be seen."""
        found = await self._receipt(caller, Target("scope", str(path), str(path.parent)))
        if found is None:
            raise NotFound(f"there is no scope {path}", field="scope")
        caller.require(found["scope"], Role.ADMIN)
        return found


def _governed(caller: Caller, path: str) -> str:
    """The path, of a scope that the caller administers with all below; NotFound, Forbidden."""
    caller.require(str(parse_scope(path)), Role.ADMIN)
    if not caller.governs(path):
        raise Forbidden(f"this key does not administer all that is below {path}", field="scope")
    return path


def _within(path: str, above: str) -> bool:
    return path == above or path.startswith(f"{above}/")


def _dumped(counts: dict[str, int]) -> str:
    return orjson.dumps(counts, option=orjson.OPT_SORT_KEYS).decode()
