"""The indexing pass: vectors and context for what was captured, in batches, until none waits.

Every step may run twice: what is stored depends only on texts and model. An episode that changes
while its vector is computed has a new `index_rev` and stays pending.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from app.embeddings.model import Embedder, Role
from app.errors import InvalidInput
from app.indexing.compose import REACH, Composed, compose
from app.indexing.repository import IndexRepository
from app.kernel.graph import Row
from app.kernel.ids import digest

log = structlog.get_logger()
LONG_TEXT = 50_000  # characters; cutting longer ones into windows happens off the event loop


@dataclass(frozen=True, slots=True)
class Piece:
    """One range of one text that gets a vector; place 0 is the episode's own."""

    memory_id: str
    place: int
    start: int
    end: int
    text: str
    hash: str


class IndexService:
    """Brings the index up to what the graph holds."""

    def __init__(self, repository: IndexRepository, embedder: Embedder, batch: int) -> None:
        self._repository = repository
        self._embedder = embedder
        self._batch = batch

    async def drain(self) -> int:
        """Index until nothing waits; returns how many episodes that were."""
        total = 0
        while ids := await self._repository.pending(self._batch):
            await self.index(ids)
            total += len(ids)
        return total

    async def index(self, ids: list[str]) -> None:
        """Index these episodes, and their neighbours anew."""
        around = await self._repository.neighbourhood(ids, REACH)
        touched = list(dict.fromkeys([*ids, *_neighbours(around)]))
        second = await self._repository.neighbourhood(
            [t for t in touched if t not in around], REACH
        )
        around |= second
        texts = await self._repository.texts(list(dict.fromkeys([*touched, *_neighbours(around)])))
        composed = {t: _composed(t, around, texts) for t in touched if t in texts}
        pieces = {t: await self._cut(texts[t], c) for t, c in composed.items()}
        stale = _stale(pieces, texts)
        vectors = await self._vectors([p for t in stale for p in pieces[t]])
        rows: list[Row] = []
        windows: list[Row] = []
        for memory_id, cut in pieces.items():
            rows.append(_row(texts[memory_id], composed[memory_id], cut, vectors))
            if memory_id in stale:
                windows.extend(_window(piece, texts[memory_id], vectors) for piece in cut[1:])
        failed = [p.memory_id for t in stale for p in pieces[t] if p.hash not in vectors]
        if failed:
            await self._repository.mark_failed(failed, "the embedding model refuses this text")
        kept = [row for row in rows if row["id"] not in failed]
        await self._repository.store(kept, [w for w in windows if w["memory_id"] not in failed])

    async def _cut(self, text: Row, composed: Composed) -> list[Piece]:
        """The episode's ranges; one that fits the model together with its context is one piece."""
        info = self._embedder.info
        if len(self._embedder.windows(composed.embedded)) == 1:
            spans = [(0, len(text["content"]), composed.embedded)]
        else:
            content: str = text["content"]
            cut = self._embedder.windows
            ranges = (
                await asyncio.to_thread(cut, content) if len(content) > LONG_TEXT else cut(content)
            )
            spans = [(r.start, r.end, content[r.start : r.end]) for r in ranges]
        space = f"{info.name}/{info.version}"
        return [
            Piece(text["id"], place, start, end, body, digest(text["tenant"], space, body))
            for place, (start, end, body) in enumerate(spans)
        ]

    async def _vectors(self, pieces: list[Piece]) -> dict[str, list[float]]:
        """Vectors by hash: those that the graph has, and the rest from the model."""
        wanted = {piece.hash: piece.text for piece in pieces}
        known = await self._repository.known_vectors(list(wanted)) if wanted else {}
        missing = [h for h in wanted if h not in known]
        if missing:
            known |= await self._embed({h: wanted[h] for h in missing})
        return known

    async def _embed(self, wanted: dict[str, str]) -> dict[str, list[float]]:
        try:
            vectors = await self._embedder.embed(list(wanted.values()), Role.DOCUMENT)
            return dict(zip(wanted, vectors, strict=True))
        except InvalidInput:
            if len(wanted) == 1:
                log.warning("indexing.refused", hash=next(iter(wanted)))
                return {}
        # One text in the batch is at fault: find it, so that the others are not held up.
        found: dict[str, list[float]] = {}
        for key, text in wanted.items():
            found |= await self._embed({key: text})
        return found


def _neighbours(around: dict[str, Row]) -> list[str]:
    return [i for row in around.values() for i in (*row["before"], *row["after"])]


def _composed(memory_id: str, around: dict[str, Row], texts: dict[str, Row]) -> Composed:
    near = around.get(memory_id, {"before": [], "after": []})
    return compose(
        texts[memory_id],
        before=[texts[i] for i in near["before"] if i in texts],
        after=[texts[i] for i in near["after"] if i in texts],
    )


def _stale(pieces: dict[str, list[Piece]], texts: dict[str, Row]) -> list[str]:
    """Episodes whose vectors do not come from what would be embedded now."""
    return [t for t, cut in pieces.items() if _whole(cut) != texts[t]["embed_hash"]]


def _whole(cut: list[Piece]) -> str:
    return cut[0].hash


def _row(text: Row, composed: Composed, cut: list[Piece], vectors: dict[str, list[float]]) -> Row:
    return {
        "id": text["id"],
        "rev": text["rev"],
        "context_terms": composed.context_terms,
        "embed_hash": _whole(cut),
        "windows": len(cut),
        "vector": vectors.get(cut[0].hash),
    }


def _window(piece: Piece, text: Row, vectors: dict[str, list[float]]) -> Row:
    return {
        "memory_id": piece.memory_id,
        "id": f"{piece.memory_id}~{piece.place}",
        "properties": {
            "place": piece.place,
            "start": piece.start,
            "end": piece.end,
            "embedding": vectors.get(piece.hash),
            "embed_hash": piece.hash,
            "language": text["language"],
        },
    }
