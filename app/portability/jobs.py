"""Imports and exports that were asked for over HTTP, as jobs of the worker."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from app.errors import Forbidden, NotFound
from app.jobs.access import shown_to
from app.jobs.model import ITEMS_KEPT, Job, Outcome, Report
from app.jobs.spool import spool_of
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.portability.archive import Limits
from app.portability.exporter import export_package
from app.portability.kind import Selection
from app.portability.progress import Progress
from app.portability.rehearsal import rehearse
from app.portability.service import Order, Run, Store, import_package, opened

IMPORT = "portability.import"
EXPORT = "portability.export"
EXPANSION = 8  # an upload may unpack to so many times what an upload may be
MAPPING = "mapping.json"
REJECTS = "rejects.jsonl"
EXPORT_NAME = "export.tar.zst"


async def run_import(parts: Any, job: Job, report: Report) -> Outcome:
    """Import one upload. Run again after a crash, it goes on from the job's progress."""
    if not job.args:
        raise NotFound("what it was to take in was erased meanwhile: send it again")
    spool = spool_of(parts.settings)
    place = spool.place(job.id)
    caller = await parts.keys.asker(job.args["caller"])
    if job.args["scope"]:
        check_place(caller, job.args["scope"])
    vouched = bool(job.args.get("vouched"))
    if vouched:
        check_vouching(caller)
    order = Order(
        path=place / job.args["file"],
        target=job.args["scope"],
        rejects=place / REJECTS,
        caller=caller,
        vouched=vouched,
        limits=Limits(size=EXPANSION * spool.limit),
        spool=place,
        format=job.args.get("format"),
        mapping=await asyncio.to_thread(_mapping, place, job.args.get("mapping")),
        at=job.created_at,  # a run that goes on reads the same
        users=bool(job.args.get("users")),
    )
    store = Store(parts.graph, parts.scopes, parts.settings.search)

    async def tell(progress: Progress, size: int) -> None:
        await report({**progress.to_json(), "bytes": progress.bytes, "of_bytes": size})

    if job.args.get("dry_run"):
        return Outcome(await rehearse(store, order), tidy=partial(spool.drop, job.id))
    with ExitStack() as stack:
        package = await asyncio.to_thread(stack.enter_context, opened(order))
        run = Run(job.id, job.created_at, job.progress)
        result = await import_package(store, order, (package, run), tell)
    items = await asyncio.to_thread(_rejected, place / REJECTS)
    return Outcome({**result, "rejects": None}, items, tidy=partial(spool.drop, job.id))


def _mapping(place: Path, given: dict[str, str] | None) -> Path | None:
    if given is None:
        return None
    path = place / MAPPING
    path.write_bytes(orjson.dumps(given))
    return path


def check_place(caller: Caller, scope: str) -> None:
    """Raise NotFound or Forbidden for who is no admin of a scope, or of all that will be there."""
    if not caller.governs(scope):
        caller.require(scope, Role.ADMIN)


def check_vouching(caller: Caller) -> None:
    """Forbidden for who is no admin of the whole tenant: authors are of the whole tenant."""
    if not caller.governs(caller.tenant):
        raise Forbidden(
            "only an admin of the whole tenant vouches for authors and trust of a package",
            field="vouched",
        )


def _rejected(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with path.open("rb") as lines:
        return [orjson.loads(line) for line in islice(lines, ITEMS_KEPT)]


async def run_export(parts: Any, job: Job, report: Report) -> Outcome:
    """Write the archive of one export; it stays for a day."""
    if not job.args:
        raise NotFound("what it was to hold was erased meanwhile: ask again")
    spool = spool_of(parts.settings)
    caller = await parts.keys.asker(job.args["caller"])
    path = spool.place(job.id) / EXPORT_NAME
    path.unlink(missing_ok=True)
    scopes: list[str] = caller.among(job.args["scopes"])
    audited = [scope for scope in scopes if caller.may(scope, Role.ADMIN)]
    whole = [caller.tenant] if caller.governs(caller.tenant) and caller.tenant in scopes else []
    chosen = Selection(scopes, job.args["vectors"], audited=audited, tenants=whole)
    manifest = await export_package(parts.graph, path, chosen, report)
    event = audit.event(caller, "export", job.scope, scopes=scopes, digest=manifest["digest"])
    await parts.graph.rows(Q.portability.mark_run, id=job.id, events=[event])
    return Outcome(
        {
            "digest": manifest["digest"],
            "audit": manifest["audit"],
            "records": {file["kind"]: file["records"] for file in manifest["files"]},
            "bytes": path.stat().st_size,
            "expires_at": spool.expires_at().isoformat(),
        }
    )


async def find_export(jobs: Any, caller: Caller, job_id: str) -> Job:
    """A caller's own export, all of whose scopes it still sees; NotFound for any other."""
    job: Job | None = await jobs.get(job_id, shown_to(caller))
    mine = (
        job is not None
        and job.task == EXPORT
        and bool(job.args)  # none are left where what it holds was erased
        and job.args["caller"]["principal"] == caller.principal
        and set(job.args["scopes"]) <= set(caller.visible)
    )
    if job is None or not mine:
        raise NotFound(f"there is no export {job_id}")
    return job
