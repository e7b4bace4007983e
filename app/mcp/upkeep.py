"""The tools of upkeep, which only the profile `upkeep` lists."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.access.schemas import AuditOut, AuditPageOut
from app.access.service import Looked
from app.consolidation.schemas import ConsolidateIn, ConsolidatingOut, ConsolidationOut
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.mcp import telling
from app.mcp.schemas import Scopes, StatusIn
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.telemetry.standing import StatusOut


class ConsolidationIn(WireModel):
    """Where consolidation is looked at."""

    scopes: Scopes = None


class AuditIn(WireModel):
    """Which audit events are wanted."""

    kind: ShortText | None = Field(None, description="Only of this kind, such as `forget`.")
    target: ShortText | None = Field(None, description="Only about this id.")
    scopes: Scopes = None
    cursor: str | None = Field(None, description="`next` of the page before.")
    limit: Annotated[int, Field(ge=1, le=500)] = Field(50, description="Most events of a page.")

    def to_look(self, caller: Caller) -> Looked:
        """Return what is asked for; NotFound for a scope that is not seen."""
        scopes = caller.among(self.scopes)
        return Looked(scopes, self.kind, self.target, self.cursor, self.limit)


async def consolidate(services: Services, caller: Caller, given: ConsolidateIn) -> Told:
    """Have a scope consolidated."""
    shown = await services.consolidating.begin(caller, given)
    return Told(shown, f"Job {shown.job} consolidates {shown.scope}.")


async def consolidation(services: Services, caller: Caller, given: ConsolidationIn) -> Told:
    """Tell how far consolidation is."""
    shown = await services.consolidating.status(caller.among(given.scopes))
    waiting = sum(one.raw + one.in_progress for one in shown.scopes)
    says = f"{telling.counted(waiting, 'episode waits', 'episodes wait')} to be read."
    return Told(shown, telling.data(says, shown))


async def standing(services: Services, caller: Caller, _: StatusIn) -> Told:
    """Tell what the caller's scopes hold, and how far the work is."""
    shown = await services.standing(caller)
    return Told(shown, telling.data(f"Loci {shown.version}.", shown))


async def history(services: Services, caller: Caller, given: AuditIn) -> Told:
    """Tell what was changed or refused in scopes that the caller curates."""
    rows, after = await services.access.history(caller, given.to_look(caller))
    shown = AuditPageOut([AuditOut.of(row) for row in rows], after)
    return Told(shown, telling.data(telling.counted(len(rows), "event.", "events."), shown))


UPKEEP = (
    Tool(
        name="consolidate",
        title="Consolidate a scope",
        description="Have what was said in a scope read for facts now, by a job; failed episodes, "
        "or all of them, can be taken up again.",
        takes=ConsolidateIn,
        gives=ConsolidatingOut,
        run=consolidate,
        requires=Role.CURATOR,
        again=False,
    ),
    Tool(
        name="consolidation_status",
        title="How far is reading",
        description="How far each scope has been read for facts, and which episodes could not be "
        "read, with the reason.",
        takes=ConsolidationIn,
        gives=ConsolidationOut,
        run=consolidation,
    ),
    Tool(
        name="server_status",
        title="What is held",
        description="How many memories of each kind your scopes hold, what waits, and the versions "
        "in use.",
        takes=StatusIn,
        gives=StatusOut,
        run=standing,
    ),
    Tool(
        name="audit_history",
        title="What was changed",
        description="What was changed or refused in scopes that you curate, newest first, by kind "
        "and by what it was about.",
        takes=AuditIn,
        gives=AuditPageOut,
        run=history,
        requires=Role.CURATOR,
        looks=True,
    ),
)
