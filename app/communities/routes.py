"""Communities over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_202_ACCEPTED

from app.access.keys import asked_by
from app.access.parameters import Limit, Within
from app.communities.schemas import (
    CommunitiesOut,
    CommunityOut,
    MembersOut,
    RefreshIn,
    RefreshOut,
)
from app.communities.service import CommunityService
from app.communities.tasks import COMMUNITIES
from app.communities.view import CommunityView, viewed
from app.errors import NotFound
from app.jobs.access import CURATED
from app.jobs.runner import Runner
from app.kernel.caller import Caller, Role
from app.kernel.clock import now

Skip = Annotated[int, QueryParameter(ge=0, le=1_000_000, description="`next` of the page before.")]
READS = {"requires": Role.READER}


class CommunityController(Controller):
    """What belongs together, and what it is about."""

    path = "/v1/communities"
    tags = ("Communities",)

    @get("/", operation_id="listCommunities", opt=READS)
    async def list_communities(
        self,
        caller: NamedDependency[Caller],
        communities: NamedDependency[CommunityService],
        within: Within = None,
        level: Annotated[
            int | None,
            QueryParameter(ge=0, le=100, description="0 for the finest; outermost if unset."),
        ] = None,
        parent: Annotated[
            str | None, QueryParameter(description="Only the parts of this community.")
        ] = None,
        skip: Skip = 0,
        limit: Limit = 20,
    ) -> CommunitiesOut:
        """Communities, the largest first, and how far those of each scope are."""
        scopes = caller.among(within)
        rows, where = communities.rows, {"level": level, "parent": parent}
        ids = await rows.page(scopes, where, skip, limit + 1)
        found = viewed(await rows.read(ids[:limit], scopes, now()))
        cursors = (await rows.cursors(scopes)).values()
        more = skip + limit if len(ids) > limit else None
        return CommunitiesOut([CommunityOut.of(one) for one in found], more, list(cursors))

    @get("/{community_id:str}", operation_id="getCommunity", opt=READS)
    async def read(
        self,
        community_id: FromPath[str],
        caller: NamedDependency[Caller],
        communities: NamedDependency[CommunityService],
    ) -> CommunityOut:
        """One community with its summary, each line with its source."""
        return CommunityOut.of(await _one(communities, community_id, caller))

    @get("/{community_id:str}/members", operation_id="listCommunityMembers", opt=READS)
    async def members(
        self,
        community_id: FromPath[str],
        caller: NamedDependency[Caller],
        communities: NamedDependency[CommunityService],
        skip: Skip = 0,
        limit: Limit = 50,
    ) -> MembersOut:
        """The entities in a community, the most mentioned first."""
        await _one(communities, community_id, caller)
        rows = await communities.rows.members(community_id, caller.visible, skip, limit + 1)
        return MembersOut.of(rows, skip, limit)

    @post(
        "/refresh",
        operation_id="refreshCommunities",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_202_ACCEPTED,
    )
    async def refresh(
        self,
        data: JSONBody[RefreshIn],
        caller: NamedDependency[Caller],
        runner: NamedDependency[Runner],
    ) -> RefreshOut:
        """Bring a scope's communities up to date now, as a job."""
        scope = caller.require(data.scope or caller.home, Role.CURATOR)
        by = asked_by(caller, Role.CURATOR)
        args = {"scope": scope, "whole": data.whole, "caller": by}
        job = await runner.submit(
            COMMUNITIES, tenant=caller.tenant, scope=scope, args=args, access=CURATED
        )
        return RefreshOut(job.id, scope)


async def _one(communities: CommunityService, community: str, caller: Caller) -> CommunityView:
    found = viewed(await communities.rows.read([community], caller.visible, now()))
    if not found:
        raise NotFound(f"there is no community {community}")
    return found[0]
