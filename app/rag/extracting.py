"""Sentences that answer, taken from texts word for word: pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.indexing.analysis import query_terms
from app.rag.pieces import Piece, pieces

MOST = 5  # sentences of an answer
Word = tuple[str, ...]  # the forms of one word
LABEL = 0.4  # worth of a heading against a sentence with the same words: it tells nothing of them
LATER = 0.05  # what a sentence loses for each place of its text in the list


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence, the place of its text, and where it stands in that, in characters."""

    text: str
    source: int
    start: int
    end: int


def quotes(query: str, texts: Sequence[str]) -> list[Quote]:
    """Up to five sentences that cover the words of a question, each adding one not yet covered.

    Words that few texts hold count more; of sentences that add as much the one with most of the
    question's words stands, and a heading stands for what is below it. None where no sentence holds
    any.
    """
    wanted = set(query_terms(query))
    pool = [(place, piece) for place, text in enumerate(texts) for piece in pieces(text)]
    held = {one: _held(wanted, one[1].text) for one in pool}
    weight = {term: 1 / (1 + sum(term in has for has in held.values())) for term in wanted}
    left, chosen = set(wanted), list[Quote]()
    while pool and left and len(chosen) < MOST:
        best = min(
            pool,
            key=lambda one: (
                -_worth(held[one] & left, weight, one),
                -_worth(held[one], weight, one),
                one[0],
            ),
        )
        if not held[best] & left:
            break
        said = _below(best, pool)
        chosen.append(_quote(said))
        headings = (held[one] for one in pool if one[1].label and one[0] == best[0])
        left -= held[best].union(held[said], *headings)
        pool = [one for one in pool if one not in (best, said)]
    return chosen


def share(query: str, found: Sequence[Quote]) -> float:
    """Which share (0 to 1) of a question's words some sentences hold together."""
    wanted = set(query_terms(query))
    held = set[Word]().union(*(_held(wanted, quote.text) for quote in found))
    return len(held) / len(wanted) if wanted else 0.0


def bare_of(query: str, names: Sequence[str], found: Sequence[Quote]) -> bool:
    """Whether some sentences hold no word of a question beside its names, where it has others."""
    named = set(query_terms(" ".join(names))) if names else set[Word]()
    wanted = set(query_terms(query)) - named
    return bool(wanted) and not any(_held(wanted, quote.text) for quote in found)


def opening(text: str, source: int) -> list[Quote]:
    """The first sentence of a text, of what is in another language than the question: its words
    cannot be the question's. None where it only asks."""
    told = (piece for piece in pieces(text) if not piece.text.endswith("?"))
    found = sorted(told, key=lambda piece: (piece.label, piece.start))
    return [_quote((source, piece)) for piece in found[:1]]


def _below(best: tuple[int, Piece], pool: Sequence[tuple[int, Piece]]) -> tuple[int, Piece]:
    """What a heading stands above; anything else is itself."""
    below = (one for one in pool if one[0] == best[0] and one[1].start > best[1].start)
    return next((one for one in below if not one[1].label), best) if best[1].label else best


def _quote(said: tuple[int, Piece]) -> Quote:
    place, piece = said
    return Quote(piece.text, place, piece.start, piece.end)


def _held(wanted: set[Word], sentence: str) -> set[Word]:
    """The words, in any of their forms, that a sentence has."""
    forms = {form for word in query_terms(sentence) for form in word}
    return {word for word in wanted if not forms.isdisjoint(word)}


def _worth(covered: set[Word], weight: dict[Word, float], said: tuple[int, Piece]) -> float:
    place, piece = said
    whole = sum(weight[term] for term in covered) * max(0.1, 1 - LATER * place)
    return whole * LABEL if piece.label else whole
