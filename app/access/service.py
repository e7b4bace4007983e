"""Who may do what: principals, grants and keys, each change checked against the caller."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.access.keys import SHELL, KeyRing, MintedKey, mint
from app.access.repository import AccessRepository
from app.errors import AlreadyExists, Forbidden, InvalidInput, NotFound
from app.kernel import audit, paging
from app.kernel.caller import Caller, Role
from app.kernel.clock import END, now
from app.kernel.graph import Row
from app.kernel.scope import parse_scope
from app.sanitize.labels import PolicyOf, clean_label


@dataclass(frozen=True, slots=True)
class NewPrincipal:
    """An agent or user to be known; its id follows from tenant, kind and name."""

    kind: str
    name: str
    home: str
    role: Role
    model_family: str | None = None
    public_key: str | None = None
    subtree: bool = False


@dataclass(frozen=True, slots=True)
class Looked:
    """Which audit events are wanted; scopes that are not curated give none."""

    scopes: list[str]
    kind: str | None = None
    target: str | None = None
    cursor: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key to be minted for a principal."""

    principal: str
    role: Role
    name: str = ""
    expires_at: datetime | None = None
    rate_per_minute: int | None = None


def principal_id(kind: str, tenant: str, name: str) -> str:
    """`agent:tenant:name`: the same three always give the same principal."""
    return f"{kind}:{tenant}:{name}"


class AccessService:
    """Changes of access; each drops what this process remembered of keys."""

    def __init__(self, repository: AccessRepository, keys: KeyRing, policy: PolicyOf) -> None:
        self.repository = repository
        self._policy = policy
        self.keys = keys

    async def history(self, caller: Caller, wanted: Looked) -> tuple[list[Row], str | None]:
        """Return audit events of scopes that the caller curates, newest first, and the cursor of
        the page after; InvalidInput (`cursor`) for one that is none."""
        before_at, before_id = paging.decode(wanted.cursor) if wanted.cursor else (END, "~")
        rows = await self.repository.audit_history(
            tenant=caller.tenant,
            scopes=[scope for scope in wanted.scopes if caller.may(scope, Role.CURATOR)],
            kind=wanted.kind,
            target=wanted.target,
            before_at=before_at,
            before_id=before_id,
            limit=wanted.limit + 1,
        )
        shown = rows[: wanted.limit]
        more = len(rows) > wanted.limit
        return shown, paging.encode(shown[-1]["at"], shown[-1]["id"]) if more else None

    async def save_principal(self, caller: Caller, new: NewPrincipal) -> Row:
        """Create or change a principal; the caller must be admin of its home.

        Raises NotFound or Forbidden for a home that is not the caller's to give, AlreadyExists
        where the principal is there and its present home is not the caller's to take it from.
        """
        home = str(parse_scope(new.home, "home"))
        _may_give(caller, home, subtree=new.subtree)
        family = clean_label(new.model_family, "model_family", await self._policy(home))
        new = replace(new, model_family=family)
        identifier = principal_id(new.kind, caller.tenant, new.name)
        saved = await self.repository.save_principal(
            principal=_principal(identifier, caller.tenant, new),
            home=home,
            role=new.role.label,
            subtree=new.subtree,
            scopes=_administered(caller),
            trees=sorted(caller.trees),
            audit=audit.event(caller, "principal.save", home, id=identifier, role=new.role.label),
        )
        self.keys.forget()
        if saved is None:
            raise AlreadyExists(
                f"{identifier} is at home where this key is not admin", field="name"
            )
        return saved

    async def grant(
        self, caller: Caller, principal: str, scope: str, role: Role, *, subtree: bool = False
    ) -> Row:
        """Give a principal of the same tenant a role in a scope that the caller administers."""
        path = str(parse_scope(scope))
        _may_give(caller, path, subtree=subtree)
        event = audit.event(caller, "grant", path, principal=principal, role=role.label)
        granted = await self.repository.grant(
            principal=principal,
            tenant=caller.tenant,
            scope=path,
            role=role.label,
            subtree=subtree,
            audit=event,
        )
        self.keys.forget()
        return _found(granted, f"there is no principal {principal}")

    async def withdraw(self, caller: Caller, principal: str, scope: str) -> Row:
        """Take a grant back; NotFound where there is none."""
        path = str(parse_scope(scope))
        caller.require(path, Role.ADMIN)
        event = audit.event(caller, "withdraw", path, principal=principal)
        row = await self.repository.withdraw(
            principal=principal, tenant=caller.tenant, scope=path, audit=event
        )
        self.keys.forget()
        return _found(row, f"{principal} has no grant in {path}")

    async def mint_key(self, caller: Caller, new: NewKey) -> tuple[MintedKey, Row]:
        """A key, shown this once, of a principal whose every scope the caller administers.

        Raises NotFound for any other: its key would open what the caller cannot.
        """
        if not caller.holds(Role.ADMIN):
            raise Forbidden("this key needs the role admin")
        if new.expires_at is not None and new.expires_at <= now():
            raise InvalidInput("expires_at lies in the past", field="expires_at")
        name = clean_label(new.name, "name", await self._policy(caller.home)) or ""
        minted = mint()
        properties = _key(minted, replace(new, name=name))
        event = audit.event(
            caller,
            "key.mint",
            caller.home,
            key=minted.id,
            principal=new.principal,
            role=new.role.label,
        )
        saved = await self.repository.save_key(
            principal=new.principal,
            tenant=caller.tenant,
            scopes=_administered(caller),
            trees=sorted(caller.trees),
            key=properties,
            audit=event,
        )
        self.keys.forget()
        return minted, {**_found(saved, _no_principal(new.principal)), **properties}

    async def revoke_key(self, caller: Caller, key_id: str) -> Row:
        """Revoke a key; NotFound where its principal's home is not the caller's to administer."""
        row = await self.repository.revoke_key(
            id=key_id,
            tenant=caller.tenant,
            scopes=_administered(caller),
            trees=sorted(caller.trees),
            at=now(),
            audit=audit.event(caller, "key.revoke", caller.home, key=key_id),
        )
        self.keys.forget()
        return _found(row, f"there is no key {key_id}")


def _may_give(caller: Caller, scope: str, *, subtree: bool) -> None:
    caller.require(scope, Role.ADMIN)
    if subtree and not caller.governs(scope):
        raise Forbidden(f"this key does not administer all that is below {scope}", field="subtree")


def _administered(caller: Caller) -> list[str]:
    return [scope for scope in caller.visible if caller.may(scope, Role.ADMIN)]


def _no_principal(principal: str) -> str:
    return f"there is no principal {principal} whose every scope this key administers"


def _principal(identifier: str, tenant: str, new: NewPrincipal) -> dict[str, Any]:
    row = {
        "id": identifier,
        "tenant": tenant,
        "kind": new.kind,
        "name": new.name,
        "model_family": new.model_family,
        "public_key": new.public_key,
        "created_at": now(),
    }
    return {k: v for k, v in row.items() if v is not None}


def _key(minted: MintedKey, new: NewKey) -> dict[str, Any]:
    row = {
        "id": minted.id,
        "hash": minted.hash,
        "prefix": minted.prefix,
        "name": new.name,
        "role": new.role.label,
        "created_at": now(),
        "expires_at": new.expires_at,
        "rate_per_minute": new.rate_per_minute,
    }
    return {k: v for k, v in row.items() if v is not None}


def _found(row: Row | None, otherwise: str) -> Row:
    if row is None:
        raise NotFound(otherwise)
    return row


def operator(tenant: str, scopes: list[str]) -> Caller:
    """The caller that stands for whoever runs the command line on this machine."""
    root = [tenant, *scopes]
    return Caller(
        principal=principal_id("user", tenant, "operator"),
        kind="user",
        name="operator",
        tenant=tenant,
        home=tenant,
        key=SHELL,
        roles=dict.fromkeys(root, Role.ADMIN),
        trees=frozenset({tenant}),
        request="cli",
    )
