"""Who sees a job, and who may stop it or run it again.

A job lies in a scope, and whoever reads there sees it unless it tells of more: then it bears marks
all of which its reader must have. A caller's marks are the scopes that it sees, the roles that it
holds in them, such as `admin acme/dev`, its own id, and `*`, which stands for any mark, where it
administers the whole tenant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.kernel.caller import Caller, Role


@dataclass(frozen=True, slots=True)
class Access:
    """What it takes to see and to stop a job beside reading in its scope.

    `role` is what starting it took, and stops it. What takes an admin tells of all below its scope,
    and is shown to admins only; with `owner`, a principal's id, to that one and the tenant's admin.
    """

    role: Role = Role.WRITER
    owner: str | None = None

    def row(self, scope: str) -> dict[str, Any]:
        """The properties that a job in `scope` bears."""
        needed = self.owner or _mark(self.role, scope)
        hidden = self.owner is not None or self.role is Role.ADMIN
        return {"marks": [needed] if hidden else [], "stops": needed}


ANYBODY = Access()
CURATED = Access(Role.CURATOR)
ADMINISTERED = Access(Role.ADMIN)


def shown_to(caller: Caller) -> list[str]:
    """The marks of a caller: jobs are shown that lie in one of them and bear no other."""
    return [*caller.visible, *_held(caller, (Role.ADMIN,)), *_own(caller)]


def stopped_by(caller: Caller) -> list[str]:
    """The marks by which a caller may stop a job or run it again."""
    return [*_held(caller, (Role.WRITER, Role.CURATOR, Role.ADMIN)), *_own(caller)]


def _own(caller: Caller) -> list[str]:
    return [caller.principal, *(["*"] if caller.governs(caller.tenant) else [])]


def _held(caller: Caller, roles: Iterable[Role]) -> list[str]:
    return [_mark(r, scope) for scope in caller.visible for r in roles if caller.may(scope, r)]


def _mark(role: Role, scope: str) -> str:
    return f"{role.label} {scope}"
