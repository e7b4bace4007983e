"""Scopes: making them, and the sanitising policy that a text stored there passes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import orjson
from pydantic import BaseModel

from app.errors import AlreadyExists, Forbidden, InvalidInput, NotFound
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.kernel.scope import ScopePath, parse_scope
from app.sanitize.labels import clean_label
from app.sanitize.policy import SanitizePolicy
from app.scopes.repository import ScopeRepository
from app.scopes.rules import ScopeRules
from app.scopes.settings import SettingsService
from app.settings import Settings

POLICY_SECONDS = 2.0
PATHS = 4096  # scopes of which is kept what lies above them: a thousand take 10 ms to find
DEFAULTS = ScopeRules()
T = TypeVar("T")


class ScopeService:
    """Scopes of the caller's tenant; policies are remembered for two seconds a process.

    `installation` are the settings that hold where no scope has its own. `told` is called where a
    caller sees more than before, so that nobody goes by what it remembers of him.
    """

    def __init__(
        self,
        repository: ScopeRepository,
        installation: Settings,
        told: Callable[[], None] = lambda: None,
    ) -> None:
        self.repository = repository
        self._told = told
        self.settings = SettingsService(repository.graph, installation)
        self._policies: dict[str, tuple[float, SanitizePolicy]] = {}
        self._rules: dict[str, tuple[float, ScopeRules]] = {}

    async def create(self, caller: Caller, path: str, name: str | None = None) -> tuple[Row, bool]:
        """A scope below one that the caller administers, its own leaf, or a user's below a scope
        that it writes to, and whether it is new.

        Missing steps in between are made as well. Raises NotFound or Forbidden by the parent, and
        AlreadyExists for a scope that is there without the caller's seeing it.
        """
        parsed = parse_scope(path)
        if parsed.parent is None:
            raise InvalidInput("a tenant is made on the command line", field="scope")
        nearest = next((a for a in parsed.ancestors if str(a) in caller.roles), None)
        if nearest is None:
            raise NotFound(f"there is no scope {parsed.parent}", field="scope")
        label = clean_label(name, "name", await self.policy(str(nearest)))
        named = {str(parsed): label} if label else {}
        if str(parsed) == own_leaf(caller) and caller.may(caller.home, Role.WRITER):
            made = await self.ensure([parsed], caller, names=named, role=Role.WRITER)
        elif parsed.kind == "user" and not caller.may(str(nearest), Role.ADMIN):
            made = await self._of_user(caller, parsed, label)
        else:
            caller.require(str(nearest), Role.ADMIN)
            made = await self.ensure([parsed], caller, names=named)
        row = await self.repository.get(str(parsed))
        if row is None:
            raise NotFound(f"there is no scope {parsed}")
        if str(parsed) not in made and str(parsed) not in caller.roles:
            raise AlreadyExists(f"{parsed} is there, and this key does not see it", field="scope")
        return row, str(parsed) in made

    async def _of_user(self, caller: Caller, leaf: ScopePath, name: str | None) -> list[str]:
        """Make a user's leaf right below a scope to which the caller writes, for what it keeps of
        him; returns its path where it is new or the caller's already.

        It is made for nobody who has a key, whose own leaf it may become. That, and a leaf of
        others, look alike: Forbidden.
        """
        path, parent = str(leaf), str(leaf.parent)
        names = {path: name} if name else {}
        caller.require(parent, Role.WRITER)
        if path in caller.roles:
            return []
        named = f"{leaf.kind}:{leaf.tenant}:{path.rpartition(':')[2]}"
        if not await self.repository.is_principal(named):
            made = await self.ensure([leaf], caller, names=names, role=Role.WRITER)
            # Another request of the same principal may have made it since this one was let in.
            if made or await self.repository.granted(path, caller.principal) is not None:
                return [path]
        raise Forbidden(f"this key may not make {path}", field="scope")

    async def with_own_leaf(self, caller: Caller) -> Caller:
        """Return the caller as it sees its own leaf, which is made where it is not there yet.

        Raises Forbidden without the writer's role at home, AlreadyExists for a leaf of that name
        that is there and was not given to this principal.
        """
        leaf = own_leaf(caller)
        if leaf in caller.roles:
            return caller
        caller.require(caller.home, Role.WRITER)
        try:
            await self.create(caller, leaf)
        except AlreadyExists:
            # Another request of the same principal has made it since this one was let in.
            if await self.repository.granted(leaf, caller.principal) is None:
                raise
        self._told()
        return replace(caller, roles={**caller.roles, leaf: Role.WRITER})

    async def seeing_own_leaf(self, caller: Caller) -> Caller:
        """Return the caller as it sees its own leaf, if that is there and was given to it: what is
        remembered of a key may be older than the leaf."""
        leaf, held = own_leaf(caller), caller.roles.get(caller.home)
        if leaf in caller.roles or held is None:
            return caller
        given = await self.repository.granted(leaf, caller.principal)
        if given is None:
            return caller
        role = min(held, Role.named(given))
        return replace(caller, roles={**caller.roles, leaf: role})

    async def ensure(
        self,
        paths: list[ScopePath],
        caller: Caller,
        *,
        names: Mapping[str, str] | None = None,
        role: Role = Role.ADMIN,
    ) -> list[str]:
        """Make every path and its ancestors that do not exist yet; returns the new ones.

        In each new one the caller has `role`. `names` are what paths are called beside the path,
        sanitised; the others go by their last step.
        """
        wanted = {str(step): step for path in paths for step in (*path.ancestors, path)}
        ordered = sorted(wanted.values(), key=lambda step: len(step.ancestors))
        rows = [_row(step, (names or {}).get(str(step))) for step in ordered]
        event = audit.event(caller, "scope.create", str(paths[-1]), paths=sorted(wanted))
        return await self.repository.save(rows, caller.principal, role, event)

    async def limits(self, limits: T, scope: str) -> T:
        """Return limits of the installation with what the settings of a scope say instead."""
        return await self.settings.limits(limits, scope)

    async def policy(self, scope: str) -> SanitizePolicy:
        """The sanitising policy of the nearest scope on the path that has one, else the default."""
        known = self._policies.get(scope)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        path = parse_scope(scope)
        rows = await self.repository.policies([str(p) for p in (path, *path.ancestors)])
        policy = (
            SanitizePolicy.parse(orjson.loads(rows[-1]["policy"])) if rows else SanitizePolicy()
        )
        self._policies[scope] = (time.monotonic() + POLICY_SECONDS, policy)
        return policy

    async def set_policy(self, caller: Caller, scope: str, policy: SanitizePolicy) -> Row:
        """Replace a scope's own policy; it holds for texts stored from now on."""
        path = str(parse_scope(scope))
        caller.require(path, Role.ADMIN)
        row = await self.repository.set_policy(
            path=path, policy=_dumped(policy), audit=audit.event(caller, "policy.set", path)
        )
        self._policies.clear()
        if row is None:
            raise NotFound(f"there is no scope {path}")
        return row

    async def patch_policy(
        self, caller: Caller, scope: str, named: Mapping[str, object]
    ) -> tuple[SanitizePolicy, str]:
        """Change the named classes of what a scope's policy is now; the rest stays as it is.

        A scope without a policy of its own gets one that begins with what it inherits; null puts
        a class back to its default. Raises NotFound, Forbidden, and PolicyInvalid with the field.
        """
        path = str(parse_scope(scope))
        caller.require(path, Role.ADMIN)

        async def work(tx: Tx) -> SanitizePolicy:
            await _lock(tx, path)
            rows = await tx.rows(Q.scopes.policies, paths=_upward(path))
            stored = _named(rows, "policy")
            current = next((stored[p] for p in _upward(path) if p in stored), {})
            policy = SanitizePolicy.parse(_merged(current, named))
            await tx.optional(
                Q.scopes.set_policy,
                path=path,
                policy=_dumped(policy),
                audit=audit.event(caller, "policy.set", path, fields=sorted(named)),
            )
            return policy

        policy = await self.repository.graph.write("scopes.patch_policy", work)
        self._policies.clear()
        return policy, path

    async def patch_rules(
        self, caller: Caller, scope: str, named: Mapping[str, object]
    ) -> tuple[ScopeRules, str]:
        """Change the named rules of what holds in a scope now; every other rule stays as it is.

        A scope without rules of its own gets some that begin with what it inherits; null puts a
        rule back to its default. Raises NotFound, Forbidden, and PolicyInvalid with the field.
        """
        path = str(parse_scope(scope))
        caller.require(path, Role.ADMIN)

        async def work(tx: Tx) -> ScopeRules:
            await _lock(tx, path)
            stored = _named(await tx.rows(Q.scopes.rules, paths=_upward(path)), "rules")
            current = next((stored[p] for p in _upward(path) if p in stored), {})
            rules = ScopeRules.parse(_merged(current, named))
            await tx.optional(
                Q.scopes.set_rules,
                path=path,
                rules=_dumped(rules),
                audit=audit.event(caller, "rules.set", path, fields=sorted(named)),
            )
            return rules

        rules = await self.repository.graph.write("scopes.patch_rules", work)
        self._rules.clear()
        return rules, path

    async def effective_policy(self, scope: str) -> tuple[SanitizePolicy, str | None]:
        """Return the policy that holds in a scope, and the scope that it is set on, if any."""
        stored = _named(await self.repository.policies(_upward(scope)), "policy")
        source = next((path for path in _upward(scope) if path in stored), None)
        return SanitizePolicy.parse(stored[source] if source else {}), source

    async def effective_rules(self, scope: str) -> tuple[ScopeRules, str | None]:
        """Return the rules that hold in a scope, and the scope that they are set on, if any."""
        stored = _named(await self.repository.rules(_upward(scope)), "rules")
        source = next((path for path in _upward(scope) if path in stored), None)
        return ScopeRules.parse(stored[source] if source else {}), source

    async def rules(self, scope: str) -> ScopeRules:
        """The rules of the nearest scope on the path that has some, else the defaults."""
        return (await self.rules_of([scope]))[scope]

    async def rules_of(self, scopes: Sequence[str]) -> dict[str, ScopeRules]:
        """The same of several scopes: one query for all that are not remembered, else none."""
        moment = time.monotonic()
        known = {s: kept[1] for s in scopes if (kept := self._rules.get(s)) and kept[0] > moment}
        if missing := {scope: _upward(scope) for scope in scopes if scope not in known}:
            rows = await self.repository.rules(sorted({p for up in missing.values() for p in up}))
            stored = {row["path"]: ScopeRules.parse(orjson.loads(row["rules"])) for row in rows}
            found = {s: _nearest(stored, up) for s, up in missing.items()}
            until = time.monotonic() + POLICY_SECONDS
            self._rules.update((scope, (until, rules)) for scope, rules in found.items())
            known |= found
        return known

    async def set_rules(self, caller: Caller, scope: str, rules: ScopeRules) -> Row:
        """Replace a scope's own rules; NotFound or Forbidden by the caller's role."""
        path = str(parse_scope(scope))
        caller.require(path, Role.ADMIN)
        row = await self.repository.set_rules(
            path=path, rules=_dumped(rules), audit=audit.event(caller, "rules.set", path)
        )
        self._rules.clear()
        if row is None:
            raise NotFound(f"there is no scope {path}")
        return row


def own_leaf(caller: Caller) -> str:
    """Return the path of a caller's own scope in its workspace: `demo/product/agent:scout`."""
    home = parse_scope(caller.home)
    return str(ScopePath(home.tenant, home.workspace, f"{caller.kind}:{caller.name}"))


def private_leaf(caller: Caller) -> str:
    """Return where a caller keeps what is its own: in its leaf, or in that of the user in whose
    scope it is at home."""
    at_users = parse_scope(caller.home).kind == "user"
    return caller.home if at_users else own_leaf(caller)


async def _lock(tx: Tx, path: str) -> None:
    if await tx.optional(Q.scopes.lock_scope, path=path, at=now()) is None:
        raise NotFound(f"there is no scope {path}", field="scope")


def _named(rows: Sequence[Row], name: str) -> dict[str, dict[str, object]]:
    """What each path stores under a name."""
    return {row["path"]: orjson.loads(row[name]) for row in rows}


def _merged(current: Mapping[str, object], named: Mapping[str, object]) -> dict[str, object]:
    """A JSON merge patch (RFC 7396): null takes a name out, an object is merged in its turn."""
    merged = {name: value for name, value in current.items() if named.get(name, value) is not None}
    for name, value in named.items():
        if isinstance(value, Mapping):
            inner = merged.get(name)
            merged[name] = _merged(inner if isinstance(inner, Mapping) else {}, value)
        elif value is not None:
            merged[name] = value
    return merged


def _dumped(settings: BaseModel) -> str:
    return orjson.dumps(settings.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS).decode()


def _upward(scope: str) -> list[str]:
    """The scope and what lies above it, narrowest first."""
    return [*_steps(scope)]


@lru_cache(maxsize=PATHS)
def _steps(scope: str) -> tuple[str, ...]:
    path = parse_scope(scope)
    return tuple(sorted((str(step) for step in (path, *path.ancestors)), key=len, reverse=True))


def _nearest(stored: Mapping[str, ScopeRules], upward: Sequence[str]) -> ScopeRules:
    return next((stored[path] for path in upward if path in stored), DEFAULTS)


def _row(step: ScopePath, name: str | None) -> Row:
    return {
        "path": str(step),
        "tenant": step.tenant,
        "kind": step.kind,
        "name": name or str(step).rpartition("/")[2],
        "parent": str(step.parent) if step.parent else None,
        "policy": None,
        "created_at": now(),
    }
