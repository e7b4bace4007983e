"""Names into the graph: what passages are about, and which passages name it.

A scope is written to by one at a time. What passages are about comes first, for all that wait:
then a long import looks each passage's names up once, and only a name that is new to passages
which were linked before has to be looked for in them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain

import orjson

from app.jobs.lanes import Due
from app.kernel.graph import Graph, Row, Tx
from app.retrieval.model import ScopeLock
from app.retrieval.names import (
    Word,
    given_keys,
    heading_keys,
    key_of,
    name_id,
    namings,
    opening_keys,
    partings,
    phrases,
    pieces,
    title_keys,
    words,
    written,
)
from app.retrieval.repository import RetrievalRepository

BATCH = 128  # passages of one transaction
TURN = 20  # transactions after which another scope has its turn
TOGETHER = 32  # new names that are looked for at once
READ = 32_000  # characters of one passage that are read for names: chunks have far fewer
TOGETHER_READ = 128_000  # characters of the passages that one transaction reads
SCOPES = 1000  # whose entities were named or joined, and that are noted at once

Step = Callable[[Tx, ScopeLock], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Text:
    """A passage's words, the keys of what it writes like a name, and those of given triples."""

    id: str
    words: list[Word]
    written: set[str]
    given: set[str]


class Known:
    """The keys of one scope: looked up one by one for a few passages, all of them for many."""

    def __init__(self, rows: RetrievalRepository) -> None:
        self._rows = rows
        self._keys: set[str] = set()
        self._seen = 0

    async def among(self, tx: Tx, lock: ScopeLock, texts: list[Text]) -> set[str]:
        """The keys that somebody goes by: at least those among the texts' phrases."""
        if len(texts) < BATCH and not self._seen:
            ids = await asyncio.to_thread(_ids, texts, lock.scope)
            return await self._rows.known(tx, lock.scope, ids)
        self._keys.update(await self._rows.names_since(tx, lock.scope, self._seen))
        self._seen = lock.revision - 1  # those of this transaction are written before it looks
        return self._keys


class LinkService:
    """Brings the names in the graph up to the passages; with `compares` they wait to be compared
    with others."""

    def __init__(self, graph: Graph, *, compares: bool = False) -> None:
        self.graph = graph
        self.rows = RetrievalRepository(graph, compares=compares)

    async def due(self) -> list[Due]:
        """Scopes of which passages wait; where none do, other processes are told of new names."""
        places = await self.rows.due()
        if not places:
            await self.call()
        return places

    async def waiting(self) -> int:
        """How many passages wait for their names."""
        return await self.rows.waiting()

    async def drain(self) -> int:
        """Link until nothing waits; how many passages were named or linked, each step counted."""
        total = 0
        while places := await self.due():
            for place in places:
                total += await self.turn(place)
        return total

    async def call(self) -> None:
        """Let every process look at what entities are called, where that changed."""
        if called := await self.rows.newly_called(SCOPES):
            await self.rows.note_called(called)

    async def link(self, place: tuple[str, str]) -> int:
        """Link what waits in one scope (and its tenant)."""
        total = 0
        while done := await self.turn(Due(*place)):
            total += done
        return total

    async def turn(self, due: Due) -> int:
        """Work on one scope for a few transactions; what they did to passages."""
        place, left, total = (due.key, due.tenant), TURN, 0
        for step in (self._names, partial(self._links, Known(self.rows))):
            while left and (done := await self._batch(place, step)):
                left, total = left - 1, total + done
        return total

    async def _batch(self, place: tuple[str, str], step: Step) -> int:
        async def work(tx: Tx) -> int:
            return await step(tx, await self.rows.lock(tx, place))

        return await self.graph.write("retrieval.link", work)

    async def _names(self, tx: Tx, lock: ScopeLock) -> int:
        waiting = await self.rows.unnamed(tx, lock.scope, BATCH)
        if not waiting:
            return 0
        rows = [named(row, lock.scope) for row in waiting]
        new = await self.rows.save_names(tx, lock, rows)
        if new and lock.linked:
            await self._spread(tx, lock, new)
        await self.rows.bump(tx, lock, 0)
        return len(waiting)

    async def _spread(self, tx: Tx, lock: ScopeLock, new: list[Row]) -> None:
        """Link passages that were linked before to names that are new."""
        found: dict[str, list[Row]] = {}
        keys = [name["key"] for name in new]
        for first in range(0, len(keys), TOGETHER):
            part = keys[first : first + TOGETHER]
            holding = await self.rows.with_words(tx, lock.scope, part)
            for id, names in await asyncio.to_thread(_held_in, holding, lock.scope):
                found.setdefault(id, []).extend(names)
        rows = [{"id": passage, "names": names} for passage, names in found.items() if names]
        if rows:
            await self.rows.save_links(tx, lock, rows)

    async def _links(self, known: Known, tx: Tx, lock: ScopeLock) -> int:
        waiting = _at_once(await self.rows.unlinked(tx, lock.scope, BATCH))
        if not waiting:
            return 0
        texts = await asyncio.to_thread(lambda: [text_of(row) for row in waiting])
        keys = await known.among(tx, lock, texts)
        rows = await asyncio.to_thread(lambda: [linked(text, lock.scope, keys) for text in texts])
        before = {row["id"] for row in waiting if row["again"]}
        if before:
            await self.rows.forget_links(tx, lock, [row for row in rows if row["id"] in before])
        await self.rows.save_links(tx, lock, rows)
        await self.rows.bump(tx, lock, len(texts))
        return len(texts)


def _at_once(waiting: Sequence[Row]) -> Sequence[Row]:
    """The first of some passages, as many as have `TOGETHER_READ` characters, one at least: what
    is read within one transaction does not grow with how long the passages are."""
    sizes = accumulate(min(len(row["content"]), READ) for row in waiting)
    count = sum(1 for size in sizes if size <= TOGETHER_READ)
    return waiting[: max(count, 1)]


def _ids(texts: Sequence[Text], scope: str) -> list[str]:
    """The ids of every name that some texts may hold."""
    keys = {name.key for t in texts for name in chain(phrases(t.words), pieces(t.words))}
    return [name_id(scope, key) for key in sorted(keys)]


def _held_in(rows: Sequence[Row], scope: str) -> list[tuple[str, list[Row]]]:
    """Which of some keys passages hold."""
    texts = [(Text(row["id"], words(row["content"][:READ]), set(), set()), row) for row in rows]
    return [(text.id, held(text, scope, set(row["keys"]))) for text, row in texts]


def named(row: Row, scope: str) -> Row:
    """What a passage is about, as rows of names: its title, its heading, what its page is called
    beside that, and what its opening says.

    A turn of talk is about nothing: it opens with what somebody says, not with what it is about.
    Neither does a later part of a longer text open with what that is about.
    """
    number = row["number"]
    spoken = row["speaker"] or (number is None and row["role"] not in (None, "user"))
    keys = {} if spoken or number else opening_keys(row["opening"], row["title"] or "")
    keys = heading_keys(row["headings"] or ()) | keys
    keys |= dict.fromkeys(map(key_of, row["aliases"] or ()), "also")
    keys |= title_keys(row["title"]) if row["title"] else {}
    keys.pop("", None)
    names = [{"id": name_id(scope, key), "key": key, "how": keys[key]} for key in sorted(keys)]
    return {"id": row["id"], "names": names}


def text_of(row: Row) -> Text:
    """A passage's words; those of a turn of talk name only what something else is about. What a
    page links to it names, however the link reads. Of a text that is longer than any chunk, its
    beginning is read."""
    content = row["content"][:READ]
    talk = row["speaker"] and not row["title"]
    keys = set() if talk else written(content, row["language"] or "en")
    keys |= {key for key in map(key_of, row["targets"] or ()) if key}
    triples = orjson.loads(row["triples"]) if row["triples"] else ()
    return Text(row["id"], words(content), keys, given_keys(triples))


def linked(text: Text, scope: str, known: set[str]) -> Row:
    """Which keys a passage names, with the places of their words."""
    return {"id": text.id, "names": held(text, scope, known)}


def held(text: Text, scope: str, known: set[str]) -> list[Row]:
    """The names of a text, as rows: `parts` are places where a name is a part of a longer one."""
    own = text.written | text.given
    spans = namings(text.words, known) | namings(text.words, own)
    parts = partings(text.words, known) | partings(text.words, own)
    return [
        {
            "id": name_id(scope, key),
            "key": key,
            "spans": spans.get(key, []),
            "parts": parts.get(key, []),
            "written": key in text.written,
            "given": key in text.given,
        }
        for key in sorted(spans.keys() | parts.keys() | own)
    ]
