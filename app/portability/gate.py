"""Which scopes a run may write to: those that are there, and those that it may make."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress

from app.access.service import operator
from app.errors import Forbidden, LociError, NotFound
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.kernel.scope import ScopePath, parse_scope
from app.portability.bounds import Bounds, bounds_of
from app.portability.kind import Kind, Rules
from app.sanitize.labels import clean_label
from app.scopes.service import ScopeService


class ScopeGate:
    """Answers once for each path; `caller` is None for the operator, who may write anywhere.

    `names` are what scopes that it makes are called, by their path.
    """

    def __init__(
        self,
        graph: Graph,
        scopes: ScopeService,
        caller: Caller | None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._graph = graph
        self._scopes = scopes
        self._caller = caller
        self._names = names or {}
        self._known: dict[str, LociError | None] = {}
        self._lock = asyncio.Lock()

    async def admit(self, paths: Iterable[str]) -> dict[str, LociError]:
        """Make the paths that are missing; those that may not be written to, with the reason."""
        wanted = sorted(set(paths))
        if any(path not in self._known for path in wanted):
            async with self._lock:
                await self._learn([path for path in wanted if path not in self._known])
        found = ((path, self._known[path]) for path in wanted)
        return {path: error for path, error in found if error is not None}

    async def bounds(self, kind: Kind, rows: Iterable[Row], rules: Rules) -> dict[str, Bounds]:
        """How much each scope of some rows takes in; none of what is restored, or not bounded."""
        if kind.fits is None or rules.keeps:
            return {}
        scopes = {row["scope"] for row in rows}
        return {scope: await bounds_of(self._scopes, scope) for scope in scopes}

    async def check(self, paths: Iterable[str]) -> dict[str, LociError]:
        """The same for paths that the run is about to make itself."""
        wanted = sorted(set(paths))
        existing = await self._existing([parse_scope(path) for path in wanted])
        found = {path: self._refusal(parse_scope(path), existing) for path in wanted}
        return {path: error for path, error in found.items() if error is not None}

    async def _learn(self, paths: list[str]) -> None:
        parsed = [parse_scope(path) for path in paths]
        existing = await self._existing(parsed)
        missing: dict[str, list[ScopePath]] = {}
        for path in parsed:
            error = self._refusal(path, existing)
            self._known[str(path)] = error
            if error is None and str(path) not in existing:
                missing.setdefault(path.tenant, []).append(path)
        for tenant, new in missing.items():
            names = await self._called(new)
            await self._scopes.ensure(new, self._caller or operator(tenant, []), names=names)

    async def _called(self, new: Iterable[ScopePath]) -> dict[str, str]:
        """What new scopes are called, as it may be stored; what is refused goes by its path."""
        called: dict[str, str] = {}
        for path in new:
            if name := self._names.get(str(path)):
                policy = await self._scopes.policy(str(path.parent))
                with suppress(LociError):
                    called[str(path)] = clean_label(name, "name", policy) or ""
        return {path: name for path, name in called.items() if name}

    async def _existing(self, paths: list[ScopePath]) -> set[str]:
        asked = sorted({str(step) for path in paths for step in (path, *path.ancestors)})
        rows = await self._graph.rows(Q.portability.existing_scopes, paths=asked)
        return {row["path"] for row in rows}

    def _refusal(self, path: ScopePath, existing: set[str]) -> LociError | None:
        caller = self._caller
        if caller is None or caller.governs(str(path)):
            return None
        if str(path) in existing or str(path) in caller.roles:
            nearest: ScopePath | None = path
        else:
            nearest = next((a for a in path.ancestors if str(a) in caller.roles), None)
        if nearest is None or str(nearest) not in caller.roles:
            return NotFound(f"there is no scope {path}", field="scope")
        if not caller.may(str(nearest), Role.ADMIN):
            return Forbidden(f"importing needs the role admin in {nearest}", field="scope")
        return None
