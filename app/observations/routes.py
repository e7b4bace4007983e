"""Observations over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import Within
from app.autonomy.receipt import CheckIn, CheckOut
from app.autonomy.wire import Most
from app.kernel.caller import Caller, Role
from app.observations.schemas import (
    ObservationOut,
    ObservationsIn,
    ObservationsOut,
    ProcessedOut,
    ProcessIn,
    PushedOut,
    TakenOut,
)
from app.observations.sensors import Collector
from app.observations.service import ObservationService, Wanted

Processed = Annotated[
    bool | None, QueryParameter(description="Only those that are, or are not, processed.")
]
BY_HAND = {"requires": Role.ADMIN}


class ObservationController(Controller):
    """What sensors tell."""

    path = "/v1/observations"
    tags = ("Autonomy",)

    @post("/", operation_id="pushObservations", opt={"requires": Role.WRITER})
    async def push(
        self,
        data: JSONBody[ObservationsIn],
        caller: NamedDependency[Caller],
        observing: NamedDependency[ObservationService],
    ) -> PushedOut:
        """Take in up to 100 observations; one of a known sensor and key stays as it was."""
        drafts = [item.to_draft() for item in data.items]
        taken = await observing.push(caller, data.scope, drafts)
        return PushedOut([TakenOut.of(one) for one in taken])

    @get("/", operation_id="listObservations", opt={"requires": Role.READER})
    async def list_observations(
        self,
        caller: NamedDependency[Caller],
        observing: NamedDependency[ObservationService],
        within: Within = None,
        sensor: FromQuery[str | None] = None,
        processed: Processed = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> ObservationsOut:
        """List the observations that have not expired and fit the given filters, by id."""
        wanted = Wanted(sensor, processed)
        found = await observing.page(caller, within, wanted, cursor or "", limit + 1)
        items = [ObservationOut.of(one) for one in found[:limit]]
        return ObservationsOut(items, items[-1].id if len(found) > limit else None)

    @post(
        "/processed",
        operation_id="processObservations",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def process(
        self,
        data: JSONBody[ProcessIn],
        caller: NamedDependency[Caller],
        observing: NamedDependency[ObservationService],
    ) -> ProcessedOut:
        """Mark up to 100 observations as processed, all or none; again it changes nothing."""
        done = await observing.process(caller, data.ids)
        return ProcessedOut([ObservationOut.of(one) for one in done])

    @post("/collect", operation_id="collectObservations", opt=BY_HAND, status_code=HTTP_200_OK)
    async def collect(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        collecting: NamedDependency[Collector],
    ) -> CheckOut:
        """Ask Loci's own sensors, as the schedule does every half hour; by default a dry run."""
        scopes = data.scopes(caller)
        return CheckOut.of(await collecting.collect(scopes, dry_run=data.dry_run))

    @post("/cleanup", operation_id="cleanObservations", opt=BY_HAND, status_code=HTTP_200_OK)
    async def clean_up(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        observing: NamedDependency[ObservationService],
    ) -> CheckOut:
        """Delete what has expired or was processed long ago, as by night; by default a dry run."""
        scopes = data.scopes(caller)
        return CheckOut.of(await observing.clean_up(scopes, dry_run=data.dry_run))
