"""From which cosine on two notes are alike, for each embedding model.

Cosines of one model say nothing of those of another; decision 0011 has the measurements.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines from which a note may repeat another (`duplicate`), and from which two may
    contradict each other (`candidate`); neither decides anything by itself."""

    duplicate: float
    candidate: float


DOCUMENTED = Thresholds(duplicate=0.90, candidate=0.80)  # as seed 003's document names them
BY_MODEL = {
    "multilingual-e5-small": Thresholds(duplicate=0.975, candidate=0.80),
    "multilingual-e5-small-int8": Thresholds(duplicate=0.975, candidate=0.80),
}


def thresholds(model: str) -> Thresholds:
    """Those measured for the model, else those of the document."""
    return BY_MODEL.get(model, DOCUMENTED)
