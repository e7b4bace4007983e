"""How well each passage of a scope answers words, without asking the text index: pure.

The text index gives the best hundred; a walk comes to passages far below them, and asks how well
those match. So the terms of a scope's passages stand beside its matrices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

Vector = npt.NDArray[np.float32]

K1, B = 1.2, 0.75  # as Lucene's default, and as Robertson and Zaragoza 2009
ENTRY_BYTES = 16  # of a term of a passage, kept and indexed


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of one passage by their places in the vocabulary, and how often it has each."""

    terms: npt.NDArray[np.int32]
    counts: npt.NDArray[np.uint8]


def bag_of(terms: Iterable[str], vocabulary: dict[str, int]) -> Bag:
    """A passage's bag; terms that are new join the vocabulary."""
    counted = Counter(terms)
    places = [vocabulary.setdefault(term, len(vocabulary)) for term in counted]
    counts = [min(count, 255) for count in counted.values()]
    return Bag(np.asarray(places, np.int32), np.asarray(counts, np.uint8))


@dataclass(frozen=True, slots=True)
class Words:
    """BM25 weights of every term in every passage, a column a term."""

    vocabulary: dict[str, int]
    weights: csc_array
    rarity: Vector  # of each term, as BM25 has it

    def telling(self, terms: Iterable[str]) -> float:
        """How much these terms tell: the sum of their rarities."""
        places = (self.vocabulary.get(term, len(self.rarity)) for term in dict.fromkeys(terms))
        return sum(float(self.rarity[place]) for place in places if place < len(self.rarity))

    def scores(self, terms: Iterable[str]) -> Vector:
        """BM25 of every passage for these terms; 0 where it has none."""
        size, width = self.weights.shape
        found: Vector = np.zeros(size, np.float32)
        for term in dict.fromkeys(terms):
            column = self.vocabulary.get(term, width)
            if column < width:
                span = slice(self.weights.indptr[column], self.weights.indptr[column + 1])
                found[self.weights.indices[span]] += self.weights.data[span]
        return found


def words_of(bags: Sequence[Bag], vocabulary: dict[str, int]) -> Words:
    """The weights of all passages; the vocabulary may grow later, and these do not."""
    starts = np.zeros(len(bags) + 1, np.int64)
    np.cumsum([len(bag.terms) for bag in bags], out=starts[1:])
    counts = _joined([bag.counts for bag in bags]).astype(np.float32)
    terms = _joined([bag.terms for bag in bags]).astype(np.int32)
    width = len(vocabulary)
    lengths = np.asarray([float(bag.counts.sum()) for bag in bags], np.float32)
    mean = float(lengths.mean()) if len(bags) else 1.0
    norm = K1 * (1 - B + B * np.repeat(lengths, np.diff(starts)) / (mean or 1.0))
    held = np.bincount(terms, minlength=width)
    rarity = np.log(1 + (len(bags) - held + 0.5) / (held + 0.5))
    data = (rarity[terms] * counts / (counts + norm)).astype(np.float32)
    weights = csr_array((data, terms, starts), (len(bags), width)).tocsc()
    return Words(vocabulary, weights, rarity.astype(np.float32))


def _joined(parts: list[npt.NDArray[np.generic]]) -> npt.NDArray[np.generic]:
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)
