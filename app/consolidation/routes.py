"""Consolidation and the fast path over HTTP."""

from __future__ import annotations

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from app.access.parameters import Within
from app.access.repository import AccessRepository
from app.consolidation.asking import Consolidating
from app.consolidation.fast import FastPath
from app.consolidation.reader import ModelReader
from app.consolidation.repository import ConsolidationRepository
from app.consolidation.schemas import (
    ConsolidateIn,
    ConsolidatingOut,
    ConsolidationOut,
    RememberedOut,
    RememberIn,
    SupersedeIn,
)
from app.jobs.runner import Runner
from app.kernel.caller import Caller, Role


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
    access_rows: NamedDependency[AccessRepository],
    runner: NamedDependency[Runner],
    within: Within = None,
) -> ConsolidationOut:
    """How far each scope is, and the episodes that could not be read, with the reason."""
    doing = Consolidating(consolidation_rows, model_reader, access_rows, runner)
    return await doing.status(caller.among(within))


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
    doing = Consolidating(consolidation_rows, model_reader, access_rows, runner)
    return await doing.begin(caller, data)


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
