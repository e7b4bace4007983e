"""Wire types of scopes, principals, keys and audit."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import orjson
from pydantic import Field, StringConstraints

from app.kernel.graph import Row
from app.kernel.scope import NAME
from app.kernel.wire import Moment, ShortText, WireModel

RoleName = Literal["reader", "writer", "curator", "admin"]
PrincipalName = Annotated[str, StringConstraints(pattern=rf"^{NAME}$", max_length=64)]


class ScopeIn(WireModel):
    """A scope to be made below one that the caller administers."""

    scope: str = Field(description="Scope path: tenant/workspace, or one of the two with a leaf.")
    name: ShortText | None = Field(None, description="A name for people.")


class PrincipalIn(WireModel):
    """An agent or user to be known."""

    kind: Literal["agent", "user"]
    name: PrincipalName
    home: str = Field(description="Scope path that it reads and writes by default.")
    role: RoleName = "writer"
    subtree: bool = Field(False, description="The role holds in every scope below home as well.")
    model_family: ShortText | None = None
    public_key: Annotated[str, StringConstraints(max_length=100)] | None = Field(
        None, description="Ed25519 public key in base64, for signed captures."
    )


class GrantIn(WireModel):
    """A role in one more scope; in a team's leaf it is a membership."""

    scope: str
    role: RoleName = "reader"
    subtree: bool = False


class KeyIn(WireModel):
    """A key to be minted."""

    principal: str = Field(description="Id of the agent or user.")
    role: RoleName = Field("writer", description="The most that the key may do anywhere.")
    name: Annotated[str, StringConstraints(max_length=200)] = ""
    expires_at: Moment | None = None
    rate_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class ScopeOut(msgspec.Struct, frozen=True):
    """A scope and its own sanitising policy, if it has one."""

    scope: str
    kind: str
    name: str
    created_at: datetime | None
    policy: dict[str, Any] | None

    @classmethod
    def of(cls, row: Row) -> ScopeOut:
        """The wire form of a row."""
        return cls(
            scope=row["path"],
            kind=row["kind"],
            name=row["name"],
            created_at=row["created_at"],
            policy=orjson.loads(row["policy"]) if row["policy"] else None,
        )


class ScopesOut(msgspec.Struct, frozen=True):
    """Scopes that the caller sees."""

    items: list[ScopeOut]
    next: None = None


class PrincipalOut(msgspec.Struct, frozen=True):
    """An agent or user with its home and grants, and where upkeep at night has set it, the trust in
    an agent as an attester, 0 to 1."""

    id: str
    kind: str
    name: str
    home: str
    role: str
    grants: list[dict[str, Any]] = msgspec.field(default_factory=list)
    trust: float | None = None
    trust_at: datetime | None = None


class PrincipalsOut(msgspec.Struct, frozen=True):
    """Principals whose home the caller sees."""

    items: list[PrincipalOut]
    next: None = None


class GrantOut(msgspec.Struct, frozen=True):
    """A grant as it now stands; `role` is null once it is taken back."""

    principal: str
    scope: str
    role: str | None


class KeyOut(msgspec.Struct, frozen=True):
    """A key without its secret."""

    id: str
    prefix: str
    name: str
    role: str
    principal: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    rate_per_minute: int | None


class MintedOut(msgspec.Struct, frozen=True):
    """A new key: `key` is shown in this answer and never again."""

    id: str
    key: str
    principal: str
    role: str
    expires_at: datetime | None


class KeysOut(msgspec.Struct, frozen=True):
    """Keys that the caller administers."""

    items: list[KeyOut]
    next: None = None


class AuditOut(msgspec.Struct, frozen=True):
    """One audit event; `seq` and `hash` are there once it is sealed."""

    id: str
    kind: str
    outcome: str
    scope: str
    actor: str
    at: datetime
    request: str | None
    target: str | None
    payload: dict[str, Any]
    seq: int | None
    hash: str | None

    @classmethod
    def of(cls, row: Row) -> AuditOut:
        """The wire form of a row."""
        shown = {name: row[name] for name in cls.__struct_fields__ if name != "payload"}
        return cls(payload=orjson.loads(row["payload"]), **shown)


class AuditPageOut(msgspec.Struct, frozen=True):
    """A page of audit events, newest first."""

    items: list[AuditOut]
    next: str | None


class ChainOut(msgspec.Struct, frozen=True):
    """What a check of the audit chain found."""

    tenant: str
    intact: bool
    events: int
    head: str
    broken: str | None
