"""Goals over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from app.access.parameters import IfMatch, Within, one_of, version_of
from app.autonomy.receipt import CheckIn, CheckOut
from app.autonomy.wire import Most
from app.goals.model import GoalState
from app.goals.schemas import (
    GoalAdvanceIn,
    GoalChangeIn,
    GoalIn,
    GoalLinkIn,
    GoalLinkOut,
    GoalOut,
    GoalReadOut,
    GoalsOut,
)
from app.goals.service import GoalService, Wanted
from app.goals.upkeep import check_stale
from app.kernel.caller import Caller, Role
from app.workitems.model import Priority

InState = Annotated[
    str | None,
    QueryParameter(name="state", enum=[*GoalState], description="Only goals in this state."),
]
OfPriority = Annotated[
    str | None,
    QueryParameter(name="priority", enum=[*Priority], description="Only goals of this priority."),
]
Stale = Annotated[
    bool, QueryParameter(description="Only active goals without progress for too long.")
]


class GoalController(Controller):
    """What agents are after."""

    path = "/v1/goals"
    tags = ("Autonomy",)

    @post("/", operation_id="createGoal", opt={"requires": Role.WRITER})
    async def create(
        self,
        data: JSONBody[GoalIn],
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
    ) -> GoalOut:
        """Make a goal, at the top or below another one."""
        return GoalOut.of(await goals.create(caller, data.to_draft()), goals.stale)

    @get("/", operation_id="listGoals", opt={"requires": Role.READER})
    async def list_goals(
        self,
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
        within: Within = None,
        in_state: InState = None,
        owner: FromQuery[str | None] = None,
        of_priority: OfPriority = None,
        parent_id: FromQuery[str | None] = None,
        stale: Stale = False,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> GoalsOut:
        """List the goals that all of the given filters fit, oldest first."""
        wanted = Wanted(
            one_of(GoalState, in_state, "state"),
            owner,
            one_of(Priority, of_priority, "priority"),
            parent_id,
            stale,
        )
        found = await goals.page(caller, within, wanted, cursor or "", limit + 1)
        items = [GoalOut.of(goal, goals.stale) for goal in found[:limit]]
        return GoalsOut(items, items[-1].id if len(found) > limit else None)

    @post(
        "/check",
        operation_id="checkGoals",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def check(
        self,
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
    ) -> CheckOut:
        """Tell of stale goals, or abandon them where the scope's settings say so, as the schedule
        does every six hours; by default a dry run."""
        return CheckOut.of(await check_stale(goals, data.scopes(caller), dry_run=data.dry_run))

    @get("/{goal:str}", operation_id="getGoal", opt={"requires": Role.READER})
    async def read(
        self,
        goal: FromPath[str],
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
    ) -> GoalReadOut:
        """Read a goal with its history and links."""
        found, links = await goals.read(caller, goal)
        return GoalReadOut.of(found, links, goals.stale)

    @patch("/{goal:str}", operation_id="changeGoal", opt={"requires": Role.WRITER})
    async def change(
        self,
        goal: FromPath[str],
        data: JSONBody[GoalChangeIn],
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
        if_match: IfMatch = None,
    ) -> GoalOut:
        """Change texts, owner, priority or progress; another number is progress."""
        expected = version_of(if_match)
        made = await goals.update(caller, goal, data.changes(), expected)
        return GoalOut.of(made, goals.stale)

    @post(
        "/{goal:str}/advance",
        operation_id="advanceGoal",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def advance(
        self,
        goal: FromPath[str],
        data: JSONBody[GoalAdvanceIn],
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
    ) -> GoalOut:
        """Complete or abandon a goal, or take up an abandoned one; 409 for any other step."""
        return GoalOut.of(await goals.advance(caller, goal, data.to), goals.stale)

    @post("/{goal:str}/links", operation_id="linkGoal", opt={"requires": Role.WRITER})
    async def link(
        self,
        goal: FromPath[str],
        data: JSONBody[GoalLinkIn],
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
    ) -> GoalLinkOut:
        """Link a goal to a work item, episode, note, fact or page."""
        return GoalLinkOut.of(await goals.link(caller, goal, data.memory))

    @delete(
        "/{goal:str}/links/{memory:str}",
        operation_id="unlinkGoal",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def unlink(
        self,
        goal: FromPath[str],
        memory: FromPath[str],
        caller: NamedDependency[Caller],
        goals: NamedDependency[GoalService],
    ) -> None:
        """Take a link away."""
        await goals.unlink(caller, goal, memory)
