"""How like each other texts are, as wholes: by the shipped model, calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from app.embeddings.calibration import Kinds, calibration
from app.embeddings.model import Embedder, Role
from app.indexing.analysis import detect_language
from app.indexing.spaces import Spaces
from app.sanitize.aside import aside

Vectors = npt.NDArray[np.float32]
BATCH = 200  # texts that are read together
KEPT = 512  # texts whose vectors are kept between two comparisons


class Likeness:
    """Compares texts by one model, and remembers the vectors of those that it has read."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._means = calibration(embedder.info.name)
        self._known: dict[str, Vectors] = {}

    @classmethod
    async def of(cls, spaces: Spaces, scope: str) -> Likeness:
        """Return what compares texts by the model that a scope is searched by."""
        chosen = await spaces.current()
        return cls(await spaces.embedder(chosen.of(scope).active, chosen))

    async def texts(self, one: str, other: str) -> float:
        """Return how alike two texts are, 0 to 1: every window of each counts, so that texts that
        only begin alike are not. Raises EmbedderUnavailable."""
        if one == other:
            return 1.0
        await self.read([one, other])
        cosines = self._known[one] @ self._known[other].T
        least = min(cosines.max(axis=1).min(), cosines.max(axis=0).min())
        languages = (detect_language(one), detect_language(other))
        return self._means.similarity(float(least), Kinds.TEXTS, languages)

    async def answers(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how likely each text answers a question, by its best window."""
        asked = np.asarray((await self._embedder.embed([query], Role.QUERY))[0], np.float32)
        spoken = detect_language(query)
        shares: list[float] = []
        for start in range(0, len(texts), BATCH):
            batch = list(texts[start : start + BATCH])
            await self.read(batch)
            languages = await aside(batch, partial(_languages, batch))
            shares += [
                self._means.similarity(
                    float((self._known[text] @ asked).max()), Kinds.ANSWER, (spoken, language)
                )
                for text, language in zip(batch, languages, strict=True)
            ]
        return shares

    async def read(self, texts: Sequence[str]) -> None:
        """Embed what is not known yet, all of it together."""
        if len(self._known) > KEPT:
            self._known.clear()
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        cutting = self._embedder.windows
        windows = await aside(new, lambda: [cutting(text) for text in new])
        cut = list(zip(new, windows, strict=True))
        parts = [text[span.start : span.end] for text, found in cut for span in found]
        vectors = iter(await self._embedder.embed(parts, Role.DOCUMENT) if parts else [])
        for text, found in cut:
            self._known[text] = np.asarray([next(vectors) for _ in found], np.float32)


def _languages(texts: Sequence[str]) -> list[str]:
    return [detect_language(text) for text in texts]
