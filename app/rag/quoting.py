"""What of the hits answers a question, word for word, and where nothing does: pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.rag.extracting import MOST, Quote, bare_of, opening, quotes, share
from app.rag.scoring import GOOD, LIKELY
from app.rag.wanted import Wanted
from app.search.model import Hit
from app.search.precedence import touched
from app.search.relevance import Asked

FEW = 1 / 3  # share of the question's words that says little where no source is good
SURE = 0.8  # relevance of a source that says nothing of a question but its names


def quoted(query: str, hits: Sequence[Hit], missing: Sequence[str]) -> list[Quote]:
    """What answers, word for word: nothing of a source that says no name of a question with names,
    nor where nothing but names is said.

    What is past or disputed on the question is quoted only where nothing else is likely. Of texts
    in another language than the question's, which share no word with it, the best may speak first
    where it is more likely than what shares some.
    """
    asked, wanted = Asked.of(query), Wanted.of(query)
    told = [told_of(hit) for hit in hits]
    if wanted.lacks(missing, told):
        return []
    texts = _likely(query, asked, hits)
    naming = [
        text if text and wanted.named_in(t) else "" for text, t in zip(texts, told, strict=True)
    ]
    found = quotes(query, naming)
    best = max((hits[quote.source].relevance for quote in found), default=0.0)
    bare = best < SURE and bare_of(query, wanted.names, found)
    if bare or (best < GOOD and share(query, found) <= FEW):
        found, best = [], 0.0
    foreign = (
        n
        for n, hit in enumerate(hits)
        if texts[n] and hit.memory["language"] != asked.language
        if hit.relevance >= GOOD and hit.relevance > best and wanted.may_be_in(texts[n])
    )
    first = next((quote for n in foreign for quote in opening(texts[n], n)), None)
    return found if first is None else [first, *(q for q in found if q != first)][:MOST]


def _likely(query: str, asked: Asked, hits: Sequence[Hit]) -> list[str]:
    """The texts that may be quoted, empty in the place of each that may not."""
    likely = [hit.relevance >= LIKELY for hit in hits]
    holds = [not touched(query, asked, asked.which(hit.memory), hit.marks) for hit in hits]
    if any(one and held for one, held in zip(likely, holds, strict=True)):
        likely = [one and held for one, held in zip(likely, holds, strict=True)]
    return [text_of(hit) if one else "" for hit, one in zip(hits, likely, strict=True)]


def text_of(hit: Hit) -> str:
    """The range of its memory that was found."""
    text: str = hit.memory["content"][hit.span[0] : hit.span[1]]
    return text


def told_of(hit: Hit) -> str:
    """That text with what it is about: who said it, and its title."""
    about = (hit.memory["speaker"], hit.memory["title"])
    return " ".join([*(part for part in about if part), text_of(hit)])
