"""How fast an import writes, beside a bare UNWIND that writes the same nodes and edges.

Sanitising and analysis are timed apart: both sides get rows that are ready. The importer's side
reads its file, asks what is there, keeps the order of locks and notes its progress; the bare side
creates, in as many transactions at once. Each turn writes into a tenant of its own, under the same
indexes, the sides in alternation.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.ids import new_id
from app.portability.chunks import chunks
from app.portability.gate import ScopeGate
from app.portability.importer import WRITERS, Importer, Tools
from app.portability.kind import Rules
from app.portability.kinds import BY_NAME
from app.portability.package import Manifest, Package, PackedFile, open_package
from app.portability.prepare import Chunk, Prepared, prepare_chunk
from app.portability.progress import Mark, Progress
from app.portability.rejects import RejectsFile
from app.portability.service import Order, Run, Store, import_package
from app.portability.writing import event_of

EPISODE = BY_NAME["episode"]
SIDES = ("import", "bare")


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of one side for so many episodes, and the seconds of preparing them."""

    side: str
    episodes: int
    seconds: float
    prepared: float

    @property
    def rate(self) -> float:
        return self.episodes / self.seconds


class Ready:
    """A preparer that has everything prepared, and so takes no time."""

    def __init__(self, prepared: dict[int, Prepared]) -> None:
        self._prepared = prepared

    async def prepare(self, chunk: Chunk, rules: Rules, policies: dict[str, str]) -> Prepared:
        """The rows of the chunk that begins where this one does."""
        found = self._prepared[chunk.first]
        return Prepared(found.rows, [], found.seconds)


async def measure(store: Store, package: Path, episodes: int, rounds: int) -> dict[str, Any]:
    """Rates of both sides over `episodes` episodes of a package in each of `rounds` rounds.

    `ratio` is the importer's median rate by the bare one's: one turn that met a busy machine does
    not decide. `ratio_of_sums` is over all turns together.
    """
    timed: list[Timed] = []
    with open_package(package) as opened, tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for side in SIDES if number % 2 else reversed(SIDES):
                turn = _Turn(store, opened.manifest, Path(folder))
                turn.cut(opened, episodes)
                timed.append(await turn.perform(side))
    rates = {side: median(t.rate for t in timed if t.side == side) for side in SIDES}
    sums = {side: _rate(timed, side) for side in SIDES}
    prepared = sum(t.prepared for t in timed)
    return {
        "episodes_each_turn": episodes,
        "rounds": rounds,
        "import_per_second": round(rates["import"], 1),
        "bare_per_second": round(rates["bare"], 1),
        "ratio": round(rates["import"] / rates["bare"], 3),
        "ratio_of_sums": round(sums["import"] / sums["bare"], 3),
        "by_turn": [[t.side, round(t.rate, 1)] for t in timed],
        "sanitise_ms_each": round(1000 * prepared / sum(t.episodes for t in timed), 3),
    }


def _rate(timed: list[Timed], side: str) -> float:
    of_side = [t for t in timed if t.side == side]
    return sum(t.episodes for t in of_side) / sum(t.seconds for t in of_side)


class _Turn:
    """One side's turn, in a tenant of its own."""

    def __init__(self, store: Store, manifest: Manifest, folder: Path) -> None:
        self._store = store
        self._tenant = f"ev-{new_id()[-12:]}"
        self._folder = folder
        self._manifest = manifest
        dimension = manifest.vectors.dimension if manifest.vectors else 0
        self._rules = Rules(run=f"eval:{self._tenant}", moment=now(), dimension=dimension)
        self._prepared: dict[int, Prepared] = {}
        self._file = PackedFile(folder / f"{self._tenant}.jsonl", EPISODE)

    def cut(self, package: Package, episodes: int) -> None:
        """Take the first episodes of the package over to this turn's tenant, and prepare them."""
        source = next(file for file in package.files if file.kind.name == EPISODE.name)
        with source.path.open("rb") as lines, self._file.path.open("wb") as out:
            for line in islice(lines, episodes):
                out.write(_moved(line, self._tenant))
        with self._file.path.open("rb") as opened:
            for chunk in chunks(opened, self._file, Mark()):
                self._prepared[chunk.first] = prepare_chunk(chunk, self._rules, {})

    async def perform(self, side: str) -> Timed:
        """Write what was prepared; its scopes are there before."""
        gate = ScopeGate(self._store.graph, self._store.scopes, None)
        rows = [row for prepared in self._prepared.values() for row in prepared.rows]
        await gate.admit({row["scope"] for row in rows})
        start = time.perf_counter()
        await (self._import(gate) if side == "import" else self._bare(rows))
        seconds = time.perf_counter() - start
        prepared = sum(p.seconds for p in self._prepared.values())
        return Timed(side, len(rows), seconds, prepared)

    async def _import(self, gate: ScopeGate) -> None:
        async def told(progress: Progress) -> None:
            noted = orjson.dumps(progress.to_json()).decode()
            await self._store.graph.optional(
                Q.portability.note_run, id=self._rules.run, at=now(), progress=noted
            )

        ready: Any = Ready(self._prepared)
        tools = Tools(self._store.graph, gate, ready, told)
        rejects = RejectsFile(self._folder / "rejects.jsonl", 0)
        importer = Importer(tools, self._rules, Progress(self._rules.moment), rejects)
        await importer.run(Package(self._manifest, [self._file], "", self._file.path))

    async def _bare(self, rows: list[Row]) -> None:
        """The same nodes and edges, as many batches at once."""
        sessions = list({r["session"]: r["made_session"] for r in rows}.values())
        tags = list({t["id"]: t for r in rows for t in r["tags"]}.values())
        batches = [_bare_batch(p.rows, self._rules) for p in self._prepared.values()]
        events = [event for made, _ in batches for event in made]
        graph = self._store.graph
        await graph.rows(Q.evals.bare_shared, events=events, sessions=sessions, tags=tags)
        waiting = iter(batches)
        await asyncio.gather(*(self._bare_writer(waiting) for _ in range(WRITERS)))

    async def _bare_writer(self, waiting: Iterator[tuple[list[Row], list[Row]]]) -> None:
        for _, rows in waiting:
            await self._store.graph.rows(Q.evals.bare_episodes, rows=rows)


def _bare_batch(rows: list[Row], rules: Rules) -> tuple[list[Row], list[Row]]:
    """A batch's audit events, one a scope, and its rows with the ids of their edges."""
    by_scope: dict[str, list[Row]] = {}
    for row in rows:
        by_scope.setdefault(row["scope"], []).append(row)
    events = {
        scope: event_of(rules, scope, EPISODE.name, [row["subject"] for row in group])
        for scope, group in by_scope.items()
    }
    plain = [
        {
            "episode": row["episode"],
            "provenance": row["provenance"],
            "session": row["session"],
            "event": events[row["scope"]]["id"],
            "tags": [tag["id"] for tag in row["tags"]],
        }
        for row in rows
    ]
    return list(events.values()), plain


def _moved(line: bytes, tenant: str) -> bytes:
    record = orjson.loads(line)
    record["scope"] = "/".join([tenant, *record["scope"].split("/")[1:]])
    return orjson.dumps(record) + b"\n"


async def measure_deferred(store: Store, package: Path) -> dict[str, Any]:
    """Seconds of one import with the search indexes made afterwards, populating included.

    The graph has to be empty, or Conflict is raised; compare with the same import into another
    empty graph under its indexes.
    """
    return await _whole(store, package, defer=True)


async def measure_whole(store: Store, package: Path) -> dict[str, Any]:
    """Seconds of one import under its indexes, sanitising ahead of the writers."""
    return await _whole(store, package, defer=False)


async def _whole(store: Store, package: Path, *, defer: bool) -> dict[str, Any]:
    async def untold(progress: Progress, size: int) -> None:
        return

    start = time.perf_counter()
    with open_package(package) as opened:
        order = Order(package, defer=defer)
        run = Run(f"eval:{new_id()}", now(), {})
        result = await import_package(store, order, (opened, run), untold)
    return {**result, "deferred": defer, "whole_seconds": round(time.perf_counter() - start, 2)}
