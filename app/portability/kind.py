"""What the portable kinds have in common: how a line becomes rows, and rows become nodes.

A kind is one value of `Kind`; app/portability/kinds.py lists them. Preparing is pure and runs in
other processes; writing runs inside one managed transaction and may run again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Literal

import orjson
from pydantic import BaseModel

from app.errors import InvalidInput, LociError
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import ScopePath, parse_scope
from app.portability.bounds import Bounds
from app.portability.reader import Reader
from app.portability.twins import followed
from app.sanitize.policy import SanitizePolicy
from app.sanitize.suspicion import Judge

Record = dict[str, Any]
CHANGED = "Changed"
CHANGED_TOLD = "it says something else than what is here under its id; what is here stays"


@dataclass(frozen=True, slots=True)
class Rules:
    """Under what a run imports.

    `target` re-roots every path. `keeps` tells that ids, provenance and times of ingestion are
    taken as they are, which only the operator may ask for; `restores` that audit events come with
    the package, so that none is written for each record. `revives` tells that what was erased here
    may come back; `derived` that the package holds what was made of its episodes. `dimension` is
    that of the vectors, 0 where the package names no model, and `judge` the classifier for them.
    `vouched` tells that authors, trust and
    tiers are taken as they are; else all of it is the importer's own word. `revises` tells that
    the lines are another program's, of which a later export says what has changed since.
    """

    run: str
    moment: datetime
    importer: str | None = None
    target: str | None = None
    keeps: bool = True
    restores: bool = False
    dimension: int = 0
    judge: Judge | None = None
    transport: str = "import"
    vouched: bool = True
    revives: bool = False
    derived: bool = False
    revises: bool = False

    @property
    def by_agent(self) -> bool:
        """Whether an agent's key imports, which asserts nothing for a user."""
        return (self.importer or "").startswith("agent:")


@dataclass(frozen=True, slots=True)
class At:
    """One record's place in a run, with what its preparation may ask."""

    rules: Rules
    line: int
    policies: Mapping[str, str]

    @property
    def moment(self) -> datetime:
        """When this record counts as taken in: in the order of the lines, a microsecond apart."""
        return self.rules.moment + timedelta(microseconds=self.line)

    def scope(self, text: str, name: str = "scope") -> str:
        """The path that a record's path becomes; InvalidInput, naming the field."""
        return rerooted(text, self.rules.target, name)

    def policy(self, scope: str) -> SanitizePolicy:
        """The sanitising policy of the nearest scope on the path that has one."""
        path = parse_scope(scope)
        for step in (path, *path.ancestors):
            if str(step) in self.policies:
                return _policy(self.policies[str(step)])
        return SanitizePolicy()

    def identifier(self, given: str, scope: str) -> str:
        """The id itself, or one that follows from it where the package is re-rooted."""
        return given if self.rules.keeps else followed(scope, given)


@lru_cache(maxsize=256)
def _policy(stored: str) -> SanitizePolicy:
    return SanitizePolicy.parse(orjson.loads(stored))


def rerooted(text: str, target: str | None, name: str = "scope") -> str:
    """`text` below `target`: a tenant takes workspaces and leaves over, a workspace leaves only."""
    path = parse_scope(text, name)
    if target is None:
        return str(path)
    root = parse_scope(target)
    workspace = root.workspace or path.workspace
    return str(ScopePath(root.tenant, workspace, path.leaf))


def check_target(target: str) -> str:
    """A tenant or workspace; InvalidInput for anything else."""
    path = parse_scope(target)
    if path.leaf is not None:
        raise InvalidInput("a package is imported into a tenant or a workspace", field="scope")
    return str(path)


@dataclass(frozen=True, slots=True)
class Reject:
    """A line that was not taken, and why; never what it says. `scope` where it could be read."""

    file: str
    line: int
    reason: str
    detail: str
    field: str | None = None
    scope: str | None = None

    @classmethod
    def of(cls, file: str, line: int, error: LociError, scope: str | None = None) -> Reject:
        """The reject of an error of ours."""
        return cls(file, line, error.code, error.detail, error.field, scope)

    def to_json(self) -> Record:
        """As it stands in the rejects file."""
        named = {"file": self.file, "line": self.line, "reason": self.reason}
        return {**named, "detail": self.detail, **({"field": self.field} if self.field else {})}


@dataclass(slots=True)
class Batch:
    """Prepared rows of one kind, and the audit events of what was refused beside them.

    `new` and `gone` are told by the kind's `lead`: rows to write, and rows that were erased here;
    so is `changed`, the lines of rows that say something else than what is known under their ids,
    which stays. `bounds` has those of each scope, for kinds that have them.
    """

    file: str
    rows: list[Row]
    rules: Rules
    refusals: list[Row] = field(default_factory=list)
    new: list[Row] = field(default_factory=list)
    gone: list[Row] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)

    def told(self, rows: Sequence[Row]) -> list[Reject]:
        """What is told of rows that say something else than what is here, by their places."""
        lines = set(self.changed)
        return [
            Reject(self.file, row["line"], CHANGED, CHANGED_TOLD, None, row["scope"])
            for row in rows
            if row["line"] in lines
        ]


@dataclass(slots=True)
class Written:
    """What became of a batch: lines that were there already, lines refused at the graph, and how
    many were left out beside what the tenant has in their place; lines that brought what is known
    up to date, and those that say something else than what is known, which stays."""

    accepted: int = 0
    duplicates: int = 0
    rejects: list[Reject] = field(default_factory=list)
    left: int = 0
    updated: int = 0
    changed: list[Reject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Selection:
    """What an export takes: scopes, vectors or not, and of which of them audit, principals and what
    is guarded come along."""

    scopes: list[str]
    vectors: bool = False
    audited: list[str] = field(default_factory=list)
    tenants: list[str] = field(default_factory=list)


State = Literal["same", "updated", "changed"]
Prepare = Callable[[Any, At], Row]
Known = Callable[[Reader, list[Row], Rules], Awaitable[dict[int, State]]]
Lead = Callable[[Tx, Batch], Awaitable[None]]
Write = Callable[[Tx, Batch], Awaitable[Written]]
Export = Callable[[Graph, Selection], AsyncIterator[Record]]


def itself(record: Record) -> Record:
    """The projection of a kind all of which counts."""
    return record


@dataclass(frozen=True, slots=True)
class Kind:
    """One portable kind.

    `prepare` gives a row with at least `line`, `scopes` (every path it needs) and `scope`; it
    raises a LociError for a record that is refused. `counted` is what the digest covers, or for
    kinds of the `trail` the digest of that.
    `trusted` kinds are taken from the operator only, `derived` ones where the run restores them;
    `serial` ones are written one batch at a time, since their rows share nodes. A `lead` writes
    the nodes that rows share with other batches in a short transaction of its own, so that no
    batch waits for the whole of another; constraints answer for what came in between. `known`
    tells by line what is here already: that says the same, would be brought up to date, or says
    something else and stays. Where a kind `fits` rows into the bounds of their scopes, it raises
    a LociError for a row that is too large; what is restored is not bounded. Of a kind with a
    `whole`, which tells by the strings of a record what it belongs to, lines that belong together
    are taken in one transaction or not at all; its rows hold the same under `whole`.
    """

    name: str
    file: str
    model: type[BaseModel]
    prepare: Prepare
    write: Write
    export: Export
    counted: Callable[[Record], Record] = itself
    trusted: bool = False
    derived: bool = False
    serial: bool = False
    trail: bool = False
    lead: Lead | None = None
    batch: int = 500
    known: Known | None = None
    fits: Callable[[Row, Bounds], None] | None = None
    whole: Callable[[Mapping[str, str], At], str | None] | None = None


def unfit(kind: Kind, file: str, rows: Sequence[Row], bounds: Mapping[str, Bounds]) -> list[Reject]:
    """Return the rejects of the rows that are too large for their scopes."""
    if kind.fits is None or not bounds:
        return []
    rejects = []
    for row in rows:
        try:
            kind.fits(row, bounds[row["scope"]])
        except LociError as error:
            rejects.append(Reject.of(file, row["line"], error, row["scope"]))
    return rejects


def cleaned(record: Record) -> Record:
    """Without what is None or empty: the canonical form of a record."""
    return {k: v for k, v in record.items() if v is not None and v != [] and v != {} and v != ()}
