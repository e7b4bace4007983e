"""Erasure, forgetting and pins over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from app.access.parameters import Limit, OneScope, Within
from app.contexts.staleness import Verdict
from app.errors import SwitchedOff
from app.kernel.caller import Caller, Role
from app.lifecycle.duplicates import DuplicateService
from app.lifecycle.forgetting import ForgettingService
from app.lifecycle.requests import ErasureRequests
from app.lifecycle.schemas import (
    CheckIn,
    CheckOut,
    DeletionOut,
    DoubleOut,
    DuplicatesOut,
    ErasureIn,
    ErasureOut,
    ForgetIn,
    ForgottenOut,
    KeptOut,
    PreviewOut,
    ReceiptOut,
    ReceiptsOut,
    RotOut,
    ScopePreviewOut,
    SweepIn,
    SweepOut,
)
from app.lifecycle.scope_deletion import ScopeDeletion
from app.lifecycle.sweep import SweepService
from app.lifecycle.upkeep import UpkeepService
from app.scopes.service import ScopeService

WRITES = {"requires": Role.WRITER}
DryRun = Annotated[bool, QueryParameter(description="Tell what would go, and leave it.")]
After = Annotated[str | None, QueryParameter(description="`next` of the page before.")]


class ErasureController(Controller):
    """Erasure for good, its receipts, and the proof that nothing is left."""

    path = "/v1/erasures"
    tags = ("Lifecycle",)

    @post(
        "/",
        operation_id="erase",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
        responses={HTTP_202_ACCEPTED: ResponseSpec(ErasureOut, description="A job erases it.")},
    )
    async def erase(
        self,
        data: JSONBody[ErasureIn],
        caller: NamedDependency[Caller],
        erasing: NamedDependency[ErasureRequests],
    ) -> Response[ErasureOut]:
        """Erase a memory at once, or what belongs to a session, author or speaker as a job."""
        target = data.target()
        if data.dry_run:
            preview = PreviewOut(**await erasing.preview(caller, target))
            return Response(ErasureOut("", "preview", preview=preview))
        told = ErasureOut.of(await erasing.erase(caller, target))
        return Response(told, status_code=HTTP_202_ACCEPTED if told.job else HTTP_200_OK)

    @get("/", operation_id="listErasures", opt={"requires": Role.ADMIN})
    async def list_receipts(
        self,
        caller: NamedDependency[Caller],
        erasing: NamedDependency[ErasureRequests],
        within: Within = None,
        cursor: After = None,
        limit: Limit = 50,
    ) -> ReceiptsOut:
        """Receipts of the scopes that this key administers, newest first."""
        rows = await erasing.receipts(caller, within, cursor, limit + 1)
        shown = [ReceiptOut.of(row) for row in rows[:limit]]
        return ReceiptsOut(shown, shown[-1].receipt if len(rows) > limit else None)

    @get("/{receipt_id:str}", operation_id="getErasure", opt={"requires": Role.ADMIN})
    async def read(
        self,
        receipt_id: FromPath[str],
        caller: NamedDependency[Caller],
        erasing: NamedDependency[ErasureRequests],
    ) -> ReceiptOut:
        """One receipt with ids and hashes of everything that went."""
        return ReceiptOut.of(await erasing.receipt(caller, receipt_id))

    @post(
        "/{receipt_id:str}/check",
        operation_id="checkErasure",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_202_ACCEPTED,
    )
    async def check(
        self,
        receipt_id: FromPath[str],
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        erasing: NamedDependency[ErasureRequests],
    ) -> CheckOut:
        """Look through every string of the tenant for what a receipt names, and for a text.

        A job does it, and its `result` tells: `clean`, `holders`, `same_text`, `looked_at`,
        `began_at` and `ended_at`. A text is for an admin of the whole tenant.
        """
        return CheckOut.of(await erasing.check_gone(caller, receipt_id, data.text))


@delete(
    "/v1/scopes",
    operation_id="deleteScope",
    tags=["Scopes"],
    opt={"requires": Role.ADMIN},
    status_code=HTTP_200_OK,
    responses={HTTP_202_ACCEPTED: ResponseSpec(DeletionOut, description="A job deletes it.")},
)
async def delete_scope(
    within: OneScope,
    caller: NamedDependency[Caller],
    deletion: NamedDependency[ScopeDeletion],
    dry_run: DryRun = False,
) -> Response[DeletionOut]:
    """Delete a scope with everything in it and below it, as a job.

    What other scopes made of it goes as well, its principals and keys too; asked again, the answer
    is the receipt. Whoever asks administers all of it, with a key that lives elsewhere.
    """
    if dry_run:
        preview = ScopePreviewOut(**await deletion.preview(caller, within))
        return Response(DeletionOut("", "preview", preview=preview))
    told = DeletionOut.of(await deletion.request(caller, within))
    return Response(told, status_code=HTTP_202_ACCEPTED if told.job else HTTP_200_OK)


class KeepingController(Controller):
    """Soft forgetting and pins: for a curator, or whoever alone said it."""

    path = "/v1/memories/{memory_id:str}"
    tags = ("Lifecycle",)

    @post("/forget", operation_id="forgetMemory", opt=WRITES, status_code=HTTP_200_OK)
    async def forget(
        self,
        memory_id: FromPath[str],
        caller: NamedDependency[Caller],
        forgetting: NamedDependency[ForgettingService],
    ) -> KeptOut:
        """Hide a memory at every moment; its status stays, and it can be shown again."""
        return KeptOut.of(await forgetting.set(caller, memory_id, "forget"))

    @post("/unforget", operation_id="unforgetMemory", opt=WRITES, status_code=HTTP_200_OK)
    async def unforget(
        self,
        memory_id: FromPath[str],
        caller: NamedDependency[Caller],
        forgetting: NamedDependency[ForgettingService],
    ) -> KeptOut:
        """Show a forgotten memory again."""
        return KeptOut.of(await forgetting.set(caller, memory_id, "unforget"))

    @post("/pin", operation_id="pinMemory", opt=WRITES, status_code=HTTP_200_OK)
    async def pin(
        self,
        memory_id: FromPath[str],
        caller: NamedDependency[Caller],
        forgetting: NamedDependency[ForgettingService],
    ) -> KeptOut:
        """Keep a memory from sweeps and decay; what is forgotten stays hidden."""
        return KeptOut.of(await forgetting.set(caller, memory_id, "pin"))

    @post("/unpin", operation_id="unpinMemory", opt=WRITES, status_code=HTTP_200_OK)
    async def unpin(
        self,
        memory_id: FromPath[str],
        caller: NamedDependency[Caller],
        forgetting: NamedDependency[ForgettingService],
    ) -> KeptOut:
        """Let a memory fade again."""
        return KeptOut.of(await forgetting.set(caller, memory_id, "unpin"))


@post(
    "/v1/facts:forget",
    operation_id="forgetFacts",
    tags=["Facts"],
    opt=WRITES,
    status_code=HTTP_200_OK,
)
async def forget_facts(
    data: JSONBody[ForgetIn],
    caller: NamedDependency[Caller],
    forgetting: NamedDependency[ForgettingService],
) -> ForgottenOut:
    """Forget one fact, all about something, or everything in a user's own scope."""
    if data.id is not None:
        return ForgottenOut(int((await forgetting.set(caller, data.id, "forget")).changed))
    if data.name is not None:
        return ForgottenOut(await forgetting.forget_named(caller, data.name, data.scope))
    return ForgottenOut(await forgetting.forget_user(caller, data.all_of_user or ""))


@post(
    "/v1/sweeps",
    operation_id="sweep",
    tags=["Lifecycle"],
    opt={"requires": Role.ADMIN},
    status_code=HTTP_200_OK,
)
async def sweep(
    data: JSONBody[SweepIn],
    caller: NamedDependency[Caller],
    sweeping: NamedDependency[SweepService],
    scoping: NamedDependency[ScopeService],
    upkeep: NamedDependency[UpkeepService],
) -> SweepOut:
    """Forget what is old, unimportant, doubtful and unreferenced in a scope, or tell what is."""
    scope = caller.require(data.scope or caller.home, Role.ADMIN)
    if not data.dry_run and not (await scoping.rules(scope)).forgets:
        raise SwitchedOff(f"the rules of {scope} do not forget by themselves", field="scope")
    forgotten = await sweeping.sweep(scope, dry_run=data.dry_run)
    report = await upkeep.rot(scope, dry_run=data.dry_run)
    stale = [r.memory for r in report.entries if r.staleness.verdict is Verdict.ARCHIVE]
    archived = stale if data.dry_run else list(report.archived)
    return SweepOut(scope, data.dry_run, forgotten, archived)


@get("/v1/rot", operation_id="reportRot", tags=["Lifecycle"], opt={"requires": Role.CURATOR})
async def rot(
    caller: NamedDependency[Caller],
    upkeep: NamedDependency[UpkeepService],
    within: Annotated[
        str | None, QueryParameter(name="scope", description="Scope; the key's home if unset.")
    ] = None,
) -> RotOut:
    """Notes that are old, unread and unimportant, the stalest first; nothing is changed."""
    scope = caller.require(within or caller.home, Role.CURATOR)
    return RotOut.of(await upkeep.rot(scope))


@get(
    "/v1/duplicates",
    operation_id="reportDuplicates",
    tags=["Lifecycle"],
    opt={"requires": Role.CURATOR},
)
async def duplicates(
    caller: NamedDependency[Caller],
    doubling: NamedDependency[DuplicateService],
    within: Annotated[
        str | None, QueryParameter(name="scope", description="Scope; the key's home if unset.")
    ] = None,
) -> DuplicatesOut:
    """Notes and facts that say the same twice, the most alike first; nothing is changed."""
    scope = caller.require(within or caller.home, Role.CURATOR)
    return DuplicatesOut(scope, [DoubleOut.of(d) for d in await doubling.report(scope)])
