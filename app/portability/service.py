"""Importing and exporting as a whole: what doors and jobs call."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from app.errors import Conflict, InvalidInput, ModelMismatch
from app.indexing.spaces import FIRST
from app.jobs.access import ADMINISTERED
from app.jobs.model import Cancelled, Job
from app.jobs.repository import SYSTEM
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.portability.archive import Limits, is_archive, unpack
from app.portability.deferral import deferred_indexes
from app.portability.foreign.convert import Foreign, converted
from app.portability.gate import ScopeGate
from app.portability.importer import FEW, Importer, Tools
from app.portability.kind import Rules, Selection, check_target
from app.portability.package import Manifest, Package, is_package, open_package
from app.portability.prepare import preparer
from app.portability.progress import Progress
from app.portability.rejects import RejectsFile
from app.sanitize.suspicion import Judge, judge_of
from app.scopes.service import ScopeService
from app.settings import SearchSettings

TASK = "portability.import"
LARGE = 4 << 20  # bytes of a package that is worth processes of its own

ProgressTell = Callable[[Progress, int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Store:
    """What a run works on."""

    graph: Graph
    scopes: ScopeService
    search: SearchSettings


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be imported, and how. `caller` is None for the operator of the machine.

    `vouched` asks for the authors, the trust and the tiers of the package; `users` for the leaf of
    each user, of another program's memories.
    """

    path: Path
    target: str | None = None
    rejects: Path | None = None
    caller: Caller | None = None
    fresh: bool = False
    defer: bool = False
    revive: bool = False
    vouched: bool = False
    limits: Limits = field(default_factory=Limits)
    spool: Path | None = None
    format: str | None = None
    mapping: Path | None = None
    at: datetime | None = None
    users: bool = False

    @property
    def is_foreign(self) -> bool:
        """Whether it is another program's file. An archive is one where a format is named."""
        return bool(self.format or self.mapping) or not is_package(self.path)

    @property
    def rejects_path(self) -> Path:
        place = self.path.resolve()  # `.` has no name of its own
        return self.rejects or place.with_name(f"{place.name}.rejects.jsonl")


@dataclass(frozen=True, slots=True)
class Run:
    """A run's place in the graph: its id, its first moment, and how far it came before."""

    id: str
    moment: datetime
    stored: dict[str, Any]


async def is_empty(graph: Graph) -> bool:
    """Whether the graph holds no memory at all."""
    return bool((await graph.one(Q.portability.is_empty))["empty"])


@contextmanager
def opened(order: Order) -> Iterator[Package]:
    """The package that an order names, or what a file of another program becomes as one.

    Raises what `open_package` and `converted` raise.
    """
    if order.path.exists() and order.is_foreign:
        with unpacked(order) as path:
            source = Foreign(path, order.target, order.format, order.mapping, order.at, order.users)
            with converted(source, order.spool) as package:
                yield package
    else:
        if order.users:
            raise InvalidInput("a package says itself where each memory goes", field="users")
        with open_package(order.path, order.limits, order.spool) as package:
            yield package


@contextmanager
def unpacked(order: Order) -> Iterator[Path]:
    """The path of an order, or what its archive holds: the one folder in it, else all of it.

    Raises what `unpack` raises.
    """
    if not is_archive(order.path):
        yield order.path
        return
    with tempfile.TemporaryDirectory(prefix="loci-archive-", dir=order.spool) as made:
        unpack(order.path, Path(made), order.limits, tree=True)
        inner = list(Path(made).iterdir())
        yield inner[0] if len(inner) == 1 else Path(made)


async def import_attended(store: Store, order: Order, tell: ProgressTell) -> dict[str, Any]:
    """An import on the command line; killed, it goes on where it was when it is called again.

    Raises Cancelled where it was asked to stop over the API, and what `import_package` raises.
    """
    with opened(order) as package:
        run = await _begin(store.graph, package, order)

        async def note(progress: Progress, size: int) -> None:
            await tell(progress, size)
            row = await store.graph.optional(
                Q.portability.note_run,
                id=run.id,
                at=now(),
                progress=orjson.dumps(progress.to_json()).decode(),
            )
            if row is not None and row["cancelled"]:
                await _end(store.graph, run.id, "cancelled", None)
                raise Cancelled(run.id)

        result = await import_package(store, order, (package, run), note)
        await _end(store.graph, run.id, "done", result)
        return result


async def import_package(
    store: Store, order: Order, opened: tuple[Package, Run], tell: ProgressTell
) -> dict[str, Any]:
    """Import an opened package as a run; returns tallies by kind.

    Raises ModelMismatch where its vectors come from another model than the store's, Conflict
    where indexes shall be deferred and the store is not empty.
    """
    package, run = opened
    rules = await rules_of(store.graph, package, order, run)
    progress = Progress.of(run.stored, run.moment)
    size = package.size
    rejects = RejectsFile(order.rejects_path, progress.rejects_bytes, package.where)

    async def told(progress: Progress) -> None:
        await tell(progress, size)

    async def perform() -> None:
        with preparer(_processes(size)) as ready:
            gate = ScopeGate(store.graph, store.scopes, order.caller, package.names)
            few = FEW if order.caller else None  # an operator's is alone with the machine
            tools = Tools(store.graph, gate, ready, told, few)
            await Importer(tools, rules, progress, rejects).run(package)

    if order.defer:
        if progress.lines == 0 and not await is_empty(store.graph):
            raise Conflict("indexes are deferred only where the graph is empty", field="defer")
        async with deferred_indexes(store.graph, store.search):
            await perform()
    else:
        await perform()
    rejected = str(rejects.path) if rejects.size else None
    own = package.told or {}
    return {"run": run.id, **progress.result(), "rejects": rejected, **own}


async def rules_of(graph: Graph, package: Package, order: Order, run: Run) -> Rules:
    """Under what a run imports a package. Raises ModelMismatch for vectors of another model."""
    target = check_target(order.target) if order.target and not package.is_placed else None
    keeps = order.caller is None and target is None
    return Rules(
        run=run.id,
        moment=Progress.of(run.stored, run.moment).moment,
        importer=order.caller.principal if order.caller else None,
        target=target,
        keeps=keeps,
        restores=keeps and package.has_audit and bool(package.manifest.tenants),
        dimension=await _dimension(graph, package.manifest),
        judge=_judge(package.manifest),
        revives=order.revive,
        derived=keeps and package.has_derived,
        vouched=order.caller is None or order.vouched,
        revises=package.told is not None,
    )


def _judge(manifest: Manifest) -> Judge | None:
    """The classifier for the vectors that a package brings."""
    vectors = manifest.vectors
    return judge_of(vectors.model, vectors.version) if vectors is not None else None


async def _dimension(graph: Graph, manifest: Manifest) -> int:
    if manifest.vectors is None:
        return 0
    stored = await graph.optional(Q.portability.vector_space, name=FIRST.name)
    given = manifest.vectors.model_dump()
    if stored != given:
        known = f"{stored['model']} {stored['version']}" if stored else "no model"
        raise ModelMismatch(
            f"the package's vectors come from {given['model']} {given['version']}, the graph's "
            f"from {known}: export without vectors, and they are made anew"
        )
    return int(given["dimension"])


def _processes(size: int) -> int:
    return 0 if size < LARGE else max(1, min(4, (os.cpu_count() or 2) - 1))


async def _begin(graph: Graph, package: Package, order: Order) -> Run:
    """The run of this package into this place: the one that was killed, or a new one."""
    moment = now()
    tenants = {parse_scope(order.target).tenant} if order.target else set(package.manifest.tenants)
    tenant = next(iter(tenants)) if len(tenants) == 1 else SYSTEM
    job = {
        "id": f"import:{digest(package.fingerprint, order.target or '')[:32]}",
        "task": TASK,
        "tenant": tenant,
        "scope": order.target or tenant,
        "state": "new",
        "args": orjson.dumps({"path": str(order.path), "attended": True}).decode(),
        "attempts": 0,
        "created_at": moment,
        "not_before": moment,
        **ADMINISTERED.row(order.target or tenant),
    }
    row = await graph.one(Q.portability.begin_run, job=job, at=moment, fresh=order.fresh)
    started = Job.of(row["job"])
    return Run(started.id, started.started_at or moment, started.progress)


async def _end(graph: Graph, run: str, state: str, result: dict[str, Any] | None) -> None:
    await graph.optional(
        Q.jobs.finish,
        id=run,
        attempt=None,
        state=state,
        at=now(),
        not_before=now(),
        result=orjson.dumps(result).decode() if result else None,
        items=None,
        error=None,
        told=None,
    )


async def selection(graph: Graph, scope: str | None, *, vectors: bool = False) -> Selection:
    """What the operator exports: everything, or a scope and all below it."""
    if scope is None:
        rows = await graph.rows(Q.portability.every_path)
    else:
        rows = await graph.rows(Q.portability.paths_below, path=str(parse_scope(scope)))
    paths = [row["path"] for row in rows]
    whole = sorted({p for p in paths if "/" not in p})
    return Selection(paths, vectors, audited=paths, tenants=whole)
