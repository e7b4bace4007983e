"""Entities and merges over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Controller, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from app.access.parameters import AsOf, KnownAt, Limit, Within, aware
from app.entities.merges import MergeService
from app.entities.names import TYPES
from app.entities.schemas import (
    EntitiesOut,
    EntityChangeIn,
    EntityOut,
    MergeIn,
    MergeOut,
    MergesOut,
    NeighboursOut,
)
from app.entities.service import EntityService, Sought
from app.errors import InvalidInput
from app.kernel.caller import Caller, Role
from app.kernel.clock import now

Depth = Annotated[int, QueryParameter(ge=1, le=3, description="Steps from the entity.")]
Status = Literal["pending", "accepted", "rejected", "undone"]


class EntityController(Controller):
    """What is spoken of."""

    path = "/v1/entities"
    tags = ("Entities",)

    @get("/", operation_id="listEntities", opt={"requires": Role.READER})
    async def list_entities(
        self,
        caller: NamedDependency[Caller],
        knowing: NamedDependency[EntityService],
        within: Within = None,
        name: Annotated[
            str | None, QueryParameter(description="A name, however it is written.", min_length=1)
        ] = None,
        prefix: Annotated[
            str | None, QueryParameter(description="How the canonical name begins.", min_length=1)
        ] = None,
        kind: Annotated[
            str | None, QueryParameter(name="type", description=f"One of {', '.join(TYPES)}.")
        ] = None,
        known_at: KnownAt = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> EntitiesOut:
        """Entities in the order of their ids; what was merged counts once."""
        if kind is not None and kind not in TYPES:
            raise InvalidInput(f"type is one of {', '.join(TYPES)}", field="type")
        if name is not None and prefix is not None:
            raise InvalidInput("ask for a name or for a prefix", field="prefix")
        sought = Sought(
            scopes=caller.among(within),
            known_at=aware(known_at, "known_at") or now(),
            name=name,
            prefix=prefix,
            type=kind,
            after=cursor or "",
            limit=limit + 1,
        )
        rows = await knowing.page(sought)
        items = [EntityOut.of(row) for row in rows[:limit]]
        return EntitiesOut(items, items[-1].id if len(rows) > limit else None)

    @get(
        "/{entity_id:str}/neighbours",
        operation_id="getNeighbours",
        opt={"requires": Role.READER},
    )
    async def neighbours(
        self,
        entity_id: FromPath[str],
        caller: NamedDependency[Caller],
        knowing: NamedDependency[EntityService],
        depth: Depth = 1,
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> NeighboursOut:
        """What is mentioned with it, and what facts held at both moments relate it to."""
        moments = (aware(as_of, "as_of") or now(), aware(known_at, "known_at") or now())
        return NeighboursOut.of(await knowing.neighbourhood(caller, entity_id, depth, moments))

    @patch("/{entity_id:str}", operation_id="changeEntity", opt={"requires": Role.CURATOR})
    async def change(
        self,
        entity_id: FromPath[str],
        data: JSONBody[EntityChangeIn],
        caller: NamedDependency[Caller],
        knowing: NamedDependency[EntityService],
    ) -> EntityOut:
        """Set the names, attributes or type of an entity."""
        return EntityOut.of(await knowing.change(caller, entity_id, data.to_change()))


class MergeController(Controller):
    """Which entities are one: proposed with evidence, decided by a curator, undone exactly."""

    path = "/v1/merges"
    tags = ("Entities",)

    @post(
        "/",
        operation_id="proposeMerge",
        opt={"requires": Role.WRITER},
        status_code=HTTP_201_CREATED,
    )
    async def propose(
        self,
        data: JSONBody[MergeIn],
        caller: NamedDependency[Caller],
        merging: NamedDependency[MergeService],
    ) -> MergeOut:
        """Propose that two entities are one; nothing changes before a curator agrees."""
        return MergeOut.of(await merging.propose(caller, data.left, data.right, data.reason))

    @get("/", operation_id="listMerges", opt={"requires": Role.READER})
    async def list_merges(
        self,
        caller: NamedDependency[Caller],
        merging: NamedDependency[MergeService],
        within: Within = None,
        status: FromQuery[Status | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Limit = 50,
    ) -> MergesOut:
        """Proposals and decisions, by id."""
        rows = await merging.page(
            caller.among(within), status=status, after=cursor or "", limit=limit + 1
        )
        items = [MergeOut.of(row) for row in rows[:limit]]
        return MergesOut(items, items[-1].id if len(rows) > limit else None)

    @get("/{merge_id:str}", operation_id="getMerge", opt={"requires": Role.READER})
    async def read(
        self,
        merge_id: FromPath[str],
        caller: NamedDependency[Caller],
        merging: NamedDependency[MergeService],
    ) -> MergeOut:
        """One proposal with its evidence, or what was decided on it."""
        return MergeOut.of(await merging.get(caller, merge_id))

    @post(
        "/{merge_id:str}/accept",
        operation_id="acceptMerge",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def accept(
        self,
        merge_id: FromPath[str],
        caller: NamedDependency[Caller],
        merging: NamedDependency[MergeService],
    ) -> MergeOut:
        """The two are one from now on; what was said of either stays with it."""
        return MergeOut.of(await merging.decide(caller, merge_id, "accept"))

    @post(
        "/{merge_id:str}/reject",
        operation_id="rejectMerge",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def reject(
        self,
        merge_id: FromPath[str],
        caller: NamedDependency[Caller],
        merging: NamedDependency[MergeService],
    ) -> MergeOut:
        """The two are not one: no other merge may join them either."""
        return MergeOut.of(await merging.decide(caller, merge_id, "reject"))

    @post(
        "/{merge_id:str}/undo",
        operation_id="undoMerge",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def undo(
        self,
        merge_id: FromPath[str],
        caller: NamedDependency[Caller],
        merging: NamedDependency[MergeService],
    ) -> MergeOut:
        """Take an accepted merge back, exactly."""
        return MergeOut.of(await merging.decide(caller, merge_id, "undo"))
