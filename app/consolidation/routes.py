"""Consolidation and the fast path over HTTP."""

from __future__ import annotations

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from app.access.keys import asked_by
from app.access.parameters import Within
from app.access.repository import AccessRepository
from app.consolidation.fast import FastPath
from app.consolidation.reader import ModelReader
from app.consolidation.repository import ConsolidationRepository, since
from app.consolidation.schemas import (
    ConsolidateIn,
    ConsolidatingOut,
    ConsolidationOut,
    ModelStatusOut,
    RememberedOut,
    RememberIn,
    RestoringOut,
    ScopeStatusOut,
    SupersedeIn,
)
from app.consolidation.tasks import CONSOLIDATE
from app.jobs.access import CURATED
from app.jobs.runner import Runner
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.graph import Row
from app.kernel.scope import parse_scope

FAILURES = 100  # shown at once


@get(
    "/v1/consolidation",
    operation_id="getConsolidation",
    tags=["Consolidation"],
    opt={"requires": Role.READER},
)
async def status(
    caller: NamedDependency[Caller],
    consolidation_rows: NamedDependency[ConsolidationRepository],
    model_reader: NamedDependency[ModelReader],
    within: Within = None,
) -> ConsolidationOut:
    """How far each scope is, and the episodes that could not be read, with the reason."""
    scopes = caller.among(within)
    rows = await consolidation_rows.status(scopes)
    asked = await model_reader.rows.status(scopes) if model_reader.model else {}
    asking = await model_reader.asking(asked.keys())
    return ConsolidationOut(
        scopes=[
            _status(
                row,
                _model(asked.get(row["scope"]), model_reader.limits.budget, row["scope"] in asking),
            )
            for row in rows
        ],
        failures=await consolidation_rows.failures(scopes, FAILURES),
        model=model_reader.model,
        model_failures=await model_reader.rows.troubles(scopes, FAILURES) if asked else [],
    )


@post(
    "/v1/consolidate",
    operation_id="consolidate",
    tags=["Consolidation"],
    opt={"requires": Role.CURATOR},
    status_code=HTTP_202_ACCEPTED,
)
async def consolidate(
    data: JSONBody[ConsolidateIn],
    caller: NamedDependency[Caller],
    consolidation_rows: NamedDependency[ConsolidationRepository],
    model_reader: NamedDependency[ModelReader],
    access_rows: NamedDependency[AccessRepository],
    runner: NamedDependency[Runner],
) -> ConsolidatingOut:
    """Consolidate a scope now; failed episodes, or all of them, can be taken up again."""
    scope = caller.require(str(parse_scope(data.scope or caller.home)), Role.CURATOR)
    if data.again == "model":
        again = await model_reader.ask_again(scope)
    else:
        states = {"failed": ["failed"], "all": ["failed", "consolidated"], "none": []}[data.again]
        again = await consolidation_rows.reset(scope, states) if states else 0
    event = audit.event(caller, "consolidate", scope, again=data.again)
    await access_rows.write_audit(event, actor=caller.principal)
    args = {"scope": scope, "caller": asked_by(caller, Role.CURATOR)}
    job = await runner.submit(
        CONSOLIDATE, tenant=caller.tenant, scope=scope, args=args, access=CURATED
    )
    return ConsolidatingOut(job=job.id, scope=scope, again=again)


@post(
    "/v1/facts:remember",
    operation_id="rememberFact",
    tags=["Facts"],
    opt={"requires": Role.WRITER},
    status_code=HTTP_200_OK,
)
async def remember(
    data: JSONBody[RememberIn],
    caller: NamedDependency[Caller],
    remembering: NamedDependency[FastPath],
) -> RememberedOut:
    """Remember a short observation at once: captured, read and settled before the answer."""
    return RememberedOut.of(await remembering.remember(caller, data.to_observation()))


@post(
    "/v1/facts:supersede",
    operation_id="supersedeFact",
    tags=["Facts"],
    opt={"requires": Role.WRITER},
    status_code=HTTP_200_OK,
)
async def supersede(
    data: JSONBody[SupersedeIn],
    caller: NamedDependency[Caller],
    remembering: NamedDependency[FastPath],
) -> RememberedOut:
    """Put another value in the place of a fact's; who may revise whom holds here as well."""
    value, seen = data.object.packed(), data.to_observation()
    return RememberedOut.of(await remembering.supersede(caller, data.fact, value, seen))


def _model(row: Row | None, budget: int, enabled: bool) -> ModelStatusOut | None:
    if row is None:
        return None
    usage = row["usage"] or {}
    counts = ("tokens", "asked", "cached", "accepted", "dropped")
    return ModelStatusOut(
        enabled=enabled,
        due=row["due"],
        waiting=row["waiting"],
        failed=row["failed"],
        skipped=row["skipped"],
        failures=row["failures"],
        budget=budget,
        **{name: usage.get(name, 0) for name in counts},
    )


def _status(row: Row, model: ModelStatusOut | None) -> ScopeStatusOut:
    return ScopeStatusOut(
        scope=row["scope"],
        raw=row["raw"],
        in_progress=row["in_progress"],
        failed=row["failed"],
        consolidated=row["consolidated"],
        facts=row["facts"],
        lag_seconds=round(since(row["oldest"]), 3),
        reached_at=row["reached_at"],
        last_run_at=row["last_run_at"],
        model=model,
        restoring=RestoringOut(**row["restoring"]) if row["restoring"] else None,
    )
