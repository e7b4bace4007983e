"""A context as it is stored and exported: who may read, write and manage it.

`reach` says whom a context is for, and so in what kind of scope it lies: whoever sees the scope
reads it, and nobody else. Grants say who may write, and who may manage it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, StringConstraints

from app.kernel.kind import Gone, Place, Stored, unpacked
from app.kernel.scope import parse_scope
from app.kernel.wire import Moment

MOST_GRANTS = 1000

Who = Annotated[str, StringConstraints(max_length=200)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class ContextType(StrEnum):
    """What a context holds."""

    AGENT_MEMORY = "agent_memory"
    KNOWLEDGE_BASE = "knowledge_base"
    SHARED_CONTEXT = "shared_context"
    TOOL_CACHE = "tool_cache"
    PROJECT_CONTEXT = "project_context"


class Reach(StrEnum):
    """Whom a context is meant for, from the narrowest on."""

    AGENT = "agent"
    TEAM = "team"
    ACCOUNT = "account"
    GLOBAL = "global"


# Another system's word: the agents of a workflow share a workspace.
REACH_WORDS: Mapping[str, str] = {"workflow": Reach.ACCOUNT}


class Status(StrEnum):
    """Whether something is in use; what is archived is read and not changed."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class Level(StrEnum):
    """What a grant allows; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


# The reach of what lies in a scope of each kind.
REACHES: Mapping[str, Reach] = {
    "agent": Reach.AGENT,
    "user": Reach.AGENT,
    "team": Reach.TEAM,
    "workspace": Reach.ACCOUNT,
    "tenant": Reach.GLOBAL,
}
WRITES = frozenset({Level.WRITE, Level.ADMIN})


def reach_of(scope: str) -> Reach:
    """Return the reach of a context that lies in a scope."""
    return REACHES[parse_scope(scope).kind]


class Context(Stored):
    """A container of entries with an owner and grants; `own` marks the one in which an agent keeps
    what it remembers of itself."""

    name: Annotated[str, StringConstraints(min_length=1)]
    description: str | None = None
    type: ContextType
    status: Status = Status.ACTIVE
    owner: Who
    own: bool = False
    grants: Annotated[
        dict[str, Level], Field(max_length=MOST_GRANTS), BeforeValidator(unpacked)
    ] = Field(default_factory=dict)
    created_at: Moment
    changed_at: Moment
    changed_by: Who = ""
    archived_at: Moment | None = None

    @property
    def reach(self) -> Reach:
        """Whom the context is for."""
        return reach_of(self.scope)

    def writable_by(self, principal: str) -> bool:
        """Return whether a principal that may write to the scope may write entries: the owner, one
        with a grant for it, and in a shared context anybody whose grant does not say less."""
        if principal == self.owner:
            return True
        level = self.grants.get(principal)
        return level in WRITES or (level is None and self.type is ContextType.SHARED_CONTEXT)

    def managed_by(self, principal: str) -> bool:
        """Return whether a principal may archive, take back to a snapshot, and grant."""
        return principal == self.owner or self.grants.get(principal) is Level.ADMIN

    def people(self) -> Iterable[str]:
        """Return the owner, who changed it last, and everybody with a grant."""
        return {self.owner, self.changed_by, *self.grants}

    def renamed(self, name: Callable[[str], str]) -> Self:
        """Return the context with every principal replaced."""
        return self.model_copy(
            update={
                "owner": name(self.owner) if self.owner else "",
                "changed_by": name(self.changed_by) if self.changed_by else "",
                "grants": {name(who): level for who, level in self.grants.items()},
            }
        )

    def without(self, gone: Gone) -> Self | None:
        """Return the context without somebody; None where it is his own memory.

        What the owner called it goes with him, and a name that names him: its id stands there then.
        """
        owned = gone.wrote(self.owner)
        if owned and self.own:
            return None
        told = self.description or ""
        return self.model_copy(
            update={
                "owner": "" if owned else self.owner,
                "changed_by": "" if gone.wrote(self.changed_by) else self.changed_by,
                "grants": {w: level for w, level in self.grants.items() if not gone.wrote(w)},
                "name": self.id if owned or gone.named(self.name) else self.name,
                "description": None if owned or gone.named(told) else self.description,
            }
        )


class Access(Stored):
    """Who read a context, how, and when; it goes with the reader."""

    context_id: Id
    by: Who
    act: Annotated[str, StringConstraints(max_length=40)]
    entry_id: Id | None = None
    at: Moment

    def people(self) -> Iterable[str]:
        """Return the reader."""
        return {self.by}


def moved(identifier: str, scope: str, place: Place) -> str:
    """Return the id of what stands for a node of the same scope, where a package takes it."""
    return place(identifier, scope)[0]
