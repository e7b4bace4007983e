"""Contexts: made, found, granted, archived; and the log of who read them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from app.access.parameters import principal_of
from app.contexts.kind import CONTEXT, CONTEXT_ACCESS
from app.contexts.model import (
    MOST_GRANTS,
    Access,
    Context,
    ContextType,
    Level,
    Reach,
    Status,
    reach_of,
)
from app.errors import Forbidden, InvalidInput, NotFound, QuotaReached, StateRefused
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.sanitize.aside import sanitize_tree_aside
from app.scopes.service import ScopeService, private_leaf
from app.scopes.tuning import tuned

T = TypeVar("T")
MERGED_BY_HAND, MERGED_BY_JOB = 0.9, 0.95  # similarity from which entries are merged, by default
OWN = "Own memory"  # name of the context that an agent has of itself


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """Bounds of the settings, as these describe them."""

    per_scope: int = tuned("contexts.per_scope")
    entries: int = tuned("contexts.entries")
    content_bytes: int = tuned("contexts.content_bytes")
    versions: int = tuned("contexts.versions")
    snapshots: int = tuned("contexts.snapshots")
    accesses: int = tuned("contexts.accesses")
    experiences: int = tuned("contexts.experiences")
    own: int = tuned("contexts.own")
    threshold: float = tuned("contexts.threshold", default=0.7)
    merged_by_hand: float = tuned("contexts.merged_by_hand", default=MERGED_BY_HAND)
    merged_by_job: float = tuned("contexts.merged_by_job", default=MERGED_BY_JOB)


@dataclass(frozen=True, slots=True)
class ContextDraft:
    """What a client hands in, not yet sanitised."""

    name: str
    description: str | None
    type: ContextType
    scope: str | None
    reach: Reach | None


class ContextService:
    """Every operation on contexts; one of a scope that is not seen is not there."""

    def __init__(self, graph: Graph, scopes: ScopeService, limits: ContextLimits) -> None:
        self.graph = graph
        self.limits = limits
        self.scopes = scopes

    async def create(self, caller: Caller, draft: ContextDraft) -> Context:
        """Make a context, which the caller owns. Raises InvalidInput (`reach`) where no scope, or
        not the one that is named, is of that reach."""
        scope = caller.require(_place(caller, draft), Role.WRITER)
        texts = {"name": draft.name, "description": draft.description}
        clean = {field: await self.clean(text, scope, field) for field, text in texts.items()}
        at, by = now(), caller.principal
        context = Context(
            id=new_id(),
            scope=scope,
            type=draft.type,
            owner=by,
            created_at=at,
            changed_at=at,
            changed_by=by,
            **clean,
        )
        return await self.graph.write(
            "contexts.create", lambda tx: self._store(tx, caller, context)
        )

    async def get(self, caller: Caller, identifier: str) -> Context:
        """Return a context that the caller sees; NotFound."""
        found = await self.graph.many(
            Q.contexts.find, Context, id=identifier, scopes=caller.visible
        )
        if not found:
            raise _missing(identifier)
        return found[0]

    async def page(self, caller: Caller, wanted: Row, after: str, limit: int) -> list[Context]:
        """Return contexts by id, which is the order of their making."""
        scopes, reach = caller.among(wanted["within"]), wanted["reach"]
        return await self.graph.many(
            Q.contexts.page,
            Context,
            scopes=[scope for scope in scopes if reach is None or reach_of(scope) is reach],
            type=wanted["type"],
            status=wanted["status"],
            owner=wanted["owner"] and principal_of(caller, wanted["owner"], "owner"),
            after=after,
            limit=limit,
        )

    async def archive(self, caller: Caller, identifier: str) -> Context:
        """Take a context out of use; the same again changes nothing."""
        await self.managed(caller, identifier)

        async def work(tx: Tx) -> Context:
            held = await self.managing(tx, caller, identifier)
            if held.status is Status.ARCHIVED:
                return held
            at = now()
            update = {"status": Status.ARCHIVED, "archived_at": at}
            return await self._change(tx, caller, held, update, "context.archive")

        return await self.graph.write("contexts.archive", work)

    async def share(
        self, caller: Caller, identifier: str, agent: str, level: Level | None
    ) -> Context:
        """Say what an agent may do in a context, or take that back (None)."""
        await self.managed(caller, identifier)
        who = principal_of(caller, agent, "agent")

        async def work(tx: Tx) -> Context:
            held = await self.managing(tx, caller, identifier)
            grants = {**held.grants, who: level} if level else {**held.grants}
            if level is None:
                grants.pop(who, None)
            if grants == held.grants:
                return held
            if len(grants) > MOST_GRANTS:
                raise QuotaReached(f"a context has at most {MOST_GRANTS} grants", field="agent")
            kind = f"context.{'grant' if level else 'revoke'}"
            return await self._change(tx, caller, held, {"grants": grants}, kind, agent=who)

        return await self.graph.write("contexts.share", work)

    async def accesses(self, caller: Caller, identifier: str, limit: int) -> list[Access]:
        """Return who read a context, the latest first; for who manages it."""
        context = await self.managed(caller, identifier)
        return await self.graph.many(
            Q.contexts.accesses, Access, context=context.id, scope=context.scope, limit=limit
        )

    # --- for the services beside --------------------------------------------------------------

    async def own(self, caller: Caller) -> tuple[Caller, Context]:
        """Return the context in which the caller remembers, made when it is first asked for, and
        the caller as it sees that: it lies in the caller's own leaf, which nobody beside it sees,
        or in that of the user in whose scope it is at home.

        Raises Forbidden without the writer's role at home.
        """
        caller.require(caller.home, Role.WRITER)
        if (leaf := private_leaf(caller)) != caller.home:
            caller = await self.scopes.with_own_leaf(caller)
        scope = caller.require(leaf, Role.WRITER)
        mine = {"scopes": [scope], "owner": caller.principal}

        async def work(tx: Tx) -> Context:
            await tx.optional(Q.contexts.lock_scope, scope=scope, at=now())
            found = await tx.many(Q.contexts.own, Context, **mine)
            return found[0] if found else await self._store(tx, caller, self.blank_own(caller))

        known = await self.graph.many(Q.contexts.own, Context, **mine)
        return caller, known[0] if known else await self.graph.write("contexts.own", work)

    async def remembered(self, caller: Caller) -> tuple[Caller, list[Context]]:
        """Return where the caller remembers: in its leaf, and in its home, where older versions
        kept it. None is made; with the caller as it sees them."""
        if (leaf := private_leaf(caller)) != caller.home:
            caller = await self.scopes.seeing_own_leaf(caller)
        places = [place for place in {leaf, caller.home} if place in caller.roles]
        found = await self.graph.many(
            Q.contexts.own, Context, scopes=places, owner=caller.principal
        )
        return caller, sorted(found, key=lambda one: (one.scope != leaf, one.id))

    def blank_own(self, caller: Caller) -> Context:
        """Return the context that `own` makes, not stored."""
        at, by = now(), caller.principal
        return Context(
            id=new_id(),
            scope=private_leaf(caller),
            name=OWN,
            type=ContextType.AGENT_MEMORY,
            owner=by,
            own=True,
            created_at=at,
            changed_at=at,
            changed_by=by,
        )

    async def writable(self, caller: Caller, identifier: str) -> Context:
        """Return a context in use whose entries the caller may write; Forbidden, StateRefused."""
        context = await self.get(caller, identifier)
        caller.require(context.scope, Role.WRITER)
        _writes(caller, context)
        return context

    async def managed(self, caller: Caller, identifier: str) -> Context:
        """Return a context that the caller may archive, grant and take back; Forbidden."""
        context = await self.get(caller, identifier)
        caller.require(context.scope, Role.WRITER)
        _manages(caller, context)
        return context

    async def held(self, tx: Tx, caller: Caller, identifier: str) -> Context:
        """Return a context whose lock this transaction has from now on."""
        found = await tx.many(
            Q.contexts.lock, Context, id=identifier, scopes=caller.visible, at=now()
        )
        if not found:
            raise _missing(identifier)
        return found[0]

    async def managing(self, tx: Tx, caller: Caller, identifier: str) -> Context:
        """Return a context whose lock this transaction has from now on, and which the caller
        still manages; Forbidden."""
        held = await self.held(tx, caller, identifier)
        _manages(caller, held)
        return held

    async def writing(
        self, caller: Caller, context: Context, name: str, work: Callable[[Tx], Awaitable[T]]
    ) -> T:
        """Run work on the entries of a context in a transaction that has its lock; the right to
        write is looked at again."""

        async def locked(tx: Tx) -> T:
            _writes(caller, await self.held(tx, caller, context.id))
            return await work(tx)

        return await self.graph.write(name, locked)

    async def read_by(
        self, caller: Caller, context: Context, act: str, entries: Iterable[str] = ()
    ) -> None:
        """Note that somebody read a context, and count the reading of some of its entries."""
        ids, at = list(entries), now()
        access = Access(
            id=new_id(),
            scope=context.scope,
            context_id=context.id,
            by=caller.principal,
            act=act,
            entry_id=ids[0] if act == "read" and ids else None,
            at=at,
        )
        place = {"context": context.id, "scope": context.scope}

        keep = (await self.bounds(context.scope)).accesses

        async def work(tx: Tx) -> None:
            await tx.rows(Q.kinds.restore, rows=[CONTEXT_ACCESS.new(access)])
            await tx.rows(Q.contexts.prune_accesses, **place, keep=keep)
            await tx.rows(Q.contexts.touch, ids=ids, **place, at=at)

        await self.graph.write("contexts.read_by", work)

    async def bounds(self, scope: str) -> ContextLimits:
        """Return the bounds that hold in a scope."""
        return await self.scopes.limits(self.limits, scope)

    async def clean(self, value: Any, scope: str, field: str) -> Any:
        """Return a value as it may be stored; what refuses it names the place."""
        return await sanitize_tree_aside(value, await self.scopes.policy(scope), field)

    async def _store(self, tx: Tx, caller: Caller, context: Context) -> Context:
        count = await tx.optional(Q.contexts.lock_scope, scope=context.scope, at=now())
        if count is None:
            raise NotFound(f"there is no scope {context.scope}", field="scope")
        most = (await self.bounds(context.scope)).per_scope
        if count["contexts"] >= most:
            raise QuotaReached(f"a scope has at most {most} contexts")
        await tx.rows(Q.kinds.restore, rows=[CONTEXT.new(context)])
        await tx.rows(Q.contexts.tell, events=[event_of(caller, "context.create", context)])
        return context

    async def _change(
        self, tx: Tx, caller: Caller, held: Context, update: Row, kind: str, **told: Any
    ) -> Context:
        changed = {**update, "changed_at": now(), "changed_by": caller.principal}
        made = held.model_copy(update=changed)
        await tx.rows(Q.kinds.change, rows=[CONTEXT.row(made)])
        await tx.rows(Q.contexts.tell, events=[event_of(caller, kind, made, **told)])
        return made


def event_of(caller: Caller, kind: str, context: Context, **payload: Any) -> Row:
    """Return the audit event about a change in a context."""
    event = audit.event(caller, kind, context.scope, context=context.id, **payload)
    return {**event, "target": context.id}


def _place(caller: Caller, draft: ContextDraft) -> str:
    """The scope that is named, or the nearest from the key's home up that is of the reach."""
    if draft.scope is not None:
        scope = str(parse_scope(draft.scope))
        if draft.reach not in (None, reach_of(scope)):
            raise InvalidInput(
                f"a context in {scope} is of the reach {reach_of(scope)}", field="reach"
            )
        return scope
    home = parse_scope(caller.home)
    places = [str(step) for step in (home, *home.ancestors) if str(step) in caller.roles]
    fitting = [place for place in places if draft.reach in (None, reach_of(place))]
    if not fitting:
        raise InvalidInput(
            f"no scope from {caller.home} up is of the reach {draft.reach}: name one",
            field="reach",
        )
    return fitting[0]


def _writes(caller: Caller, context: Context) -> None:
    if not context.writable_by(caller.principal):
        raise Forbidden("this context may be read and not written", field="context")
    if context.status is Status.ARCHIVED:
        raise StateRefused("the context is archived", field="context")


def _manages(caller: Caller, context: Context) -> None:
    admin = caller.may(context.scope, Role.ADMIN)
    if not (admin or context.managed_by(caller.principal)):
        raise Forbidden("a context is managed by its owner, or by grant", field="context")


def _missing(identifier: str) -> NotFound:
    return NotFound(f"there is no context {identifier}", field="context")
