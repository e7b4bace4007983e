"""Ratings of notes over HTTP."""

from __future__ import annotations

import msgspec
from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from pydantic import Field

from app.kernel.caller import Caller, Role
from app.kernel.wire import WireModel
from app.notes.ratings import Rated, RatingService, Stars


class RatingIn(WireModel):
    """What a reader gives a note."""

    stars: Stars = Field(description="From 1 (misleading) to 5 (very useful).")


class RatingOut(msgspec.Struct, frozen=True):
    """How a note is rated: by how many, their mean, and what the caller gave it."""

    note: str
    count: int
    mean: float | None
    own: int | None

    @classmethod
    def of(cls, rated: Rated) -> RatingOut:
        """Return the wire form."""
        return cls(rated.note, rated.count, rated.mean, rated.own)


class RatingController(Controller):
    """What readers think of a note."""

    path = "/v1/notes/{note_id:str}/rating"
    tags = ("Notes",)

    @get("/", operation_id="getNoteRating", opt={"requires": Role.READER})
    async def read(
        self,
        note_id: FromPath[str],
        caller: NamedDependency[Caller],
        ratings: NamedDependency[RatingService],
    ) -> RatingOut:
        """Read how a note is rated."""
        return RatingOut.of(await ratings.of(caller, note_id))

    @put("/", operation_id="rateNote", opt={"requires": Role.READER})
    async def rate(
        self,
        note_id: FromPath[str],
        data: JSONBody[RatingIn],
        caller: NamedDependency[Caller],
        ratings: NamedDependency[RatingService],
    ) -> RatingOut:
        """Rate a note from 1 to 5, in the place of what this principal gave it before."""
        return RatingOut.of(await ratings.rate(caller, note_id, data.stars))
