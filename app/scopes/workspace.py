"""A scope's own settings of the agent's memory, with the versions before, as they are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from app.kernel.kind import Gone, Kind, Stored, unpacked
from app.kernel.vocab import Label
from app.kernel.wire import Moment, WireModel
from app.scopes import tuning

KEPT = 50  # former versions
Who = Annotated[str, StringConstraints(max_length=200)]
Values = Annotated[dict[str, Any], BeforeValidator(unpacked), AfterValidator(tuning.stored)]
Number = Annotated[int, Field(ge=1, le=2**53 - 1)]


class FormerSettings(WireModel):
    """Settings as they were in one version; `changed_by` is empty once that principal is erased."""

    version: Number
    values: Values
    changed_by: Who
    changed_at: Moment


class WorkspaceSettings(Stored):
    """The settings that a scope has for itself, each by its name, and what they were before."""

    version: Number
    values: Values
    changed_by: Who
    changed_at: Moment
    former: Annotated[
        tuple[FormerSettings, ...], Field(max_length=KEPT), BeforeValidator(unpacked)
    ] = ()

    @property
    def versions(self) -> tuple[FormerSettings, ...]:
        """All versions that are kept, the present one first."""
        now = FormerSettings(
            version=self.version,
            values=self.values,
            changed_by=self.changed_by,
            changed_at=self.changed_at,
        )
        return (now, *self.former)

    def changed(self, values: Mapping[str, Any], who: str, at: datetime) -> Self:
        """Return the settings with other values, as the next version."""
        update = {
            "version": self.version + 1,
            "values": dict(values),
            "changed_by": who,
            "changed_at": at,
            "former": self.versions[:KEPT],
        }
        return self.model_copy(update=update)

    def people(self) -> Iterable[str]:
        """Return who set any version."""
        return {one.changed_by for one in self.versions} - {""}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the settings as set by others."""
        return self._each(
            lambda one: one.model_copy(
                update={"changed_by": name(one.changed_by) if one.changed_by else ""}
            )
        )

    def without(self, gone: Gone) -> Self:
        """Return the figures without who set them, and without texts that he wrote or that name
        him."""
        wrote = set(self._texts_of(gone))

        def left(one: FormerSettings) -> FormerSettings:
            values = {
                name: value
                for name, value in one.values.items()
                if not isinstance(value, str) or not (value in wrote or gone.named(value))
            }
            who = "" if gone.wrote(one.changed_by) else one.changed_by
            return one.model_copy(update={"values": values, "changed_by": who})

        return self._each(left)

    def _each(self, change: Callable[[FormerSettings], FormerSettings]) -> Self:
        first, *others = (change(one) for one in self.versions)
        update = {
            "values": first.values,
            "changed_by": first.changed_by,
            "former": tuple(others),
        }
        return self.model_copy(update=update)

    def _texts_of(self, gone: Gone) -> Iterator[str]:
        """Texts that somebody was the first to set, in a version that is kept."""
        before: Mapping[str, Any] = {}
        for one in reversed(self.versions):
            if gone.wrote(one.changed_by):
                new = (value for name, value in one.values.items() if before.get(name) != value)
                yield from (value for value in new if isinstance(value, str))
            before = one.values


WORKSPACE_SETTINGS = Kind(
    "workspace_settings",
    WorkspaceSettings,
    Label.WORKSPACE_SETTINGS,
    identity=("scope",),
    sanitised=("values", "former"),
    changed="changed_at",
    plural="workspace_settings",
)
