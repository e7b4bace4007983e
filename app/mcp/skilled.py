"""The tools of skills and of what was learnt, which only the profile `skills` lists."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import Field, StringConstraints

from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.learning.log import Wanted as WantedEntries
from app.learning.model import LearningType
from app.learning.schemas import LearnedEntryOut, LearnedLogOut
from app.mcp import telling
from app.mcp.reading import READING
from app.mcp.schemas import AsOf, KnownAt, Scopes
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.skills.graph_schemas import LearningAnswerOut
from app.skills.outcomes import Outcome
from app.skills.schemas import (
    OutcomeIn,
    RecordedOut,
    SkillContextOut,
    SkillIn,
    SkillOut,
    SkillsOut,
)
from app.skills.service import Wanted
from app.skills.vocabulary import Category, Status
from app.skills.walk import TOKENS

Skill = Annotated[ShortText, Field(description="Id of the skill.")]
Cursor = Annotated[str | None, Field(description="Where the page before ended.")]


class SkillListIn(WireModel):
    """Which skills are wanted."""

    category: Category | None = None
    status: Status | None = None
    scopes: Scopes = None
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class SkillContextIn(WireModel):
    """Which skill is to be used, and how long its context may be."""

    skill_id: Skill
    tokens: Annotated[int, Field(ge=100, le=100_000)] = TOKENS


class SkillOutcomeIn(OutcomeIn):
    """How one use of which skill went."""

    skill_id: Skill

    def to_outcome(self) -> Outcome:
        """Return the outcome that this describes."""
        return Outcome(**self.model_dump(exclude={"skill_id"}))


class LearningsIn(WireModel):
    """What is asked of what was learnt."""

    query: Annotated[
        str, StringConstraints(min_length=1, max_length=2_000, strip_whitespace=True)
    ] = Field(description="The question, in words.")
    scopes: Scopes = None
    limit: Annotated[int, Field(ge=1, le=100)] = Field(10, description="Most learnings.")


class LearnedIn(WireModel):
    """Which entries of the log of what was learnt are wanted."""

    type: LearningType | None = None
    about: ShortText | None = Field(None, description="Only about this id.")
    batch: ShortText | None = Field(None, description="Only of this batch.")
    as_of: AsOf = None
    known_at: KnownAt = None
    scopes: Scopes = None
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


async def listed(services: Services, caller: Caller, given: SkillListIn) -> Told:
    """List skills."""
    wanted = Wanted(
        caller.among(given.scopes),
        category=given.category,
        status=given.status,
        after=given.cursor or "",
        limit=given.limit + 1,
    )
    rows = await services.skills.skills.page(wanted)
    items = [SkillOut.of(row) for row in rows[: given.limit]]
    shown = SkillsOut(items, items[-1].id if len(rows) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "skill", "skills") + ".", shown))


async def context(services: Services, caller: Caller, given: SkillContextIn) -> Told:
    """Tell what one should know to use a skill."""
    found = await services.skills.enrichment.context(caller, given.skill_id, given.tokens)
    shown = SkillContextOut.of(found)
    return Told(shown, telling.data(f"Skill {shown.id}.", shown))


async def create(services: Services, caller: Caller, given: SkillIn) -> Told:
    """Store a skill."""
    row, made = await services.skills.skills.create(caller, given.to_draft())
    shown = SkillOut.of(row)
    return Told(shown, f"Skill {shown.id} {'is stored' if made else 'was there already'}.")


async def outcome(services: Services, caller: Caller, given: SkillOutcomeIn) -> Told:
    """Tell how one use went."""
    done = await services.skills.outcomes.record(caller, given.skill_id, given.to_outcome())
    shown = RecordedOut.of(done)
    return Told(shown, f"It {'counts' if shown.recorded else 'was told before'}.")


async def learnings(services: Services, caller: Caller, given: LearningsIn) -> Told:
    """Find learnings for a question."""
    scopes = caller.among(given.scopes)
    answer = await services.skills.learnings.ask(scopes, given.query, given.limit)
    shown = LearningAnswerOut.of(answer)
    found = telling.counted(len(shown.items), "learning", "learnings")
    return Told(shown, telling.data(f"{found}, found by {shown.mode}.", shown))


async def learned(services: Services, caller: Caller, given: LearnedIn) -> Told:
    """List what was learnt."""
    wanted = WantedEntries(
        type=given.type,
        about=given.about,
        batch=given.batch,
        as_of=given.as_of,
        known_at=given.known_at,
    )
    scopes = None if given.scopes is None else list(given.scopes)
    page = await services.learned_log.page(
        caller, scopes, wanted, given.cursor or "", given.limit + 1
    )
    items = [LearnedEntryOut.of(one) for one in page[: given.limit]]
    shown = LearnedLogOut(items, items[-1].id if len(page) > given.limit else None)
    return Told(shown, telling.data(telling.counted(len(items), "entry", "entries") + ".", shown))


(_find,) = (tool for tool in READING if tool.name == "skills")
SKILLS = (
    replace(_find, name="discover_skills"),
    Tool(
        name="list_skills",
        title="List skills",
        description="List skills by category and status; `skills` finds those that fit a task.",
        takes=SkillListIn,
        gives=SkillsOut,
        run=listed,
    ),
    Tool(
        name="get_skill_context",
        title="Read what a skill needs",
        description="A skill with what it needs, what it is about, what was learnt and how it "
        "failed, under a budget of tokens.",
        takes=SkillContextIn,
        gives=SkillContextOut,
        run=context,
    ),
    Tool(
        name="create_skill",
        title="Store a skill",
        description="Store how something is done, as data: nothing of it is executed.",
        takes=SkillIn,
        gives=SkillOut,
        run=create,
        requires=Role.WRITER,
    ),
    Tool(
        name="record_skill_outcome",
        title="Tell how a skill went",
        description="Tell whether one use of a skill succeeded; under a key it counts once.",
        takes=SkillOutcomeIn,
        gives=RecordedOut,
        run=outcome,
        requires=Role.WRITER,
        again=False,
    ),
    Tool(
        name="query_learnings",
        title="Ask what was learnt",
        description="Learnings for a question, best first, with how well they worked and how fresh "
        "they are.",
        takes=LearningsIn,
        gives=LearningAnswerOut,
        run=learnings,
    ),
    Tool(
        name="list_learned",
        title="List what was learnt",
        description="List what was learnt, the last recorded first: all of it, or what held at a "
        "moment as it was known at another.",
        takes=LearnedIn,
        gives=LearnedLogOut,
        run=learned,
    ),
)
