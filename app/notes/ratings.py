"""Ratings of notes: from 1 to 5, one of each who reads them; the mean is told to readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from app.errors import NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.kernel.kind import Gone, Kind, Place, Stored
from app.kernel.vocab import Label
from app.kernel.wire import Moment


def _number(given: Any) -> Any:
    """Refuse a boolean, which would count as 1 or 0."""
    if isinstance(given, bool):
        raise PydanticCustomError("int_type", "a boolean is no number")
    return given


Stars = Annotated[int, Field(ge=1, le=5), BeforeValidator(_number)]


class NoteRating(Stored):
    """What one principal gives a note, in the scope of the note; it goes with either."""

    note: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    rater: Annotated[str, StringConstraints(max_length=200)]
    stars: Stars
    rated_at: Moment

    def refers(self) -> str | None:
        """Return the note."""
        return self.note

    def people(self) -> Iterable[str]:
        """Return who rated."""
        return {self.rater}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the rating as one of another principal."""
        return self.model_copy(update={"rater": name(self.rater)})

    def relocated(self, place: Place) -> Self:
        """Return the rating of what stands for its note."""
        return self.model_copy(update={"note": place(self.note, self.scope, older=True)[0]})

    def without(self, gone: Gone) -> Self | None:
        """Return None where the note or who rated it goes."""
        return None if gone.took(self.note) or gone.wrote(self.rater) else self


NOTE_RATING = Kind(
    "note_rating",
    NoteRating,
    Label.NOTE_RATING,
    identity=("note", "rater"),
    changed="rated_at",
)


@dataclass(frozen=True, slots=True)
class Rated:
    """The ratings of a note: how many, their mean (two digits; None without any), and one's own."""

    note: str
    count: int
    mean: float | None
    own: int | None


class RatingService:
    """Ratings of the notes that a caller sees."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def of(self, who: Caller, note: str) -> Rated:
        """Return the ratings of a note; NotFound where it is absent, forgotten or not visible."""
        found = await self._graph.optional(
            Q.ratings.of_note, id=note, scopes=who.visible, rater=who.principal
        )
        if found is None:
            raise NotFound(f"there is no note {note}")
        mean = None if found["mean"] is None else round(found["mean"], 2)
        return Rated(note, found["count"], mean, found["own"])

    async def rate(self, who: Caller, note: str, stars: int) -> Rated:
        """Give a note so many stars, in the place of what one gave before; the same again changes
        nothing. Raises NotFound as `of` does."""

        async def work(tx: Tx) -> None:
            found = await tx.optional(Q.ratings.lock, id=note, scopes=who.visible, at=now())
            if found is None:
                raise NotFound(f"there is no note {note}")
            scope = who.require(found["scope"], Role.READER)
            made = NOTE_RATING.placed(
                NoteRating(
                    id="new", scope=scope, note=note, rater=who.principal, stars=stars,
                    rated_at=now(),
                )
            )  # fmt: skip
            held = await tx.many(Q.ratings.held, NoteRating, id=made.id, scope=scope)
            if held and held[0].stars == stars:
                return
            event = audit.event(who, "note.rate", scope, note=note, stars=stars)
            await tx.rows(
                Q.ratings.put,
                rating=NOTE_RATING.row(made),
                scope=scope,
                event={**event, "target": made.id},
            )

        await self._graph.write("notes.rate", work)
        return await self.of(who, note)
