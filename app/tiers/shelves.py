"""What each tier does with a key, by the rights that it has itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from app.contexts.drafting import Draft as LongDraft
from app.contexts.entries import Entry, EntryType, slot_of, text_of
from app.contexts.model import Context
from app.contexts.own import OwnMemory, is_hidden
from app.contexts.service import ContextService
from app.contexts.writing import EntryService
from app.errors import AlreadyExists, InvalidInput, NotFound, StateRefused
from app.kernel.caller import Caller, Role
from app.kernel.clock import now, open_end
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import ID
from app.pools.model import DEFAULT
from app.pools.service import PoolService, Which
from app.shortterm.model import Change, Draft, Kind
from app.shortterm.service import ShortTermService, entry_id
from app.tiers.model import ROUTER_TTL, Address, Tier, Value
from app.working.model import Part, Place, Slot
from app.working.service import Given, WorkingService, own
from app.working.values import unpacked

POOLS = 50  # pools that are looked into for a key, where none is named


@dataclass(frozen=True, slots=True)
class Written:
    """A value to be kept: for how many seconds (None as the tier does by itself), as what."""

    value: Any
    ttl: int | None = None
    kind: Kind = Kind.GENERAL


class Shelf(Protocol):
    """One tier. Whoever asks is at home in the scope that is meant."""

    async def read(self, who: Caller, at: Address) -> Value | None:
        """Return what a key has, counted as that tier counts; None where there is nothing."""
        ...

    async def write(self, who: Caller, at: Address, given: Written) -> Value:
        """Keep a value in the place of the one before."""
        ...

    async def delete(self, who: Caller, at: Address) -> None:
        """Take out what a key has; NotFound."""
        ...


class WorkingShelf:
    """The task of the session's name, in Valkey."""

    def __init__(self, working: WorkingService) -> None:
        self._working = working

    async def read(self, who: Caller, at: Address) -> Value | None:
        """Return the value of a key of the session's task."""
        if at.session is None or not (ID.match(at.key) and ID.match(at.session)):
            return None
        place = own(who, None, at.session, Role.READER)
        try:
            held = await self._working.retrieve(place, Slot.named(Part.KEYS, at.key))
        except NotFound:
            return None
        end = now() + timedelta(seconds=held.ttl)
        return Value(Tier.WORKING, None, place.scope, held.value, end)

    async def write(self, who: Caller, at: Address, given: Written) -> Value:
        """Keep a value for 30 minutes, where no other time is named."""
        place, slot = self._place(who, at)
        most = (await self._working.bounds(place.scope)).ttl_most
        seconds = min(ROUTER_TTL, most) if given.ttl is None else given.ttl
        _, kept = await self._working.store(who, place, slot, Given(given.value, seconds))
        held = await self._working.retrieve(place, slot)
        end = now() + timedelta(seconds=kept)
        return Value(Tier.WORKING, None, place.scope, held.value, end)

    async def delete(self, who: Caller, at: Address) -> None:
        """Take a value out."""
        await self._working.remove(*self._place(who, at))

    def _place(self, who: Caller, at: Address) -> tuple[Place, Slot]:
        session = required(at)
        return own(who, None, session, Role.WRITER), Slot.named(Part.KEYS, at.key)


class ShortShelf:
    """The entry that the session has under a key."""

    def __init__(self, shortterm: ShortTermService) -> None:
        self._shortterm = shortterm

    async def read(self, who: Caller, at: Address) -> Value | None:
        """Return an entry, counted as an access."""
        if at.session is None:
            return None
        try:
            return _short(await self._shortterm.read(who, self._id(who, at)))
        except NotFound:
            return None

    async def write(self, who: Caller, at: Address, given: Written) -> Value:
        """Make an entry, or give the one that is there value, type and time."""
        session = required(at)
        _plain(at.key)
        more = {} if given.ttl is None else {"ttl": given.ttl}
        draft = Draft(session, at.key, given.value, given.kind, **more)
        for _ in range(3):  # it may run out, or be made, between the two
            try:
                return _short(await self._shortterm.create(who, None, draft))
            except AlreadyExists:
                change = Change(given.value, given.kind, draft.ttl)
            try:
                return _short(await self._shortterm.change(who, self._id(who, at), change))
            except NotFound:
                continue
        raise StateRefused("others write this key all the while: try again", field="key")

    async def delete(self, who: Caller, at: Address) -> None:
        """Take an entry out."""
        required(at)
        await self._shortterm.remove(who, self._id(who, at))

    def _id(self, who: Caller, at: Address) -> str:
        return entry_id(who.home, who.principal, at.session or "", at.key)


class LongShelf:
    """The context in which an agent remembers."""

    def __init__(
        self, contexts: ContextService, entries: EntryService, own_memory: OwnMemory
    ) -> None:
        self._contexts = contexts
        self._entries = entries
        self._own = own_memory

    async def read(self, who: Caller, at: Address) -> Value | None:
        """Return the entry in use under a key, unless it was forgotten; counted as a reading."""
        found = await self._entry(who, at)
        if found is None:
            return None
        who, context, entry = found
        await self._contexts.read_by(who, context, "read", [entry.id])
        return _long(entry)

    async def write(self, who: Caller, at: Address, given: Written) -> Value:
        """Remember something for long; a time to live has no place there."""
        if given.ttl is not None:
            raise InvalidInput("what is kept for long takes no time to live", field="ttl")
        draft = LongDraft(at.key, given.value, entry_type=EntryType.OBSERVATION)
        return _long(await self._own.remember(who, draft))

    async def delete(self, who: Caller, at: Address) -> None:
        """Archive an entry: it can still be read by its id."""
        who.require(who.home, Role.WRITER)
        found = await self._entry(who, at)
        if found is None:
            raise NotFound("long-term memory has nothing under this key", field="key")
        who, context, entry = found
        await self._entries.archive(who, context.id, entry.id)

    async def _entry(self, who: Caller, at: Address) -> tuple[Caller, Context, Entry] | None:
        who, contexts = await self._contexts.remembered(who)
        for context in contexts:
            key = await self._contexts.clean(at.key, context.scope, "key")
            slots = [slot_of(context.id, key)]
            found = await self._contexts.graph.many(
                Q.contexts.keyed, Entry, slots=slots, scope=context.scope
            )
            if found and not is_hidden(found[0]):
                return who, context, found[0]
        return None


class SharedShelf:
    """Pools: the one that is named; else, for reading, the nearest default pool and then others."""

    def __init__(self, pools: PoolService) -> None:
        self._pools = pools

    async def read(self, who: Caller, at: Address) -> Value | None:
        """Return the value at a dotted path."""
        for which in await self._places(who, at):
            try:
                pool, _, value = await self._pools.read(who, which, at.key)
            except (InvalidInput, NotFound):
                continue
            return Value(Tier.SHARED, pool.pool_id, pool.scope, value, open_end(pool.ends_at))
        return None

    async def write(self, who: Caller, at: Address, given: Written) -> Value:
        """Set the value at a dotted path of a pool, by default of the default pool."""
        if given.ttl is not None:
            raise InvalidInput("a pool's own policy says how long its keys live", field="ttl")
        which = Which(at.pool or DEFAULT)
        pool = await self._pools.write(who, which, given.value, at.key, None)
        _, _, value = await self._pools.read(who, Which(pool.id), at.key)
        return Value(Tier.SHARED, pool.pool_id, pool.scope, value, open_end(pool.ends_at))

    async def delete(self, who: Caller, at: Address) -> None:
        """Refuse: others rely on what is shared."""
        raise StateRefused("what is shared is not deleted by its key: use the pool", field="tier")

    async def _places(self, who: Caller, at: Address) -> Iterable[Which]:
        if at.pool is not None:
            return [Which(at.pool)]
        wanted: Row = {"within": None, "type": None, "lifetime": None}
        rows = await self._pools.page(who, wanted, None, POOLS)
        own_default = [row for row in rows if row["pool"].pool_id == DEFAULT]
        rest = [row for row in rows if row["pool"].pool_id != DEFAULT]
        return [Which(row["pool"].id) for row in (*own_default, *rest)]


def required(at: Address) -> str:
    """Return the session of an address; InvalidInput where none is named."""
    if at.session is None:
        raise InvalidInput("name the session that this is kept for", field="session_id")
    return at.session


def words(value: Value) -> str:
    """Return the text by which a value is compared."""
    return text_of(value.value) if value.value not in (None, "", [], {}) else ""


def _plain(key: str) -> None:
    if not ID.match(key):
        raise InvalidInput("key takes 1 to 128 of A-Z a-z 0-9 . _ : ~ -", field="key")


def _short(row: Row) -> Value:
    value = unpacked(row["content"].encode())
    end = open_end(row["expires_at"])
    return Value(Tier.SHORT_TERM, row["id"], row["scope"], value, end)


def _long(entry: Entry) -> Value:
    return Value(Tier.LONG_TERM, entry.id, entry.scope, entry.value)
