"""Scopes, principals, keys and audit over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Controller, Response, delete, get, patch, post, put
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from app.access.parameters import OneScope, Within
from app.access.repository import AccessRepository
from app.access.schemas import (
    AuditOut,
    AuditPageOut,
    ChainOut,
    GrantIn,
    GrantOut,
    KeyIn,
    KeyOut,
    KeysOut,
    MintedOut,
    PrincipalIn,
    PrincipalOut,
    PrincipalsOut,
    ScopeIn,
    ScopeOut,
    ScopesOut,
)
from app.access.seal import check_chain
from app.access.service import AccessService, Looked, NewKey, NewPrincipal
from app.errors import Forbidden
from app.kernel.caller import Caller, Role
from app.sanitize.policy import SanitizePolicy
from app.scopes.repository import ScopeRepository
from app.scopes.rules import ScopeRules
from app.scopes.service import ScopeService


class ScopeController(Controller):
    """Scopes: who sees what."""

    path = "/v1/scopes"
    tags = ("Scopes",)

    @post(
        "/",
        operation_id="createScope",
        opt={"requires": Role.WRITER},
        responses={HTTP_200_OK: ResponseSpec(ScopeOut, description="It was there already.")},
    )
    async def create(
        self,
        data: JSONBody[ScopeIn],
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
        access: NamedDependency[AccessService],
    ) -> Response[ScopeOut]:
        """Make a scope; one that is there already is given back as it is, with 200.

        Whoever administers what lies above may; so may any writer, for its own leaf, and for
        those of users without a key right below a scope that it writes to.
        """
        row, made = await scoping.create(caller, data.scope, data.name)
        access.keys.forget()
        return Response(ScopeOut.of(row), status_code=HTTP_201_CREATED if made else HTTP_200_OK)

    @get("/", operation_id="listScopes", opt={"requires": Role.READER})
    async def list_scopes(
        self, caller: NamedDependency[Caller], scope_rows: NamedDependency[ScopeRepository]
    ) -> ScopesOut:
        """Every scope that this key sees."""
        rows = await scope_rows.visible(caller.visible)
        return ScopesOut([ScopeOut.of(row) for row in rows])

    @put("/policy", operation_id="setPolicy", opt={"requires": Role.ADMIN})
    async def set_policy(
        self,
        data: JSONBody[dict[str, Any]],
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
        scope_rows: NamedDependency[ScopeRepository],
    ) -> ScopeOut:
        """Replace the sanitising policy of a scope, for texts stored from now on."""
        await scoping.set_policy(caller, within, SanitizePolicy.parse(data))
        return ScopeOut.of((await scope_rows.visible([within]))[0])

    @patch("/policy", operation_id="changePolicy", opt={"requires": Role.ADMIN})
    async def change_policy(
        self,
        data: JSONBody[dict[str, Any]],
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
    ) -> dict[str, Any]:
        """Change the named classes of a scope's sanitising policy; the others stay as they are."""
        return _policy(within, *await scoping.patch_policy(caller, within, data))

    @get("/policy", operation_id="getPolicy", opt={"requires": Role.READER})
    async def read_policy(
        self,
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
    ) -> dict[str, Any]:
        """The sanitising policy that holds in a scope; `source` is the scope that it is set on."""
        (path,) = caller.among([within])
        return _policy(path, *await scoping.effective_policy(path))

    @patch("/rules", operation_id="changeRules", opt={"requires": Role.ADMIN})
    async def change_rules(
        self,
        data: JSONBody[dict[str, Any]],
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
    ) -> dict[str, Any]:
        """Change the named rules of a scope; every other rule stays as it is."""
        return _rules(within, *await scoping.patch_rules(caller, within, data))

    @put("/rules", operation_id="setRules", opt={"requires": Role.ADMIN})
    async def set_rules(
        self,
        data: JSONBody[dict[str, Any]],
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
    ) -> dict[str, Any]:
        """Replace the rules of a scope: what is not named gets its default; PATCH keeps it."""
        rules = ScopeRules.parse(data)
        await scoping.set_rules(caller, within, rules)
        return _rules(within, rules, within)

    @get("/rules", operation_id="getRules", opt={"requires": Role.READER})
    async def read_rules(
        self,
        within: OneScope,
        caller: NamedDependency[Caller],
        scoping: NamedDependency[ScopeService],
    ) -> dict[str, Any]:
        """The rules that hold in a scope: its own, or those of the nearest scope above it.

        `source` is the scope that they are set on; null where none is, so that defaults hold.
        """
        (path,) = caller.among([within])
        return _rules(path, *await scoping.effective_rules(path))


def _rules(scope: str, rules: ScopeRules, source: str | None) -> dict[str, Any]:
    return {"scope": scope, "source": source, "rules": rules.model_dump(mode="json")}


def _policy(scope: str, policy: SanitizePolicy, source: str | None) -> dict[str, Any]:
    return {"scope": scope, "source": source, "policy": policy.model_dump(mode="json")}


class PrincipalController(Controller):
    """Agents and users."""

    path = "/v1/principals"
    tags = ("Access",)

    @post("/", operation_id="savePrincipal", opt={"requires": Role.ADMIN})
    async def save(
        self,
        data: JSONBody[PrincipalIn],
        caller: NamedDependency[Caller],
        access: NamedDependency[AccessService],
    ) -> PrincipalOut:
        """Create or change an agent or user."""
        new = NewPrincipal(
            kind=data.kind,
            name=data.name,
            home=data.home,
            role=Role.named(data.role),
            model_family=data.model_family,
            public_key=data.public_key,
            subtree=data.subtree,
        )
        return PrincipalOut(**await access.save_principal(caller, new))

    @get("/", operation_id="listPrincipals", opt={"requires": Role.ADMIN})
    async def list_principals(
        self, caller: NamedDependency[Caller], access: NamedDependency[AccessService]
    ) -> PrincipalsOut:
        """Agents and users whose home this key administers."""
        rows = await access.repository.list_principals(caller.tenant, _administered(caller))
        return PrincipalsOut([PrincipalOut(**_known(row)) for row in rows])

    @post("/{principal:str}/grants", operation_id="grant", opt={"requires": Role.ADMIN})
    async def grant(
        self,
        principal: FromPath[str],
        data: JSONBody[GrantIn],
        caller: NamedDependency[Caller],
        access: NamedDependency[AccessService],
    ) -> GrantOut:
        """Give a role in one more scope of the same tenant."""
        role = Role.named(data.role)
        row = await access.grant(caller, principal, data.scope, role, subtree=data.subtree)
        return GrantOut(**row)

    @delete(
        "/{principal:str}/grants",
        operation_id="withdrawGrant",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def withdraw(
        self,
        principal: FromPath[str],
        within: OneScope,
        caller: NamedDependency[Caller],
        access: NamedDependency[AccessService],
    ) -> GrantOut:
        """Take a grant back."""
        return GrantOut(role=None, **await access.withdraw(caller, principal, within))


class KeyController(Controller):
    """API keys."""

    path = "/v1/keys"
    tags = ("Access",)

    @post("/", operation_id="mintKey", opt={"requires": Role.ADMIN})
    async def mint(
        self,
        data: JSONBody[KeyIn],
        caller: NamedDependency[Caller],
        access: NamedDependency[AccessService],
    ) -> MintedOut:
        """A key of an agent or user; its text is in this answer only."""
        minted, row = await access.mint_key(
            caller,
            NewKey(
                principal=data.principal,
                role=Role.named(data.role),
                name=data.name,
                expires_at=data.expires_at,
                rate_per_minute=data.rate_per_minute,
            ),
        )
        return MintedOut(
            id=minted.id,
            key=minted.text,
            principal=row["principal"],
            role=row["role"],
            expires_at=row.get("expires_at"),
        )

    @get("/", operation_id="listKeys", opt={"requires": Role.ADMIN})
    async def list_keys(
        self, caller: NamedDependency[Caller], access: NamedDependency[AccessService]
    ) -> KeysOut:
        """Keys of the agents and users that this key administers."""
        rows = await access.repository.list_keys(caller.tenant, _administered(caller))
        return KeysOut([KeyOut(**row) for row in rows])

    @delete(
        "/{key_id:str}",
        operation_id="revokeKey",
        opt={"requires": Role.ADMIN},
        status_code=HTTP_200_OK,
    )
    async def revoke(
        self,
        key_id: FromPath[str],
        caller: NamedDependency[Caller],
        access: NamedDependency[AccessService],
    ) -> dict[str, Any]:
        """Revoke a key: it answers no more."""
        return await access.revoke_key(caller, key_id)


class AuditController(Controller):
    """What was changed or refused."""

    path = "/v1/audit"
    tags = ("Audit",)

    @get("/", operation_id="auditHistory", opt={"requires": Role.CURATOR})
    async def history(
        self,
        caller: NamedDependency[Caller],
        access: NamedDependency[AccessService],
        within: Within = None,
        kind: FromQuery[str | None] = None,
        target: FromQuery[str | None] = None,
        cursor: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
    ) -> AuditPageOut:
        """Audit events of the scopes that this key curates, newest first."""
        wanted = Looked(caller.among(within), kind, target, cursor, limit)
        rows, after = await access.history(caller, wanted)
        return AuditPageOut([AuditOut.of(row) for row in rows], after)

    @get("/check", operation_id="checkAudit", opt={"requires": Role.ADMIN})
    async def check(
        self, caller: NamedDependency[Caller], access_rows: NamedDependency[AccessRepository]
    ) -> ChainOut:
        """Walk the tenant's chain: tells the first event that was changed or is missing."""
        if not caller.may(caller.tenant, Role.ADMIN):
            raise Forbidden(f"this key needs the role admin in {caller.tenant}")
        report = await check_chain(access_rows, caller.tenant)
        return ChainOut(report.tenant, report.intact, report.events, report.head, report.broken)


def _administered(caller: Caller) -> list[str]:
    return [scope for scope in caller.visible if caller.may(scope, Role.ADMIN)]


def _known(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in PrincipalOut.__struct_fields__}
