"""The check of goals: one without progress for too long is told of, or abandoned."""

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


async def check_stale(
    goals: GoalService,
    scopes: Sequence[str] | None,
    *,
    dry_run: bool,
    moment: datetime | None = None,
) -> Receipt:
    """Tell of the stale goals of some scopes, or of all, once until they make progress; where the
    settings of a scope say so, abandon them. A second run finds none of them."""
    receipt = Receipt(dry_run, moment or now())
    before = receipt.at - goals.stale
    asked = None if scopes is None else list(scopes)

    async def page(after: str) -> list[Goal]:
        return await goals.graph.many(
            Q.autonomy.idle_goals, Goal, scopes=asked, before=before, after=after, limit=PAGE
        )

    async def settle(goal: Goal) -> None:
        abandon = (await goals.rule_of(goal.scope)).abandon
        if goal.told_stale and not abandon:
            return
        if dry_run or await _settled(goals, goal, before, receipt, abandon=abandon):
            receipt.add(goal)

    await each(page, settle)
    return receipt


async def _settled(
    goals: GoalService, goal: Goal, before: datetime, receipt: Receipt, *, abandon: bool
) -> bool:
    """Abandon one goal, or tell of it; false where it moved on, was told of, ended or went
    meanwhile."""

    async def work(tx: Tx) -> bool:
        try:
            held = await goals.ledger.locked(tx, [goal.scope], goal.id)
        except NotFound:
            return False
        if held.state is not GoalState.ACTIVE or held.progress_at > before:
            return False
        if abandon:
            await _abandon(goals, tx, held, receipt)
            return True
        if held.told_stale:
            return False
        await _tell(goals, tx, held, receipt)
        return True

    return await goals.graph.write("goal.stale", work)


async def _abandon(goals: GoalService, tx: Tx, held: Goal, receipt: Receipt) -> None:
    who, to = of_loci(held.scope, receipt.id), GoalState.ABANDONED
    step = Transition(at=receipt.at, by=who.principal, before=held.state, to=to)
    told = {"before": held.state.value, "to": to.value, "receipt": receipt.id}
    await revise(goals.ledger, tx, who, held, ("stale", held.stepped(step), told))


async def _tell(goals: GoalService, tx: Tx, held: Goal, receipt: Receipt) -> None:
    """It stays as it is, with its version: nobody has changed it."""
    who = of_loci(held.scope, receipt.id)
    await goals.ledger.save(tx, held.model_copy(update={"stale_told_at": receipt.at}))
    since = held.progress_at.isoformat()
    await goals.ledger.tell(tx, who, "stale", held, since=since, receipt=receipt.id)
