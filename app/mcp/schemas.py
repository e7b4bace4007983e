"""What tools take and give where the types of a route do not say it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, StringConstraints, model_validator

from app.consolidation.fast import Observation
from app.consolidation.schemas import WHO, ThingIn
from app.entities.schemas import EntityOut
from app.episodes.schemas import EpisodeIn
from app.facts.schemas import TimelineEntryOut
from app.facts.sentences import ProfileOut
from app.kernel.wire import Moment, ShortText, TagName, WireModel, model_of
from app.search.schemas import QUERY_MOST, KindName, SearchIn

RELEVANT = 0.65  # of what goes into a prompt unseen, unless the caller says otherwise
Scopes = Annotated[
    tuple[str, ...] | None, Field(description="Scopes to read; all visible if unset.")
]
Question = Annotated[
    str, StringConstraints(min_length=1, max_length=QUERY_MOST, strip_whitespace=True)
]
AsOf = Annotated[Moment | None, Field(description="What was so then; now if unset.")]
KnownAt = Annotated[Moment | None, Field(description="As it was known then; now if unset.")]


class CaptureIn(EpisodeIn):
    """One thing that was said, and whether to wait until it can be found."""

    wait: Literal["indexed", "consolidated"] | None = Field(
        None,
        description="`indexed` waits until it is found by meaning, `consolidated` until what was "
        "said is known as facts; 20 s at most.",
    )


class RecallIn(WireModel):
    """A question, and what an answer must satisfy."""

    query: Question = Field(description="The question, as plain text.")
    limit: Annotated[int, Field(ge=1, le=50)] = Field(10, description="Most memories.")
    scopes: Scopes = None
    kinds: tuple[KindName, ...] | None = Field(
        None,
        description="Kinds of memory: what was said (`episode`), documents and pages (`chunk`), "
        "facts, notes, skills; all if unset.",
    )
    session: ShortText | None = Field(None, description="Only this conversation.")
    tags: tuple[TagName, ...] | None = Field(None, max_length=16, description="All must be there.")
    since: Moment | None = Field(None, description="Said at or after this moment.")
    until: Moment | None = Field(None, description="Said at or before this moment.")
    as_of: AsOf = None
    known_at: KnownAt = None
    min_score: Annotated[float, Field(ge=0, le=1)] | None = Field(
        RELEVANT, description="Least relevance of a memory, 0 to 1; null for none."
    )

    def to_search(self) -> SearchIn:
        """The search of the route that this asks for."""
        return model_of(SearchIn, {**self.model_dump(exclude_none=True), "form": "both"})


class FactsIn(WireModel):
    """What facts to list."""

    about: ShortText | None = Field(
        None, description="Whom or what they are about: a name, or an entity's id."
    )
    predicates: tuple[ShortText, ...] | None = Field(
        None, max_length=32, description="Predicates, such as `lives_in`; all if unset."
    )
    scopes: Scopes = None
    as_of: AsOf = None
    known_at: KnownAt = None
    cursor: str | None = Field(None, description="`next` of the page before.")
    limit: Annotated[int, Field(ge=1, le=100)] = Field(30, description="Most facts of a page.")


class NamedIn(WireModel):
    """A person or thing, by id or by name."""

    id: ShortText | None = Field(None, description="Id of the entity.")
    name: ShortText | None = Field(None, description="A name that it goes by, instead.")
    scopes: Scopes = None
    known_at: KnownAt = None

    @model_validator(mode="after")
    def _one(self) -> NamedIn:
        if (self.id is None) == (self.name is None):
            raise ValueError("give either id or name")
        return self


class EntityKnownOut(msgspec.Struct, frozen=True, kw_only=True):
    """An entity with the newest sentences that speak of it, and its facts in the order of the
    world; `others` go by the same name."""

    entity: ProfileOut
    timeline: list[TimelineEntryOut]
    others: list[EntityOut]


class ReadIn(WireModel):
    """One memory or page, whole."""

    id: ShortText | None = Field(
        None, description="Id of a memory of any kind, as other tools give it, or of a page."
    )
    page: ShortText | None = Field(None, description="A page by its title, slug or alias, instead.")
    full: bool = Field(True, description="The whole text; else its first 2,000 characters.")

    @model_validator(mode="after")
    def _one(self) -> ReadIn:
        if (self.id is None) == (self.page is None):
            raise ValueError("give either id or page")
        return self


class CorrectIn(WireModel):
    """What is to be put right about a fact."""

    fact: ShortText = Field(description="Id of the fact, as other tools give it.")
    how: Literal["changed", "ended", "wrong"] = Field(
        description="`changed`: another value holds now; `ended`: it has stopped; `wrong`: it was "
        "never so."
    )
    object: ThingIn | None = Field(
        None, description="The right value: needed with `changed`, optional with `wrong`."
    )
    valid_from: Moment | None = Field(None, description="Since when; now if unset.")
    session: ShortText = Field("remembered", description="Your own name of the conversation.")
    role: Literal["user", "assistant", "tool"] | None = Field(None, description=WHO)
    speaker: ShortText | None = Field(None, description="Name of the person who says it.")

    @model_validator(mode="after")
    def _valued(self) -> CorrectIn:
        if self.how == "changed" and self.object is None:
            raise ValueError("object is missing: `changed` needs the new value")
        if self.how == "ended" and self.object is not None:
            raise ValueError("object has no place with `ended`: give `changed`, or leave it out")
        return self

    def to_observation(self) -> Observation:
        """The statement without subject and predicate, which are the fact's."""
        ends = {"ended": "end", "wrong": "deny"}
        mode = ends[self.how] if self.object is None else MODES[self.how]
        statement: dict[str, Any] = {"mode": mode, "ongoing": True}
        if self.valid_from:
            statement["valid_from"] = self.valid_from.isoformat()
        return Observation(
            session=self.session, role=self.role, statement=statement, speaker=self.speaker
        )


MODES = {"changed": "assert", "wrong": "correct"}  # with the right value


class ForgetMemoryIn(WireModel):
    """One memory that is to be hidden."""

    id: ShortText = Field(description="Id of a memory of any kind, as other tools give it.")
    undo: bool = Field(False, description="Show it again.")


class SkillsIn(WireModel):
    """What skills are looked for."""

    description: Annotated[
        str, StringConstraints(min_length=1, max_length=2_000, strip_whitespace=True)
    ] = Field(description="The task at hand, in words.")
    category: ShortText | None = Field(None, description="A category, such as `debugging`.")
    scopes: Scopes = None
    limit: Annotated[int, Field(ge=1, le=25)] = Field(5, description="Most skills.")


class StatusIn(WireModel):
    """Nothing is needed."""


class StandingOut(msgspec.Struct, frozen=True):
    """A scope that the key sees: its role there, what waits to be read and what was read."""

    scope: str
    role: str
    waiting: int
    failed: int
    consolidated: int
    facts: int


class WhoOut(msgspec.Struct, frozen=True):
    """Who asks, where unaddressed memories go (`home`), and every scope that the key sees."""

    principal: str
    home: str
    scopes: list[StandingOut]
