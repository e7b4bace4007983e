"""Semantic chunking: a section that is too long is cut where the next sentences speak of something
else, by the similarity of their vectors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import numpy as np
import numpy.typing as npt

from app.documents.chunking import SEMANTIC_KINDS, Places, Score, cut, pieces, sentence_spans
from app.documents.model import Chunking, Heading, Piece

Embed = Callable[[Sequence[str]], Awaitable[list[list[float]]]]
SPREAD = 2  # sentences on either side of a place that are compared
Matrix = npt.NDArray[np.float32]


async def cut_by_meaning(
    text: str, headings: Sequence[Heading], chunking: Chunking, embed: Embed
) -> list[Piece]:
    """The chunks of a text, cut between the sentences that are least alike.

    `embed` gives a unit vector for each sentence; where a text has no two, chunking is recursive.
    """
    places = Places.of(text, SEMANTIC_KINDS).joined()
    spans = sentence_spans(places, len(text))
    if len(spans) < 2 or len(text) <= chunking.size:
        return cut(text, headings, chunking)
    vectors = np.asarray(await embed([_sentence(text, span) for span in spans]), dtype=np.float32)
    starts = [start for start, _ in spans]
    score = by_likeness(starts, vectors)
    return pieces(text, headings, chunking, (Places((tuple(starts[1:]),)), score))


def by_likeness(starts: Sequence[int], vectors: Matrix) -> Score:
    """The cosine similarity of the sentences before and behind a place that starts one."""
    index = {start: place for place, start in enumerate(starts)}

    def score(place: int) -> float:
        at = index[place]
        before = vectors[max(0, at - SPREAD) : at].mean(axis=0)
        behind = vectors[at : at + SPREAD].mean(axis=0)
        norm = float(np.linalg.norm(before) * np.linalg.norm(behind))
        return round(float(before @ behind) / norm, 6) if norm else 0.0

    return score


def _sentence(text: str, span: tuple[int, int]) -> str:
    start, end = span
    return text[start:end].strip() or "-"
