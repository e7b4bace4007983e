"""Escalations: made, found, changed, raised once for each due moment, resolved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.access.parameters import principal_of
from app.autonomy.authored import Transition
from app.autonomy.ledger import (
    PAGE,
    Ledger,
    check,
    each,
    lock_scope,
    of_loci,
    revise,
    texts_of,
    written_by,
)
from app.autonomy.receipt import Receipt
from app.errors import Forbidden, InvalidInput, NotFound, StateRefused
from app.escalations.model import (
    ESCALATION,
    TEXTS,
    Escalation,
    EscalationState,
)
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in, not yet sanitised."""

    title: str
    reason: str | None
    scope: str | None
    resolver: str | None
    due_at: datetime
    repeat_seconds: int | None
    most_level: int | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which escalations a list is to hold; None for all."""

    state: EscalationState | None = None
    resolver: str | None = None
    level: int | None = None
    due_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class EscalationLimits:
    """The highest level that an escalation may reach."""

    levels: int = tuned("autonomy.escalation_levels")


class EscalationService:
    """Every operation on escalations."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: EscalationLimits) -> None:
        self.ledger = Ledger(graph, scopes, ESCALATION)
        self.graph = graph
        self.limits = limits
        self._scopes = scopes

    async def create(self, caller: Caller, draft: Draft) -> Escalation:
        """Make an escalation of level 1; raises InvalidInput (`most_level`) beyond the setting."""
        scope = await self.ledger.place(caller, draft.scope)
        levels = (await self._scopes.limits(self.limits, scope)).levels
        most = draft.most_level or levels
        if most > levels:
            raise InvalidInput(f"the highest level is {levels}", field="most_level")
        given = {"title": draft.title, "reason": draft.reason}
        clean = await self.ledger.clean({k: v for k, v in given.items() if v}, scope)
        made = Escalation(
            id=new_id(),
            scope=scope,
            **written_by(caller.principal, clean),
            resolver=self._resolver(caller, draft.resolver),
            most_level=most,
            due_at=draft.due_at,
            repeat_seconds=draft.repeat_seconds,
        )

        async def work(tx: Tx) -> Escalation:
            await lock_scope(tx, scope)
            await self.ledger.store(tx, caller, made)
            return made

        return await self.graph.write("escalation.create", work)

    async def find(self, caller: Caller, identifier: str) -> Escalation:
        """Return an escalation that the caller sees; NotFound."""
        return await self.ledger.find(caller, identifier)

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, after: str, limit: int
    ) -> list[Escalation]:
        """Return escalations by id, which is the order of their making."""
        return await self.graph.many(
            Q.autonomy.escalations,
            Escalation,
            scopes=caller.among(within),
            state=wanted.state,
            resolver=self._resolver(caller, wanted.resolver),
            level=wanted.level,
            before=wanted.due_before,
            after=after,
            limit=limit,
        )

    async def update(
        self, caller: Caller, identifier: str, changes: Row, expected: int | None
    ) -> Escalation:
        """Change texts, resolver or due moment of one that is not resolved, else StateRefused."""
        scope = (await self.ledger.writable(caller, identifier)).scope
        given = {name: changes[name] for name in TEXTS if changes.get(name)}
        fields = {**changes, **await self.ledger.clean(given, scope)}
        if fields.get("resolver"):
            fields["resolver"] = self._resolver(caller, fields["resolver"])

        async def work(tx: Tx) -> Escalation:
            held = await self.ledger.locked(tx, caller.visible, identifier)
            check(held, expected)
            update = texts_of(held, fields, caller.principal)
            if not update:
                return held
            _open(held)
            done = ("update", update, {"fields": sorted(update.keys() - {"writers"})})
            return await revise(self.ledger, tx, caller, held, done)

        return await self.graph.write("escalation.update", work)

    async def resolve(self, caller: Caller, identifier: str, resolution: str | None) -> Escalation:
        """Resolve an escalation; StateRefused (409) for one that is resolved.

        Raises Forbidden where a resolver is named, and the caller is neither that one nor a
        curator.
        """
        seen = await self.ledger.writable(caller, identifier)
        given = {"resolution": resolution} if resolution else {}
        clean = await self.ledger.clean(given, seen.scope)

        async def work(tx: Tx) -> Escalation:
            held = await self.ledger.locked(tx, caller.visible, identifier)
            _permit(caller, held)
            _open(held)
            to, who = EscalationState.RESOLVED, caller.principal
            update = held.stepped(Transition(at=now(), by=who, before=held.state, to=to))
            update |= texts_of(held, clean, caller.principal)
            done = ("resolve", update, {"level": held.level})
            return await revise(self.ledger, tx, caller, held, done)

        return await self.graph.write("escalation.resolve", work)

    async def raise_due(
        self,
        scopes: Sequence[str] | None,
        *,
        dry_run: bool,
        moment: datetime | None = None,
    ) -> Receipt:
        """Raise the level of what is past its due moment, once for each of these moments, in some
        scopes or in all."""
        receipt = Receipt(dry_run, moment or now())
        asked = None if scopes is None else list(scopes)

        async def page(after: str) -> list[Escalation]:
            return await self.graph.many(
                Q.autonomy.overdue, Escalation, scopes=asked, at=receipt.at, after=after, limit=PAGE
            )

        async def settle(found: Escalation) -> None:
            if dry_run or await self._raise(found, receipt):
                receipt.add(found)

        await each(page, settle)
        return receipt

    async def _raise(self, found: Escalation, receipt: Receipt) -> bool:
        """Raise one; false where that was done, it was resolved, or went meanwhile."""

        async def work(tx: Tx) -> bool:
            try:
                held = await self.ledger.locked(tx, [found.scope], found.id)
            except NotFound:
                return False
            pending = held.pending_at
            if pending is None or pending > receipt.at:
                return False
            who = of_loci(held.scope, receipt.id)
            update = held.raising(receipt.at, who.principal)
            told = {"level": update["level"], "receipt": receipt.id}
            await revise(self.ledger, tx, who, held, ("raise", update, told))
            return True

        return await self.graph.write("escalation.raise", work)

    def _resolver(self, caller: Caller, given: str | None) -> str | None:
        return principal_of(caller, given, "resolver") if given else None


def _open(held: Escalation) -> None:
    if held.state is EscalationState.RESOLVED:
        raise StateRefused("the escalation is resolved: it stays as it is", field="id")


def _permit(caller: Caller, held: Escalation) -> None:
    own = held.resolver in (None, caller.principal)
    if not own and not caller.may(held.scope, Role.CURATOR):
        raise Forbidden("its resolver or a curator resolves it", field="id")
