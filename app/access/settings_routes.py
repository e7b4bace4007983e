"""Settings of the agent's memory, scope by scope, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Controller, get, patch
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from app.access.parameters import IfMatch, OneScope, version_of
from app.kernel.caller import Caller, Role
from app.scopes import tuning
from app.scopes.foresight import Effect, Foresight
from app.scopes.service import ScopeService
from app.scopes.settings import Effective
from app.scopes.workspace import FormerSettings
from app.settings import Settings

DryRun = Annotated[
    bool, QueryParameter(name="dry_run", description="Tell what would hold, and change nothing.")
]


class SettingOut(msgspec.Struct, frozen=True):
    """What holds of one setting, and the scope that it is set on; null where the installation's
    value holds, which is `default`. `least` and `most` are what a scope may set, of a text its
    length."""

    value: Any
    origin: str | None
    default: Any
    least: float | None
    most: float | None
    description: str


class EffectOut(msgspec.Struct, frozen=True):
    """What a dry run found: of `looked_at` recent memories of a kind `changed` have the outcome,
    of which `ids` names some that the key may see."""

    settings: list[str]
    kind: str
    outcome: str
    looked_at: int
    changed: int
    ids: list[str]

    @classmethod
    def of(cls, effect: Effect) -> EffectOut:
        """Return the wire form of an effect."""
        return cls(
            list(effect.settings),
            effect.kind,
            effect.outcome,
            effect.looked_at,
            effect.changed,
            list(effect.ids),
        )


class ScopeSettingsOut(msgspec.Struct, frozen=True):
    """All settings that a scope may have, by group; `version` counts the changes of its own ones
    and is 0 where it has none. A dry run tells `effects` on recent memories as well."""

    scope: str
    version: int
    settings: dict[str, dict[str, SettingOut]]
    effects: list[EffectOut] = []

    @classmethod
    def of(
        cls, found: Effective, installation: Settings, effects: Sequence[Effect] = ()
    ) -> ScopeSettingsOut:
        """Return the wire form of what holds in a scope."""
        made: dict[str, dict[str, SettingOut]] = {}
        for name, (value, origin) in found.every(installation).items():
            setting, default = tuning.tunable()[name], tuning.value_of(installation, name)
            group, _, key = name.partition(".")
            made.setdefault(group, {})[key] = SettingOut(
                value,
                origin,
                default,
                setting.least,
                setting.most(installation),
                setting.declared.description or "",
            )
        return cls(found.scope, found.version, made, [EffectOut.of(one) for one in effects])


class SettingsVersionOut(msgspec.Struct, frozen=True):
    """What a scope set in one version; `changed_by` is empty for one who was erased."""

    version: int
    changed_at: datetime
    changed_by: str
    settings: dict[str, dict[str, Any]]

    @classmethod
    def of(cls, one: FormerSettings) -> SettingsVersionOut:
        """Return the wire form of a version."""
        return cls(one.version, one.changed_at, one.changed_by, _nested(one.values))


class SettingsHistoryOut(msgspec.Struct, frozen=True):
    """The versions that are kept, the present one first."""

    scope: str
    items: list[SettingsVersionOut]
    next: None = None


class SettingsController(Controller):
    """Limits, defaults and prompts of the agent's memory."""

    path = "/v1/scopes/settings"
    tags = ("Scopes",)

    @get("/", operation_id="getScopeSettings", opt={"requires": Role.READER})
    async def read(
        self,
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
    ) -> ScopeSettingsOut:
        """What holds in a scope: each setting of the nearest scope upward that has it, else of the
        installation."""
        (path,) = caller.among([within])
        settings = scoping.settings
        return ScopeSettingsOut.of(await settings.effective(path), settings.installation)

    @patch("/", operation_id="changeScopeSettings", opt={"requires": Role.ADMIN})
    async def change(
        self,
        data: JSONBody[dict[str, Any]],
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
        foreseeing: NamedDependency[Foresight],
        if_match: IfMatch = None,
        dry_run: DryRun = False,
    ) -> ScopeSettingsOut:
        """Change the named settings of a scope, such as `{"conversations": {"messages": 20}}`; the
        others stay. Null lets one follow the scope above again. Other processes follow within two
        seconds. A dry run tells which recent memories, of the scope and of those
        below it that the key sees and that do not set the value themselves, would be changed by
        it."""
        settings, expected = scoping.settings, version_of(if_match)
        policy = await scoping.policy(caller.require(within, Role.ADMIN))
        before = (await settings.effective(within)).plain(settings.installation) if dry_run else {}
        done = await settings.change(caller, within, data, policy, expected, dry_run=dry_run)
        if not dry_run:
            return ScopeSettingsOut.of(done, settings.installation)
        after = done.plain(settings.installation)
        below = [s for s in caller.visible if s == done.scope or s.startswith(f"{done.scope}/")]
        apart = await settings.set_below(done.scope, below)
        effects = await foreseeing.effects(caller, apart, before, after)
        return ScopeSettingsOut.of(done, settings.installation, effects)

    @get("/history", operation_id="listScopeSettingsVersions", opt={"requires": Role.READER})
    async def history(
        self,
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
    ) -> SettingsHistoryOut:
        """What a scope itself set, the last fifty versions."""
        (path,) = caller.among([within])
        own = (await scoping.settings.effective(path)).own
        items = [] if own is None else [SettingsVersionOut.of(one) for one in own.versions]
        return SettingsHistoryOut(path, items)


def _nested(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        group, _, key = name.partition(".")
        made.setdefault(group, {})[key] = value
    return made
