"""Contexts over HTTP, and their upkeep by hand."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.access.parameters import Limit, Within, one_of
from app.contexts.finding import FindingService
from app.contexts.model import REACH_WORDS, ContextType, Reach, Status
from app.contexts.own import OwnMemory
from app.contexts.restoring import ContextSnapshots
from app.contexts.schemas import (
    ContextAccessesOut,
    ContextAccessOut,
    ContextGrantIn,
    ContextHitOut,
    ContextHitsOut,
    ContextIn,
    ContextOut,
    ContextRotOut,
    ContextSearchIn,
    ContextSnapshotIn,
    ContextSnapshotOut,
    ContextSnapshotsOut,
    ContextsOut,
    ContextUpkeepIn,
    ContextUpkeepOut,
    DryRunIn,
    ForgetIn,
    MergedOut,
    RecalledOut,
    RecallOwnIn,
    ReflectedOut,
    RememberIn,
    RestoredOut,
)
from app.contexts.schemas import ContextEntryOut as EntryOut
from app.contexts.service import ContextService
from app.contexts.upkeep import ContextUpkeep
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.departures import READS as ONLY_READS

Contexts = NamedDependency[ContextService]
Snapshots = NamedDependency[ContextSnapshots]
OfType = Annotated[
    str | None,
    QueryParameter(name="type", enum=[*ContextType], description="Only contexts of this type."),
]
OfReach = Annotated[
    str | None,
    QueryParameter(name="reach", enum=[*Reach], description="Only contexts of this reach."),
]
InStatus = Annotated[
    str | None, QueryParameter(name="status", enum=[*Status], description="In use, or archived.")
]


class ContextController(Controller):
    """What agents keep for long, under keys."""

    path = "/v1/contexts"
    tags = ("Contexts",)

    @post("/", operation_id="createContext", opt={"requires": Role.WRITER})
    async def create(
        self, data: JSONBody[ContextIn], caller: NamedDependency[Caller], contexts: Contexts
    ) -> ContextOut:
        """Make a context, which the caller owns."""
        return ContextOut.of(await contexts.create(caller, data.to_draft()), caller.principal)

    @get("/", operation_id="listContexts", opt={"requires": Role.READER})
    async def list_contexts(
        self,
        caller: NamedDependency[Caller],
        contexts: Contexts,
        within: Within = None,
        kind: OfType = None,
        reach: OfReach = None,
        status: InStatus = None,
        owner: FromQuery[str | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> ContextsOut:
        """List the contexts that this key sees, oldest first."""
        wanted = {
            "within": within,
            "type": one_of(ContextType, kind, "type"),
            "reach": one_of(Reach, REACH_WORDS.get(reach or "", reach), "reach"),
            "status": one_of(Status, status, "status"),
            "owner": owner,
        }
        found = await contexts.page(caller, wanted, cursor or "", limit + 1)
        items = [ContextOut.of(context, caller.principal) for context in found[:limit]]
        return ContextsOut(items, items[-1].id if len(found) > limit else None)

    @post(
        "/upkeep",
        operation_id="fadeContexts",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def fade(
        self,
        data: JSONBody[ContextUpkeepIn],
        caller: NamedDependency[Caller],
        context_upkeep: NamedDependency[ContextUpkeep],
    ) -> ContextUpkeepOut:
        """Let entries fade and archive what is spent, as the schedule does; by default a dry
        run."""
        scopes = _administered(caller, data.scope)
        return ContextUpkeepOut.of(await context_upkeep.run(scopes, dry_run=data.dry_run))

    @post(
        "/rot",
        operation_id="detectContextRot",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def rot(
        self,
        data: JSONBody[ContextUpkeepIn],
        caller: NamedDependency[Caller],
        context_upkeep: NamedDependency[ContextUpkeep],
    ) -> ContextRotOut:
        """Tell which entries are stale, and archive the stalest; by default a dry run."""
        scopes = _administered(caller, data.scope)
        return ContextRotOut.of(await context_upkeep.rot(scopes, dry_run=data.dry_run))

    @get("/{context:str}", operation_id="getContext", opt={"requires": Role.READER})
    async def read(
        self, context: FromPath[str], caller: NamedDependency[Caller], contexts: Contexts
    ) -> ContextOut:
        """Read a context without its entries."""
        return ContextOut.of(await contexts.get(caller, context), caller.principal)

    @post(
        "/{context:str}/archive",
        operation_id="archiveContext",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def archive(
        self, context: FromPath[str], caller: NamedDependency[Caller], contexts: Contexts
    ) -> ContextOut:
        """Take a context out of use; it can be read, and not changed any more."""
        return ContextOut.of(await contexts.archive(caller, context), caller.principal)

    @post(
        "/{context:str}/grants",
        operation_id="grantContextAccess",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def grant(
        self,
        context: FromPath[str],
        data: JSONBody[ContextGrantIn],
        caller: NamedDependency[Caller],
        contexts: Contexts,
    ) -> ContextOut:
        """Say what an agent may do in a context; who manages it does."""
        shared = await contexts.share(caller, context, data.agent, data.level)
        return ContextOut.of(shared, caller.principal)

    @delete(
        "/{context:str}/grants/{agent:str}",
        operation_id="revokeContextAccess",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def revoke(
        self,
        context: FromPath[str],
        agent: FromPath[str],
        caller: NamedDependency[Caller],
        contexts: Contexts,
    ) -> ContextOut:
        """Take a grant back."""
        return ContextOut.of(await contexts.share(caller, context, agent, None), caller.principal)

    @get(
        "/{context:str}/accesses", operation_id="listContextAccesses", opt={"requires": Role.READER}
    )
    async def accesses(
        self,
        context: FromPath[str],
        caller: NamedDependency[Caller],
        contexts: Contexts,
        limit: Limit = 50,
    ) -> ContextAccessesOut:
        """List who read a context, the latest first; for who manages it."""
        found = await contexts.accesses(caller, context, limit)
        return ContextAccessesOut([ContextAccessOut.of(access) for access in found])

    @post(
        "/{context:str}/search",
        operation_id="searchContext",
        opt={"requires": Role.READER, ONLY_READS: True},
        status_code=HTTP_200_OK,
    )
    async def search(
        self,
        context: FromPath[str],
        data: JSONBody[ContextSearchIn],
        caller: NamedDependency[Caller],
        context_finding: NamedDependency[FindingService],
    ) -> ContextHitsOut:
        """Find entries of one context by meaning."""
        at = now()
        found = await context_finding.search(caller, context, data.to_asked())
        return ContextHitsOut([ContextHitOut.of(each, at) for each in found])

    @post(
        "/{context:str}/merge",
        operation_id="mergeContext",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def merge(
        self,
        context: FromPath[str],
        data: JSONBody[DryRunIn],
        caller: NamedDependency[Caller],
        context_upkeep: NamedDependency[ContextUpkeep],
    ) -> MergedOut:
        """Merge experiences that say the same; by default a dry run."""
        groups = await context_upkeep.merge(caller, context, dry_run=data.dry_run)
        return MergedOut(data.dry_run, groups)

    @post(
        "/{context:str}/snapshots",
        operation_id="takeContextSnapshot",
        opt={"requires": Role.WRITER},
    )
    async def take_snapshot(
        self,
        context: FromPath[str],
        data: JSONBody[ContextSnapshotIn],
        caller: NamedDependency[Caller],
        context_snapshots: Snapshots,
    ) -> ContextSnapshotOut:
        """Keep the entries in use as they are now, with their SHA-256."""
        return ContextSnapshotOut.of(await context_snapshots.take(caller, context, data.name))

    @get(
        "/{context:str}/snapshots",
        operation_id="listContextSnapshots",
        opt={"requires": Role.READER},
    )
    async def list_snapshots(
        self,
        context: FromPath[str],
        caller: NamedDependency[Caller],
        context_snapshots: Snapshots,
    ) -> ContextSnapshotsOut:
        """List the snapshots of a context, oldest first."""
        found = await context_snapshots.page(caller, context)
        return ContextSnapshotsOut([ContextSnapshotOut.of(snapshot) for snapshot in found])

    @post(
        "/{context:str}/snapshots/{snapshot:str}/restore",
        operation_id="restoreContextSnapshot",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def restore(
        self,
        context: FromPath[str],
        snapshot: FromPath[str],
        caller: NamedDependency[Caller],
        context_snapshots: Snapshots,
    ) -> RestoredOut:
        """Replace all entries in use by those of a snapshot; 409 where a hash does not fit."""
        return RestoredOut.of(await context_snapshots.restore(caller, context, snapshot))

    @delete(
        "/{context:str}/snapshots/{snapshot:str}",
        operation_id="deleteContextSnapshot",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def delete_snapshot(
        self,
        context: FromPath[str],
        snapshot: FromPath[str],
        caller: NamedDependency[Caller],
        context_snapshots: Snapshots,
    ) -> None:
        """Delete a snapshot; entries stay as they are."""
        await context_snapshots.delete(caller, context, snapshot)


class OwnMemoryController(Controller):
    """What this agent remembers of itself."""

    path = "/v1/own-memory"
    tags = ("Contexts",)

    @post(
        "/remember",
        operation_id="rememberOwn",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def remember(
        self,
        data: JSONBody[RememberIn],
        caller: NamedDependency[Caller],
        own_memory: NamedDependency[OwnMemory],
    ) -> EntryOut:
        """Keep something under a key, in the place of what it held."""
        return EntryOut.of(await own_memory.remember(caller, data.to_draft()), now())

    @post(
        "/recall",
        operation_id="recallOwn",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def recall(
        self,
        data: JSONBody[RecallOwnIn],
        caller: NamedDependency[Caller],
        own_memory: NamedDependency[OwnMemory],
    ) -> RecalledOut:
        """Recall what is like a question, else what shares words with it."""
        at = now()
        return RecalledOut.of(await own_memory.recall(caller, data.query, data.limit), at)

    @post(
        "/reflect",
        operation_id="reflectOwn",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def reflect(
        self, caller: NamedDependency[Caller], own_memory: NamedDependency[OwnMemory]
    ) -> ReflectedOut:
        """Write down what was read most, at most every 15 minutes."""
        made = await own_memory.reflect(caller)
        return ReflectedOut(None if made is None else EntryOut.of(made, now()))

    @post(
        "/forget",
        operation_id="forgetOwn",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def forget(
        self,
        data: JSONBody[ForgetIn],
        caller: NamedDependency[Caller],
        own_memory: NamedDependency[OwnMemory],
    ) -> EntryOut:
        """Leave a tenth of the importance of what is under a key."""
        return EntryOut.of(await own_memory.forget(caller, data.key), now())


def _administered(caller: Caller, scope: str | None) -> list[str]:
    if scope is not None:
        return [caller.require(scope, Role.ADMIN)]
    return [s for s in caller.visible if caller.may(s, Role.ADMIN)]
