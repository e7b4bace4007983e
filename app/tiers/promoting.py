"""One short-term entry on its way into long-term memory.

It is promoted in one transaction that has its lock from the first statement: it writes or merges
the long-term entry, tells of it, and lets the short-term one run out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from app.contexts.drafting import Draft, entry_of
from app.contexts.entries import Entry, EntryVersion, Reason, Source, slot_of, text_of
from app.contexts.kind import CONTEXT_ENTRY
from app.contexts.model import Context, Status
from app.contexts.sameness import are_one
from app.contexts.service import ContextService
from app.contexts.writing import EntryService
from app.errors import Conflict, EmbedderUnavailable, Forbidden, InvalidInput, NotFound, TooLarge
from app.indexing.likeness import Likeness
from app.indexing.spaces import Spaces
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.scopes.service import private_leaf
from app.scopes.tuning import tuned
from app.shortterm.model import Kind
from app.tiers.formulas import CONFIDENCE, joined, promoted_importance, type_of
from app.tiers.receipt import Done, Fate, Receipt
from app.tiers.renewal import renewed
from app.working.values import unpacked

FRESH = timedelta(minutes=10)  # in which the vector index may not show an entry as it is
UNINDEXED, NEAR = 200, 8  # entries that one is compared with: without the index, and by it
ROUNDS = 5  # comparisons of one entry, where others write into its context meanwhile
PROMOTE, ARCHIVE = "context.entry.promote", "context.entry.archive"


@dataclass(frozen=True, slots=True)
class Rule:
    """From which similarity on two entries say the same, and how long an entry that was looked at
    is not looked at again."""

    alike: float = tuned("tiers.alike")
    again: timedelta = tuned("tiers.again_hours", lambda hours: timedelta(hours=hours))


@dataclass(slots=True)
class Bench:
    """What one run works with: `planned` are the entries that a dry run would have left so far, by
    scope and agent."""

    contexts: ContextService
    entries: EntryService
    spaces: Spaces
    receipt: Receipt
    rule: Rule
    planned: dict[tuple[str, str], dict[str, Entry]] = field(default_factory=dict)
    _likeness: dict[str, Likeness] = field(default_factory=dict)

    async def rule_of(self, scope: str) -> Rule:
        """Return the rule that holds in a scope."""
        return await self.contexts.scopes.limits(self.rule, scope)

    async def likeness(self, scope: str) -> Likeness:
        """Return what compares texts of a scope, and remembers their vectors for this run."""
        if scope not in self._likeness:
            self._likeness[scope] = await Likeness.of(self.spaces, scope)
        return self._likeness[scope]


@dataclass(frozen=True, slots=True)
class Compared:
    """The entry that says the same, if there is one, and what the comparison rests on."""

    twin: Entry | None
    unindexed: frozenset[tuple[str, int]]


class Work:
    """One short-term entry on its way; whatever is done is done in the name of its agent."""

    def __init__(self, bench: Bench, row: Row) -> None:
        self._bench, self._row, self._receipt = bench, row, bench.receipt
        self._graph, self._contexts, self._entries = (
            bench.contexts.graph,
            bench.contexts,
            bench.entries,
        )
        self._who = _author(row, bench.receipt)
        self._older: list[Context] = []  # in the agent's home, where nothing new is kept
        self._planned = bench.planned.setdefault((row["scope"], row["author"]), {})

    async def done(self) -> Done:
        """Promote the entry, or tell what keeps it."""
        try:
            context, entry = await self._drafted()
            if self._receipt.dry_run:
                return await self._foretold(context, entry)
            for _ in range(ROUNDS):
                compared = await self._compared(context, entry)
                act = partial(self._promote, context=context, entry=entry, compared=compared)
                done = await self._graph.write("tiers.promote", act)
                if done is not None:
                    return done
        except EmbedderUnavailable:
            return self._told(Fate.WAITING)
        except (Conflict, Forbidden, InvalidInput, NotFound, TooLarge):
            return await self._refused()
        return self._told(Fate.WAITING)

    async def _drafted(self) -> tuple[Context, Entry]:
        """The context in which the agent remembers, and the entry as it will stand there."""
        row, scope = self._row, self._row["scope"]
        context = await self._own()
        value = await self._entries.value(unpacked(row["content"].encode()), context.scope)
        draft = Draft(
            row["key"],
            value,
            entry_type=type_of(Kind(row["kind"])),
            source_type=Source.AGENT,
            confidence=CONFIDENCE,
            agent=self._who.principal if self._who.kind == "agent" else None,
            task_id=row["session"],
        )
        made = entry_of(draft, context, self._who.principal, self._receipt.at)
        origin = {
            "promoted_from": row["id"],
            "session_scope": scope,
            "kept_at": row["updated_at"],
        }
        return context, _read_as(made.model_copy(update=origin), row)

    async def _own(self) -> Context:
        """The context in the agent's leaf, and what older versions promoted into its home."""
        self._who, known = await self._contexts.remembered(self._who)
        leaf = private_leaf(self._who)
        self._older = [one for one in known if one.scope != leaf]
        here = [one for one in known if one.scope == leaf]
        if here or self._receipt.dry_run:
            return here[0] if here else self._contexts.blank_own(self._who)
        self._who, context = await self._contexts.own(self._who)
        return context

    async def _compared(self, context: Context, entry: Entry) -> Compared:
        """Look for the entry of a context that says the same: in the vector index, and among those
        that it may not show yet."""
        text = text_of(entry.value)
        part = await self._bench.spaces.compared(text, context.scope)
        rows = await self._graph.rows(
            part.space.over(query=Q.contexts.near),
            v=part.vector,
            context=context.id,
            scope=context.scope,
            limit=NEAR,
        )
        fresh = await self._unindexed(self._graph, context)
        near = [Entry.of(row["entry"]) for row in rows]
        others = {one.id: one for one in (*near, *fresh, *self._planned.values())}
        twin = await self._twin(entry, [one for one in others.values() if one.active])
        return Compared(twin, frozenset((one.id, one.version) for one in fresh))

    async def _twin(self, entry: Entry, others: Sequence[Entry]) -> Entry | None:
        """The most similar of the entries that say the same, from .92 on; its own former promotion
        is none."""
        asked = text_of(entry.value)
        likeness = await self._bench.likeness(entry.scope)
        same = [one for one in others if not _former(one, entry) and await are_one(one, entry)]
        if not same:
            return None
        texts = {one.id: text_of(one.value) for one in same}
        await likeness.read([asked, *texts.values()])
        shares = {i: await likeness.texts(asked, text) for i, text in texts.items()}
        best = max(shares, key=lambda i: (shares[i], i), default=None)
        rule = await self._bench.rule_of(entry.scope)
        if best is None or shares[best] < rule.alike:
            return None
        return next(one for one in others if one.id == best)

    async def _unindexed(self, reader: Graph | Tx, context: Context) -> list[Entry]:
        return await reader.many(
            Q.tiers.unindexed,
            Entry,
            context=context.id,
            scope=context.scope,
            since=now() - FRESH,
            limit=UNINDEXED,
        )

    async def _promote(
        self, tx: Tx, *, context: Context, entry: Entry, compared: Compared
    ) -> Done | None:
        """Write what the comparison led to; None where it has to be made anew."""
        at, row = self._receipt.at, self._row
        place = {"id": row["id"], "scope": row["scope"]}
        before = at - (await self._bench.rule_of(row["scope"])).again
        held = await tx.optional(Q.tiers.lock, **place, at=at, before=before)
        if held is None or held["entry"]["content_hash"] != row["content_hash"]:
            return self._told(Fate.GONE)
        if (await self._contexts.held(tx, self._who, context.id)).status is not Status.ACTIVE:
            return self._told(Fate.WAITING)
        known = frozenset((one.id, one.version) for one in await self._unindexed(tx, context))
        if not known <= compared.unindexed:
            return None
        twin = await self._held(tx, context, compared.twin)
        if compared.twin is not None and twin is None:
            return None
        done = await self._written(tx, context, _read_as(entry, held["entry"]), twin)
        await self._replace(tx, entry)
        await tx.rows(Q.tiers.promoted, **place, at=at)
        return done

    async def _replace(self, tx: Tx, entry: Entry) -> None:
        """Archive what the same short-term entry was promoted to before, in the agent's home."""
        for older in self._older:
            slots = [slot_of(older.id, key) for key in _keys(entry)]
            place = {"slots": slots, "scope": older.scope, "at": now()}
            for one in await tx.many(Q.contexts.lock_keys, Entry, **place):
                if _former(one, entry):
                    gone = one.archived(Reason.REMOVED, self._receipt.at)
                    await self._entries.store(tx, self._who, older, gone, ARCHIVE)

    async def _held(self, tx: Tx, context: Context, twin: Entry | None) -> Entry | None:
        """The entry that says the same, locked, where it is as it was when it was compared."""
        if twin is None:
            return None
        place = {"context": context.id, "scope": context.scope}
        found = await tx.many(Q.contexts.lock_entries, Entry, ids=[twin.id], **place, at=now())
        same = [one for one in found if one.active and one.version == twin.version]
        return same[0] if same else None

    async def _written(self, tx: Tx, context: Context, entry: Entry, twin: Entry | None) -> Done:
        """Give the value to what was promoted under its key, or to its twin, or store it anew."""
        slots = [slot_of(context.id, key) for key in _keys(entry)]
        lock = {"slots": slots, "scope": context.scope, "at": now()}
        found = await tx.many(Q.contexts.lock_keys, Entry, **lock)
        holder = _holder(found, entry)
        if holder is not None:
            return await self._renewed(tx, context, holder, entry)
        if twin is None:
            return await self._stored(tx, context, entry, found)
        kept, gone = joined(twin, entry, self._receipt.at)
        if kept.id == twin.id:
            await tx.rows(Q.kinds.restore, rows=[CONTEXT_ENTRY.new(gone)])
            await self._entries.store(tx, self._who, context, kept, PROMOTE)
            return self._told(Fate.MERGED, kept)
        await tx.rows(Q.kinds.change, rows=[CONTEXT_ENTRY.row(gone)])
        left = [one for one in found if one.id != gone.id]
        return await self._stored(tx, context, kept, left, Fate.MERGED)

    async def _renewed(self, tx: Tx, context: Context, holder: Entry, entry: Entry) -> Done:
        """Give what was promoted before under the key the value, or keep that as a version of it
        where it is the older one."""
        versions = await tx.many(
            Q.contexts.versions, EntryVersion, entry=holder.id, scope=holder.scope
        )
        made, former = renewed(holder, entry, versions, self._receipt.at)
        if former:
            await self._entries.rewrite(tx, self._who, context, made, former)
        await self._entries.store(tx, self._who, context, made, PROMOTE)
        return self._told(Fate.UPDATED, made)

    async def _stored(
        self,
        tx: Tx,
        context: Context,
        entry: Entry,
        beside: Sequence[Entry],
        fate: Fate = Fate.PROMOTED,
    ) -> Done:
        """Store a new entry under its key; beside one of that key that somebody wrote, under the
        key and the beginning of its id."""
        made = entry.model_copy(update={"key": _free(entry, {one.key for one in beside})})
        await self._entries.put(tx, self._who, context, made, update=False)
        return self._told(fate, made)

    async def _foretold(self, context: Context, entry: Entry) -> Done:
        """What a run would do, with what it would have done before."""
        slots = [slot_of(context.id, key) for key in _keys(entry)]
        stored = await self._graph.many(Q.contexts.keyed, Entry, slots=slots, scope=context.scope)
        others = {one.id: one for one in (*stored, *self._planned.values())}
        holder = _holder([one for one in others.values() if one.active], entry)
        if holder is not None:
            made, _ = renewed(holder, entry, [], self._receipt.at)
            self._planned[made.id] = made
            return self._told(Fate.UPDATED, made, named=holder in stored)
        twin = (await self._compared(context, entry)).twin
        if twin is not None:
            kept, gone = joined(twin, entry, self._receipt.at)
            self._planned.update({one.id: one for one in (kept, gone)})
            return self._told(Fate.MERGED, kept, named=kept.id == twin.id)
        self._planned[entry.id] = entry
        return self._told(Fate.PROMOTED, entry, named=False)

    async def _refused(self) -> Done:
        """Leave an entry alone until the next day."""
        if not self._receipt.dry_run:
            place = {"id": self._row["id"], "scope": self._row["scope"]}
            await self._graph.rows(Q.tiers.passed_over, **place, at=self._receipt.at)
        return self._told(Fate.REFUSED)

    def _told(self, fate: Fate, entry: Entry | None = None, *, named: bool = True) -> Done:
        weight = None if entry is None else entry.importance
        identifier = None if entry is None or not named else entry.id
        return Done(self._row["id"], self._row["scope"], fate, identifier, weight)


def _author(row: Row, receipt: Receipt) -> Caller:
    """The agent of an entry, in whose name it is promoted, and who may do no more than that."""
    scope, principal = row["scope"], row["author"]
    above = {str(step): Role.READER for step in parse_scope(scope).ancestors}
    return Caller(
        principal=principal,
        kind=principal.partition(":")[0],
        name=principal.rpartition(":")[2],
        tenant=row["tenant"],
        home=scope,
        key="",
        roles={**above, scope: Role.WRITER},
        request=receipt.id,
    )


def _keys(entry: Entry) -> tuple[str, str]:
    return entry.key, f"{entry.key}:{(entry.promoted_from or entry.id)[:8]}"


def _former(one: Entry, entry: Entry) -> bool:
    """Whether an entry is what the same short-term entry was promoted to before, and holds that."""
    return one.promoted_at is not None and one.promoted_from == entry.promoted_from


def _holder(found: Sequence[Entry], entry: Entry) -> Entry | None:
    """What was promoted under the key, else what stands beside it of the same short-term entry;
    what a client wrote is none."""
    keys = _keys(entry)
    own = [one for one in found if one.promoted_at is not None]
    under = next((one for one in own if one.key == keys[0]), None)
    return under or next((one for one in own if one.key == keys[1] and _former(one, entry)), None)


def _free(entry: Entry, taken: set[str]) -> str:
    """The key under which a new entry stands beside those that have its key."""
    return next((key for key in _keys(entry) if key not in taken), f"{entry.key}:{entry.id}")


def _read_as(entry: Entry, row: Row) -> Entry:
    """The entry with what the readings of the short-term one make it weigh."""
    weight = promoted_importance(row["count"], Kind(row["kind"]))
    more = {"access_count": row["count"], "last_accessed_at": row.get("last_access")}
    return entry.weighed(weight, entry.based_at).model_copy(update=more)
