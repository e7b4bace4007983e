"""Wire types of the embedding doors."""

from __future__ import annotations

from typing import Annotated

import msgspec
from pydantic import Field, StringConstraints

from app.kernel.graph import Row
from app.kernel.wire import WireModel
from app.reembedding.service import Place

Question = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]


class ModelIn(WireModel):
    """A model of the settings for a scope."""

    scope: str = Field(description="Scope path.")
    model: str = Field(description="Name of the model in the settings, or `default`.")


class PlaceIn(WireModel):
    """A scope."""

    scope: str = Field(description="Scope path.")


class ComparisonIn(PlaceIn):
    """Which questions to compare two models by."""

    questions: Annotated[list[Question], Field(max_length=200)] = Field(
        [],
        description="Questions; where empty, those asked here lately, then titles of texts.",
    )
    k: Annotated[int, Field(ge=1, le=100)] = Field(10, description="Answers that are compared.")


class FillingOut(msgspec.Struct, frozen=True):
    """How many memories have a vector of the model beside, lack one, or were refused by it."""

    done: int
    lacking: int
    failed: int


class EmbeddingOut(msgspec.Struct, frozen=True):
    """The model of a scope, the one beside it and what that is there for."""

    scope: str
    model: str
    state: str
    beside: str | None
    filling: FillingOut | None
    known: list[str]

    @classmethod
    def of(cls, row: Row) -> EmbeddingOut:
        """The wire form of a status."""
        filling = row["filling"]
        shown = FillingOut(filling.done, filling.lacking, filling.failed) if filling else None
        return cls(**{**row, "filling": shown})


class MovedOut(msgspec.Struct, frozen=True):
    """What a scope chose now; `job` fills or clears the space beside, where there is one."""

    scope: str
    state: str
    job: str | None = None

    @classmethod
    def of(cls, place: Place, job: str | None = None) -> MovedOut:
        """The wire form of a move."""
        return cls(place.scope, place.choice.state.value, job)


class ComparisonOut(msgspec.Struct, frozen=True):
    """The mean and the least share of answers that two models have in common; `sampled` counts
    questions that were not given: put to a search (`recorded`), of conversations (`said`), titles
    of texts (`titles`)."""

    questions: int
    k: int
    overlap: float | None
    least: float | None
    sampled: dict[str, int]
