"""Settings of the agent's memory by scope: what holds, changes with versions, and what was before.

Services read them with `limits`, which is remembered for two seconds a process.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson

from app.errors import LociError, NotFound, VersionMismatch
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Tx
from app.kernel.scope import parse_scope
from app.sanitize.aside import aside
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.scopes import tuning
from app.scopes.workspace import WORKSPACE_SETTINGS, WorkspaceSettings
from app.settings import Settings

SECONDS = 2.0
MOST = 10_000  # scopes whose settings a process remembers
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Effective:
    """What holds in a scope: its own settings if it has any, and what any scope upward sets, by
    name with that scope."""

    scope: str
    own: WorkspaceSettings | None
    values: dict[str, tuple[Any, str]]

    @property
    def version(self) -> int:
        """The version of the scope's own settings; 0 where it has none."""
        return 0 if self.own is None else self.own.version

    def every(self, installation: Settings) -> dict[str, tuple[Any, str | None]]:
        """Return every setting with the scope that it is set on; None where the installation's
        value holds."""
        made: dict[str, tuple[Any, str | None]] = {}
        for name in tuning.tunable():
            made[name] = self.values.get(name, (tuning.value_of(installation, name), None))
        return made

    def plain(self, installation: Settings) -> dict[str, Any]:
        """Return the value of every setting."""
        return {name: value for name, (value, _) in self.every(installation).items()}


class SettingsService:
    """Settings of scopes of the caller's tenant; only administrators change them."""

    def __init__(self, graph: Graph, installation: Settings) -> None:
        self.graph = graph
        self.installation = installation
        self._known: dict[str, tuple[float, dict[str, Any]]] = {}

    async def limits(self, limits: T, scope: str) -> T:
        """Return limits of the installation with what the scope's settings say in their place."""
        return tuning.overlaid(limits, await self._values(scope))

    async def effective(self, scope: str) -> Effective:
        """Return what holds in a scope that the caller sees."""
        return self._effective(scope, await self._stored(self.graph, scope))

    async def change(
        self,
        caller: Caller,
        scope: str,
        patch: Mapping[str, Any],
        policy: SanitizePolicy,
        expected: int | None = None,
        *,
        dry_run: bool = False,
    ) -> Effective:
        """Change the settings that a patch names, and return what holds then; null lets one follow
        the scope above again.

        What changes nothing makes no version, and a dry run tells what would hold. Raises NotFound,
        Forbidden, VersionMismatch, and InvalidInput naming the setting.
        """
        path = str(parse_scope(scope))
        caller.require(path, Role.ADMIN)
        clean = await aside(patch, lambda: _clean(patch, policy))
        fields = sorted(tuning.named(clean))

        async def work(tx: Tx) -> Effective:
            if await tx.optional(Q.scopes.lock_scope, path=path, at=now()) is None:
                raise NotFound(f"there is no scope {path}", field="scope")
            stored = await self._stored(tx, path)
            held = next((one for one in stored if one.scope == path), None)
            version = 0 if held is None else held.version
            if expected is not None and expected != version:
                raise VersionMismatch(f"the settings have version {version}", field="If-Match")
            own = {} if held is None else held.values
            values = tuning.patched(own, clean, self.installation)
            if values == own:
                return self._effective(path, stored)
            made = _next(caller, path, held, values)
            if not dry_run:
                await _write(tx, held, made)
                event = audit.event(
                    caller, "settings.set", path, fields=fields, version=made.version
                )
                await tx.rows(Q.scopes.tell, events=[{**event, "target": made.id}])
            return self._effective(path, [*(one for one in stored if one != held), made])

        done = await self.graph.write("scopes.change_settings", work)
        self._known.clear()
        return done

    async def set_below(self, root: str, scopes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return by scope, of `root` and what lies below it, the settings for which a scope does
        not follow `root`, since it or a scope between the two has set them."""
        chains = {
            scope: [step for step in _upward(scope) if step.startswith(f"{root}/")]
            for scope in scopes
        }
        steps = sorted({step for chain in chains.values() for step in chain})
        rows = await self.graph.rows(Q.scopes.settings_values, scopes=steps)
        by_scope = {row["scope"]: orjson.loads(row["values"]) for row in rows}
        found = {
            scope: tuning.effective(by_scope, chain, self.installation)
            for scope, chain in chains.items()
        }
        return {
            scope: {name: value for name, (value, _) in values.items()}
            for scope, values in found.items()
        }

    def _effective(self, scope: str, stored: Sequence[WorkspaceSettings]) -> Effective:
        found = {one.scope: one for one in stored}
        by_scope = {path: one.values for path, one in found.items()}
        values = tuning.effective(by_scope, _upward(scope), self.installation)
        return Effective(scope, found.get(scope), values)

    async def _values(self, scope: str) -> dict[str, Any]:
        known = self._known.get(scope)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        rows = await self.graph.rows(Q.scopes.settings_values, scopes=_upward(scope))
        by_scope = {row["scope"]: orjson.loads(row["values"]) for row in rows}
        found = tuning.effective(by_scope, _upward(scope), self.installation)
        values = {name: value for name, (value, _) in found.items()}
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[scope] = (time.monotonic() + SECONDS, values)
        return values

    async def _stored(self, source: Graph | Tx, scope: str) -> list[WorkspaceSettings]:
        return await source.many(Q.scopes.settings_of, WorkspaceSettings, scopes=_upward(scope))


async def _write(tx: Tx, held: WorkspaceSettings | None, made: WorkspaceSettings) -> None:
    if held is not None:
        await tx.rows(Q.kinds.change, rows=[WORKSPACE_SETTINGS.row(made)])
    else:
        await tx.rows(Q.kinds.restore, rows=[WORKSPACE_SETTINGS.new(made)])


def _next(
    caller: Caller, path: str, held: WorkspaceSettings | None, values: dict[str, Any]
) -> WorkspaceSettings:
    at = now()
    if held is not None:
        return held.changed(values, caller.principal, at)
    return WORKSPACE_SETTINGS.placed(
        WorkspaceSettings(
            id="new",
            scope=path,
            version=1,
            values=values,
            changed_by=caller.principal,
            changed_at=at,
        )
    )


def _clean(patch: Mapping[str, Any], policy: SanitizePolicy) -> dict[str, Any]:
    """The patch with its texts as they may be stored; raises as `sanitize` does, naming each."""
    made: dict[str, Any] = {}
    for group, inner in patch.items():
        made[group] = inner
        if isinstance(inner, Mapping):
            made[group] = {n: _text(f"{group}.{n}", v, policy) for n, v in inner.items()}
    return made


def _text(name: str, value: Any, policy: SanitizePolicy) -> Any:
    if not isinstance(value, str) or not value or name not in tuning.tunable():
        return value
    try:
        return sanitize(value, policy).text
    except LociError as error:
        error.field = name
        raise


def _upward(scope: str) -> Sequence[str]:
    """The scope and what lies above it, narrowest first."""
    path = parse_scope(scope)
    return sorted((str(step) for step in (path, *path.ancestors)), key=len, reverse=True)
