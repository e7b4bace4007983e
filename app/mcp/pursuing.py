"""The tools of goals, escalations and observations, each in a profile of its own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.escalations import service as escalating
from app.escalations.model import EscalationState
from app.escalations.schemas import EscalationIn, EscalationOut, EscalationsOut, ResolveIn
from app.goals import service as pursued
from app.goals.model import Goal as GoalNode
from app.goals.model import GoalState
from app.goals.schemas import (
    GoalAdvanceIn,
    GoalChangeIn,
    GoalIn,
    GoalOut,
    GoalReadOut,
    GoalsOut,
)
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.schemas import Scopes
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.observations import service as observed
from app.observations.schemas import (
    ObservationOut,
    ObservationsIn,
    ObservationsOut,
    ProcessedOut,
    ProcessIn,
    PushedOut,
    TakenOut,
)
from app.workitems.model import Id

Goal = Annotated[Id, Field(description="Id of the goal.")]


class PageIn(WireModel):
    """Which page of a list, and of which scopes."""

    scopes: Scopes = None
    cursor: str | None = Field(None, description="Where the page before ended.")
    limit: Annotated[int, Field(ge=1, le=200)] = 50

    @property
    def within(self) -> list[str] | None:
        """The scopes as services take them."""
        return None if self.scopes is None else list(self.scopes)


class ListGoalsIn(PageIn):
    """Which goals are wanted."""

    state: GoalState | None = None
    owner: ShortText | None = Field(None, description="Its principal, or the name of an agent.")
    stale: bool = Field(False, description="Only active goals without progress for too long.")


class GoalNamedIn(WireModel):
    """A goal."""

    goal: Goal


class ChangeGoalIn(GoalChangeIn):
    """What of a goal is to change."""

    goal: Goal

    def changes(self) -> dict[str, object]:
        """Return the fields that were given, without the name of the goal."""
        return {name: each for name, each in super().changes().items() if name != "goal"}


class AdvanceGoalIn(GoalAdvanceIn):
    """How which goal ends."""

    goal: Goal


class ListEscalationsIn(PageIn):
    """Which escalations are wanted."""

    state: EscalationState | None = None
    resolver: ShortText | None = Field(None, description="Its principal, or the name of an agent.")


class ResolveNamedIn(ResolveIn):
    """How which escalation was resolved."""

    escalation: Annotated[Id, Field(description="Id of the escalation.")]


class ListObservationsIn(PageIn):
    """Which observations are wanted."""

    sensor: ShortText | None = None
    processed: bool | None = Field(None, description="Only those that are, or are not, processed.")


async def create_goal(services: Services, caller: Caller, given: GoalIn) -> Told:
    """Make a goal."""
    made = await services.goals.create(caller, given.to_draft())
    return _goal(services, made)


async def list_goals(services: Services, caller: Caller, given: ListGoalsIn) -> Told:
    """List goals."""
    wanted = pursued.Wanted(given.state, given.owner, None, None, given.stale)
    found = await services.goals.page(
        caller, given.within, wanted, given.cursor or "", given.limit + 1
    )
    items = [GoalOut.of(one, services.goals.stale) for one in found[: given.limit]]
    shown = GoalsOut(items, items[-1].id if len(found) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "goal.", "goals."), shown))


async def read_goal(services: Services, caller: Caller, given: GoalNamedIn) -> Told:
    """Read a goal."""
    found, links = await services.goals.read(caller, given.goal)
    shown = GoalReadOut.of(found, links, services.goals.stale)
    return Told(shown, telling.data(f"Goal {found.id} is {found.state.value}.", shown))


async def change_goal(services: Services, caller: Caller, given: ChangeGoalIn) -> Told:
    """Change a goal."""
    made = await services.goals.update(caller, given.goal, given.changes(), None)
    return _goal(services, made)


async def advance_goal(services: Services, caller: Caller, given: AdvanceGoalIn) -> Told:
    """Complete or abandon a goal, or take up an abandoned one."""
    return _goal(services, await services.goals.advance(caller, given.goal, given.to))


def _goal(services: Services, found: GoalNode) -> Told:
    shown = GoalOut.of(found, services.goals.stale)
    return Told(shown, f"Goal {shown.id} is {shown.state}, {shown.progress} per cent are done.")


async def escalate(services: Services, caller: Caller, given: EscalationIn) -> Told:
    """Ask for a decision by a moment."""
    shown = EscalationOut.of(await services.escalations.create(caller, given.to_draft()))
    return Told(shown, f"Escalation {shown.id} is {shown.state}, due at {shown.due_at}.")


async def list_escalations(services: Services, caller: Caller, given: ListEscalationsIn) -> Told:
    """List escalations."""
    wanted = escalating.Wanted(given.state, given.resolver, None, None)
    found = await services.escalations.page(
        caller, given.within, wanted, given.cursor or "", given.limit + 1
    )
    items = [EscalationOut.of(one) for one in found[: given.limit]]
    shown = EscalationsOut(items, items[-1].id if len(found) > given.limit else None)
    says = telling.counted(len(items), "escalation.", "escalations.")
    return Told(shown, telling.data(says, shown))


async def resolve(services: Services, caller: Caller, given: ResolveNamedIn) -> Told:
    """Resolve an escalation."""
    done = await services.escalations.resolve(caller, given.escalation, given.resolution)
    return Told(EscalationOut.of(done), f"Escalation {done.id} is {done.state.value}.")


async def push(services: Services, caller: Caller, given: ObservationsIn) -> Told:
    """Take observations in."""
    drafts = [item.to_draft() for item in given.items]
    taken = await services.observing.push(caller, given.scope, drafts)
    shown = PushedOut([TakenOut.of(one) for one in taken])
    new = sum(one.created for one in shown.items)
    return Told(shown, f"{new} of {len(shown.items)} are new.")


async def list_observations(services: Services, caller: Caller, given: ListObservationsIn) -> Told:
    """List observations."""
    wanted = observed.Wanted(given.sensor, given.processed)
    found = await services.observing.page(
        caller, given.within, wanted, given.cursor or "", given.limit + 1
    )
    items = [ObservationOut.of(one) for one in found[: given.limit]]
    shown = ObservationsOut(items, items[-1].id if len(found) > given.limit else None)
    says = telling.counted(len(items), "observation.", "observations.")
    return Told(shown, telling.data(says, shown))


async def process(services: Services, caller: Caller, given: ProcessIn) -> Told:
    """Mark observations as processed."""
    done = await services.observing.process(caller, given.ids)
    shown = ProcessedOut([ObservationOut.of(one) for one in done])
    says = telling.counted(len(done), "observation is", "observations are")
    return Told(shown, f"{says} processed.")


GOALS = (
    Tool(
        "goal_create",
        "Make a goal",
        "Make a goal, at the top or below another one.",
        GoalIn,
        GoalOut,
        create_goal,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        "goal_list",
        "List goals",
        "List goals by state and owner, or those without progress for too long.",
        ListGoalsIn,
        GoalsOut,
        list_goals,
    ),
    Tool(
        "goal_read",
        "Read a goal",
        "Read a goal with its history and its links.",
        GoalNamedIn,
        GoalReadOut,
        read_goal,
    ),
    Tool(
        "goal_update",
        "Change a goal",
        "Change texts, owner, priority or progress of a goal.",
        ChangeGoalIn,
        GoalOut,
        change_goal,
        requires=Role.WRITER,
        destructive=True,
    ),
    Tool(
        "goal_advance",
        "End a goal",
        "Complete or abandon a goal, or take up an abandoned one.",
        AdvanceGoalIn,
        GoalOut,
        advance_goal,
        requires=Role.WRITER,
        again=False,
    ),
)
ESCALATIONS = (
    Tool(
        "escalation_create",
        "Ask for a decision",
        "Ask for a decision by a moment; past it the level is raised.",
        EscalationIn,
        EscalationOut,
        escalate,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        "escalation_list",
        "List escalations",
        "List what waits for a decision, by state and resolver.",
        ListEscalationsIn,
        EscalationsOut,
        list_escalations,
    ),
    Tool(
        "escalation_resolve",
        "Resolve an escalation",
        "Say how an escalation was resolved.",
        ResolveNamedIn,
        EscalationOut,
        resolve,
        requires=Role.WRITER,
        again=False,
    ),
)
OBSERVATIONS = (
    Tool(
        "observation_push",
        "Tell observations",
        "Take in what a sensor tells; one of a known sensor and key stays as it was.",
        ObservationsIn,
        PushedOut,
        push,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        "observation_list",
        "List observations",
        "List observations that have not expired, by sensor, processed or not.",
        ListObservationsIn,
        ObservationsOut,
        list_observations,
    ),
    Tool(
        "observation_process",
        "Mark observations",
        "Mark observations as processed, all or none.",
        ProcessIn,
        ProcessedOut,
        process,
        requires=Role.WRITER,
    ),
)
