"""What the cosines of an embedding model mean: the one place where a cosine becomes a similarity.

Cosines of two models do not compare, nor do those of a question and a text with those of two texts,
nor English ones with German ones: two unrelated German sentences are as near, to the local model,
as two English ones that share a topic. `Calibration.similarity` turns each into a share between 0
and 1, and every threshold of the seeds is held against that (decisions 0032 and 0051).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

SUREST = 0.99  # a cosine alone is never surer than that, either way
MIXED = "mixed"  # two languages

Languages = tuple[str, str]


class Kinds(StrEnum):
    """What two vectors are of, and so what their similarity says."""

    ANSWER = "answer"  # a question and a stored text: how likely the text answers
    TEXTS = "texts"  # two stored texts: how alike people find them, 1 for what says the same
    MATTER = "matter"  # the same: how likely they are about one matter, agreeing or not
    TASK = "task"  # a task and a skill: how well the skill serves it
    TASKS = "tasks"  # two tasks: how far they are one piece of work
    LESSON = "lesson"  # something learnt and a skill: how far they are about the same work
    SKILLS = "skills"  # two skills, which are longer: how far they do the same


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve: 0.5 at the cosine `middle`, the steeper the larger `slope`."""

    middle: float
    slope: float

    def at(self, cosine: float) -> float:
        """The share at a cosine."""
        return 1 / (1 + math.exp(-self.slope * (cosine - self.middle)))


@dataclass(frozen=True, slots=True)
class Line:
    """Straight pieces between knots, (cosine, similarity), both rising; flat outside."""

    knots: tuple[tuple[float, float], ...]

    def at(self, cosine: float) -> float:
        """The similarity at a cosine."""
        if cosine <= self.knots[0][0]:
            return self.knots[0][1]
        for (left, low), (right, high) in pairwise(self.knots):
            if cosine <= right:
                return low + (high - low) * (cosine - left) / (right - left)
        return self.knots[-1][1]


Scale = Curve | Line
LIKELIHOODS = frozenset([Kinds.ANSWER, Kinds.MATTER])


@dataclass(frozen=True, slots=True)
class Calibration:
    """A scale for each pair of kinds, by language; `MIXED` is of two languages."""

    scales: Mapping[Kinds, Mapping[str, Scale]]

    def similarity(
        self, cosine: float, kinds: Kinds = Kinds.ANSWER, languages: Languages = ("en", "en")
    ) -> float:
        """What a cosine of this model means for two things of these kinds, in the languages that
        they are written in: never less for a larger cosine, 0 to 1, and 0.01 to 0.99 for how likely
        something is. A language that was not measured counts as
        English."""
        one, other = languages
        of = self.scales[kinds]
        scale = of.get(one, of["en"]) if one == other else of[MIXED]
        share = scale.at(cosine)
        return bounded(share) if kinds in LIKELIHOODS else share


def _alike(**levels: tuple[float, ...]) -> dict[str, Scale]:
    """Lines by language, given the cosines at which people find texts so much alike."""
    alike = (0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 0.92, 1.0)
    return {
        language: Line(tuple(zip(cosines, alike, strict=True)))
        for language, cosines in levels.items()
    }


def _between(far: float, near: float, related: float) -> Line:
    """By the cosines that 5 % and 95 % of unrelated pairs stay below, and half of related ones."""
    return Line(((far, 0.0), (near, 0.35), (related, 0.8), (1.0, 1.0)))


# Of unrelated skills, of those beside each other, of much the same and of the same in other words.
_SKILLS = Line(
    ((0.788, 0.0), (0.864, 0.35), (0.899, 0.6), (0.932, 0.81), (0.996, 0.97), (1.0, 1.0))
)
# Fitted by hand to what `python -m bench similarity` and `calibration` tell, by halves; the
# decision says how, and docs/benchmarks.md how well it holds.
E5_SMALL = Calibration(
    {
        Kinds.ANSWER: {
            "en": Curve(0.825, 32.8),
            "de": Curve(0.844, 37.0),
            MIXED: Curve(0.798, 38.0),
        },
        Kinds.TEXTS: _alike(
            en=(0.75, 0.824, 0.858, 0.879, 0.901, 0.948, 0.987, 1.0),
            de=(0.81, 0.857, 0.884, 0.901, 0.917, 0.953, 0.987, 1.0),
            mixed=(0.755, 0.795, 0.82, 0.838, 0.855, 0.903, 0.953, 1.0),
        ),
        Kinds.MATTER: {
            "en": Curve(0.831, 92.3),
            "de": Curve(0.8675, 101.7),
            MIXED: Curve(0.8105, 95.7),
        },
        Kinds.TASK: {
            "en": _between(0.753, 0.833, 0.902),
            "de": _between(0.766, 0.827, 0.892),
            MIXED: _between(0.73, 0.803, 0.8235),
        },
        Kinds.TASKS: {
            "en": _between(0.758, 0.823, 0.904),
            "de": _between(0.785, 0.85, 0.892),
            MIXED: _between(0.758, 0.846, 0.892),
        },
        Kinds.LESSON: {
            "en": _between(0.733, 0.805, 0.844),
            "de": _between(0.77, 0.832, 0.856),
            MIXED: _between(0.723, 0.794, 0.81),
        },
        Kinds.SKILLS: {
            "en": _SKILLS,
            "de": _SKILLS,
            MIXED: Line(((0.758, 0.0), (0.839, 0.35), (0.896, 0.9), (1.0, 1.0))),
        },
    }
)
# A model that was not measured keeps its cosines, which is what the seeds' numbers were written
# for.
_COSINE = Line(((0.0, 0.0), (1.0, 1.0)))
AS_IT_IS = Calibration({kinds: {"en": _COSINE, MIXED: _COSINE} for kinds in Kinds})
BY_MODEL = {"multilingual-e5-small": E5_SMALL, "multilingual-e5-small-int8": E5_SMALL}


def calibration(model: str) -> Calibration:
    """What was measured for the model, else its cosines as they are."""
    return BY_MODEL.get(model, AS_IT_IS)


def bounded(share: float) -> float:
    """A share that leaves room for doubt."""
    return min(max(share, 1 - SUREST), SUREST)
