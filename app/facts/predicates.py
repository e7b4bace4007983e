"""The registry of a workspace: the program's predicates with the edits along the scope's path."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import orjson

from app.extraction.predicates import Predicate, Registry, standard
from app.facts.repository import FactRepository
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.ids import digest
from app.kernel.scope import parse_scope

KEPT_SECONDS = 2.0


class PredicateService:
    """Registries by scope, remembered for two seconds a process."""

    def __init__(self, repository: FactRepository) -> None:
        self._repository = repository
        self._known: dict[str, tuple[float, Registry]] = {}

    async def registry(self, scope: str) -> Registry:
        """The predicates that hold in a scope; the nearest edit wins."""
        known = self._known.get(scope)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        path = parse_scope(scope)
        rows = await self._repository.predicates([str(p) for p in (path, *path.ancestors)])
        registry = standard()
        for row in rows:
            registry = registry.with_overrides({row["name"]: orjson.loads(row["definition"])})
        self._known[scope] = (time.monotonic() + KEPT_SECONDS, registry)
        return registry

    async def save(
        self, caller: Caller, scope: str, name: str, fields: Mapping[str, Any]
    ) -> Predicate:
        """Change or add a predicate of a scope; InvalidPredicate names the bad field.

        Facts that are there get their new keys by the job `facts.rekey`.
        """
        path = caller.require(str(parse_scope(scope)), Role.ADMIN)
        edited = (await self.registry(path)).with_overrides({name: fields})
        row = {
            "id": digest("predicate", path, name)[:32],
            "scope": path,
            "tenant": caller.tenant,
            "name": name,
            "definition": orjson.dumps(dict(fields), option=orjson.OPT_SORT_KEYS).decode(),
            "touched_at": now(),
        }
        event = audit.event(caller, "predicate.set", path, predicate=name)
        await self._repository.save_predicate(row, event)
        self._known.clear()
        return edited.get(name)
