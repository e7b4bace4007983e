"""Which settings of the agent's memory a scope may have for itself, and within which bounds. Pure.

A setting is named `group.field`, as in `app/settings.py`, which says its bounds and its default. A
scope takes each of them from the nearest scope upward that has it, else from the installation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from app.errors import InvalidInput
from app.kernel.sentences import of_value
from app.settings import Group, Settings

GROUPS = (
    "working",
    "short_term",
    "tiers",
    "pools",
    "contexts",
    "learning",
    "tables",
    "conversations",
    "goals",
    "autonomy",
    "traces",
    "blocks",
)
# What one scope may not decide: schedules, and what its agents or its tenant share with others.
INSTALLATION = frozenset(
    {
        "working.agent_bytes",
        "working.tenant_bytes",
        "conversations.cron",
        # What jobs over all scopes go by, and what is counted over several.
        "autonomy.goal_stale_days",
        "autonomy.observation_processed_days",
        "autonomy.snapshot_entries",
        "autonomy.suggestion_window_days",
        "autonomy.suggestion_least",
        "autonomy.suggestion_rate",
        "autonomy.suggestion_quiet_days",
        "traces.floor",
        "traces.statistics_days",
        "traces.statistics_most_days",
    }
)
# Bounds that keep the machine's load down: a scope may go below what the installation has.
CEILINGS = frozenset(
    {
        "working.ttl_most",
        "working.value_bytes",
        "working.keys",
        "short_term.ttl_most",
        "short_term.entries",
        "pools.max_bytes",
        "pools.per_scope",
        "pools.versions",
        "pools.versions_bytes",
        "contexts.per_scope",
        "contexts.entries",
        "contexts.content_bytes",
        "contexts.versions",
        "contexts.snapshots",
        "contexts.accesses",
        "learning.uses",
        "learning.samples",
        "learning.intent_batch",
        "tables.per_scope",
        "tables.columns",
        "tables.rows",
        "tables.versions",
        "tables.max_bytes",
        "tables.row_bytes",
        "tables.batch",
        "conversations.items",
        "autonomy.observation_bytes",
        "autonomy.observation_ttl_most",
        "autonomy.observations_per_scope",
        "traces.json_bytes",
        "traces.json_depth",
        "traces.steps",
        "traces.tool_calls",
        "traces.links",
    }
)
Values = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name, and how its field is declared."""

    name: str
    declared: FieldInfo

    @property
    def least(self) -> float | None:
        """The lowest value; None where there is none."""
        return _bound(self.declared, "ge", "gt", "min_length")

    def most(self, installation: Settings) -> float | None:
        """The highest value under what the installation has; None where there is none."""
        if self.name in CEILINGS:
            return cast(float, value_of(installation, self.name))
        return _bound(self.declared, "le", "lt", "max_length")

    def checked(self, given: Any, installation: Settings) -> Any:
        """Return a value that the setting may have; InvalidInput names the setting."""
        try:
            found = _adapter(self.name).validate_python(given, strict=True)
        except ValidationError as error:
            raise InvalidInput(_sentence(self.name, error), field=self.name) from error
        most = self.most(installation)
        if self.name in CEILINGS and most is not None and found > most:
            raise InvalidInput(
                f"{self.name} is at most {most:g} in this installation", field=self.name
            )
        return found


@cache
def tunable() -> Mapping[str, Setting]:
    """Return all settings that a scope may have, by name."""
    return {one.name: one for one in _declared() if one.name not in INSTALLATION}


def named(patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a patch names, by name; null stands for one that is taken out.

    Raises InvalidInput for a group or a field that is none.
    """
    found: dict[str, Any] = {}
    for group, inner in patch.items():
        if group not in GROUPS:
            raise InvalidInput(
                f"there is no group {group[:64]}: there are {', '.join(GROUPS)}", field=group[:64]
            )
        if not isinstance(inner, Mapping):
            raise InvalidInput(f"{group} is an object", field=group)
        for name, value in inner.items():
            found[_known(f"{group}.{name[:64]}")] = value
    return found


def patched(own: Values, patch: Mapping[str, Any], installation: Settings) -> dict[str, Any]:
    """Return the settings of a scope with what a patch names; raises InvalidInput, naming it."""
    made = dict(own)
    for name, value in named(patch).items():
        made.pop(name, None)
        if value is not None:
            made[name] = tunable()[name].checked(value, installation)
    return dict(sorted(made.items()))


def stored(values: Values) -> dict[str, Any]:
    """Return settings out of a package, each within its bounds; ValueError says which is not."""
    known = tunable()
    for name in values:
        if name not in known:
            raise ValueError(f"there is no setting {name[:64]} of a scope")
        try:
            _adapter(name).validate_python(values[name], strict=True)
        except ValidationError as error:
            raise ValueError(_sentence(name, error)) from error
    return dict(values)


def value_of(settings: Settings, name: str) -> Any:
    """Return what the installation has."""
    group, _, key = name.partition(".")
    return getattr(getattr(settings, group), key)


def effective(
    by_scope: Mapping[str, Values], upward: Sequence[str], installation: Settings
) -> dict[str, tuple[Any, str]]:
    """Return what holds, by name, with the scope that it is set on, for what any scope sets.

    `upward` has the scope itself first. What the installation lowered since holds at once.
    """
    found: dict[str, tuple[Any, str]] = {}
    for scope in upward:
        for name, value in by_scope.get(scope, {}).items():
            if name in tunable() and name not in found:
                found[name] = (_lowered(name, value, installation), scope)
    return found


# --- what services read -------------------------------------------------------------------------


def tuned(name: str, read: Callable[[Any], Any] | None = None, **default: Any) -> Any:
    """Declare that a field of limits is the setting of that name, as `read` makes it of one."""
    return field(metadata={"setting": name, "read": read}, **default)


def installed(limits: type[T], installation: Settings) -> T:
    """Return limits, each field of which is `tuned`, with what the installation has."""
    made: dict[str, Any] = {}
    for one in fields(cast(Any, limits)):
        value, read = value_of(installation, one.metadata["setting"]), one.metadata["read"]
        made[one.name] = value if read is None else read(value)
    return limits(**made)


def overlaid(limits: T, values: Values) -> T:
    """Return limits, whose fields are `tuned`, with the values that a scope has."""
    if not values or not is_dataclass(limits):
        return limits
    changes: dict[str, Any] = {}
    for one in fields(limits):
        inner = getattr(limits, one.name)
        if is_dataclass(inner):
            changes[one.name] = overlaid(inner, values)
        elif one.metadata.get("setting") in values:
            changes[one.name] = _taken(one, inner, values)
    return replace(cast(Any, limits), **changes) if changes else limits


def _taken(one: Field[Any], held: Any, values: Values) -> Any:
    name, read = one.metadata["setting"], one.metadata["read"]
    value = values[name] if read is None else read(values[name])
    return min(held, value) if name in CEILINGS else value


def _lowered(name: str, value: Any, installation: Settings) -> Any:
    return min(value, value_of(installation, name)) if name in CEILINGS else value


def _declared() -> Iterator[Setting]:
    for group in GROUPS:
        kind = Settings.model_fields[group].annotation
        for name, declared in cast(type[Group], kind).model_fields.items():
            yield Setting(f"{group}.{name}", declared)


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    group, _, key = name.partition(".")
    kind = cast(type[Group], Settings.model_fields[group].annotation)
    declared = kind.model_fields[key]
    return TypeAdapter(_annotated(declared))


def _annotated(declared: FieldInfo) -> Any:
    if not declared.metadata:
        return declared.annotation
    return Annotated[(declared.annotation, *declared.metadata)]


def _sentence(name: str, error: ValidationError) -> str:
    """What is wrong with a setting, by its name."""
    first = {**error.errors()[0], "loc": tuple(name.split("."))}
    return of_value(first).detail


def _bound(declared: FieldInfo, *names: str) -> float | None:
    found: Iterable[Any] = (getattr(one, name, None) for one in declared.metadata for name in names)
    return next((one for one in found if one is not None), None)


def _known(name: str) -> str:
    if name in INSTALLATION:
        raise InvalidInput(f"{name} is set for the whole installation", field=name)
    if name not in tunable():
        group = name.partition(".")[0]
        fields_of = ", ".join(n.partition(".")[2] for n in tunable() if n.startswith(f"{group}."))
        raise InvalidInput(f"there is no setting {name}: there are {fields_of}", field=name)
    return name
