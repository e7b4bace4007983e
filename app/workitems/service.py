"""Work items: made, found, read with what is below, changed, advanced, linked and deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.access.parameters import principal_of
from app.errors import InvalidInput, NotFound, QuotaReached, StateRefused, VersionMismatch
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import new_id
from app.kernel.scope import parse_scope
from app.kernel.wire import model_of
from app.sanitize.aside import sanitize_tree_aside
from app.scopes.service import ScopeService
from app.workitems.kind import WORK_ITEM, WORK_LINK
from app.workitems.model import (
    DEEPEST,
    MOST_STEPS,
    NEXT,
    TEXTS,
    MemoryKind,
    Priority,
    State,
    Step,
    Texts,
    WorkItem,
    WorkLink,
)

MOST_BELOW = 500  # items that one read of a tree shows
MOST_GONE = 1000  # items that one deletion takes


@dataclass(frozen=True, slots=True)
class Draft:
    """What a client hands in, not yet sanitised."""

    title: str
    description: str | None
    scope: str | None
    parent_id: str | None
    assignee: str | None
    priority: Priority
    due_at: datetime | None
    tags: list[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is to hold; at least one field says so."""

    state: State | None = None
    assignee: str | None = None
    parent_id: str | None = None
    roots: bool = False
    tag: str | None = None
    text: str | None = None

    @property
    def nothing(self) -> bool:
        """Return whether no field says anything."""
        return self == Wanted()


@dataclass(frozen=True, slots=True)
class Tree:
    """An item, its links to what the caller sees, what is below it, and whether that is all."""

    item: WorkItem
    links: list[WorkLink]
    below: list[WorkItem]
    complete: bool


class WorkService:
    """Every operation on work items; those of a scope that is not seen are not there."""

    def __init__(self, graph: Graph, scopes: ScopeService) -> None:
        self.graph = graph
        self._scopes = scopes

    async def create(self, caller: Caller, draft: Draft) -> WorkItem:
        """Make an item, in the scope of the one above where there is one.

        Raises NotFound (`parent_id`), InvalidInput for one in another scope, and QuotaReached
        beyond the deepest level.
        """
        parent = await self._parent(caller, draft.parent_id)
        scope = parent.scope if parent and draft.scope is None else draft.scope or caller.home
        scope = caller.require(str(parse_scope(scope)), Role.WRITER)
        if parent is not None and parent.scope != scope:
            raise InvalidInput("the item above lies in another scope", field="parent_id")
        texts = {name: getattr(draft, name) for name in TEXTS}
        clean = await self._clean({k: v for k, v in texts.items() if v}, scope)
        at = now()
        item = WorkItem(
            id=new_id(),
            scope=scope,
            title=clean["title"],
            description=clean.get("description"),
            tags=clean.get("tags", []),
            assignee=self._assignee(caller, draft.assignee),
            priority=draft.priority,
            due_at=draft.due_at,
            parent_id=draft.parent_id,
            created_at=at,
            created_by=caller.principal,
            changed_at=at,
            changed_by=caller.principal,
            writers=dict.fromkeys(clean, caller.principal),
        )
        return await self._store(caller, item)

    async def get(self, caller: Caller, identifier: str) -> WorkItem:
        """Return an item that the caller sees; NotFound."""
        found = await self.graph.many(
            Q.work.find, WorkItem, ids=[identifier], scopes=caller.visible
        )
        if not found:
            raise _missing(identifier)
        return found[0]

    async def tree(self, caller: Caller, identifier: str, depth: int) -> Tree:
        """Return an item with its links and what lies up to so many levels below it."""
        item = await self.get(caller, identifier)
        links = await self.graph.many(
            Q.work.links, WorkLink, id=item.id, scope=item.scope, scopes=caller.visible
        )
        below: list[WorkItem] = []
        level, left = [item], True
        for _ in range(depth):
            level = await self._right_below(level, MOST_BELOW - len(below) + 1)
            below += level
            left = bool(level) and len(below) <= MOST_BELOW
            if not left:
                break
        more = bool(left and level and await self._right_below(level, 1))
        return Tree(item, links, below[:MOST_BELOW], not more and len(below) <= MOST_BELOW)

    async def page(
        self, caller: Caller, within: list[str] | None, wanted: Wanted, after: str, limit: int
    ) -> list[WorkItem]:
        """Return items by id, which is the order of their making; InvalidInput where nothing says
        which."""
        if wanted.nothing:
            raise InvalidInput(
                "a list needs one of state, assignee, parent_id, roots, tag and text", field="state"
            )
        return await self.graph.many(
            Q.work.page,
            WorkItem,
            scopes=caller.among(within),
            state=wanted.state,
            assignee=self._assignee(caller, wanted.assignee),
            parent=wanted.parent_id,
            roots=wanted.roots,
            tag=wanted.tag.strip().lower() if wanted.tag else None,
            text=wanted.text.lower() if wanted.text else None,
            after=after,
            limit=limit,
        )

    async def update(
        self, caller: Caller, identifier: str, changes: Row, expected: int | None
    ) -> WorkItem:
        """Change some fields; VersionMismatch where `expected` is another version."""
        scope = (await self._writable(caller, identifier)).scope
        given = {k: v for k, v in changes.items() if k in TEXTS}
        clean = {**given, **await self._clean({k: v for k, v in given.items() if v}, scope)}
        fields = {**changes, **clean}
        if "assignee" in fields:
            fields["assignee"] = self._assignee(caller, fields["assignee"])

        async def work(tx: Tx) -> WorkItem:
            held = await self._locked(tx, caller, identifier)
            _check(held, expected)
            changed = {k: v for k, v in fields.items() if getattr(held, k) != v}
            if not changed:
                return held
            by = dict.fromkeys(changed.keys() & {*TEXTS}, caller.principal)
            update = {**changed, "writers": {**held.writers, **by}}
            names = sorted(changed)
            return await self._change(tx, caller, held, ("work.update", update, {"fields": names}))

        return await self.graph.write("work.update", work)

    async def advance(
        self, caller: Caller, identifier: str, to: State, start: State | None
    ) -> WorkItem:
        """Take an item into another state, from `start` where that is given.

        Raises StateRefused (409) where its state is another one or does not lead there.
        """
        await self._writable(caller, identifier)

        async def work(tx: Tx) -> WorkItem:
            held = await self._locked(tx, caller, identifier)
            if start is not None and held.state is not start:
                raise StateRefused(f"the item is {held.state}, not {start}", field="expected_from")
            if to not in NEXT[held.state]:
                raise StateRefused(_not_allowed(held.state, to), field="to")
            step = Step(at=now(), by=caller.principal, before=held.state, to=to)
            history = (*held.history, step)[-MOST_STEPS:]
            told = {"before": held.state.value, "to": to.value}
            update = {"state": to, "history": history, "changed_at": step.at}
            return await self._change(tx, caller, held, ("work.advance", update, told))

        return await self.graph.write("work.advance", work)

    async def delete(self, caller: Caller, identifier: str, *, subtree: bool) -> None:
        """Delete an item with its links, and what is below it where that is asked for.

        Raises StateRefused (409) where something is below it and was not asked for, or is too much
        for one deletion.
        """
        await self._writable(caller, identifier)

        async def work(tx: Tx) -> None:
            held = await self._locked(tx, caller, identifier)
            ids = await self._to_delete(tx, held, subtree)
            links = await tx.rows(Q.work.parts, ids=ids, scope=held.scope)
            await tx.rows(Q.kinds.drop, ids=[*(row["id"] for row in links), *ids])
            event = _event(caller, "work.delete", held, items=len(ids), links=len(links))
            await tx.rows(Q.work.tell, events=[event])

        await self.graph.write("work.delete", work)

    async def link(self, caller: Caller, identifier: str, memory: str) -> WorkLink:
        """Link an item to an episode, note, fact or page that the caller sees; the same again
        gives the link that is there. Raises NotFound (`memory`)."""
        await self._writable(caller, identifier)

        async def work(tx: Tx) -> WorkLink:
            held = await self._locked(tx, caller, identifier)
            at = now()
            found = await tx.optional(Q.work.lock_memory, id=memory, scopes=caller.visible, at=at)
            if found is None:
                raise NotFound(f"there is no episode, note, fact or page {memory}", field="memory")
            link = WORK_LINK.placed(
                WorkLink(
                    id="new",
                    scope=held.scope,
                    item=held.id,
                    memory=memory,
                    memory_kind=MemoryKind(found["kind"]),
                    memory_scope=found["scope"],
                    linked_at=at,
                    linked_by=caller.principal,
                )
            )
            if not await tx.rows(Q.kinds.restore, rows=[WORK_LINK.new(link)]):
                return WorkLink.of((await tx.rows(Q.kinds.lock, ids=[link.id], at=at))[0]["row"])
            event = _event(caller, "work.link", held, memory=memory)
            await tx.rows(Q.work.tell, events=[event])
            return link

        return await self.graph.write("work.link", work)

    async def unlink(self, caller: Caller, identifier: str, memory: str) -> None:
        """Take a link away; NotFound where there is none, or none that the caller sees."""
        item = await self._writable(caller, identifier)
        seen = await self.graph.many(
            Q.work.links, WorkLink, id=item.id, scope=item.scope, scopes=caller.visible
        )
        if memory not in {link.memory for link in seen}:
            raise NotFound(f"the item has no link to {memory}", field="memory")
        link = WORK_LINK.id_of(item.scope, item.id, memory)

        async def work(tx: Tx) -> None:
            held = await self._locked(tx, caller, identifier)
            await tx.rows(Q.kinds.drop, ids=[link])
            event = _event(caller, "work.unlink", held, memory=memory)
            await tx.rows(Q.work.tell, events=[event])

        await self.graph.write("work.unlink", work)

    # --- within -------------------------------------------------------------------------------

    async def _parent(self, caller: Caller, identifier: str | None) -> WorkItem | None:
        if identifier is None:
            return None
        found = await self.graph.many(
            Q.work.find, WorkItem, ids=[identifier], scopes=caller.visible
        )
        if not found:
            raise NotFound(f"there is no work item {identifier}", field="parent_id")
        return found[0]

    async def _store(self, caller: Caller, item: WorkItem) -> WorkItem:
        async def work(tx: Tx) -> WorkItem:
            made = item
            if await tx.optional(Q.work.scope_is_there, scope=item.scope, at=now()) is None:
                raise NotFound(f"there is no scope {item.scope}", field="scope")
            if item.parent_id is not None:
                above = await tx.many(
                    Q.work.lock, WorkItem, ids=[item.parent_id], scopes=[item.scope], at=now()
                )
                if not above:
                    raise NotFound(f"there is no work item {item.parent_id}", field="parent_id")
                if above[0].depth >= DEEPEST:
                    raise QuotaReached(f"a tree has {DEEPEST + 1} levels", field="parent_id")
                made = item.model_copy(update={"depth": above[0].depth + 1})
            await tx.rows(Q.kinds.restore, rows=[WORK_ITEM.new(made)])
            await tx.rows(Q.work.tell, events=[_event(caller, "work.create", made)])
            return made

        return await self.graph.write("work.create", work)

    async def _right_below(self, level: list[WorkItem], limit: int) -> list[WorkItem]:
        """Items one level below some of one level, by id."""
        return await self.graph.many(Q.work.below, WorkItem, **_below(level), limit=limit)

    async def _to_delete(self, tx: Tx, held: WorkItem, subtree: bool) -> list[str]:
        """Ids of an item and of all that goes with it, whose locks are held then."""
        ids, level = [held.id], [held]
        while level:
            rows = await tx.many(Q.work.below, WorkItem, **_below(level), limit=MOST_GONE)
            if rows and not subtree:
                raise StateRefused(
                    "items lie below it: delete them first, or ask for the subtree", field="subtree"
                )
            if len(ids) + len(rows) > MOST_GONE:
                raise StateRefused(
                    f"more than {MOST_GONE} items lie below it: delete parts of it first",
                    field="subtree",
                )
            below = [row.id for row in rows]
            level = await tx.many(Q.work.lock, WorkItem, ids=below, scopes=[held.scope], at=now())
            ids += [item.id for item in level]
        return ids

    async def _writable(self, caller: Caller, identifier: str) -> WorkItem:
        item = await self.get(caller, identifier)
        caller.require(item.scope, Role.WRITER)
        return item

    async def _locked(self, tx: Tx, caller: Caller, identifier: str) -> WorkItem:
        found = await tx.many(
            Q.work.lock, WorkItem, ids=[identifier], scopes=caller.visible, at=now()
        )
        if not found:
            raise _missing(identifier)
        return found[0]

    async def _change(
        self, tx: Tx, caller: Caller, held: WorkItem, done: tuple[str, Row, Row]
    ) -> WorkItem:
        """Store a changed item, whose lock is held, under its next version; tell of it."""
        kind, update, told = done
        made = held.model_copy(
            update={
                "changed_at": now(),
                **update,
                "version": held.version + 1,
                "changed_by": caller.principal,
            }
        )
        await tx.rows(Q.kinds.change, rows=[WORK_ITEM.row(made)])
        event = _event(caller, kind, made, version=made.version, **told)
        await tx.rows(Q.work.tell, events=[event])
        return made

    async def _clean(self, texts: Row, scope: str) -> Row:
        """Texts as they may be stored; what refuses one names its field."""
        policy = await self._scopes.policy(scope)
        clean = {name: await sanitize_tree_aside(t, policy, name) for name, t in texts.items()}
        checked = model_of(Texts, clean)
        return {name: getattr(checked, name) for name in texts}

    def _assignee(self, caller: Caller, given: str | None) -> str | None:
        return principal_of(caller, given, "assignee") if given else None


def _below(level: list[WorkItem]) -> Row:
    """Say which items lie right below those of one level."""
    first = level[0]
    return {"ids": [each.id for each in level], "scope": first.scope, "depth": first.depth + 1}


def _check(held: WorkItem, expected: int | None) -> None:
    if expected is not None and expected != held.version:
        raise VersionMismatch(f"the item has version {held.version}", field="If-Match")


def _not_allowed(state: State, to: State) -> str:
    ways = ", ".join(NEXT[state])
    told = f"it leads to {ways}" if ways else "it is final"
    return f"{state} does not lead to {to}: {told}"


def _missing(identifier: str) -> NotFound:
    return NotFound(f"there is no work item {identifier}", field="item")


def _event(caller: Caller, kind: str, item: WorkItem, **payload: Any) -> Row:
    return {**audit.event(caller, kind, item.scope, item=item.id, **payload), "target": item.id}
