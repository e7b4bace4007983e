"""Erasure over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from app.access.parameters import Within
from app.episodes.record import session_id
from app.episodes.repository import EpisodeRepository
from app.errors import NotFound
from app.jobs.runner import Runner
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.lifecycle.erasure import ErasureService, Order, new_receipt
from app.lifecycle.model import Target
from app.lifecycle.proof import prove
from app.lifecycle.schemas import (
    CheckIn,
    CheckOut,
    ErasureIn,
    ErasureOut,
    PreviewOut,
    ReceiptOut,
    ReceiptsOut,
)
from app.lifecycle.tasks import ERASE, packed

LAST = "~"  # after every id
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="Most items of a page.")]
After = Annotated[str | None, QueryParameter(description="`next` of the page before.")]


class ErasureController(Controller):
    """Erasure for good, its receipts, and the proof that nothing is left."""

    path = "/v1/erasures"
    tags = ("Lifecycle",)

    @post("/", operation_id="erase", opt={"requires": Role.ADMIN}, status_code=HTTP_200_OK)
    async def erase(
        self,
        data: JSONBody[ErasureIn],
        caller: NamedDependency[Caller],
        erasure: NamedDependency[ErasureService],
        episode_rows: NamedDependency[EpisodeRepository],
        runner: NamedDependency[Runner],
    ) -> Response[ErasureOut]:
        """Erase a memory at once, or the episodes of a session, author or speaker as a job."""
        target = await _resolved(data.target(), caller, episode_rows)
        if data.dry_run:
            caller.require(await erasure.place(caller, target), Role.ADMIN)
            preview = PreviewOut(**await erasure.preview(caller, target))
            return Response(ErasureOut("", "preview", target.name, preview=preview))
        if known := await _finished(erasure, caller, target):
            return Response(ErasureOut.of(known))
        scope = await erasure.check(caller, target)
        order = Order(caller, target, new_receipt())
        if target.kind == "memory":
            return Response(ErasureOut.of(await erasure.erase(order)))
        job = await runner.submit(ERASE, tenant=caller.tenant, scope=scope, args=packed(order))
        queued = ErasureOut(order.receipt, "queued", target.name, job=job.id)
        return Response(queued, status_code=HTTP_202_ACCEPTED)

    @get("/", operation_id="listErasures", opt={"requires": Role.ADMIN})
    async def list_receipts(
        self,
        caller: NamedDependency[Caller],
        erasure: NamedDependency[ErasureService],
        within: Within = None,
        cursor: After = None,
        limit: Limit = 50,
    ) -> ReceiptsOut:
        """Receipts of the scopes that this key administers, newest first."""
        scopes = [s for s in caller.among(within) if caller.may(s, Role.ADMIN)]
        rows = await erasure.graph.rows(
            Q.lifecycle.list_receipts, scopes=scopes, after=cursor or LAST, limit=limit + 1
        )
        shown = [ReceiptOut.of(row["receipt"]) for row in rows[:limit]]
        return ReceiptsOut(shown, shown[-1].receipt if len(rows) > limit else None)

    @get("/{receipt_id:str}", operation_id="getErasure", opt={"requires": Role.ADMIN})
    async def read(
        self,
        receipt_id: FromPath[str],
        caller: NamedDependency[Caller],
        erasure: NamedDependency[ErasureService],
    ) -> ReceiptOut:
        """One receipt with ids and hashes of everything that went."""
        return ReceiptOut.of(await _receipt(erasure, caller, receipt_id))

    @post(
        "/{receipt_id:str}/check",
        operation_id="checkErasure",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def check(
        self,
        receipt_id: FromPath[str],
        data: JSONBody[CheckIn],
        caller: NamedDependency[Caller],
        erasure: NamedDependency[ErasureService],
    ) -> CheckOut:
        """Look through every string of the tenant for what a receipt names, and for a text."""
        receipt = await _receipt(erasure, caller, receipt_id)
        proof = await prove(erasure.graph, receipt, caller.visible, data.text)
        return CheckOut.of(receipt_id, proof)


async def _resolved(target: Target, caller: Caller, episodes: EpisodeRepository) -> Target:
    """A session by its id, however it was named; NotFound where there is none."""
    if target.kind != "session":
        return target
    scope = caller.require(target.scope or caller.home, Role.READER)
    row = await episodes.session([target.value, session_id(scope, target.value)], [scope])
    value = row["session"]["id"] if row else session_id(scope, target.value)
    return Target(target.kind, value, scope)


async def _finished(erasure: ErasureService, caller: Caller, target: Target) -> Row | None:
    """The receipt of what is gone already; an erasure that was cut short is finished first."""
    if await erasure.exists(caller, target):
        return None
    known = await erasure.find_receipt(caller, target)
    if known is None:
        raise NotFound("there is nothing to erase")
    caller.require(known["scope"], Role.ADMIN)
    return known if known["state"] == "done" else await erasure.finish(known["id"])


async def _receipt(erasure: ErasureService, caller: Caller, receipt: str) -> Row:
    scopes = [s for s in caller.visible if caller.may(s, Role.ADMIN)]
    row = await erasure.graph.optional(Q.lifecycle.get_receipt, id=receipt, scopes=scopes)
    if row is None:
        raise NotFound(f"there is no receipt {receipt}")
    found: Row = row["receipt"]
    return found
