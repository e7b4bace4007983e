"""The scope path, which is the tenancy of everything stored.

`tenant`, `tenant/workspace`, and below either one leaf: `user:name`, `agent:name` or `team:name`.
A path is one token under the text index's analyzer, so its letters are few.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.errors import InvalidInput

NAME = r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?"
PATH = re.compile(
    rf"(?P<tenant>{NAME})(?:/(?P<workspace>{NAME}))?(?:/(?P<leaf>(?:user|agent|team):{NAME}))?\Z"
)


@dataclass(frozen=True, slots=True)
class ScopePath:
    """One parsed path."""

    tenant: str
    workspace: str | None
    leaf: str | None

    def __str__(self) -> str:
        return "/".join(part for part in (self.tenant, self.workspace, self.leaf) if part)

    @property
    def kind(self) -> str:
        """`tenant`, `workspace`, `user`, `agent` or `team`."""
        if self.leaf is not None:
            return self.leaf.partition(":")[0]
        return "tenant" if self.workspace is None else "workspace"

    @property
    def parent(self) -> ScopePath | None:
        """The path one step up; None for a tenant."""
        if self.leaf is not None:
            return ScopePath(self.tenant, self.workspace, None)
        return None if self.workspace is None else ScopePath(self.tenant, None, None)

    @property
    def ancestors(self) -> tuple[ScopePath, ...]:
        """Every wider path, nearest first."""
        parent = self.parent
        return () if parent is None else (parent, *parent.ancestors)


def parse_scope(text: str, field: str = "scope") -> ScopePath:
    """Parse a path; InvalidInput, naming `field`, where it is none."""
    match = PATH.match(text)
    if match is None:
        raise InvalidInput(
            f"{field} is a path like tenant, tenant/workspace or tenant/workspace/agent:name, "
            "in lower case letters, digits, dot, hyphen and underscore",
            field=field,
        )
    return ScopePath(match["tenant"], match["workspace"], match["leaf"])
