"""How far consolidation is, and starting it: what the routes and the tools of it do."""

from __future__ import annotations

from app.access.keys import asked_by
from app.access.repository import AccessRepository
from app.consolidation.reader import ModelReader
from app.consolidation.repository import ConsolidationRepository, since
from app.consolidation.schemas import (
    ConsolidateIn,
    ConsolidatingOut,
    ConsolidationOut,
    ModelStatusOut,
    RestoringOut,
    ScopeStatusOut,
)
from app.consolidation.tasks import CONSOLIDATE
from app.jobs.access import CURATED
from app.jobs.runner import Runner
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.graph import Row
from app.kernel.scope import parse_scope

FAILURES = 100  # shown at once
STATES = {"failed": ["failed"], "all": ["failed", "consolidated"], "none": []}


class Consolidating:
    """Tells how far scopes are, and has one consolidated."""

    def __init__(
        self,
        rows: ConsolidationRepository,
        reader: ModelReader,
        access: AccessRepository,
        runner: Runner,
    ) -> None:
        self._rows = rows
        self._reader = reader
        self._access = access
        self._runner = runner

    async def status(self, scopes: list[str]) -> ConsolidationOut:
        """Tell how far each scope is, and which episodes could not be read, with the reason."""
        reader = self._reader
        asked = await reader.rows.status(scopes) if reader.model else {}
        asking = await reader.asking(asked.keys())
        budget = reader.limits.budget

        def read(scope: str) -> ModelStatusOut | None:
            return _model(asked.get(scope), budget, scope in asking)

        return ConsolidationOut(
            scopes=[_status(row, read(row["scope"])) for row in await self._rows.status(scopes)],
            failures=await self._rows.failures(scopes, FAILURES),
            model=reader.model,
            model_failures=await reader.rows.troubles(scopes, FAILURES) if asked else [],
        )

    async def begin(self, caller: Caller, wish: ConsolidateIn) -> ConsolidatingOut:
        """Submit the job that consolidates a scope; NotFound or Forbidden (`scope`) unless the
        caller curates it."""
        scope = caller.require(str(parse_scope(wish.scope or caller.home)), Role.CURATOR)
        if wish.again == "model":
            again = await self._reader.ask_again(scope)
        else:
            states = STATES[wish.again]
            again = await self._rows.reset(scope, states) if states else 0
        event = audit.event(caller, "consolidate", scope, again=wish.again)
        await self._access.write_audit(event, actor=caller.principal)
        args = {"scope": scope, "caller": asked_by(caller, Role.CURATOR)}
        job = await self._runner.submit(
            CONSOLIDATE, tenant=caller.tenant, scope=scope, args=args, access=CURATED
        )
        return ConsolidatingOut(job=job.id, scope=scope, again=again)


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
