"""Suggestions for policies: made out of reviews, read, decided; nothing is ever applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.autonomy.ledger import Ledger, lock_scope, of_loci
from app.autonomy.receipt import Receipt
from app.errors import NotFound, StateRefused
from app.interventions.model import (
    INTERVENTION,
    NEXT,
    InterventionPolicy,
    Subject,
    SuggestionState,
)
from app.interventions.reckoning import Rule, suggested
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.scopes.every import paths
from app.scopes.service import ScopeService


@dataclass(frozen=True, slots=True)
class Pattern:
    """How far back reviews are counted, what they must show, and for how long a decision on a
    suggestion keeps the same one away."""

    window: timedelta
    rule: Rule
    quiet: timedelta


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which suggestions a list is to hold; None for all."""

    state: SuggestionState | None = None
    subject: Subject | None = None


class InterventionService:
    """Every operation on suggestions."""

    def __init__(self, graph: Graph, scopes: ScopeService, pattern: Pattern) -> None:
        self.ledger = Ledger(graph, scopes, INTERVENTION)
        self.graph = graph
        self.pattern = pattern

    async def find(self, caller: Caller, identifier: str) -> InterventionPolicy:
        """Return a suggestion that the caller sees; NotFound."""
        return await self.ledger.find(caller, identifier)

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, after: str, limit: int
    ) -> list[InterventionPolicy]:
        """Return suggestions by id, which is the order of their making."""
        return await self.graph.many(
            Q.autonomy.interventions,
            InterventionPolicy,
            scopes=caller.among(within),
            state=wanted.state,
            subject=wanted.subject,
            after=after,
            limit=limit,
        )

    async def decide(
        self, caller: Caller, identifier: str, to: SuggestionState, note: str | None
    ) -> InterventionPolicy:
        """Note what a curator makes of a suggestion; StateRefused (409) for one that is decided."""
        scope = (await self.ledger.writable(caller, identifier, Role.CURATOR)).scope
        clean = await self.ledger.clean({"note": note} if note else {}, scope)

        async def work(tx: Tx) -> InterventionPolicy:
            held = await self.ledger.locked(tx, caller.visible, identifier)
            if to not in NEXT[held.state]:
                raise StateRefused(f"{held.state} does not lead to {to}", field="to")
            made = held.model_copy(
                update={
                    **clean,
                    "state": to,
                    "decided_at": now(),
                    "decided_by": caller.principal,
                }
            )
            await self.ledger.save(tx, made)
            await self.ledger.tell(tx, caller, "decide", made, to=to.value)
            return made

        return await self.graph.write("intervention.decide", work)

    async def suggest(
        self, scopes: Sequence[str] | None, *, dry_run: bool, moment: datetime | None = None
    ) -> Receipt:
        """Look at the reviews of some scopes, or of all; a second run suggests nothing more."""
        receipt = Receipt(dry_run, moment or now())
        async for scope in paths(self.graph, scopes):
            await self._one(scope, receipt)
        return receipt

    async def _one(self, scope: str, receipt: Receipt) -> None:
        """Count first, since most scopes suggest nothing; look again with the lock held."""
        since = receipt.at - self.pattern.window
        rows = await self.graph.rows(Q.autonomy.decided, scope=scope, since=since, until=receipt.at)
        if not self._counted(scope, rows, receipt.at):
            return

        async def work(tx: Tx) -> list[InterventionPolicy]:
            try:
                await lock_scope(tx, scope)
            except NotFound:
                return []
            told = await tx.rows(Q.autonomy.decided, scope=scope, since=since, until=receipt.at)
            held = await tx.many(
                Q.autonomy.standing_suggestions,
                InterventionPolicy,
                scope=scope,
                since=receipt.at - self.pattern.quiet,
            )
            kept = {one.subject for one in held}
            fresh = [
                one for one in self._counted(scope, told, receipt.at) if one.subject not in kept
            ]
            for one in () if receipt.dry_run else fresh:
                who = of_loci(scope, receipt.id)
                await self.ledger.store(tx, who, one, receipt=receipt.id)
            return fresh

        for one in await self.graph.write("intervention.suggest", work):
            receipt.add(one)

    def _counted(self, scope: str, rows: list[Row], at: datetime) -> list[InterventionPolicy]:
        """What the figures of a scope suggest."""
        found = []
        for row in rows:
            action = suggested(row["accepted"], row["rejected"], self.pattern.rule)
            if action is not None:
                found.append(
                    InterventionPolicy(
                        id=new_id(),
                        scope=scope,
                        subject=Subject(row["subject"]),
                        action=action,
                        accepted=row["accepted"],
                        rejected=row["rejected"],
                        least=self.pattern.rule.least,
                        rate=self.pattern.rule.rate,
                        since=at - self.pattern.window,
                        until=at,
                        suggested_at=at,
                    )
                )
        return found
