"""What is told of a search to the record of questions."""

from __future__ import annotations

from app.questions.model import Searched
from app.search.model import Found, SearchRequest

# The steps of a search that follow each other; the legs' own times lie within `legs`.
STEPS = ("legs", "walk", "fuse", "hydrate", "render")


def searched(request: SearchRequest, found: Found) -> Searched:
    """One search as it is recorded."""
    return Searched(
        asked_mode=request.mode.value,
        mode=found.mode.value,
        fusion=request.fusion.value,
        candidates=found.candidates,
        ids=tuple(hit.id for hit in found.hits),
        milliseconds=sum(found.milliseconds.get(step, 0.0) for step in STEPS),
        similarities=tuple(h.similarity for h in found.hits if h.similarity is not None),
        floored=found.held,
        without=found.without.value if found.without else None,
    )
