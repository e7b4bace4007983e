"""`loci keys`: the first key of an installation, and later ones, from the command line."""

from __future__ import annotations

from typing import Any

from app.access.keys import MintedKey
from app.access.service import NewKey, NewPrincipal, operator
from app.errors import Conflict
from app.kernel.caller import Caller, Role
from app.kernel.scope import ScopePath, parse_scope
from app.wiring import Parts


async def operator_of(parts: Parts, tenant: str) -> Caller:
    """The operator of this machine as a caller that administers a tenant, which is made if new."""
    path = parse_scope(tenant, "tenant")
    caller = operator(path.tenant, [])
    await parts.scopes.ensure([ScopePath(path.tenant, None, None)], caller)
    await parts.access.save_principal(
        caller, NewPrincipal("user", "operator", path.tenant, Role.ADMIN, subtree=True)
    )
    return caller


async def bootstrap(parts: Parts, tenant: str) -> dict[str, Any]:
    """A tenant with its first admin key, or `key: null` where there was one before."""
    if await parts.access_rows.any_admin_key():
        return {"key": None, "tenant": tenant}
    minted = await mint(parts, tenant, kind="user", name="admin", role=Role.ADMIN)
    return {"key": minted.text, "tenant": tenant, "principal": f"user:{tenant}:admin"}


async def mint(
    parts: Parts, scope: str, *, kind: str, name: str, role: Role, subtree: bool | None = None
) -> MintedKey:
    """A key for an agent or user at home in `scope`; scope and principal are made if new."""
    path = parse_scope(scope)
    caller = await operator_of(parts, path.tenant)
    await parts.scopes.ensure([path], caller)
    caller = operator(path.tenant, [str(path)])
    below = role is Role.ADMIN if subtree is None else subtree
    saved = await parts.access.save_principal(
        caller, NewPrincipal(kind, name, str(path), role, subtree=below)
    )
    minted, _ = await parts.access.mint_key(caller, NewKey(saved["id"], role, name=name))
    return minted


async def revoke(parts: Parts, tenant: str, key_id: str) -> dict[str, Any]:
    """Revoke a key of a tenant."""
    rows = await parts.access_rows.list_keys(tenant, await all_scopes(parts, tenant))
    if key_id not in {row["id"] for row in rows}:
        raise Conflict(f"{tenant} has no key {key_id}", field="key")
    caller = operator(tenant, await all_scopes(parts, tenant))
    return await parts.access.revoke_key(caller, key_id)


async def all_scopes(parts: Parts, tenant: str) -> list[str]:
    """Every scope of a tenant."""
    return [row["path"] for row in await parts.scope_rows.of_tenant(tenant)]
