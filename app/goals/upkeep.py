"""The check of goals: one without progress for too long is abandoned."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.autonomy.authored import Transition
from app.autonomy.ledger import PAGE, each, of_loci, revise
from app.autonomy.receipt import Receipt
from app.errors import NotFound
from app.goals.model import Goal, GoalState
from app.goals.service import GoalService
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Tx


async def abandon_stale(
    goals: GoalService,
    scopes: Sequence[str] | None,
    *,
    dry_run: bool,
    moment: datetime | None = None,
) -> Receipt:
    """Abandon the stale goals of some scopes, or of all; a second run finds none of them."""
    receipt = Receipt(dry_run, moment or now())
    before = receipt.at - goals.stale
    asked = None if scopes is None else list(scopes)

    async def page(after: str) -> list[Goal]:
        return await goals.graph.many(
            Q.autonomy.idle_goals, Goal, scopes=asked, before=before, after=after, limit=PAGE
        )

    async def settle(goal: Goal) -> None:
        if dry_run or await _abandon(goals, goal, before, receipt):
            receipt.add(goal)

    await each(page, settle)
    return receipt


async def _abandon(goals: GoalService, goal: Goal, before: datetime, receipt: Receipt) -> bool:
    """Abandon one goal; false where it moved on, ended or went meanwhile."""

    async def work(tx: Tx) -> bool:
        try:
            held = await goals.ledger.locked(tx, [goal.scope], goal.id)
        except NotFound:
            return False
        if held.state is not GoalState.ACTIVE or held.progress_at > before:
            return False
        who = of_loci(held.scope, receipt.id)
        to = GoalState.ABANDONED
        step = Transition(at=receipt.at, by=who.principal, before=held.state, to=to)
        update = held.stepped(step)
        told = {"before": held.state.value, "to": "abandoned", "receipt": receipt.id}
        await revise(goals.ledger, tx, who, held, ("stale", update, told))
        return True

    return await goals.graph.write("goal.stale", work)
