"""Suggestions for policies over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from app.access.parameters import Within, one_of
from app.autonomy.receipt import CheckIn, CheckOut
from app.autonomy.wire import Most
from app.interventions.model import Subject, SuggestionState
from app.interventions.schemas import (
    InterventionDecideIn,
    InterventionOut,
    InterventionsOut,
)
from app.interventions.service import InterventionService, Wanted
from app.kernel.caller import Caller, Role

InState = Annotated[
    str | None,
    QueryParameter(name="state", enum=[*SuggestionState], description="Only those in this state."),
]
About = Annotated[
    str | None,
    QueryParameter(name="subject", enum=[*Subject], description="Only of reviews of this kind."),
]


class InterventionController(Controller):
    """What the decisions of curators suggest for the rules of a scope."""

    path = "/v1/intervention-policies"
    tags = ("Autonomy",)

    @get("/", operation_id="listInterventionPolicies", opt={"requires": Role.READER})
    async def list_policies(
        self,
        caller: NamedDependency[Caller],
        intervening: NamedDependency[InterventionService],
        within: Within = None,
        in_state: InState = None,
        about: About = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> InterventionsOut:
        """List suggestions, oldest first."""
        wanted = Wanted(
            one_of(SuggestionState, in_state, "state"), one_of(Subject, about, "subject")
        )
        found = await intervening.page(caller, within, wanted, cursor or "", limit + 1)
        items = [InterventionOut.of(one) for one in found[:limit]]
        return InterventionsOut(items, items[-1].id if len(found) > limit else None)

    @post(
        "/suggest",
        operation_id="suggestInterventionPolicies",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def suggest(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        intervening: NamedDependency[InterventionService],
    ) -> CheckOut:
        """Look at how reviews were decided, as the schedule does every week; by default a dry
        run, of which the ids are of no suggestion."""
        scopes = data.scopes(caller)
        return CheckOut.of(await intervening.suggest(scopes, dry_run=data.dry_run))

    @get("/{policy:str}", operation_id="getInterventionPolicy", opt={"requires": Role.READER})
    async def read(
        self,
        policy: FromPath[str],
        caller: NamedDependency[Caller],
        intervening: NamedDependency[InterventionService],
    ) -> InterventionOut:
        """Read a suggestion with its figures."""
        return InterventionOut.of(await intervening.find(caller, policy))

    @post(
        "/{policy:str}/decide",
        operation_id="decideInterventionPolicy",
        opt={"requires": Role.CURATOR},
        status_code=HTTP_200_OK,
    )
    async def decide(
        self,
        policy: FromPath[str],
        data: JSONBody[InterventionDecideIn],
        caller: NamedDependency[Caller],
        intervening: NamedDependency[InterventionService],
    ) -> InterventionOut:
        """Accept or dismiss a suggestion; no rule is changed by it."""
        to = SuggestionState(data.to)
        return InterventionOut.of(await intervening.decide(caller, policy, to, data.note))
