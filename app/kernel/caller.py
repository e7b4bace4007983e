"""Who is asking, and what they may see: built at a door, passed to every service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from app.errors import Forbidden, NotFound

PUBLIC: Final = "public"  # what a handler requires that answers without a key


class Role(IntEnum):
    """What a key may do in a scope; each role includes the ones before it."""

    READER = 1
    WRITER = 2
    CURATOR = 3
    ADMIN = 4

    @classmethod
    def named(cls, name: str) -> Role:
        """The role of that lower-case name."""
        return cls[name.upper()]

    @property
    def label(self) -> str:
        """The lower-case name, as on the wire."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal with its role in each scope that it can see, all of one tenant."""

    principal: str
    kind: str
    name: str
    tenant: str
    home: str
    key: str
    roles: Mapping[str, Role]
    trees: frozenset[str] = frozenset()  # administered with everything below, now and later
    rate_per_minute: int = 0
    request: str = ""
    # What was required of this caller and held: a replay of the answer requires it again.
    shown: set[tuple[str, Role]] = field(default_factory=set, compare=False, repr=False)

    @property
    def visible(self) -> list[str]:
        """Every scope that this caller sees, sorted: the `$scopes` of each query."""
        return sorted(self.roles)

    def may(self, scope: str, role: Role) -> bool:
        """Whether the caller holds at least `role` in `scope`."""
        held = self.roles.get(scope)
        return held is not None and held >= role

    def holds(self, role: Role) -> bool:
        """Whether the caller holds at least `role` anywhere."""
        return any(held >= role for held in self.roles.values())

    def governs(self, scope: str) -> bool:
        """Whether the caller administers `scope` and whatever is or will be below it."""
        return any(scope == tree or scope.startswith(f"{tree}/") for tree in self.trees)

    def require(self, scope: str, role: Role) -> str:
        """`scope` itself; NotFound where it is not seen, Forbidden where the role is too small."""
        if scope not in self.roles:
            raise NotFound(f"there is no scope {scope}", field="scope")
        if not self.may(scope, role):
            raise Forbidden(f"this key needs the role {role.label} in {scope}", field="scope")
        self.shown.add((scope, role))
        return scope

    def among(self, wanted: Iterable[str] | None) -> list[str]:
        """The scopes to read: the wanted ones, all of which must be visible, or all visible."""
        if wanted is None:
            return self.visible
        return sorted({self.require(scope, Role.READER) for scope in wanted})

    def within(self, wanted: Iterable[str] | None) -> Caller:
        """The same caller, who sees the wanted scopes alone and administers no tree; all that are
        visible where none is wanted. NotFound for one that is not seen."""
        if wanted is None:
            return self
        roles = {scope: self.roles[scope] for scope in self.among(wanted)}
        return replace(self, roles=roles, trees=frozenset())
