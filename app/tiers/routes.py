"""The tiers over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.access.parameters import one_of
from app.contexts.entries import LONGEST_KEY
from app.errors import InvalidInput
from app.kernel.caller import Caller, Role
from app.kernel.departures import READS as ONLY_READS
from app.tiers.injection import ContextInjector
from app.tiers.model import Address, Tier, tier_of
from app.tiers.promotion import TierPromotion
from app.tiers.receipt import Wanted
from app.tiers.schemas import (
    ConsolidateIn,
    InjectedOut,
    InjectIn,
    PromoteIn,
    PromotionOut,
    TierHitOut,
    TierHitsOut,
    TierSearchIn,
    TierStatsOut,
    TierValueOut,
    TierWriteIn,
)
from app.tiers.service import TierService

Tiers = NamedDependency[TierService]
OfKey = Annotated[
    str, QueryParameter(name="key", min_length=1, max_length=LONGEST_KEY, description="The key.")
]
OfSession = Annotated[
    str | None,
    QueryParameter(name="session_id", max_length=200, description="Your own name of the session."),
]
OfTier = Annotated[
    str | None, QueryParameter(name="tier", enum=[*Tier], description="This tier alone.")
]
OfPool = Annotated[
    str | None, QueryParameter(name="pool", max_length=200, description="The pool of shared.")
]
InScope = Annotated[
    str | None, QueryParameter(name="scope", description="Scope path; the key's home if unset.")
]


class TierController(Controller):
    """One memory over its tiers."""

    path = "/v1/tiers"
    tags = ("Memory tiers",)

    @get("/value", operation_id="readTiers", opt={"requires": Role.READER})
    async def read(
        self,
        caller: NamedDependency[Caller],
        tiered: Tiers,
        key: OfKey,
        session: OfSession = None,
        tier: OfTier = None,
        pool: OfPool = None,
        within: InScope = None,
    ) -> TierValueOut:
        """Read a key: from one tier, or from working, short-term, long-term and shared memory in
        this order. `found` is false where there is nothing; a reading counts as its tier counts."""
        asked = one_of(Tier, tier, "tier")
        address = Address(key, session, pool)
        return TierValueOut.of(key, await tiered.read(caller, within, address, asked))

    @put("/value", operation_id="writeTier", opt={"requires": Role.WRITER})
    async def write(
        self, data: JSONBody[TierWriteIn], caller: NamedDependency[Caller], tiered: Tiers
    ) -> TierValueOut:
        """Write a key, in the place of what it had: to short-term memory, unless another tier is
        named."""
        tier = tier_of(data.tier)
        made = await tiered.write(caller, data.scope, data.to_address(), tier, data.to_written())
        return TierValueOut.of(data.key, made)

    @delete(
        "/value",
        operation_id="deleteFromTier",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def remove(
        self,
        caller: NamedDependency[Caller],
        tiered: Tiers,
        key: OfKey,
        tier: FromQuery[str],
        session: OfSession = None,
        within: InScope = None,
    ) -> None:
        """Take a key out of a tier. Long-term memory archives what it has, and what is shared is
        refused."""
        asked = one_of(Tier, tier, "tier")
        if asked is None:
            raise InvalidInput("name the tier", field="tier")
        await tiered.delete(caller, within, Address(key, session), asked)

    @post(
        "/search",
        operation_id="searchTiers",
        opt={"requires": Role.READER, ONLY_READS: True},
        status_code=HTTP_200_OK,
    )
    async def search(
        self, data: JSONBody[TierSearchIn], caller: NamedDependency[Caller], tiered: Tiers
    ) -> TierHitsOut:
        """Find values by meaning, by the same calibrated similarity in each tier."""
        found = await tiered.search(caller, data.scope, data.to_question())
        return TierHitsOut([TierHitOut.of(near) for near in found])

    @post(
        "/consolidate",
        operation_id="consolidateSession",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def consolidate(
        self, data: JSONBody[ConsolidateIn], caller: NamedDependency[Caller], tiered: Tiers
    ) -> PromotionOut:
        """Promote at once what of a session was read often."""
        done = await tiered.consolidate(caller, data.scope, data.session_id, dry_run=data.dry_run)
        return PromotionOut.of(done)

    @post(
        "/context",
        operation_id="injectContext",
        opt={"requires": Role.READER, ONLY_READS: True},
        status_code=HTTP_200_OK,
    )
    async def inject(
        self,
        data: JSONBody[InjectIn],
        caller: NamedDependency[Caller],
        context_injector: NamedDependency[ContextInjector],
    ) -> InjectedOut:
        """Make the context for a task: facts, working memory, short-term memory, experiences,
        trajectories, shared knowledge, learnings, replays, the graph, goals, observations and what
        the agent remembers of itself, in this order, as far as they fit."""
        task = data.to_task()
        done = await context_injector.inject(caller, data.scope, task)
        return InjectedOut.of(done)

    @get("/stats", operation_id="tierStatistics", opt={"requires": Role.READER})
    async def stats(
        self, caller: NamedDependency[Caller], tiered: Tiers, within: InScope = None
    ) -> TierStatsOut:
        """Tell how much the agent keeps in each tier."""
        return TierStatsOut.of(await tiered.stats(caller, within))

    @post(
        "/promote",
        operation_id="promoteShortMemories",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def promote(
        self,
        data: JSONBody[PromoteIn],
        caller: NamedDependency[Caller],
        tier_promotion: NamedDependency[TierPromotion],
    ) -> PromotionOut:
        """Promote what was read often, of every agent, as the schedule does; by default a dry
        run."""
        if data.scope is not None:
            scopes = [caller.require(data.scope, Role.ADMIN)]
        else:
            scopes = [scope for scope in caller.visible if caller.may(scope, Role.ADMIN)]
        return PromotionOut.of(await tier_promotion.run(Wanted(scopes), dry_run=data.dry_run))
