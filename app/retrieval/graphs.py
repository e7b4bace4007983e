"""The matrices of the scopes that are asked, kept in memory and brought up to date off the request.

A search never waits long for one: where it is not there in time, the search does without, and says
so; one that is a little old serves until the new one is there.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from weakref import WeakValueDictionary

import structlog

from app.errors import LociError
from app.kernel.graph import Row
from app.retrieval.alike import widened
from app.retrieval.joining import Called, called_of, joined
from app.retrieval.matrix import Linked, Walkable, build
from app.retrieval.model import Revision
from app.retrieval.names import longest
from app.retrieval.repository import RetrievalRepository

log = structlog.get_logger()
PART = 0.3  # of a one-word name that stands in the text as a part of a longer one
GIVEN = 0.5  # of a name that only a given triple finds in the text
NEVER = Revision(0, 0)
REVISIONS = 64  # read at once: up to 8,192 passages
FEW = 16  # scopes whose revisions are read one by one at each search
READERS = 64  # of more scopes, whose revisions are kept
AT_ONCE = 2  # matrices of one tenant that are made: a thousand would take every connection


@dataclass(frozen=True, slots=True)
class Kept:
    """A scope's matrix and the revision that it shows."""

    revision: Revision
    linked: Mapping[str, Linked]
    called: Mapping[str, Called]
    alike: Mapping[str, list[str]]
    graph: Walkable


@dataclass(frozen=True, slots=True)
class Course:
    """What is read of a scope: what changed after one revision up to another; what its entities
    are called, by id; what its names may stand for, by key."""

    scope: str
    after: Revision
    last: Revision
    linked: dict[str, Linked] = field(default_factory=dict)
    called: dict[str, Called] = field(default_factory=dict)
    alike: dict[str, list[str]] = field(default_factory=dict)

    def graph(self) -> Walkable:
        """The matrix of all that was read."""
        passages = joined(self.linked, self.called.values())
        return build(widened(passages, self.alike))


class Held(NamedTuple):
    """A name that a passage's text holds, as it is stored; the places are those of `namings`."""

    key: str
    owned: bool
    spans: list[int]
    parts: list[int]
    written: bool
    given: bool

    def weight(self, counted: Mapping[str, list[tuple[int, int]]]) -> float:
        """How surely the text means it, 0 to 1; `counted` are the places that count, by key."""
        least = GIVEN if self.given else 0.0
        if not (self.owned and (self.spans or self.parts)):
            return 1.0 if self.written else least
        alone = set(zip(self.spans[::2], self.spans[1::2], strict=True))
        if not alone.isdisjoint(counted.get(self.key, ())):
            return 1.0
        return max(least, PART) if self.key in counted else least


class GraphCache:
    """Matrices by scope, the least recently asked for going first where they grow too large.

    With `alike` a name leads to what goes by one that reads like it.
    """

    def __init__(
        self, rows: RetrievalRepository, most_bytes: int, wait: float, *, alike: bool = False
    ) -> None:
        self._rows = rows
        self._alike = alike
        self._most = most_bytes
        self._wait = wait
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._making: dict[str, asyncio.Task[None]] = {}
        self._known: OrderedDict[tuple[str, ...], tuple[tuple[int, ...], dict[str, Revision]]] = (
            OrderedDict()
        )
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def graphs(self, scopes: list[str]) -> tuple[dict[str, Walkable], bool]:
        """The matrices of these scopes, as far as they are there in time; whether all are."""
        revisions = await self._revisions(scopes)
        stale = [s for s, revision in revisions.items() if not self._shows(s, revision)]
        tasks = [self._make(scope, revisions[scope]) for scope in stale]
        if tasks:
            await asyncio.wait(tasks, timeout=self._wait)
        found = {}
        for scope in revisions:
            if scope in self._kept:
                self._kept.move_to_end(scope)
                found[scope] = self._kept[scope].graph
        return found, len(found) == len(revisions)

    async def _revisions(self, scopes: list[str]) -> dict[str, Revision]:
        if len(scopes) <= FEW:
            return await self._told(scopes)
        asked, stamp = tuple(scopes), await self._rows.revised(scopes)
        known = self._known.get(asked)
        if known is None or known[0] != stamp:
            # What changes between the two questions is found by the next one.
            known = self._known[asked] = stamp, await self._told(scopes)
            while len(self._known) > READERS:
                self._known.popitem(last=False)
        return known[1]

    async def _told(self, scopes: list[str]) -> dict[str, Revision]:
        found = await self._rows.revisions(scopes)
        if self._alike:
            return found
        return {scope: replace(revision, alike=0) for scope, revision in found.items()}

    def _shows(self, scope: str, revision: Revision) -> bool:
        return scope in self._kept and self._kept[scope].revision == revision

    def _make(self, scope: str, revision: Revision) -> asyncio.Task[None]:
        if scope not in self._making:
            tenant = scope.partition("/")[0]
            turns = self._turns.setdefault(tenant, asyncio.Semaphore(AT_ONCE))
            task = asyncio.create_task(self._refresh(scope, revision, turns))
            self._making[scope] = task
            task.add_done_callback(lambda _: self._making.pop(scope, None))
        return self._making[scope]

    async def _refresh(self, scope: str, revision: Revision, turns: asyncio.Semaphore) -> None:
        try:
            async with turns:
                course = self._course(scope, revision)
                await self._read(course)
                graph = await asyncio.to_thread(course.graph)
        except LociError as error:
            log.warning("retrieval.refresh", scope=scope, error=str(error))
            return
        self._kept[scope] = Kept(revision, course.linked, course.called, course.alike, graph)
        self._shrink()

    def _course(self, scope: str, revision: Revision) -> Course:
        kept = self._kept.get(scope)
        if kept is None or kept.revision.dropped != revision.dropped:
            return Course(scope, NEVER, revision)
        linked, called = dict(kept.linked), dict(kept.called)
        return Course(scope, kept.revision, revision, linked, called, dict(kept.alike))

    async def _read(self, course: Course) -> None:
        if course.after.alike != course.last.alike:
            course.alike.clear()
            course.alike.update(await self._rows.synonyms(course.scope))
        since, until = course.after.called_at, course.last.called_at
        if since != until:
            rows = await self._rows.called_since(course.scope, since, until)
            course.called.update((row["id"], called_of(row)) for row in rows)
        for after in range(course.after.revision, course.last.revision, REVISIONS):
            upto = min(after + REVISIONS, course.last.revision)
            rows = await self._rows.linked_since(course.scope, after, upto)
            await asyncio.to_thread(take, course, rows)

    def _shrink(self) -> None:
        held = sum(kept.graph.bytes for kept in self._kept.values())
        while held > self._most and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            held -= gone.graph.bytes

    async def aclose(self) -> None:
        """End what is being made."""
        tasks = list(self._making.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def take(course: Course, rows: list[Row]) -> None:
    """Put what was read in the place of what was known of the passages."""
    for row in rows:
        course.linked.pop(row["id"], None)
        if row["live"]:
            course.linked[row["id"]] = linked_of(row)


def linked_of(row: Row) -> Linked:
    """A passage's names: of those that somebody goes by, the longest where several overlap."""
    about = dict(sorted(row["about"]))
    held = [Held(*name) for name in row["names"]]
    counted = longest((name.key, name.spans + name.parts) for name in held if name.owned)
    names = {name.key: name.weight(counted) for name in sorted(held) if name.key not in about}
    sure = {key: weight for key, weight in names.items() if weight}
    return Linked(about, sure, row["work"], row["number"] or 0)
