"""Feature hashing: vectors without a model, for tests only.

Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009): each word adds ±1
to one of the dimensions, both chosen by its hash.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from app.embeddings.model import EmbeddingConfig, ModelInfo, Role, unit_rows
from app.embeddings.windows import Span, split_windows
from app.errors import InvalidInput

_WORD = re.compile(r"\w+")
_EMPTY = "\0"  # a text without a word still needs a direction


class HashEmbedder:
    """Deterministic and without any sense of meaning: shared words make texts near."""

    def __init__(self, dimension: int, max_tokens: int) -> None:
        self.info = ModelInfo("hash", "1", dimension, max_tokens)

    @classmethod
    def build(cls, config: EmbeddingConfig) -> HashEmbedder:
        """Raises InvalidInput unless the configuration says that this is a test."""
        if not config.allow_test:
            raise InvalidInput("the hash embedder is for tests only", field="provider")
        return cls(config.dimension, config.max_tokens)

    async def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See `Embedder.embed`; the roles make no difference here."""
        rows = [self._row(text) for text in texts]
        return unit_rows(rows, (len(texts), self.info.dimension))

    def windows(self, text: str) -> list[Span]:
        """See `Embedder.windows`; a token is a word."""
        words = [match.span() for match in _WORD.finditer(text)]
        return split_windows(text, words, self.info.max_tokens)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _row(self, text: str) -> list[float]:
        row = np.zeros(self.info.dimension)
        for word in _WORD.findall(text.casefold()) or [_EMPTY]:
            digest = zlib.crc32(word.encode())
            row[digest % self.info.dimension] += 1.0 if digest & 0x80000000 else -1.0
        if not row.any():
            row[0] = 1.0
        values: list[float] = row.tolist()
        return values
