"""What is told of a search to the record of questions."""

from __future__ import annotations

from app.questions.model import Searched
from app.search.model import Found, Hit, SearchRequest


def searched(request: SearchRequest, found: Found) -> Searched:
    """One search as it is recorded."""
    return Searched(
        asked_mode=request.mode.value,
        mode=found.mode.value,
        fusion=request.fusion.value,
        candidates=found.candidates,
        ids=tuple(hit.id for hit in found.hits),
        milliseconds=sum(found.milliseconds.get(step, 0.0) for step in STEPS),
        similarities=similarities(found.hits),
        without=found.without.value if found.without else None,
    )


def similarities(hits: list[Hit]) -> tuple[float, ...]:
    """How close hits are to the question, by the vector leg: cosines, none below 0."""
    legs = [hit.legs.get("vector") for hit in hits]
    return tuple(max(0.0, 2 * leg.score - 1) for leg in legs if leg is not None)


# The steps of a search that follow each other; the legs' own times lie within `legs`.
STEPS = ("legs", "walk", "fuse", "hydrate", "render")
