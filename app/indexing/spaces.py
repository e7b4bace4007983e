"""Vector spaces: which model's vectors a scope is searched by, and which are written beside them.

Vectors of two models do not compare, so each model has a property and an index of its own. A scope
without a choice of its own takes that of the nearest scope above it, and the first space where
there is none.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from app.embeddings.calibration import Calibration, Kinds, calibration
from app.embeddings.model import Embedder, Role
from app.errors import ModelMismatch
from app.indexing.analysis import detect_language
from app.kernel.cypher import Q, Query, in_space
from app.kernel.graph import Graph, Row

FRESH_SECONDS = 1.0  # how old a search's knowledge of the spaces may be
WINDOWS_MOST = 100_000  # windows that a text may have in one space


@dataclass(frozen=True, slots=True)
class Space:
    """One place for vectors: `suffix` ends the names of its index and its properties."""

    name: str
    suffix: str
    number: int

    @property
    def vector_name(self) -> str:
        """The property that holds its vectors."""
        return f"embedding{self.suffix}"

    @property
    def hash_name(self) -> str:
        """The property that tells of what its vector is."""
        return f"embed_hash{self.suffix}"

    @property
    def first_window(self) -> int:
        """Where the places of its windows begin."""
        return self.number * WINDOWS_MOST

    @property
    def beyond(self) -> int:
        """Where those of the next space begin."""
        return self.first_window + WINDOWS_MOST

    def over(self, query: Query) -> Query:
        """A query written for the first space, over this one."""
        return in_space(query, self.suffix)


FIRST = Space("memory", "", 0)
SPACES = (FIRST, Space("memory_b", "_b", 1), Space("memory_c", "_c", 2))
NAMED: Mapping[str, Space] = {space.name: space for space in SPACES}


@dataclass(frozen=True, slots=True)
class Use:
    """The space that a scope is searched in, and those that are kept filled beside it."""

    active: Space = FIRST
    beside: tuple[Space, ...] = ()

    @property
    def written(self) -> tuple[Space, ...]:
        """Every space that its memories have vectors in."""
        return (self.active, *self.beside)


@dataclass(frozen=True, slots=True)
class SpaceMap:
    """What scopes chose; `models` names the configured model of each space that is in use."""

    uses: Mapping[str, Use] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)

    def of(self, scope: str) -> Use:
        """The choice of the nearest scope that made one."""
        path = scope
        while path:
            if path in self.uses:
                return self.uses[path]
            path = path.rpartition("/")[0]
        return Use()

    def split(self, scopes: Iterable[str]) -> dict[Space, list[str]]:
        """Scopes by the space that they are searched in."""
        if not self.uses:  # as where there is one model; a reader may see a thousand scopes
            together = list(scopes)
            return {Use().active: together} if together else {}
        found: dict[Space, list[str]] = {}
        for scope in scopes:
            found.setdefault(self.of(scope).active, []).append(scope)
        return found


@dataclass(frozen=True, slots=True)
class Part:
    """The scopes of one space, with a text's vector by the model of that space, what the cosines of
    that model mean, and the language of the text."""

    space: Space
    scopes: list[str]
    vector: list[float]
    model: str
    means: Calibration
    language: str

    def similarity(self, cosine: float, kinds: Kinds, language: str) -> float:
        """How like the text something in a language is, by the cosine of the two vectors."""
        return self.means.similarity(cosine, kinds, (self.language, language))


Build = Callable[[], Embedder]


class Spaces:
    """The models of one process, and what scopes chose, as it was a moment ago."""

    def __init__(self, graph: Graph, default: Embedder, further: Mapping[str, Build]) -> None:
        self._graph = graph
        self._default = default
        self._further = further
        self._built: dict[str, Embedder] = {}
        self._building = asyncio.Lock()
        self._known: tuple[float, SpaceMap] | None = None

    @property
    def default(self) -> Embedder:
        """The model of the settings."""
        return self._default

    @property
    def names(self) -> tuple[str, ...]:
        """The further models of the settings."""
        return tuple(self._further)

    async def current(self) -> SpaceMap:
        """What scopes chose, read anew once a second: for searches."""
        if self._known is None or time.monotonic() - self._known[0] > FRESH_SECONDS:
            return await self.fresh()
        return self._known[1]

    async def fresh(self) -> SpaceMap:
        """What scopes chose, read now: for whoever writes vectors."""
        rows = await self._graph.rows(Q.indexing.space_uses)
        found = SpaceMap({row["path"]: _use(row) for row in rows}, _models(rows))
        self._known = (time.monotonic(), found)
        return found

    async def embedder(self, space: Space, chosen: SpaceMap) -> Embedder:
        """The model of a space; raises ModelMismatch where the settings no longer name it."""
        if space is FIRST:
            return self._default
        return await self.model(chosen.models.get(space.name, ""))

    async def asked(self, text: str, scopes: Iterable[str], role: Role = Role.QUERY) -> list[Part]:
        """A text's vector in each space that the scopes are searched in: of a question, or of a
        text as it would be stored, by its first window."""
        chosen = await self.current()
        found = []
        for space, members in chosen.split(scopes).items():
            embedder = await self.embedder(space, chosen)
            read = text
            if role is Role.DOCUMENT:
                span = embedder.windows(text)[0]
                read = text[span.start : span.end]
            vector = (await embedder.embed([read], role))[0]
            model = embedder.info.name
            means, language = calibration(model), detect_language(text)
            found.append(Part(space, members, vector, model, means, language))
        return found

    async def compared(self, text: str, scope: str) -> Part:
        """A stored text's vector, by its first window, in the space that a scope is searched in."""
        return (await self.asked(text, [scope], Role.DOCUMENT))[0]

    async def compared_whole(
        self, text: str, scope: str, most: int
    ) -> tuple[Part, list[list[float]]]:
        """A stored text in the space that a scope is searched in, with the vectors of its windows:
        of `most` at most, the first ones."""
        chosen = await self.current()
        space = chosen.of(scope).active
        embedder = await self.embedder(space, chosen)
        spans = (await asyncio.to_thread(embedder.windows, text))[:most]
        texts = [text[span.start : span.end] for span in spans]
        vectors = list(await embedder.embed(texts, Role.DOCUMENT))
        model = embedder.info.name
        part = Part(space, [scope], vectors[0], model, calibration(model), detect_language(text))
        return part, vectors

    async def means(self, scope: str) -> Calibration:
        """What cosines mean in the space that a scope is searched in."""
        chosen = await self.current()
        return calibration((await self.embedder(chosen.of(scope).active, chosen)).info.name)

    async def model(self, name: str) -> Embedder:
        """A further model by its name, built when it is first needed; raises ModelMismatch."""
        if name not in self._further:
            raise ModelMismatch(
                f"scopes are searched by vectors of the model {name!r}, which the settings do not "
                "name: add it to the further models of `embedding` again"
            )
        async with self._building:
            if name not in self._built:
                self._built[name] = await asyncio.to_thread(self._further[name])
        return self._built[name]

    async def aclose(self) -> None:
        """Free what was built here; the model of the settings is its builder's to close."""
        for embedder in self._built.values():
            await embedder.aclose()


def _use(row: Row) -> Use:
    return Use(NAMED[row["space"]], tuple(NAMED[name] for name in row["beside"]))


def _models(rows: list[Row]) -> dict[str, str]:
    return {name: model for row in rows for name, model in row["models"]}
