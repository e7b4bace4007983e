"""The registry of a workspace: the program's predicates with the edits along the scope's path."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

import orjson

from app.extraction.predicates import Predicate, Registry, standard
from app.facts.repository import FactRepository
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.kernel.scope import parse_scope

KEPT_SECONDS = 2.0
PATHS = 4096  # scopes of which is kept what lies above them


class PredicateService:
    """Registries by scope, remembered for two seconds a process."""

    def __init__(self, repository: FactRepository) -> None:
        self._repository = repository
        self._known: dict[str, tuple[float, Registry]] = {}

    async def registry(self, scope: str) -> Registry:
        """The predicates that hold in a scope; the nearest edit wins."""
        return (await self.registries([scope]))[scope]

    async def registries(self, scopes: Collection[str]) -> dict[str, Registry]:
        """The same of several scopes: one query for all that are not remembered, else none."""
        moment = time.monotonic()
        known = {s: kept[1] for s in scopes if (kept := self._known.get(s)) and kept[0] > moment}
        if missing := {scope: _along(scope) for scope in scopes if scope not in known}:
            rows = await self._repository.predicates(
                sorted({p for on in missing.values() for p in on})
            )
            until = time.monotonic() + KEPT_SECONDS
            for scope, along in missing.items():
                known[scope] = _edited(row for row in rows if row["scope"] in along)
                self._known[scope] = (until, known[scope])
        return known

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


@lru_cache(maxsize=PATHS)
def _along(scope: str) -> frozenset[str]:
    """The scope and what lies above it."""
    path = parse_scope(scope)
    return frozenset(str(step) for step in (path, *path.ancestors))


def _edited(rows: Iterable[Row]) -> Registry:
    """The program's predicates with some edits, the widest scope's first."""
    registry = standard()
    for row in rows:
        registry = registry.with_overrides({row["name"]: orjson.loads(row["definition"])})
    return registry
