"""The tools of memory over its tiers, which only the profile `tiers` lists."""

from __future__ import annotations

import msgspec
from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.tiers.model import Address, Tier, tier_of
from app.tiers.schemas import (
    ConsolidateIn,
    InjectedOut,
    InjectIn,
    PromotionOut,
    TierHitOut,
    TierHitsOut,
    TierSearchIn,
    TierStatsOut,
    TierValueOut,
    TierWriteIn,
)

Session = ShortText | None


class PlaceIn(WireModel):
    """Where the tiers are looked at."""

    scope: str | None = Field(None, description="Scope path; the key's home if unset.")


class TierReadIn(PlaceIn):
    """Which key is read."""

    key: ShortText = Field(description="The key.")
    tier: Tier | None = Field(None, description="This tier alone; the first that has it if unset.")
    session_id: Session = Field(None, description="Your own name of the session.")
    pool: ShortText | None = Field(None, description="The pool of shared memory.")


class TierDroppedOut(msgspec.Struct, frozen=True):
    """What was taken out."""

    key: str
    tier: str


class TierDropIn(PlaceIn):
    """Which key is taken out of which tier."""

    key: ShortText = Field(description="The key.")
    tier: Tier
    session_id: Session = Field(None, description="Your own name of the session.")


async def read(services: Services, caller: Caller, given: TierReadIn) -> Told:
    """Read a key."""
    address = Address(given.key, given.session_id, given.pool)
    value = await services.tiered.read(caller, given.scope, address, given.tier)
    shown = TierValueOut.of(given.key, value)
    if not shown.found:
        return Told(shown, "No tier has this key.")
    return Told(shown, telling.data(f"A value of {shown.tier} memory.", shown))


async def write(services: Services, caller: Caller, given: TierWriteIn) -> Told:
    """Write a key."""
    made = await services.tiered.write(
        caller, given.scope, given.to_address(), tier_of(given.tier), given.to_written()
    )
    shown = TierValueOut.of(given.key, made)
    return Told(shown, f"It is kept in {shown.tier} memory.")


async def delete(services: Services, caller: Caller, given: TierDropIn) -> Told:
    """Take a key out of a tier."""
    address = Address(given.key, given.session_id)
    await services.tiered.delete(caller, given.scope, address, given.tier)
    return Told(TierDroppedOut(given.key, given.tier), f"{given.tier} memory has it no more.")


async def search(services: Services, caller: Caller, given: TierSearchIn) -> Told:
    """Find values by meaning."""
    found = await services.tiered.search(caller, given.scope, given.to_question())
    shown = TierHitsOut([TierHitOut.of(near) for near in found])
    return Told(shown, telling.data(telling.counted(len(found), "value", "values") + ".", shown))


async def consolidate(services: Services, caller: Caller, given: ConsolidateIn) -> Told:
    """Promote what was read often."""
    done = await services.tiered.consolidate(
        caller, given.scope, given.session_id, dry_run=given.dry_run
    )
    shown = PromotionOut.of(done)
    told = telling.counted(len(shown.items), "entry was", "entries were")
    return Told(shown, f"{told} looked at{' and nothing was changed' if given.dry_run else ''}.")


async def context(services: Services, caller: Caller, given: InjectIn) -> Told:
    """Make the context for a task."""
    task = given.to_task()
    done = await services.context_injector.inject(caller, given.scope, task)
    shown = InjectedOut.of(done)
    return Told(shown, shown.untrusted["text"] or "Nothing is known for this task.")


async def stats(services: Services, caller: Caller, given: PlaceIn) -> Told:
    """Tell how much there is in each tier."""
    shown = TierStatsOut.of(await services.tiered.stats(caller, given.scope))
    return Told(shown, telling.data("What the agent keeps in each tier.", shown))


TIERS = (
    Tool(
        name="tier_read",
        title="Read a key of any tier",
        description="Read a key: from one tier, or from working, short-term, long-term and shared "
        "memory in this order. `found` is false where there is nothing.",
        takes=TierReadIn,
        gives=TierValueOut,
        run=read,
    ),
    Tool(
        name="tier_write",
        title="Write a key",
        description="Write a key, in the place of what it had: to short-term memory, unless "
        "another tier is named.",
        takes=TierWriteIn,
        gives=TierValueOut,
        run=write,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        name="tier_delete",
        title="Take a key out of a tier",
        description="Take a key out of a tier. Long-term memory archives what it has; what is "
        "shared stays.",
        takes=TierDropIn,
        gives=TierDroppedOut,
        run=delete,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        name="tier_search",
        title="Search the tiers",
        description="Find values of working, short-term and long-term memory by meaning.",
        takes=TierSearchIn,
        gives=TierHitsOut,
        run=search,
    ),
    Tool(
        name="tier_consolidate",
        title="Consolidate a session",
        description="Promote at once into long-term memory what of a session was read often.",
        takes=ConsolidateIn,
        gives=PromotionOut,
        run=consolidate,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        name="tier_context",
        title="Make the context for a task",
        description="One text for a task out of every tier, under a budget of tokens.",
        takes=InjectIn,
        gives=InjectedOut,
        run=context,
    ),
    Tool(
        name="tier_stats",
        title="Tell the figures of the tiers",
        description="Tell how much you keep in each tier.",
        takes=PlaceIn,
        gives=TierStatsOut,
        run=stats,
    ),
)
