"""What it would take to weigh words by what a caller sees, in place of the whole index.

For that a search has to know of each word of a question how many of the texts in the caller's
scopes hold it, and how many texts there are. The index counts these under its filter; the words of
the candidates would have to be read and weighed anew on top of it, which is not measured here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from app.indexing.analysis import query_terms
from app.kernel.graph import Graph
from app.search.lucene import any_query, text_query
from app.search.model import Filters
from app.search.repository import SearchRepository
from bench.speed import Times

DEPTH = 100  # candidates of the keyword search
COUNT = (
    "CALL db.index.fulltext.queryNodes('memory_text', $q) YIELD node AS n "
    "WHERE n.scope IN $scopes RETURN count(n) AS held"
)


async def measure(graph: Graph, scopes: list[str], questions: Sequence[str]) -> dict[str, Any]:
    """Milliseconds of the keyword search and of the counts that it would need, in turns; each
    question is asked once before, so that its queries are known."""
    search, counts, words = [], [], []
    for question in questions:
        terms = [variant for word in query_terms(question) for variant in word]
        if not terms:
            continue
        await _searched(graph, scopes, terms)
        await _counted(graph, scopes, terms)
        search.append(await _searched(graph, scopes, terms))
        counts.append(await _counted(graph, scopes, terms))
        words.append(len(terms))
    whole = await graph.raw(COUNT, q=any_query(Filters(scopes=scopes), None), scopes=scopes)
    ratios = [many / one for many, one in zip(counts, search, strict=True)]
    return {
        "texts": whole[0]["held"],
        "questions": len(search),
        "words": median(words),
        "search_ms": asdict(Times.of(search)),
        "counts_ms": asdict(Times.of(counts)),
        "ratio": round(median(ratios), 2),
    }


async def _searched(graph: Graph, scopes: list[str], terms: list[str]) -> float:
    query = text_query(terms, [], Filters(scopes=scopes), None)
    start = time.perf_counter()
    if query is not None:
        await SearchRepository(graph).keyword(query, scopes, DEPTH)
    return (time.perf_counter() - start) * 1000


async def _counted(graph: Graph, scopes: list[str], terms: list[str]) -> float:
    start = time.perf_counter()
    for term in terms:
        query = text_query([term], [], Filters(scopes=scopes), None)
        await graph.raw(COUNT, q=query, scopes=scopes)
    return (time.perf_counter() - start) * 1000
