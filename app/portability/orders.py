"""What an upload is to be read as: checked before its job is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from app.errors import InvalidInput
from app.kernel.scope import parse_scope
from app.portability.archive import is_archive
from app.portability.foreign.formats import BY_NAME, check_format, check_users, recognised
from app.portability.foreign.tables import MOST, checked_mapping
from app.portability.kind import check_target
from app.portability.package import is_package


@dataclass(frozen=True, slots=True)
class How:
    """Where an upload goes, and what of another program it is."""

    target: str | None
    format: str | None
    mapping: dict[str, str] | None
    dry_run: bool
    users: bool = False

    @classmethod
    def of(
        cls,
        into: str | None,
        form: str | None,
        mapping: str | None,
        *,
        dry_run: bool,
        users: bool = False,
    ) -> How:
        """Read the parameters of a request; InvalidInput names the bad one."""
        if form is not None:
            check_format(form)
            if users:
                check_users(BY_NAME[form])
        read = None if mapping is None else checked_mapping(_json(mapping))
        target = str(parse_scope(into)) if into else None
        if users and target is not None and parse_scope(target).leaf is not None:
            raise InvalidInput(f"{target} has no leaves of users below it", field="users")
        return cls(target, form, read, dry_run, users)

    @property
    def is_named(self) -> bool:
        """Whether the request says that it is another program's."""
        return self.format is not None or self.mapping is not None

    def check(self, path: Path) -> None:
        """Raise InvalidInput for a target that is none for this file, or a content that no format
        knows (`format`)."""
        if not self.is_named and is_package(path):
            if self.users:
                raise InvalidInput("a package says itself where each memory goes", field="users")
            if self.target is not None:
                check_target(self.target)
            return
        if self.target is None:
            raise InvalidInput("name the scope to which it goes", field="scope")
        if not is_archive(path):
            chosen, _ = recognised(path, self.format, mapped=self.mapping is not None)
            if self.users:
                check_users(chosen)

    @property
    def args(self) -> dict[str, Any]:
        """What of it a job is given."""
        given = {
            "format": self.format,
            "mapping": self.mapping,
            "dry_run": self.dry_run or None,
            "users": self.users or None,
        }
        return {name: value for name, value in given.items() if value is not None}


def _json(text: str) -> Any:
    if len(text) > MOST:
        raise InvalidInput("the mapping is too long", field="mapping")
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput("the mapping is no JSON", field="mapping") from error
