"""Several legs become one list: which fusion, and how much each leg counts in it."""

from __future__ import annotations

from collections.abc import Mapping

from app.indexing.fusion import K, rrf, weighted
from app.search.classes import QueryClass, query_class
from app.search.model import Fusion, Ranking, SearchRequest

# Weights of the keyword and the vector leg where the caller names none; decision 0010 tells how
# they were chosen. A titled record stands by itself, a turn of talk leans on the words around it.
TALK_WEIGHTS = (1.0, 0.7)
RECORD_WEIGHTS = (1.0, 2.0)
# Ranks count by the class of the question: words tell times and quotations best (decision 0032).
RRF_WEIGHTS: Mapping[QueryClass, tuple[float, float]] = {
    QueryClass.QUOTE: (1.0, 0.3),
    QueryClass.TEMPORAL: (1.0, 0.3),
    QueryClass.ENTITY: (1.0, 1.0),
    QueryClass.MULTI_HOP: (1.0, 0.3),
    QueryClass.FACTUAL: (1.0, 1.0),
}


def fuse(legs: Mapping[str, Ranking], request: SearchRequest) -> dict[str, float]:
    """The fused score of every memory that a leg found, 0 to 1; of one leg its own scores."""
    if len(legs) == 1:
        (only,) = legs.values()
        return only.scores
    if request.fusion is Fusion.SIMPLE:
        return blend(legs, request, (1.0, 1.0))
    if request.fusion is Fusion.RRF:
        by_class = RRF_WEIGHTS[query_class(request.query)]
        return blend(legs, request, request.weights or by_class)
    if request.weights is not None:
        return blend(legs, request, request.weights)
    scores = blend(legs, request, TALK_WEIGHTS)
    titled = {memory for found in legs.values() for memory in found.titled}
    if titled:
        records = blend(legs, request, RECORD_WEIGHTS)
        scores.update((memory, records[memory]) for memory in titled)
    return scores


def blend(
    legs: Mapping[str, Ranking], request: SearchRequest, weights: tuple[float, float]
) -> dict[str, float]:
    """The same by given weights; what is first in every leg has 1 by either fusion.

    What has no vector yet is weighed by its words alone: that the vector leg did not find it says
    nothing, and whatever is nearest, however far, would come before what was said just now.
    """
    named = dict(zip(("keyword", "vector"), weights, strict=True))
    whole = sum(named[name] for name in legs)
    if request.fusion is not Fusion.RRF:
        scores = weighted({name: found.scores for name, found in legs.items()}, named)
    else:
        most = whole / (K + 1) or 1.0
        ranked = rrf({name: list(found.scores) for name, found in legs.items()}, named)
        scores = {memory: score / most for memory, score in ranked.items()}
    for memory in legs["keyword"].unplaced & scores.keys() - legs["vector"].scores.keys():
        scores[memory] *= whole / named["keyword"]
    return scores


def rearranged(order: list[str], scores: Mapping[str, float]) -> dict[str, float]:
    """The same scores in another order: the first gets the best, and so on."""
    return dict(zip(order, sorted((scores[m] for m in order), reverse=True), strict=True))
