"""An import that writes nothing: what would be taken, what refused, and what is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import ExitStack
from typing import Any

from app.errors import LociError
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.ids import new_id
from app.portability.chunks import chunks, incomplete
from app.portability.gate import ScopeGate
from app.portability.kind import Batch, Kind, Reject, Rules, State, unfit
from app.portability.package import Package, PackedFile
from app.portability.prepare import Chunk, Prepared, prepare_chunk
from app.portability.progress import Mark
from app.portability.service import Order, Run, Store, opened, rules_of

SHOWN = 20  # rejects


async def rehearse(store: Store, order: Order) -> dict[str, Any]:
    """Read and check everything that an import would, and write nothing.

    Returns counts by kind, the first rejects, and of another program's file its format and what
    is lost by field. What is there already counts as duplicates, or as what would be brought up to
    date, or has changed and stays; of kinds that cannot tell it counts as accepted. Raises what
    opening the package raises.
    """
    with ExitStack() as stack:
        package = await asyncio.to_thread(stack.enter_context, opened(order))
        run = Run(new_id(), now(), {})
        rules = await rules_of(store.graph, package, order, run)
        rows = await store.graph.rows(Q.portability.known_policies)
        policies = {row["path"]: row["policy"] for row in rows}
        gate = ScopeGate(store.graph, store.scopes, order.caller)
        return await _Rehearsal(store.graph, rules, policies, gate).run(package)


class _Rehearsal:
    """One reading of one package."""

    def __init__(
        self, graph: Graph, rules: Rules, policies: dict[str, str], gate: ScopeGate
    ) -> None:
        self._graph = graph
        self._rules = rules
        self._policies = policies
        self._gate = gate
        self._refused: dict[str, LociError | None] = {}

    async def run(self, package: Package) -> dict[str, Any]:
        """Read every file."""
        kinds: dict[str, Counter[str]] = {}
        shown: list[Reject] = []
        for file in package.files:
            tally = kinds.setdefault(file.kind.name, Counter(accepted=0, rejected=0))
            for reject in await self._file(file, tally):
                if len(shown) < SHOWN:
                    shown.append(package.where(reject) if package.where else reject)
        return _told(package, kinds, shown)

    async def _file(self, file: PackedFile, tally: Counter[str]) -> list[Reject]:
        """Count one file; its first rejects."""
        found: list[Reject] = []
        with await asyncio.to_thread(file.path.open, "rb") as source:
            given = chunks(source, file, Mark(), rules=self._rules)
            while chunk := await asyncio.to_thread(next, given, None):
                done = await asyncio.to_thread(prepare_chunk, chunk, self._rules, self._policies)
                barred = await self._barred(chunk, done)
                rows = _without(done.rows, barred)
                bounds = await self._gate.bounds(file.kind, rows, self._rules)
                large = unfit(file.kind, chunk.file, rows, bounds)
                rejects = [*done.rejects, *barred, *large]
                beside = incomplete(chunk, rejects)
                rejects += beside
                tally["rejected"] += len(rejects)
                rows = _without(rows, [*large, *beside])
                rejects += await self._known(file.kind, Batch(chunk.file, rows, self._rules), tally)
                found += rejects[: SHOWN - len(found)]
        return found

    async def _known(self, kind: Kind, batch: Batch, tally: Counter[str]) -> list[Reject]:
        """Count rows by what is here of them; told is what says something else."""
        states: dict[int, State] = {}
        if kind.known is not None:
            states = await kind.known(self._graph, batch.rows, self._rules)
            tally["duplicates"] += 0
        tally["accepted"] += len(batch.rows) - len(states)
        for state in states.values():
            tally["duplicates" if state == "same" else state] += 1
        batch.changed = [line for line, state in states.items() if state == "changed"]
        return batch.told(batch.rows)

    async def _barred(self, chunk: Chunk, done: Prepared) -> list[Reject]:
        """Rejects of the rows whose scopes may not be written to; none is made."""
        paths = {path for row in done.rows for path in _needed(row)} - self._refused.keys()
        if paths:
            refused = await self._gate.check(paths)
            self._refused |= {path: refused.get(path) for path in paths}
        barred = []
        for row in done.rows:
            errors = (self._refused[path] for path in _needed(row))
            error = next((one for one in errors if one is not None), None)
            if error is not None:
                barred.append(Reject.of(chunk.file, row["line"], error))
        return barred


def _without(rows: list[Row], rejects: list[Reject]) -> list[Row]:
    lines = {reject.line for reject in rejects}
    return [row for row in rows if row["line"] not in lines]


def _needed(row: Row) -> list[str]:
    return [*row["scopes"], *([row["makes"]] if "makes" in row else [])]


def _told(package: Package, kinds: dict[str, Counter[str]], shown: list[Reject]) -> dict[str, Any]:
    return {
        "dry_run": True,
        "kinds": {name: dict(tally) for name, tally in kinds.items()},
        "rejects": [reject.to_json() for reject in shown],
        **(package.told or {}),
    }
