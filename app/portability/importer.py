"""The import itself: read, prepare ahead, write several batches at once, settle in order.

Chunks are prepared and written concurrently and settled in the order of their lines, so that one
mark a file says what is done, and a killed run goes on from it. Every record is idempotent, so a
mark may lag behind what is committed, and never runs ahead of it.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from app.errors import AlreadyExists, LociError
from app.kernel import audit
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.portability.audits import RESTORE
from app.portability.chunks import chunks, incomplete
from app.portability.derived import finish
from app.portability.gate import ScopeGate
from app.portability.kind import Batch, Kind, Reject, Rules, Written, unfit
from app.portability.package import Package, PackedFile
from app.portability.prepare import Chunk, Prepared, Preparer
from app.portability.progress import Mark, Progress
from app.portability.rejects import RejectsFile
from app.portability.writing import importer_of

WRITERS = 3  # batches that are written at once
AHEAD = 4  # further chunks that are prepared meanwhile
TELL_EVERY = 1.0  # seconds
POLICY_SECONDS = 2.0  # as long as capture trusts a policy it has read
# Records of one transaction beside others: a capture that commits meanwhile waits for all of it.
FEW = 64
TRIES = 3  # of a batch that meets another with the same records

Tell = Callable[[Progress], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Tools:
    """What an import works with."""

    graph: Graph
    gate: ScopeGate
    preparer: Preparer
    tell: Tell
    most: int | None = None  # records of one transaction; as many as the kind says if unset


@dataclass(slots=True)
class Done:
    """What became of one chunk."""

    next_line: int
    offset: int
    written: Written
    rejects: list[Reject] = field(default_factory=list)
    seconds: float = 0.0


class Importer:
    """One run over one package."""

    def __init__(
        self, tools: Tools, rules: Rules, progress: Progress, rejects: RejectsFile
    ) -> None:
        self._tools = tools
        self._rules = rules
        self._progress = progress
        self._rejects = rejects
        self._writers = asyncio.Semaphore(WRITERS)
        self._alone = asyncio.Semaphore(1)
        self._told = 0.0
        self._started = time.perf_counter() - progress.seconds
        self._policies: tuple[float, dict[str, str]] = (0.0, {})

    async def run(self, package: Package) -> Progress:
        """Import every file; raises what the graph raises, after noting how far it came."""
        marked = not self._rules.restores
        try:
            for file in package.files:
                if not marked and file.kind.name != "chain":
                    await self._mark_restore(package)
                    marked = True
                await self._file(file)
            if self._rules.derived:
                await finish(self._tools.graph, self._rules)
        finally:
            with suppress(LociError):
                await self._tell(always=True)
        return self._progress

    async def _mark_restore(self, package: Package) -> None:
        """One event a tenant that says what was restored, and by which run."""
        run, events = self._rules.run, []
        for tenant in package.manifest.tenants:
            event = audit.record(
                RESTORE,
                tenant=tenant,
                scope=tenant,
                actor=importer_of(self._rules, tenant),
                request=run,
                payload=_told(package),
            )
            events.append({**event, "id": digest(RESTORE, run, tenant)[:32]})
        await self._tools.graph.rows(Q.portability.mark_run, id=run, events=events)

    async def _file(self, file: PackedFile) -> None:
        mark = self._progress.mark(file.name)
        if mark.done:
            return
        if file.kind.trusted and not self._rules.restores:
            self._progress.skipped[file.name] = (
                "audit events and their chain are restored by the operator only, and in place"
            )
            return
        if file.kind.derived and not self._rules.derived:
            self._progress.skipped[file.name] = (
                "what was made of episodes is restored by the operator only, in place and with its "
                "cursors; the episodes are read anew"
            )
            return
        # Scopes that this run has just made may have policies.
        self._policies = (0.0, {})
        await self._chunks(file, mark)
        mark.done = True
        await self._tell(always=True)

    async def _chunks(self, file: PackedFile, mark: Mark) -> None:
        pending: deque[asyncio.Task[Done]] = deque()
        try:
            with file.path.open("rb") as source:
                given = chunks(source, file, mark, self._tools.most, self._rules)
                while chunk := await asyncio.to_thread(next, given, None):
                    pending.append(asyncio.create_task(self._process(file.kind, chunk)))
                    if len(pending) >= WRITERS + AHEAD:
                        await self._settle(file, mark, await pending.popleft())
            while pending:
                await self._settle(file, mark, await pending.popleft())
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)

    async def _process(self, kind: Kind, chunk: Chunk) -> Done:
        policies = await self._known_policies()
        prepared = await self._tools.preparer.prepare(chunk, self._rules, policies)
        rows = await self._admitted(chunk, prepared)
        bounds = await self._tools.gate.bounds(kind, rows, self._rules)
        large = unfit(kind, chunk.file, rows, bounds)
        prepared.rejects += large
        beside = incomplete(chunk, prepared.rejects)
        prepared.rejects += beside
        lines = {reject.line for reject in (*large, *beside)}
        rows = [row for row in rows if row["line"] not in lines]
        batch = Batch(
            chunk.file, rows, self._rules, self._refusals(prepared.rejects), bounds=bounds
        )
        async with self._alone if kind.serial else self._writers:
            written = await self._write(kind, batch)
        return Done(
            next_line=chunk.first + len(chunk.lines),
            offset=chunk.end,
            written=written,
            rejects=[*prepared.rejects, *written.rejects],
            seconds=prepared.seconds,
        )

    async def _known_policies(self) -> dict[str, str]:
        until, known = self._policies
        if time.monotonic() > until:
            rows = await self._tools.graph.rows(Q.portability.known_policies)
            known = {row["path"]: row["policy"] for row in rows}
            self._policies = (time.monotonic() + POLICY_SECONDS, known)
        return known

    async def _admitted(self, chunk: Chunk, prepared: Prepared) -> list[Row]:
        """Rows whose scopes may be written to; the others become rejects."""
        gate = self._tools.gate
        made: set[str] = {row["makes"] for row in prepared.rows if "makes" in row}
        asked = {path for row in prepared.rows for path in row["scopes"]}
        refused = await gate.admit(asked - made)
        if made:
            refused |= await gate.check(made)
        if not refused:
            return prepared.rows
        kept = []
        for row in prepared.rows:
            needed = [*row["scopes"], *([row["makes"]] if "makes" in row else [])]
            error = next((refused[path] for path in needed if path in refused), None)
            if error is None:
                kept.append(row)
            else:
                prepared.rejects.append(Reject.of(chunk.file, row["line"], error))
        return kept

    def _refusals(self, rejects: list[Reject]) -> list[Row]:
        """One audit event a scope about what was refused there, under an id that is always so."""
        by_scope: dict[str, list[Reject]] = {}
        for reject in rejects:
            if reject.scope is not None:
                by_scope.setdefault(reject.scope, []).append(reject)
        return [self._refusal(scope, group) for scope, group in sorted(by_scope.items())]

    def _refusal(self, scope: str, rejects: list[Reject]) -> Row:
        first, run = rejects[0], self._rules.run
        event = audit.record(
            "refused",
            tenant=parse_scope(scope).tenant,
            scope=scope,
            actor=importer_of(self._rules, scope),
            request=run,
            payload={"action": "import", "codes": Counter(r.reason for r in rejects)},
        )
        named = digest("refused", run, first.file, str(first.line))[:32]
        return {**event, "outcome": "refused", "id": named}

    async def _write(self, kind: Kind, batch: Batch) -> Written:
        """One transaction; where it meets another with the same records, again, then row by row, or
        whole by whole."""
        if not batch.rows and not batch.refusals:
            return Written()
        for _ in range(TRIES):
            with suppress(AlreadyExists):
                return await self._transact(kind, batch)
        parts = _apart(kind, batch.rows)
        if len(parts) == 1 and not batch.refusals:
            error = AlreadyExists("another record holds this id, or that of its provenance")
            return Written(rejects=[Reject.of(batch.file, r["line"], error) for r in batch.rows])
        total = Written()
        if batch.refusals:
            await self._transact(kind, Batch(batch.file, [], batch.rules, batch.refusals))
        for part in parts:
            one = await self._write(kind, Batch(batch.file, part, batch.rules, bounds=batch.bounds))
            total.accepted += one.accepted
            total.duplicates += one.duplicates
            total.rejects += one.rejects
            total.left += one.left
            total.updated += one.updated
            total.changed += one.changed
        return total

    async def _transact(self, kind: Kind, batch: Batch) -> Written:
        async def work(tx: Tx) -> Written:
            if batch.refusals:
                await tx.rows(Q.portability.events, rows=batch.refusals)
                ids = [event["id"] for event in batch.refusals]
                await tx.rows(Q.portability.refused, run=batch.rules.run, events=ids)
            return await kind.write(tx, batch) if batch.rows else Written()

        if kind.lead is not None and batch.rows:
            lead = kind.lead
            name = f"portability.{kind.name}.lead"
            await self._tools.graph.write(name, lambda tx: lead(tx, batch))
        return await self._tools.graph.write(f"portability.{kind.name}", work)

    async def _settle(self, file: PackedFile, mark: Mark, done: Done) -> None:
        """Count one chunk; only now may the run go on from behind it."""
        self._rejects.add([*done.rejects, *done.written.changed])
        self._progress.rejects_bytes = self._rejects.size
        tally = self._progress.tally(file.kind.name)
        tally.accepted += done.written.accepted
        tally.duplicates += done.written.duplicates
        tally.rejected += len(done.rejects)
        tally.updated += done.written.updated
        tally.changed += len(done.written.changed)
        self._progress.leave(file.name, done.written.left)
        mark.line, mark.offset = done.next_line, done.offset
        self._progress.prepare_seconds += done.seconds
        await self._tell()

    async def _tell(self, *, always: bool = False) -> None:
        self._progress.seconds = time.perf_counter() - self._started
        if always or time.monotonic() - self._told > TELL_EVERY:
            self._told = time.monotonic()
            await self._tools.tell(self._progress)


def _apart(kind: Kind, rows: list[Row]) -> list[list[Row]]:
    """Rows one by one, or of a kind with wholes by these."""
    if kind.whole is None:
        return [[row] for row in rows]
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["whole"], []).append(row)
    return list(found.values())


def _told(package: Package) -> dict[str, str | None]:
    """What the event of a restore says of its package: the digest of the trail too, which may have
    been left out."""
    manifest = package.manifest
    named = {"package": package.fingerprint, "digest": manifest.digest}
    return named if manifest.audit is None else {**named, "audit": manifest.audit}
