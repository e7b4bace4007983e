"""Goals: made, found, changed, brought to an end, linked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.access.parameters import principal_of
from app.autonomy.authored import Transition
from app.autonomy.ledger import Ledger, check, lock_scope, revise, texts_of, written_by
from app.errors import InvalidInput, NotFound, StateRefused
from app.goals.model import (
    GOAL,
    GOAL_LINK,
    NEXT,
    TEXTS,
    Goal,
    GoalLink,
    GoalState,
    LinkKind,
)
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned
from app.workitems.model import Priority


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in, not yet sanitised."""

    title: str
    description: str | None
    criteria: str | None
    scope: str | None
    progress: int
    priority: Priority
    owner: str | None
    parent_id: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which goals a list is to hold; None for all."""

    state: GoalState | None = None
    owner: str | None = None
    priority: Priority | None = None
    parent_id: str | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """Whether the check abandons a stale goal, or tells of it alone."""

    abandon: bool = tuned("goals.abandon_stale")


class GoalService:
    """Every operation on goals; `stale` is how long one may be without progress."""

    def __init__(self, graph: Graph, scopes: ScopeService, stale: timedelta, rule: Rule) -> None:
        self.ledger = Ledger(graph, scopes, GOAL)
        self.graph = graph
        self.stale = stale
        self.rule = rule
        self._scopes = scopes

    async def rule_of(self, scope: str) -> Rule:
        """Return the rule that holds in a scope."""
        return await self._scopes.limits(self.rule, scope)

    async def create(self, caller: Caller, draft: Draft) -> Goal:
        """Make a goal, in the scope of the one above where there is one.

        Raises NotFound (`parent_id`), and InvalidInput for one in another scope.
        """
        above = await self._above(caller, draft.parent_id)
        scope = await self.ledger.place(caller, draft.scope or (above.scope if above else None))
        if above is not None and above.scope != scope:
            raise InvalidInput("the goal above lies in another scope", field="parent_id")
        given = {name: getattr(draft, name) for name in TEXTS if getattr(draft, name)}
        written = written_by(caller.principal, await self.ledger.clean(given, scope))
        goal = Goal(
            id=new_id(),
            scope=scope,
            **written,
            progress=draft.progress,
            progress_at=written["created_at"],
            priority=draft.priority,
            owner=self._owner(caller, draft.owner) or caller.principal,
            parent_id=draft.parent_id,
        )

        async def work(tx: Tx) -> Goal:
            await lock_scope(tx, scope)
            if goal.parent_id is not None:
                await self._lock_above(tx, goal)
            await self.ledger.store(tx, caller, goal)
            return goal

        return await self.graph.write("goal.create", work)

    async def read(self, caller: Caller, identifier: str) -> tuple[Goal, list[GoalLink]]:
        """Return a goal with its links to what the caller sees; NotFound."""
        goal = await self.ledger.find(caller, identifier)
        return goal, await self._links(caller, goal)

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, after: str, limit: int
    ) -> list[Goal]:
        """Return goals by id, which is the order of their making."""
        return await self.graph.many(
            Q.autonomy.goals,
            Goal,
            scopes=caller.among(within),
            state=wanted.state,
            owner=self._owner(caller, wanted.owner),
            priority=wanted.priority,
            parent=wanted.parent_id,
            idle=now() - self.stale if wanted.stale else None,
            after=after,
            limit=limit,
        )

    async def update(
        self, caller: Caller, identifier: str, changes: Row, expected: int | None
    ) -> Goal:
        """Change some fields of an active goal; StateRefused (409) for one that has ended.

        Another number is progress; the same again is none.
        """
        scope = (await self.ledger.writable(caller, identifier)).scope
        given = {name: changes[name] for name in TEXTS if changes.get(name)}
        fields = {**changes, **await self.ledger.clean(given, scope)}
        if fields.get("owner"):
            fields["owner"] = self._owner(caller, fields["owner"])

        async def work(tx: Tx) -> Goal:
            held = await self.ledger.locked(tx, caller.visible, identifier)
            check(held, expected)
            update = texts_of(held, fields, caller.principal)
            if not update:
                return held
            if held.state is not GoalState.ACTIVE:
                raise StateRefused(f"the goal is {held.state}: it stays as it is", field="id")
            if "progress" in update:
                update |= {"progress_at": now(), "stale_told_at": None}
            names = sorted(update.keys() - {"writers", "progress_at", "stale_told_at"})
            done = ("update", update, {"fields": names})
            return await revise(self.ledger, tx, caller, held, done)

        return await self.graph.write("goal.update", work)

    async def advance(self, caller: Caller, identifier: str, to: GoalState) -> Goal:
        """Bring an active goal to an end, or take up an abandoned one, whose time without progress
        begins anew; StateRefused (409) for any other step."""
        await self.ledger.writable(caller, identifier)

        async def work(tx: Tx) -> Goal:
            held = await self.ledger.locked(tx, caller.visible, identifier)
            if to not in NEXT[held.state]:
                raise StateRefused(f"{held.state} does not lead to {to}", field="to")
            step = Transition(at=now(), by=caller.principal, before=held.state, to=to)
            update = held.stepped(step)
            if to is GoalState.ACTIVE:
                update |= {"progress_at": step.at, "stale_told_at": None}
            told = {"before": held.state.value, "to": to.value}
            return await revise(self.ledger, tx, caller, held, ("advance", update, told))

        return await self.graph.write("goal.advance", work)

    async def link(self, caller: Caller, identifier: str, memory: str) -> GoalLink:
        """Link a goal to a work item, episode, note, fact or page that the caller sees; the same
        again gives the link that is there. Raises NotFound (`memory`)."""
        await self.ledger.writable(caller, identifier)

        async def work(tx: Tx) -> GoalLink:
            held = await self.ledger.locked(tx, caller.visible, identifier)
            at = now()
            found = await tx.optional(
                Q.autonomy.lock_linked, id=memory, scopes=caller.visible, at=at
            )
            if found is None:
                raise NotFound(f"there is no work item or memory {memory}", field="memory")
            link = _link(held, found, at, caller.principal)
            if not await tx.rows(Q.kinds.restore, rows=[GOAL_LINK.new(link)]):
                return GoalLink.of((await tx.rows(Q.kinds.lock, ids=[link.id], at=at))[0]["row"])
            await self.ledger.tell(tx, caller, "link", held, memory=memory)
            return link

        return await self.graph.write("goal.link", work)

    async def unlink(self, caller: Caller, identifier: str, memory: str) -> None:
        """Take a link away; NotFound where there is none, or none that the caller sees."""
        goal = await self.ledger.writable(caller, identifier)
        if memory not in {link.memory for link in await self._links(caller, goal)}:
            raise NotFound(f"the goal has no link to {memory}", field="memory")

        async def work(tx: Tx) -> None:
            held = await self.ledger.locked(tx, caller.visible, identifier)
            await tx.rows(Q.kinds.drop, ids=[GOAL_LINK.id_of(held.scope, held.id, memory)])
            await self.ledger.tell(tx, caller, "unlink", held, memory=memory)

        await self.graph.write("goal.unlink", work)

    async def _above(self, caller: Caller, identifier: str | None) -> Goal | None:
        if identifier is None:
            return None
        try:
            return await self.ledger.writable(caller, identifier, Role.READER)
        except NotFound as error:
            error.field = "parent_id"
            raise

    async def _lock_above(self, tx: Tx, goal: Goal) -> None:
        try:
            await self.ledger.locked(tx, [goal.scope], goal.parent_id or "")
        except NotFound as error:
            error.field = "parent_id"
            raise

    def _owner(self, caller: Caller, given: str | None) -> str | None:
        return principal_of(caller, given, "owner") if given else None

    async def _links(self, caller: Caller, goal: Goal) -> list[GoalLink]:
        return await self.graph.many(
            Q.autonomy.links, GoalLink, id=goal.id, scope=goal.scope, scopes=caller.visible
        )


def _link(goal: Goal, found: Row, at: datetime, by: str) -> GoalLink:
    """Return the link between a goal and a row of `autonomy.lock_linked`."""
    return GOAL_LINK.placed(
        GoalLink(
            id="new",
            scope=goal.scope,
            goal=goal.id,
            memory=found["id"],
            memory_kind=LinkKind(found["kind"]),
            memory_scope=found["scope"],
            linked_at=at,
            linked_by=by,
        )
    )
