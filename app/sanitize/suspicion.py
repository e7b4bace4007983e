"""Whether a text looks like an attempt to command the model that will read it: a linear classifier
over its vector and what `counts` finds in it.

It flags and cuts nothing. Its numbers stand in `suspicion.json`, made by `bench/suspicion.py`,
and belong to one embedding model; with another there is no judgement at all (decision 0067).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import mul
from pathlib import Path

import msgspec
import orjson

from app.sanitize.counts import NAMES, counted

FLAG = "injection"  # what a text is flagged as
NUMBERS = Path(__file__).with_name("suspicion.json")


@dataclass(frozen=True, slots=True)
class Numbers:
    """What was learnt for one model: a weight for each dimension of its vectors and each count."""

    model: str
    version: str
    revision: int
    bias: float
    threshold: float
    vector: list[float]
    counts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Judge:
    """The classifier for the vectors of one model."""

    numbers: Numbers

    @property
    def name(self) -> str:
        """What a judgement is signed with: the model, and which numbers were used."""
        numbers = self.numbers
        return f"{numbers.model}/{numbers.version}#{numbers.revision}"

    def score(self, vector: Sequence[float], text: str) -> float:
        """The log-odds that the text is an attack, by its vector [dimension] and its words."""
        found = zip(self.numbers.counts.values(), counted(text), strict=True)
        by_words = sum(weight * count for weight, count in found)
        by_vector: float = sum(map(mul, self.numbers.vector, vector))
        return self.numbers.bias + by_vector + by_words

    def suspects(self, vector: Sequence[float], text: str) -> bool:
        """Whether the text is to be flagged."""
        return self.score(vector, text) > self.numbers.threshold


def judge_of(model: str, version: str) -> Judge | None:
    """The classifier for the vectors of a model; None where no numbers were made for it."""
    numbers = _numbers().get((model, version))
    return None if numbers is None else Judge(numbers)


@cache
def _numbers() -> Mapping[tuple[str, str], Numbers]:
    stored = msgspec.convert(orjson.loads(NUMBERS.read_bytes()), list[Numbers])
    for numbers in stored:
        if tuple(numbers.counts) != NAMES:
            raise ValueError(f"{NUMBERS.name} was made for other counts than there are")
    return {(numbers.model, numbers.version): numbers for numbers in stored}
