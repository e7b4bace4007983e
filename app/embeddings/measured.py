"""A model with a figure that was measured for it.

What two vectors mean to each other differs from model to model, so what was not measured on a model
is not done with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.embeddings.model import Embedder
from app.kernel.ids import digest


@dataclass(frozen=True, slots=True)
class Measured:
    """A model, and from which cosine on or up to which distance two of its vectors are alike, as
    the table that it comes from says."""

    embedder: Embedder
    figure: float

    @classmethod
    def of(cls, embedder: Embedder, figures: Mapping[str, float]) -> Measured | None:
        """The model with its figure out of those by name; None for one that was not measured."""
        figure = figures.get(embedder.info.name)
        return None if figure is None else cls(embedder, figure)

    def fitting(self, text: str) -> str:
        """As much of a text as the model reads at once."""
        window = self.embedder.windows(text)[0]
        return text[window.start : window.end]

    def hash(self, text: str) -> str:
        """What the vector of a text is made from: model and text."""
        info = self.embedder.info
        return digest(f"{info.name}/{info.version}", text)
