"""Kinds that their slices declare, in a package: one engine for all of them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.kind import Kind as Declared
from app.kernel.kind import Stored
from app.portability.derived import buried, write_unburied
from app.portability.episodes import author_of
from app.portability.kind import At, Batch, Kind, Record, Reject, Selection, Written, cleaned
from app.portability.twins import Given, Twins, twins
from app.sanitize.fields import redact_fields
from app.sanitize.tree import sanitize_tree

# A digest, whole or its first half, and a UUID.
OWN = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\Z")
PAGE = 25  # values read at once: one may have megabytes


def portable(kind: Declared[Any]) -> Kind:
    """Return the portable kind of a declared one. Its records are the structs themselves."""
    return Kind(
        kind.name,
        kind.file,
        kind.struct,
        partial(prepare, kind),
        partial(write, kind),
        partial(export, kind),
        serial=True,
        batch=100,
    )


@dataclass(frozen=True, slots=True)
class Moved:
    """What it takes to prepare a record again once it is known what of it is here already."""

    record: Stored
    policies: Mapping[str, str]
    given: frozenset[Given]


def prepare(kind: Declared[Any], record: Stored, at: At, same: Twins | None = None) -> Row:
    """Return the row of a record: in its scope here, sanitised, its principals those of this
    tenant, under the id that follows, or the one that is the `same` here. It stays away where it or
    what it refers to was erased."""
    scope = at.scope(record.scope)
    given: set[Given] = set()

    def place(identifier: str, scope: str, *, older: bool = False) -> tuple[str, str]:
        there = at.scope(scope)
        if there == at.scope(record.scope):  # of no other scope may an import ask what is there
            given.add(Given(identifier, scope, there))
        if same and (identifier, scope) in same:
            return same[identifier, scope], there
        here = at.identifier(identifier, there)
        return (here if older else unique(here, there)), there

    policy = at.policy(scope)
    clean = {name: getattr(record, name) for name in kind.sanitised}
    clean |= {name: redact_fields(clean[name], policy, name) for name in kind.secretive}
    clean = {name: sanitize_tree(value, policy, name) for name, value in clean.items()}
    here = record.relocated(place).renamed(lambda who: author_of(who, scope, at))
    identifier, _ = place(record.id, record.scope)
    value = kind.placed(here.model_copy(update={**clean, "scope": scope, "id": identifier}))
    row = {
        **kind.new(value, at.line),
        "subject": value.id,
        "scopes": [scope],
        "graves": [i for i in (value.id, record.id, value.refers(), record.refers()) if i],
        "said": getattr(record, kind.changed) if kind.changed else None,
    }
    return row if at.rules.keeps else row | {"moved": Moved(record, at.policies, frozenset(given))}


async def at_home(kind: Declared[Any], tx: Tx, batch: Batch) -> list[Row]:
    """Return the rows of a batch that may be new; of a package that is moved, with the ids that
    things have which are here already, and without those that are: what goes by the name of whoever
    made it is no second one of whoever takes it in."""
    moved: dict[int, Moved] = {row["line"]: row["moved"] for row in batch.rows if "moved" in row}
    if not moved:
        return batch.rows
    given = {one for each in moved.values() for one in each.given}
    same = await twins(tx, batch.rules.run, given)
    rows = []
    for row in batch.rows:
        again = moved[row["line"]]
        if (again.record.id, again.record.scope) in same:
            continue
        if any((one.id, one.source) in same for one in again.given):
            at = At(batch.rules, row["line"], again.policies)
            row = prepare(kind, again.record, at, same)
        rows.append({name: value for name, value in row.items() if name != "moved"})
    return rows


def unique(identifier: str, scope: str) -> str:
    """Return the id of a declared node: one of our own form as it is, any other, which somebody
    else may have written too, as one that follows from it and the scope."""
    return identifier if OWN.match(identifier) else digest("import", scope, identifier)[:32]


async def write(kind: Declared[Any], tx: Tx, batch: Batch) -> Written:
    """Write what is new, was not erased here, and has the whole that it is a part of."""
    given = len(batch.rows)
    batch = Batch(batch.file, await at_home(kind, tx, batch), batch.rules)
    wholes = {row["properties"]["whole"] for row in batch.rows} - {None}
    present = await tx.rows(Q.kinds.present, ids=sorted(wholes))
    lost = wholes - {row["id"] for row in present}
    gone = await buried(tx, batch.rules, batch.rows)
    kept = Batch(
        batch.file, [r for r in batch.rows if r["properties"]["whole"] not in lost], batch.rules
    )
    done = await write_unburied(tx, kept, kind.name, query=Q.kinds.restore)
    done.rejects += [
        Reject(batch.file, row["line"], "NotFound", "what it is a part of is not there", "id")
        for row in batch.rows
        if row["properties"]["whole"] in lost and row["line"] not in gone
    ]
    done.duplicates = given - done.accepted - len(done.rejects)
    return done


async def export(kind: Declared[Any], graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Yield every value of the kind, by scope and id."""
    for scope in chosen.audited if kind.guarded else chosen.scopes:
        after = ""
        while page := await graph.many(
            Q.kinds.page, kind.struct, scope=scope, kind=kind.name, after=after, limit=PAGE
        ):
            for value in page:
                yield cleaned(value.model_dump())
            after = page[-1].id
