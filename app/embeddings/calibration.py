"""What the cosines of an embedding model mean; those of two models do not compare.

Two stored texts are compared by thresholds (decision 0011), a question and a stored text by a
curve (decision 0032): the share of answers among texts of that cosine, where half of all texts
looked at are answers and the others are near misses and random ones in equal parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SUREST = 0.99  # a cosine alone is never surer than that, either way


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve: 0.5 at the cosine `middle`, the steeper the larger `slope`."""

    middle: float
    slope: float

    def at(self, cosine: float) -> float:
        """The share of answers, between 0.01 and 0.99."""
        return bounded(1 / (1 + math.exp(-self.slope * (cosine - self.middle))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Cosines from which a text may repeat another (`duplicate`), and from which two may
    contradict each other (`candidate`); neither decides anything by itself. `answers` is the curve
    of questions and texts, None where it was not measured."""

    duplicate: float
    candidate: float
    answers: Curve | None = None

    def similarity(self, cosine: float) -> float:
        """How like an answer a text is, by the cosine of its vector and the question's: 0.01 to
        0.99. Where the curve is not known it is the cosine itself, as the seeds have it."""
        return bounded(cosine if self.answers is None else self.answers.at(cosine))


DOCUMENTED = Calibration(duplicate=0.90, candidate=0.80)  # as seed 003's document names them
E5_SMALL = Calibration(duplicate=0.975, candidate=0.80, answers=Curve(0.825, 32.8))
BY_MODEL = {"multilingual-e5-small": E5_SMALL, "multilingual-e5-small-int8": E5_SMALL}


def calibration(model: str) -> Calibration:
    """What was measured for the model, else what the seeds' documents have."""
    return BY_MODEL.get(model, DOCUMENTED)


def bounded(share: float) -> float:
    """A share that leaves room for doubt."""
    return min(max(share, 1 - SUREST), SUREST)
