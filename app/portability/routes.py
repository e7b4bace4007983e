"""Imports and exports over HTTP: each a job."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from litestar import Controller, Request, get, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import File
from litestar.status_codes import HTTP_202_ACCEPTED
from pydantic import Field

from app.access.keys import asked_by
from app.errors import Conflict, Forbidden, IdempotencyMismatch, NotFound
from app.jobs.access import ADMINISTERED, Access, shown_to
from app.jobs.model import Job
from app.jobs.repository import JobRepository
from app.jobs.runner import Runner
from app.jobs.schemas import JobOut
from app.jobs.spool import spool_of
from app.kernel.caller import Caller, Role
from app.kernel.ids import digest, new_id
from app.kernel.wire import WireModel
from app.portability.jobs import (
    EXPORT,
    EXPORT_NAME,
    IMPORT,
    check_place,
    check_vouching,
    find_export,
)
from app.portability.orders import How
from app.portability.upload import FOREIGN_LINES, receive

KEY = "idempotency-key"
ARCHIVE = "application/zstd"
OWN_ARGS = ("bytes", "caller")  # of an import's job: what follows from the request


class ExportIn(WireModel):
    """What to export."""

    scopes: tuple[str, ...] | None = Field(None, description="Scopes; all visible if unset.")
    vectors: bool = Field(False, description="With vectors.")


class ImportController(Controller):
    """Packages in."""

    path = "/v1/imports"
    tags = ("Portability",)

    @post(
        "/",
        operation_id="importPackage",
        opt={"requires": Role.ADMIN, "streams": True},
        status_code=HTTP_202_ACCEPTED,
        request_max_body_size=None,
    )
    async def start(
        self,
        request: Request[Any, Any, Any],
        caller: NamedDependency[Caller],
        runner: NamedDependency[Runner],
        state: State,
        into: Annotated[
            str | None,
            QueryParameter(name="scope", description="Import into this tenant or workspace."),
        ] = None,
        kind: Annotated[
            str, QueryParameter(description="Kind of the records of a bare JSONL body.")
        ] = "episode",
        vouched: Annotated[
            bool,
            QueryParameter(
                description="Take authors, trust and tiers as the package has them, which an admin "
                "of the whole tenant may, and the audit says; else all is the importer's word."
            ),
        ] = False,
        form: Annotated[
            str | None,
            QueryParameter(
                name="format",
                description="Format of another program; told by the content if unset. An archive "
                "is of one only where it is named.",
            ),
        ] = None,
        mapping: Annotated[
            str | None,
            QueryParameter(
                description="JSON that names the field of each column, of CSV or JSONL."
            ),
        ] = None,
        dry_run: Annotated[
            bool,
            QueryParameter(description="Read and check everything, and write nothing."),
        ] = False,
        users: Annotated[
            bool,
            QueryParameter(
                description="Send the memories of each user of another program to the leaf of that "
                "user below the scope; else all who read the scope see them."
            ),
        ] = False,
    ) -> JobOut:
        """Import an archive, a form with one, JSON lines, or what another program exports; only
        where this key is admin."""
        how = How.of(into, form, mapping, dry_run=dry_run, users=users)
        target = how.target
        if target is not None:
            check_place(caller, target)
        if vouched:
            check_vouching(caller)
        key = request.headers.get(KEY)
        job_id = digest("import", caller.principal, key)[:32] if key else new_id()
        spool = spool_of(state.settings)
        place = await asyncio.to_thread(spool.place, new_id())
        try:
            content_type = request.headers.get("content-type", "")
            lines = FOREIGN_LINES if how.is_named else kind
            taken = await receive(request.stream(), content_type, lines, (place, spool.limit))
            await asyncio.to_thread(how.check, taken.path)
            args = {
                "file": taken.path.name,
                "scope": target,
                "sha256": taken.sha256,
                "vouched": vouched,
                **how.args,
            }
            found = await runner.jobs.get(job_id, shown_to(caller))
            if found is not None:
                return JobOut.of(_same(found, args))
            path = spool.place(job_id) / taken.path.name
            await asyncio.to_thread(taken.path.rename, path)
        finally:
            spool.drop(place.name)
        args |= {"bytes": taken.size, "caller": asked_by(caller)}
        # Without a target it goes wherever its lines say: nobody else's to see. Nor is a job in a
        # scope that the import is yet to make.
        is_seen = target in caller.roles
        job = await runner.submit(
            IMPORT,
            tenant=caller.tenant,
            scope=target if target and is_seen else caller.home,
            args=args,
            job_id=job_id,
            access=ADMINISTERED if is_seen else Access(owner=caller.principal),
        )
        return JobOut.of(job)


class ExportController(Controller):
    """Packages out."""

    path = "/v1/exports"
    tags = ("Portability",)

    @post(
        "/",
        operation_id="exportPackage",
        opt={"requires": Role.READER},
        status_code=HTTP_202_ACCEPTED,
    )
    async def start(
        self,
        data: JSONBody[ExportIn],
        caller: NamedDependency[Caller],
        runner: NamedDependency[Runner],
    ) -> JobOut:
        """Export scopes that this key sees; principals, audit, pools and webhooks of those it
        administers."""
        args = {
            "scopes": caller.among(data.scopes),
            "vectors": data.vectors,
            "caller": asked_by(caller),
        }
        job = await runner.submit(
            EXPORT,
            tenant=caller.tenant,
            scope=caller.home,
            args=args,
            access=Access(owner=caller.principal),
        )
        return JobOut.of(job)

    @get(
        "/{job_id:str}",
        operation_id="downloadExport",
        opt={"requires": Role.READER},
        media_type=ARCHIVE,
    )
    async def download(
        self,
        job_id: FromPath[str],
        caller: NamedDependency[Caller],
        jobs: NamedDependency[JobRepository],
        state: State,
    ) -> File:
        """The archive of an export of one's own, for a day."""
        job = await find_export(jobs, caller, job_id)
        if job.state != "done":
            raise Conflict(f"the export is {job.state}")
        path = spool_of(state.settings).place(job.id) / EXPORT_NAME
        if not path.is_file():
            raise NotFound("the export has expired")
        return File(path, filename="loci-export.tar.zst", media_type=ARCHIVE)


def _same(job: Job, args: dict[str, Any]) -> Job:
    """The job of the same upload that is to be read the same way; IdempotencyMismatch for any other
    under the same key."""
    if job.task != IMPORT:
        raise Forbidden("that id belongs to other work")
    asked = {name: value for name, value in job.args.items() if name not in OWN_ARGS}
    if asked != args:
        raise IdempotencyMismatch(field="Idempotency-Key")
    return job
