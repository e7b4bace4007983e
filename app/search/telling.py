"""What is told of a search to the record of questions."""

from __future__ import annotations

from app.kernel.caller import Caller
from app.questions.log import QuestionLog
from app.questions.model import Asked, Door, Outcome, Searched
from app.search.model import AT_HAND, Found, SearchRequest
from app.search.service import SearchService

# The steps of a search that follow each other; the legs' own times lie within `legs`.
STEPS = ("legs", "walk", "fuse", "hydrate", "render")


async def recorded(
    searches: SearchService, log: QuestionLog, caller: Caller, request: SearchRequest
) -> Found:
    """A search that a caller asked for, and the record of it."""
    least = None if request.floor is None else request.floor.least
    asked = Asked(
        Door.SEARCH,
        request.query,
        request.mode.value,
        request.limit,
        least,
        request.bases,
        tuple(request.filters.scopes),
    )
    with log.asking(caller, asked) as telling:
        found = await searches.search(request)
        telling.outcome = Outcome.of(searched(request, found))
    return found


def searched(request: SearchRequest, found: Found) -> Searched:
    """One search as it is recorded."""
    return Searched(
        asked_mode=request.mode.value,
        mode=found.mode.value,
        fusion=request.fusion.value,
        candidates=found.candidates,
        ids=tuple(hit.id for hit in found.hits if hit.memory["kind"] not in AT_HAND),
        milliseconds=sum(found.milliseconds.get(step, 0.0) for step in STEPS),
        similarities=tuple(h.similarity for h in found.hits if h.similarity is not None),
        floored=found.held,
        without=found.without.value if found.without else None,
    )
