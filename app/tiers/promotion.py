"""Promotion: what a session's memory was asked for often becomes long-term memory of its agent.

A run that is killed has promoted each entry whole or not at all, and of two runs at once the second
finds nothing to do (`app/tiers/promoting.py`).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from app.contexts.service import ContextService
from app.contexts.writing import EntryService
from app.indexing.spaces import Spaces
from app.jobs.apart import apart
from app.jobs.queue import Wakeup
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.tiers.promoting import Bench, Rule, Work
from app.tiers.receipt import Receipt, Wanted

PAGE = 100
SHORTEST = timedelta(hours=1)  # before an entry is looked at again, as a scope may set it


class TierPromotion:
    """Runs by night, by hand, and for one session; a second run promotes nothing more."""

    def __init__(
        self,
        contexts: ContextService,
        entries: EntryService,
        spaces: Spaces,
        wakeup: Wakeup,
        rule: Rule,
    ) -> None:
        self._graph: Graph = contexts.graph
        self._contexts = contexts
        self._entries = entries
        self._spaces = spaces
        self._wakeup = wakeup
        self.rule = rule

    async def run(
        self, wanted: Wanted, *, dry_run: bool, moment: datetime | None = None
    ) -> Receipt:
        """Promote what was read three times and has not been looked at for 24 hours."""
        receipt = Receipt(dry_run, moment or now())
        bench = Bench(self._contexts, self._entries, self._spaces, receipt, self.rule)
        after = ""
        while rows := await self._due(wanted, receipt, after):
            for row in rows:
                looked_at = row["entry"].get("processed_at")
                again = (await bench.rule_of(row["entry"]["scope"])).again
                if looked_at is None or looked_at <= receipt.at - again:
                    with apart("tiers.promote", row["entry"]["id"]):
                        receipt.add(await Work(bench, row["entry"]).done())
            after = rows[-1]["entry"]["id"]
        if receipt.counts and not dry_run:
            self._wakeup.set()
        return receipt

    async def run_out(self, *, dry_run: bool = False) -> Receipt:
        """Promote what ran out and was read often, before it goes."""
        return await self.run(Wanted(ran_out=True), dry_run=dry_run)

    async def _due(self, wanted: Wanted, receipt: Receipt, after: str) -> list[Row]:
        return await self._graph.rows(
            Q.tiers.due,
            scopes=None if wanted.scopes is None else list(wanted.scopes),
            agent=wanted.agent,
            session=wanted.session,
            ran_out=receipt.at if wanted.ran_out else None,
            before=receipt.at - SHORTEST,
            after=after,
            limit=PAGE,
        )
