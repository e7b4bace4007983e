"""What an agent may do with its own working memory, and what it hands to another agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.access.repository import AccessRepository
from app.errors import InvalidInput, WorkingMemoryUnavailable
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.ids import checked_id, digest
from app.kernel.scope import parse_scope
from app.sanitize.labels import require_plain
from app.sanitize.policy import SanitizePolicy
from app.scopes.service import ScopeService
from app.working.copies import Copy, CopyRepository
from app.working.model import Held, Limits, Listed, Part, Place, Slot, Usage, missing
from app.working.store import Brought, WorkingStore
from app.working.values import dumped, packed, require_message, require_short, unpacked

LONG = 2_000  # bytes of a value beyond which it is sanitised off the event loop
TRIES = 20  # of copying to or from the graph while erasures change what there is
REMEMBERED = 10_000  # audit events of the day that a process knows to be written


@dataclass(frozen=True, slots=True)
class Parts:
    """What working memory works with."""

    store: WorkingStore
    copies: CopyRepository
    scopes: ScopeService
    access: AccessRepository


@dataclass(frozen=True, slots=True)
class Given:
    """A value on its way in, and its seconds to live: the default if unset."""

    value: Any
    ttl: int | None = None


class WorkingService:
    """An agent is the principal of its key: nobody else sees its tasks, whatever his role.

    Each method raises NotFound for a scope that is not visible, Forbidden where a change needs the
    writer's role there, and WorkingMemoryUnavailable where Valkey does not answer.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.values = parts.store
        self.copies = parts.copies
        self._audited: set[str] = set()

    @property
    def limits(self) -> Limits:
        """The bounds of the installation."""
        return self.values.limits

    async def bounds(self, scope: str) -> Limits:
        """Return the bounds that hold in a scope."""
        return await self._parts.scopes.limits(self.limits, scope)

    # --- one task ------------------------------------------------------------------------------

    async def store(self, who: Caller, at: Place, slot: Slot, given: Given) -> tuple[int, int]:
        """Keep a value in the place of the one before; its bytes as JSON, and its seconds.

        Raises InvalidInput, PiiRefused and ResidueOnly naming the text, TooLarge, QuotaReached.
        """
        policy = await self._policy(who, at, slot)
        limits = await self.bounds(at.scope)
        seconds = limits.seconds(given.ttl)
        pack = partial(packed, part=slot.part, policy=policy)
        value = await _packed(given.value, pack, limits)
        await self.wrote(who, at, slot.part)
        size = await self.values.put(at, slot, value, seconds, limits)
        return size, seconds

    async def append(self, who: Caller, at: Place, slot: Slot, given: Given) -> tuple[int, int]:
        """Add a message to the conversation or a line to the scratch pad; nothing that others add
        at the same time is lost. The bytes of all of it, and its seconds from now on.

        Raises as `store` does, and InvalidInput for a part that is neither.
        """
        policy = await self._policy(who, at, slot)
        limits = await self.bounds(at.scope)
        seconds = limits.seconds(given.ttl)
        if slot.part is Part.CONVERSATION:
            require_message(given.value, "value")
            pack = partial(packed, part=Part.KEYS, policy=policy)
            item = await _packed(given.value, pack, limits)
            await self.wrote(who, at, slot.part)
            size = await self.values.add_item(at, slot, item, seconds, limits)
        elif slot.part is Part.SCRATCH_PAD:
            pack = partial(packed, part=slot.part, policy=policy)
            text = await _packed(given.value, pack, limits)
            await self.wrote(who, at, slot.part)
            size = await self.values.add_text(at, slot, text, seconds, limits)
        else:
            raise InvalidInput(f"nothing is appended to {slot.part}", field="part")
        return size, seconds

    async def wrote(self, who: Caller, at: Place, part: str) -> None:
        """Write the audit event that a part of a task was written today: once a day, without a
        name or a word of it, and before the value, so that an error here leaves nothing that a
        second try would add to. What is shared has an event of its own each time."""
        if at.is_shared:
            return
        event = audit.event(who, "working.write", at.scope, place=at.id, part=str(part))
        day = event["at"].date().isoformat()
        event["id"] = digest("working.write", at.tenant, str(at), str(part), day)[:32]
        if event["id"] in self._audited:
            return
        await self.copies.wrote({**event, "target": at.id})
        if len(self._audited) >= REMEMBERED:
            self._audited.clear()
        self._audited.add(event["id"])

    async def retrieve(self, at: Place, slot: Slot) -> Held:
        """A value with the seconds that it has left; NotFound where there is none."""
        found = await self.values.get(at, slot)
        if found is None:
            raise missing(str(slot.part) if not slot.name else f"{slot.part}/{slot.name}")
        return found

    async def remove(self, at: Place, slot: Slot) -> None:
        """Take one value out; NotFound where there is none."""
        if not await self.values.remove(at, slot):
            raise missing(str(slot.part) if not slot.name else f"{slot.part}/{slot.name}")

    async def keys(self, at: Place) -> list[Listed]:
        """What a task holds, without the values."""
        return await self.values.listed(at)

    async def clear(self, at: Place) -> int:
        """Take all of a task out; how many values that was. A copy in the graph stays."""
        return await self.values.drop(at)

    async def tasks(self, who: Caller, scope: str) -> tuple[list[Place], Usage]:
        """The caller's tasks in a scope, and the bytes in use in all scopes."""
        found = await self.values.tasks(who.tenant, who.principal)
        own = [place for place in found if place.scope == scope and place.is_task]
        return own, await self.values.usage(who.tenant, who.principal)

    # --- between agents ------------------------------------------------------------------------

    async def share(self, who: Caller, at: Place, slot: Slot, given: Given) -> tuple[int, int]:
        """Keep a value that the place's reader alone may read; raises as `store` does, and
        NotFound (`agent`) for a reader that the tenant does not have."""
        if not await self.copies.has_principal(at.tenant, at.reader):
            error = missing(f"agent {at.reader}")
            error.field = "agent"
            raise error
        kept = await self.store(who, at, slot, given)
        await self._told(who, "working.share", at, slot)
        return kept

    async def unshare(self, who: Caller, at: Place, slot: Slot) -> None:
        """Take back what was shared; NotFound where there is nothing."""
        await self.remove(at, slot)
        await self._told(who, "working.unshare", at, slot)

    async def _told(self, who: Caller, kind: str, at: Place, slot: Slot) -> None:
        event = audit.event(who, kind, at.scope, target=at.reader, value=at.id_of(slot))
        await self._parts.access.write_audit(event, actor=who.principal)

    # --- copies in the graph -------------------------------------------------------------------

    async def persist(self, who: Caller, at: Place) -> Copy:
        """Copy all of a task into the graph, as it may be stored there now; NotFound, and the copy
        before stays, where the task holds nothing."""
        policy = await self._parts.scopes.policy(at.scope)
        for _ in range(TRIES):
            mark = await self.copies.mark(at.tenant)
            found = await self.values.values(at)
            if not found:
                raise missing(f"task {at.task}")
            again = partial(_again, found, policy)
            copy = await self.copies.replace(who, at, await asyncio.to_thread(again), mark)
            if copy is not None:
                return copy
        raise _erasing()

    async def copied(self, at: Place) -> Copy:
        """The copy of a task; NotFound where there is none."""
        found = await self.copies.get(at)
        if not found.values:
            raise missing(f"copy of {at.task}")
        return found

    async def load(
        self, who: Caller, at: Place, ttl: int | None, *, replace: bool
    ) -> tuple[int, int]:
        """Bring a copy back: how many values came, and how many are there already and stay unless
        `replace`. Raises NotFound, TooLarge, QuotaReached; what came before the error stays."""
        limits = await self.bounds(at.scope)
        given = Brought(limits.seconds(ttl), limits, replace)
        came: set[Slot] = set()
        for _ in range(TRIES):
            mark = await self.values.mark(at.tenant)
            copy = await self.copied(at)
            for part in sorted({slot.part for slot, _ in copy.values}):
                await self.wrote(who, at, part)
            if await self._bring(at, copy, (given, mark), came):
                loaded = sum(slot in came for slot, _ in copy.values)
                return loaded, len(copy.values) - loaded
        raise _erasing()

    async def _bring(
        self, at: Place, copy: Copy, how: tuple[Brought, bytes], came: set[Slot]
    ) -> bool:
        """Bring the values of a copy back and note which came; whether no erasure changed the mark
        meanwhile, or else the copy has to be read again."""
        given, mark = how
        for slot, value in copy.values:
            require_short(len(value), given.limits.value)
            done = await self.values.bring(at, slot, value, given, mark)
            if done is None:
                return False
            if done:
                came.add(slot)
        return True

    async def drop_copy(self, who: Caller, at: Place) -> None:
        """Take the copy of a task out of the graph; NotFound where there is none."""
        if not await self.copies.drop(who, at):
            raise missing(f"copy of {at.task}")

    async def aclose(self) -> None:
        """Close the connections to Valkey."""
        await self.values.aclose()

    async def _policy(self, who: Caller, at: Place, slot: Slot) -> SanitizePolicy:
        policy = await self._parts.scopes.policy(at.scope)
        if not at.is_shared:
            require_plain(at.task, "task", policy)
        if slot.name:
            require_plain(slot.name, "name", policy)
        return policy


def _again(values: list[tuple[Slot, bytes]], policy: SanitizePolicy) -> list[tuple[Slot, bytes]]:
    """Return stored values as they may be stored now."""
    return [(slot, packed(unpacked(v), slot.part, policy)) for slot, v in values]


def _erasing() -> WorkingMemoryUnavailable:
    return WorkingMemoryUnavailable("erasures go on in this tenant: try again once they are done")


async def _packed(value: Any, pack: Callable[[Any], bytes], limits: Limits) -> bytes:
    size = len(dumped(value))
    require_short(size, limits.value)
    return await asyncio.to_thread(pack, value) if size > LONG else pack(value)


def own(who: Caller, scope: str | None, task: str, role: Role) -> Place:
    """The caller's own place; raises as `Caller.require` does, InvalidInput for an odd task."""
    path = who.require(str(parse_scope(scope or who.home)), role)
    return Place(who.tenant, path, who.principal, checked_id(task, "task"))


def given_to(who: Caller, scope: str | None, agent: str) -> Place:
    """Where the caller keeps what another agent may read."""
    path = who.require(str(parse_scope(scope or who.home)), Role.WRITER)
    return Place.between(who.tenant, path, who.principal, _whole(who, agent))


def given_by(who: Caller, scope: str | None, agent: str) -> Place:
    """Where another agent keeps what the caller may read."""
    path = who.require(str(parse_scope(scope or who.home)), Role.READER)
    return Place.between(who.tenant, path, _whole(who, agent), who.principal)


def _whole(who: Caller, agent: str) -> str:
    """The id of an agent that may go by its name, as everywhere else; InvalidInput (`agent`)."""
    return agent if ":" in checked_id(agent, "agent") else f"agent:{who.tenant}:{agent}"
