"""Is it alive, is it ready, what does it hold."""

from __future__ import annotations

from typing import Any

from litestar import Response, get
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.status_codes import HTTP_200_OK, HTTP_503_SERVICE_UNAVAILABLE

from app.errors import LociError, QueueUnavailable
from app.kernel.caller import PUBLIC, Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.telemetry import metrics
from app.telemetry.standing import StatusOut

METRICS = "text/plain; version=0.0.4"  # Prometheus' text form


@get("/health/live", operation_id="healthLive", tags=["Operation"], opt={"requires": PUBLIC})
async def live() -> dict[str, str]:
    """Whether this process answers at all."""
    return {"status": "live"}


@get(
    "/health/ready",
    operation_id="healthReady",
    tags=["Operation"],
    opt={"requires": PUBLIC},
    responses={
        HTTP_503_SERVICE_UNAVAILABLE: ResponseSpec(
            dict[str, str], description="Not just now.", generate_examples=False
        )
    },
)
async def ready(state: State) -> Response[dict[str, str]]:
    """Whether requests can be served: the graph must answer, the queue may be away."""
    parts = {"graph": await _answers(state.graph), "queue": await _queued(state)}
    good = parts["graph"] == "ok"
    return Response(
        {"status": "ready" if good else "unavailable", **parts},
        status_code=HTTP_200_OK if good else HTTP_503_SERVICE_UNAVAILABLE,
    )


@get("/v1/status", operation_id="status", tags=["Operation"], opt={"requires": Role.READER})
async def status(caller: NamedDependency[Caller], state: State) -> StatusOut:
    """What the caller's scopes hold, and how far the work is."""
    told: StatusOut = await state.parts.services.standing(caller)
    return told


@get(
    "/metrics",
    operation_id="metrics",
    tags=["Operation"],
    opt={"requires": PUBLIC},
    media_type=METRICS,
)
async def prometheus(state: State) -> Response[bytes]:
    """Metrics in Prometheus' text form."""
    backlog = await state.parts.index_rows.backlog()
    metrics.INDEX_BACKLOG.set(backlog["pending"])
    metrics.INDEX_FAILED.set(backlog["failed"])
    waiting = await state.parts.consolidation_rows.backlog()
    metrics.CONSOLIDATION_BACKLOG.set(waiting["raw"])
    metrics.CONSOLIDATION_FAILED.set(waiting["failed"])
    done = await state.parts.graph.one(Q.health.consolidated)
    metrics.CONSOLIDATED.set(done["episodes"])
    await _model(state.parts)
    jobs = await state.parts.jobs.count_by_state()
    for name in ("queued", "running", "dead"):
        metrics.JOBS.labels(name).set(jobs.get(name, 0))
    return Response(metrics.render(), media_type=METRICS)


async def _model(parts: Any) -> None:
    """What the language model has yet to read, and what it came to today."""
    found = await parts.model_reader.rows.backlog()
    metrics.MODEL_DUE.set(found["due"])
    metrics.MODEL_FAILED.set(found["failed"])
    metrics.MODEL_TOKENS.set(found["tokens"])
    for outcome in ("accepted", "dropped"):
        metrics.MODEL_STATEMENTS.labels(outcome).set(found[outcome])


async def _answers(graph: Graph) -> str:
    try:
        await graph.one(Q.health.ping)
    except LociError:
        return "unavailable"
    return "ok"


async def _queued(state: State) -> str:
    return "ok" if await _depth(state) is not None else "unavailable"


async def _depth(state: State) -> int | None:
    try:
        depth: int = await state.parts.queue.depth()
    except QueueUnavailable:
        return None
    return depth
