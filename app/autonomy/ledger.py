"""Reading and writing values of one kind: under a lock, as a new version, with an audit event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from app.autonomy.authored import LOCI, Authored
from app.errors import InvalidInput, NotFound, VersionMismatch
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.kind import Kind, Stored
from app.kernel.scope import parse_scope
from app.sanitize.aside import sanitize_tree_aside
from app.scopes.service import ScopeService

S = TypeVar("S", bound=Stored)
A = TypeVar("A", bound=Authored)
PAGE = 100  # values that one step of a check looks at


class Ledger(Generic[S]):
    """The values of one kind."""

    def __init__(self, graph: Graph, scopes: ScopeService, kind: Kind[S]) -> None:
        self.graph = graph
        self.kind = kind
        self._scopes = scopes

    async def find(self, caller: Caller, identifier: str) -> S:
        """Return a value that the caller sees; NotFound."""
        found = await self.graph.many(
            Q.autonomy.find,
            self.kind.struct,
            ids=[identifier],
            kind=self.kind.name,
            scopes=caller.visible,
        )
        if not found:
            raise self.missing(identifier)
        return found[0]

    async def writable(self, caller: Caller, identifier: str, role: Role = Role.WRITER) -> S:
        """Return a value that the caller may change; NotFound, Forbidden."""
        value = await self.find(caller, identifier)
        caller.require(value.scope, role)
        return value

    async def locked(self, tx: Tx, scopes: list[str], identifier: str) -> S:
        """Return a value with its lock held; NotFound."""
        found = await tx.many(
            Q.autonomy.lock,
            self.kind.struct,
            ids=[identifier],
            kind=self.kind.name,
            scopes=scopes,
            at=now(),
        )
        if not found:
            raise self.missing(identifier)
        return found[0]

    async def store(self, tx: Tx, who: Caller, value: S, **told: Any) -> None:
        """Write a value that is new, and tell of it."""
        await tx.rows(Q.kinds.restore, rows=[self.kind.new(value)])
        await self.tell(tx, who, "create", value, **told)

    async def save(self, tx: Tx, value: S) -> None:
        """Write a value whose lock is held."""
        await tx.rows(Q.kinds.change, rows=[self.kind.row(value)])

    async def tell(self, tx: Tx, who: Caller, done: str, value: S, **told: Any) -> None:
        """Write the audit event of a change."""
        event = audit.event(who, f"{self.kind.name}.{done}", value.scope, value=value.id, **told)
        await tx.rows(Q.autonomy.tell, events=[{**event, "target": value.id}])

    async def place(self, caller: Caller, scope: str | None) -> str:
        """Return the scope of a new value, the key's home by default; NotFound, Forbidden."""
        return caller.require(str(parse_scope(scope or caller.home)), Role.WRITER)

    async def clean(self, texts: Row, scope: str) -> Row:
        """Return values as they may be stored; what refuses one names its field."""
        policy = await self._scopes.policy(scope)
        clean = {name: await sanitize_tree_aside(t, policy, name) for name, t in texts.items()}
        for name, text in clean.items():
            if isinstance(text, str) and not text.strip():
                raise InvalidInput("nothing is left of it once sanitised", field=name)
        return clean

    def missing(self, identifier: str) -> NotFound:
        """Return the error for what is not there or not seen."""
        word = self.kind.name.replace("_", " ")
        return NotFound(f"there is no {word} {identifier}", field="id")


async def lock_scope(tx: Tx, scope: str) -> None:
    """Hold the lock of a scope, so that it is not deleted meanwhile; NotFound."""
    if await tx.optional(Q.autonomy.lock_scope, scope=scope, at=now()) is None:
        raise NotFound(f"there is no scope {scope}", field="scope")


async def revise(ledger: Ledger[A], tx: Tx, who: Caller, held: A, done: tuple[str, Row, Row]) -> A:
    """Store a changed value, whose lock is held, under its next version; tell of it.

    `done` is the name of the change, the fields that it sets, and what its audit event tells.
    """
    name, update, told = done
    fields = {"changed_at": now(), **update}
    fields |= {"version": held.version + 1, "changed_by": who.principal}
    made = type(held).model_validate({**dict(held), **fields})
    await ledger.save(tx, made)
    await ledger.tell(tx, who, name, made, version=made.version, **told)
    return made


def written_by(who: str, texts: Row) -> Row:
    """Return what a new value says of its making: its texts, who wrote them, and when."""
    at = now()
    return {
        **texts,
        "created_at": at,
        "created_by": who,
        "changed_at": at,
        "changed_by": who,
        "writers": dict.fromkeys(texts, who),
    }


def texts_of(held: A, fields: Row, by: str) -> Row:
    """Return those of the fields that change something, and who has written them."""
    changed = {name: value for name, value in fields.items() if getattr(held, name) != value}
    written = dict.fromkeys(changed.keys() & {*held.texts}, by)
    return {**changed, "writers": {**held.writers, **written}} if changed else {}


def check(held: Authored, expected: int | None) -> None:
    """Raise VersionMismatch where the version is another one than expected."""
    if expected is not None and expected != held.version:
        raise VersionMismatch(f"it has version {held.version}", field="If-Match")


async def each(
    page: Callable[[str], Awaitable[list[S]]], settle: Callable[[S], Awaitable[None]]
) -> None:
    """Settle every value of some pages; `page` gives those after an id, in the order of ids."""
    after = ""
    while found := await page(after):
        for value in found:
            await settle(value)
        after = found[-1].id


def of_loci(scope: str, request: str) -> Caller:
    """Return who acts where a schedule does; `request` is the receipt of the run."""
    tenant = scope.partition("/")[0]
    return Caller(
        principal=LOCI,
        kind="system",
        name=LOCI,
        tenant=tenant,
        home=scope,
        key="",
        roles={scope: Role.CURATOR},
        request=request,
    )
