"""Escalations over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from litestar import Controller, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import IfMatch, Within, aware, one_of, version_of
from app.autonomy.receipt import CheckIn, CheckOut
from app.autonomy.wire import Most
from app.escalations.model import HIGHEST, EscalationState
from app.escalations.schemas import (
    EscalationChangeIn,
    EscalationIn,
    EscalationOut,
    EscalationsOut,
    ResolveIn,
)
from app.escalations.service import EscalationService, Wanted
from app.kernel.caller import Caller, Role

InState = Annotated[
    str | None,
    QueryParameter(name="state", enum=[*EscalationState], description="Only those in this state."),
]
FromLevel = Annotated[
    int | None,
    QueryParameter(name="level", ge=1, le=HIGHEST, description="Only this level and above."),
]
DueBefore = Annotated[
    datetime | None, QueryParameter(name="due_before", description="Only those due by then.")
]


class EscalationController(Controller):
    """What waits for somebody's decision."""

    path = "/v1/escalations"
    tags = ("Autonomy",)

    @post("/", operation_id="createEscalation", opt={"requires": Role.WRITER})
    async def create(
        self,
        data: JSONBody[EscalationIn],
        caller: NamedDependency[Caller],
        escalations: NamedDependency[EscalationService],
    ) -> EscalationOut:
        """Ask for a decision by a moment."""
        return EscalationOut.of(await escalations.create(caller, data.to_draft()))

    @get("/", operation_id="listEscalations", opt={"requires": Role.READER})
    async def list_escalations(
        self,
        caller: NamedDependency[Caller],
        escalations: NamedDependency[EscalationService],
        within: Within = None,
        in_state: InState = None,
        resolver: FromQuery[str | None] = None,
        level: FromLevel = None,
        due_before: DueBefore = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> EscalationsOut:
        """List the escalations that all of the given filters fit, oldest first."""
        state = one_of(EscalationState, in_state, "state")
        wanted = Wanted(state, resolver, level, aware(due_before, "due_before"))
        found = await escalations.page(caller, within, wanted, cursor or "", limit + 1)
        items = [EscalationOut.of(one) for one in found[:limit]]
        return EscalationsOut(items, items[-1].id if len(found) > limit else None)

    @post(
        "/check",
        operation_id="checkEscalations",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def check(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        escalations: NamedDependency[EscalationService],
    ) -> CheckOut:
        """Raise what is overdue, as the schedule does every 15 minutes; by default a dry run."""
        scopes = data.scopes(caller)
        return CheckOut.of(await escalations.raise_due(scopes, dry_run=data.dry_run))

    @get("/{escalation:str}", operation_id="getEscalation", opt={"requires": Role.READER})
    async def read(
        self,
        escalation: FromPath[str],
        caller: NamedDependency[Caller],
        escalations: NamedDependency[EscalationService],
    ) -> EscalationOut:
        """Read an escalation with its history."""
        return EscalationOut.of(await escalations.find(caller, escalation))

    @patch("/{escalation:str}", operation_id="changeEscalation", opt={"requires": Role.WRITER})
    async def change(
        self,
        escalation: FromPath[str],
        data: JSONBody[EscalationChangeIn],
        caller: NamedDependency[Caller],
        escalations: NamedDependency[EscalationService],
        if_match: IfMatch = None,
    ) -> EscalationOut:
        """Change texts, resolver, or the moment at which it is due."""
        expected = version_of(if_match)
        made = await escalations.update(caller, escalation, data.changes(), expected)
        return EscalationOut.of(made)

    @post(
        "/{escalation:str}/resolve",
        operation_id="resolveEscalation",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def resolve(
        self,
        escalation: FromPath[str],
        data: JSONBody[ResolveIn],
        caller: NamedDependency[Caller],
        escalations: NamedDependency[EscalationService],
    ) -> EscalationOut:
        """Resolve it: its resolver, a curator, or any writer where no resolver is named."""
        return EscalationOut.of(await escalations.resolve(caller, escalation, data.resolution))
