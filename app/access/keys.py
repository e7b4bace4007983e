"""API keys: minted once, stored as a hash, resolved to a Caller.

A key reads ``loci_<id>_<secret>``. The secret has 256 bits, so its plain SHA-256 is safe to
store: there is nothing to guess.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from app.access.repository import AccessRepository
from app.errors import Forbidden, Unauthenticated
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.scope import parse_scope

KEY = re.compile(r"loci_([0-9a-f]{12})_([A-Za-z0-9_-]{43})\Z")
CACHE_SIZE = 4096
SEEN_EVERY = timedelta(hours=1)
SHELL = "cli"  # in the place of a key's id: whoever runs the command line on this machine


@dataclass(frozen=True, slots=True)
class MintedKey:
    """A new key: `text` is shown once and never stored."""

    id: str
    text: str
    hash: str
    prefix: str


def mint() -> MintedKey:
    """A fresh key."""
    identifier = secrets.token_hex(6)
    text = f"loci_{identifier}_{secrets.token_urlsafe(32)}"
    return MintedKey(identifier, text, hash_key(text), f"loci_{identifier}")


def asked_by(caller: Caller, role: Role | None = None) -> dict[str, Any]:
    """Who asks for a job, as its argument: ids, never rights; and the role in the job's scope that
    it takes when it runs too, where the task itself does not look."""
    asked = {"principal": caller.principal, "key": caller.key, "request": caller.request}
    return asked if role is None else asked | {"role": role.label}


def hash_key(text: str) -> str:
    """SHA-256 (hex) of the whole key."""
    return hashlib.sha256(text.encode()).hexdigest()


class KeyRing:
    """Resolves keys to callers and remembers each answer for a moment.

    A process trusts its memory for `seconds` at most; a change of access made in this process is
    seen at once (`forget`), one made in another within that time.
    """

    def __init__(self, repository: AccessRepository, seconds: float) -> None:
        self._repository = repository
        self._seconds = seconds
        self._known: dict[str, tuple[float, Caller]] = {}

    async def resolve(self, text: str) -> Caller:
        """The caller behind a key; Unauthenticated where it is unknown, expired or revoked."""
        if not KEY.match(text):
            raise Unauthenticated("the API key is malformed")
        digest = hash_key(text)
        known = self._known.get(digest)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        row = await self._repository.resolve_key(digest)
        if row is None or not _valid(row):
            raise Unauthenticated("the API key is unknown, expired or revoked")
        caller = to_caller(row)
        await self._touch(row)
        if len(self._known) >= CACHE_SIZE:
            self._known.clear()
        self._known[digest] = (time.monotonic() + self._seconds, caller)
        return caller

    async def asker(self, asked_by: Mapping[str, Any]) -> Caller:
        """The caller who asked for a job, with the rights of now; takes what `asked_by` gave.

        Raises Forbidden where its key is revoked or expired, or its principal retired: what it
        asked for is not done.
        """
        row = await self._repository.resolve_asker(asked_by["key"], asked_by["principal"])
        if row is None or not _valid(row):
            raise Forbidden("the key that asked for this job is revoked or expired")
        return replace(to_caller(row), request=asked_by.get("request", ""))

    async def still_may(self, scope: str, args: Mapping[str, Any]) -> None:
        """Whether who asked for a job in a scope may have it done by now; Forbidden or NotFound
        where the key is revoked or has lost the role. Nobody asks for what Loci does by itself."""
        asked = args.get("caller") or {}
        if asked.get("key", SHELL) != SHELL:
            caller = await self.asker(asked)
            if role := asked.get("role"):
                caller.require(scope, Role.named(role))

    async def _touch(self, row: dict[str, Any]) -> None:
        """Note that the key is in use: one write a key and hour."""
        moment, last = now(), row["last_used_at"]
        if last is None or last < moment - SEEN_EVERY:
            await self._repository.touch_key(row["key"], moment)

    def forget(self) -> None:
        """Drop every remembered answer: called after each change of access."""
        self._known.clear()


def _valid(row: dict[str, Any]) -> bool:
    expires = row["expires_at"]
    return (
        row["revoked_at"] is None
        and row["retired_at"] is None
        and (expires is None or expires > now())
    )


def to_caller(row: dict[str, Any]) -> Caller:
    """A caller from a resolved key: its home with the ancestors (as a reader), and its grants."""
    ceiling = Role.named(row["role"])
    roles: dict[str, Role] = {}
    trees: set[str] = set()
    home = ""
    for grant in row["grants"]:
        held = min(ceiling, Role.named(grant["role"]))
        for path in (grant["path"], *grant["below"]):
            roles[path] = max(held, roles.get(path, held))
        if grant["subtree"] and held is Role.ADMIN:
            trees.add(grant["path"])
        if grant["home"]:
            home = grant["path"]
            # A team's leaf that was granted opens the leaf, not the workspace around it.
            for ancestor in parse_scope(home).ancestors:
                roles.setdefault(str(ancestor), Role.READER)
    return Caller(
        principal=row["principal"],
        kind=row["kind"],
        name=row["name"],
        tenant=row["tenant"],
        home=home,
        key=row["key"],
        roles=roles,
        trees=frozenset(trees),
        rate_per_minute=row["rate_per_minute"] or 0,
    )
