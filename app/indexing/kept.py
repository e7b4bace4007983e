"""Vectors of texts that are no memories, kept between two searches.

What agents have at hand is in no index, and changes less often than it is searched: without this
every search would read all of it anew. Vectors are kept by the digest of their text, for each model
and tenant apart, so that the time of an answer tells nobody what another tenant holds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from app.embeddings.model import Embedder, Role
from app.sanitize.aside import aside

Vectors = npt.NDArray[np.float32]
Key = tuple[str, str, str, bytes]
MOST = 32 << 20  # bytes of vectors that are kept


class KeptVectors:
    """Bounded by bytes; what was not asked for longest leaves first. Used from one event loop."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[Key, Vectors] = OrderedDict()
        self._bytes = 0
        self._cleared = 0

    def cache_parameters(self) -> dict[str, int]:
        """Return the bound, as caches of functions tell it."""
        return {"maxsize": self._most}

    def cache_info(self) -> tuple[int, int]:
        """Return how many texts have vectors here, and the bytes of these."""
        return len(self._known), self._bytes

    def cache_clear(self) -> None:
        """Forget all; what is being read at this moment is not kept either."""
        self._known.clear()
        self._bytes = 0
        self._cleared += 1

    async def of(self, embedder: Embedder, tenant: str, texts: Sequence[str]) -> list[Vectors]:
        """Return of each text a row for each of its windows; what is not known is embedded, all of
        it together. Raises EmbedderUnavailable."""
        info, began = embedder.info, self._cleared
        keys = [(info.name, info.version, tenant, sha256(text.encode()).digest()) for text in texts]
        made = {key: self._known[key] for key in keys if key in self._known}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in made}
        made |= await _read(embedder, new)
        if began == self._cleared:
            for key in dict.fromkeys(keys):
                self._keep(key, made[key])
        return [made[key] for key in keys]

    def _keep(self, key: Key, vectors: Vectors) -> None:
        if key not in self._known:
            self._known[key] = vectors
            self._bytes += vectors.nbytes
        self._known.move_to_end(key)
        while self._bytes > self._most:
            _, gone = self._known.popitem(last=False)
            self._bytes -= gone.nbytes


async def _read(embedder: Embedder, new: dict[Key, str]) -> dict[Key, Vectors]:
    if not new:
        return {}
    texts = list(new.values())
    windows = await aside(texts, lambda: [embedder.windows(text) for text in texts])
    parts = [
        text[span.start : span.end]
        for text, spans in zip(texts, windows, strict=True)
        for span in spans
    ]
    vectors = iter(await embedder.embed(parts, Role.DOCUMENT))
    return {
        key: np.asarray([next(vectors) for _ in spans], np.float32)
        for key, spans in zip(new, windows, strict=True)
    }


KEPT = KeptVectors()
