"""The indexing pass: vectors and context for what was captured, in batches, until none waits.

Every step may run twice: what is stored depends only on texts and models. A memory that changes
while its vector is computed has a new `index_rev` and stays pending. Where a scope has a second
vector space beside the one that it is searched in, each of its memories gets a vector in both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, zip_longest

import structlog

from app.embeddings.calibration import calibration
from app.embeddings.model import Embedder, Role
from app.embeddings.windows import Span
from app.errors import InvalidInput
from app.indexing.compose import REACH, Composed, compose
from app.indexing.judging import JUDGED, is_unjudged, judgement, kept
from app.indexing.repeats import LEAST, NEAR, pairs_of, repeats
from app.indexing.repository import IndexRepository, Stored
from app.indexing.spaces import Space, SpaceMap, Spaces
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.sanitize.aside import READ, aside
from app.sanitize.suspicion import Judge, judge_of

log = structlog.get_logger()
ABREAST = 2  # batches under way at once; a third would only wait for the model


@dataclass(frozen=True, slots=True)
class Piece:
    """One range of one text that gets a vector; place 0 is the memory's own."""

    memory_id: str
    place: int
    start: int
    end: int
    text: str
    hash: str


Cut = Mapping[str, list[Piece]]  # pieces by memory, in one space
# Reads so many ids of each tenant from one end of what waits.
End = Callable[[int], Awaitable[list[list[str]]]]


@dataclass(frozen=True, slots=True)
class Filled:
    """What one space has for a batch: the pieces, which memories are stale in it, vectors, and the
    classifier for these vectors where there is one."""

    space: Space
    cut: Cut
    stale: list[str]
    vectors: Mapping[str, list[float]]
    judge: Judge | None = None

    @property
    def failed(self) -> set[str]:
        """Memories of which the model refused a piece."""
        return {p.memory_id for t in self.stale for p in self.cut[t] if p.hash not in self.vectors}


class IndexService:
    """Brings the index up to what the graph holds."""

    def __init__(
        self, repository: IndexRepository, spaces: Spaces, batch: int, least: float = LEAST
    ) -> None:
        """`least` is the similarity from which an episode repeats another; 0 looks for none."""
        self._least = least
        self._repository = repository
        self._spaces = spaces
        self._batch = batch

    @property
    def judge(self) -> Judge | None:
        """The classifier for the vectors of the settings' model; without it nothing is flagged."""
        info = self._spaces.default.info
        return judge_of(info.name, info.version)

    async def drain(self) -> int:
        """Index until nothing waits; returns how many memories that were.

        While the model works on one batch, the one before it is stored and the next one read.
        Batches come from the newest end and the oldest in turn, so that a long import delays no
        conversation, and two under way at once share few neighbours. Each is shared out among the
        tenants that wait.
        """
        total, ends = 0, cycle((self._repository.newest, self._repository.oldest))
        under_way: dict[asyncio.Task[None], list[str]] = {}
        try:
            while True:
                taken = {memory for batch in under_way.values() for memory in batch}
                ids = await self._next(next(ends), taken) if len(under_way) < ABREAST else []
                if ids:
                    under_way[asyncio.create_task(self.index(ids))] = ids
                elif under_way:
                    total += await _landed(under_way)
                else:
                    return total
        finally:
            await _stopped(under_way)

    async def index(self, ids: list[str]) -> None:
        """Index these memories, and their neighbours anew."""
        composed, texts = await self._composed(ids)
        chosen = await self._spaces.fresh()
        filled = [
            await self._filled(space, {t: composed[t] for t in members}, texts, chosen)
            for space, members in _by_space(composed, texts, chosen).items()
        ]
        failed = {memory for part in filled for memory in part.failed}
        if failed:
            reason = "the embedding model refuses this text"
            await self._repository.mark_failed(sorted(failed), reason)
        done = [t for t in composed if t not in failed]
        judged = await asyncio.to_thread(_judged, done, texts, filled)
        entries = [_entry(texts[t], composed[t], filled) | judged[t] for t in done]
        await self._repository.store_vectors([_stored(part, texts, failed) for part in filled])
        # Found once the vectors are there: of two that come at once, the later one sees the other.
        # Neighbours wait no longer after this either, so those that are due are looked at too.
        due = [t for t in done if texts[t]["repeats_due"]]
        repeated = await self._repeated(due, texts, chosen) if self._least else []
        await self._repository.store(entries, repeated)

    async def _repeated(self, ids: list[str], texts: dict[str, Row], chosen: SpaceMap) -> list[Row]:
        """Which episodes nearly repeat another one of their scope, each in its own space; rows with
        `other` null for those that repeat none, so that they are not looked at again."""
        spaces: dict[Space, list[str]] = {}
        for episode in ids:
            spaces.setdefault(chosen.of(texts[episode]["scope"]).active, []).append(episode)
        found: list[Row] = []
        for space, members in spaces.items():
            embedder = await self._spaces.embedder(space, chosen)
            means = calibration(embedder.info.name)
            pairs = pairs_of(await self._repository.near(space, members, NEAR), means)
            sides = {row["id"]: row for pair in pairs for row in (pair.older, pair.newer)}
            vectors = await self._alone(embedder, space, sides)
            compared = partial(repeats, pairs, vectors, means, self._least)
            found += await aside([row["content"] for row in sides.values()], compared, READ)
        repeating = {row["id"] for row in found}
        return found + [{"id": i, "other": None} for i in ids if i not in repeating]

    async def _alone(
        self, embedder: Embedder, space: Space, texts: Mapping[str, Row]
    ) -> dict[str, list[float]]:
        """Vectors of texts without the turns before them, by the first range of each."""
        first = {
            memory: (await _cut(embedder, text, Composed(text["content"], "")))[0]
            for memory, text in texts.items()
        }
        vectors = await self._vectors(embedder, space, list(first.values())) if first else {}
        return {memory: vectors[p.hash] for memory, p in first.items() if p.hash in vectors}

    async def inputs(self, ids: list[str], embedder: Embedder) -> list[str]:
        """What a model is given for these memories: their ranges, each with its context."""
        composed, texts = await self._composed(ids)
        cut = [await _cut(embedder, texts[t], composed[t]) for t in ids if t in composed]
        return [piece.text for pieces in cut for piece in pieces]

    async def _next(self, end: End, taken: set[str]) -> list[str]:
        """A batch from one end of what waits, of what is not under way."""
        waiting = await end(self._batch + len(taken))
        return shared_out([[i for i in ids if i not in taken] for ids in waiting], self._batch)

    async def _composed(self, ids: list[str]) -> tuple[dict[str, Composed], dict[str, Row]]:
        """The entries of these memories and of their neighbours, and the texts they come from."""
        around = await self._repository.neighbourhood(ids, REACH)
        touched = list(dict.fromkeys([*ids, *_neighbours(around)]))
        second = await self._repository.neighbourhood(
            [t for t in touched if t not in around], REACH
        )
        around |= second
        texts = await self._repository.texts(list(dict.fromkeys([*touched, *_neighbours(around)])))

        def work() -> dict[str, Composed]:
            return {t: _composed(t, around, texts) for t in touched if t in texts}

        return await aside([row["content"] for row in texts.values()], work, READ), texts

    async def _filled(
        self, space: Space, composed: dict[str, Composed], texts: dict[str, Row], chosen: SpaceMap
    ) -> Filled:
        embedder = await self._spaces.embedder(space, chosen)
        cut = {t: await _cut(embedder, texts[t], c) for t, c in composed.items()}
        stale = [t for t in cut if cut[t][0].hash != texts[t]["hashes"][space.number]]
        judge = judge_of(embedder.info.name, embedder.info.version)
        # What was embedded before there were such numbers is judged by the vectors that it has.
        unjudged = [] if judge is None else [t for t in cut if is_unjudged(judge, texts[t])]
        pieces = [piece for t in dict.fromkeys([*stale, *unjudged]) for piece in cut[t]]
        vectors = await self._vectors(embedder, space, pieces)
        return Filled(space, cut, stale, vectors, judge)

    async def _vectors(
        self, embedder: Embedder, space: Space, pieces: list[Piece]
    ) -> dict[str, list[float]]:
        """Vectors by hash: those that the graph has, and the rest from the model."""
        wanted = {piece.hash: piece.text for piece in pieces}
        known = await self._repository.known_vectors(space, list(wanted)) if wanted else {}
        missing = {h: text for h, text in wanted.items() if h not in known}
        return known | await _embedded(embedder, missing) if missing else known


def shared_out(waiting: Sequence[Sequence[str]], size: int) -> list[str]:
    """A batch of `size`: one of each tenant in turn, each tenant's own in its order."""
    rounds = zip_longest(*waiting)
    return [i for one in rounds for i in one if i is not None][:size]


async def _landed(under_way: dict[asyncio.Task[None], list[str]]) -> int:
    """Wait until one batch is stored; how many memories it held. Raises what it raised."""
    done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
    count = 0
    for task in done:
        count += len(under_way.pop(task))
        task.result()
    return count


async def _stopped(under_way: Iterable[asyncio.Task[None]]) -> None:
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)


async def _windows(embedder: Embedder, text: str) -> Sequence[Span]:
    """The ranges of a text; those of a long one are not looked for on the loop."""
    return await aside(text, lambda: embedder.windows(text), READ)


async def _cut(embedder: Embedder, text: Row, composed: Composed) -> list[Piece]:
    """A memory's ranges; one that fits the model together with its context is one piece."""
    content: str = text["content"]
    ranges = await _windows(embedder, composed.embedded)
    if len(ranges) == 1:
        spans = [(0, len(content), composed.embedded)]
    else:
        ranges = await _windows(embedder, content)
        spans = [(r.start, r.end, content[r.start : r.end]) for r in ranges]
    model = f"{embedder.info.name}/{embedder.info.version}"
    return [
        Piece(text["id"], place, start, end, body, digest(text["tenant"], model, body))
        for place, (start, end, body) in enumerate(spans)
    ]


async def _embedded(embedder: Embedder, wanted: dict[str, str]) -> dict[str, list[float]]:
    try:
        vectors = await embedder.embed(list(wanted.values()), Role.DOCUMENT)
        return dict(zip(wanted, vectors, strict=True))
    except InvalidInput:
        if len(wanted) == 1:
            log.warning("indexing.refused", hash=next(iter(wanted)))
            return {}
    # One text in the batch is at fault: find it, so that the others are not held up.
    found: dict[str, list[float]] = {}
    for key, text in wanted.items():
        found |= await _embedded(embedder, {key: text})
    return found


def _by_space(
    composed: Mapping[str, Composed], texts: dict[str, Row], chosen: SpaceMap
) -> dict[Space, list[str]]:
    found: dict[Space, list[str]] = {}
    for memory in composed:
        for space in chosen.of(texts[memory]["scope"]).written:
            found.setdefault(space, []).append(memory)
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


def _entry(text: Row, composed: Composed, filled: list[Filled]) -> Row:
    """What is stored beside the vectors; `windows` counts those of the space that has most."""
    memory = text["id"]
    return {
        "id": memory,
        "rev": text["rev"],
        "context_terms": composed.context_terms,
        "windows": max(len(part.cut[memory]) for part in filled if memory in part.cut),
    }


def _judged(ids: list[str], texts: dict[str, Row], filled: list[Filled]) -> dict[str, Row]:
    """What is stored of the judgement on each memory: a new one, or what is known of its text."""
    found: dict[str, Row] = {}
    for memory in ids:
        text = texts[memory]
        found[memory] = kept(text)
        for part in filled:
            if part.judge is None or memory not in part.cut or text["kind"] not in JUDGED:
                continue
            if memory in part.stale or is_unjudged(part.judge, text):
                ranges = [
                    (part.vectors[piece.hash], piece.start, piece.end)
                    for piece in part.cut[memory]
                    if piece.hash in part.vectors
                ]
                found[memory] = judgement(part.judge, text["content"], ranges)
    return found


def _stored(part: Filled, texts: dict[str, Row], failed: set[str]) -> Stored:
    fresh = [part.cut[t] for t in part.stale if t not in failed]
    space = part.space
    return Stored(
        space,
        [
            {"id": cut[0].memory_id, "hash": cut[0].hash, "vector": part.vectors[cut[0].hash]}
            for cut in fresh
        ],
        [_window(piece, part, texts) for cut in fresh for piece in cut[1:]],
        [
            {
                "id": cut[0].memory_id,
                "place": space.first_window + len(cut),
                "end": space.beyond,
            }
            for cut in fresh
        ],
    )


def _window(piece: Piece, part: Filled, texts: dict[str, Row]) -> Row:
    place = part.space.first_window + piece.place
    return {
        "memory_id": piece.memory_id,
        "id": f"{piece.memory_id}~{place}",
        "vector": part.vectors[piece.hash],
        "hash": piece.hash,
        "properties": {
            "place": place,
            "start": piece.start,
            "end": piece.end,
            "language": texts[piece.memory_id]["language"],
        },
    }
