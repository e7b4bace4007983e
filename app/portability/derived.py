"""What the kinds of the derived graph share.

A scope's derived graph is restored as a whole or not at all: the run holds the scope's cursor, and
only where there was none before. Everywhere else the episodes are read anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from app.errors import InvalidInput, LociError
from app.kernel.clock import FOREVER, open_end
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row, Tx
from app.kernel.labelled import ENDS
from app.kernel.scope import parse_scope
from app.lifecycle.graves import graves
from app.portability.kind import At, Batch, Record, Reject, Rules, Written
from app.portability.writing import event_of
from app.sanitize.labels import clean_tags
from app.sanitize.step import Sanitized, sanitize

PAGE = 500
HELD_FOR = timedelta(days=1)  # a run that was killed and is not repeated lets go after a day
# What counts how a memory was used; a package holds none of it.
COUNTERS = ("last_access", "recalled", "injected", "useful", "trust_bonus")


def closed(properties: Row, *names: str) -> Row:
    """Open ends as the graph holds them."""
    return {**properties, **{name: properties.get(name) or FOREVER for name in names}}


def opened(row: Row) -> Row:
    """Open ends as a package holds them: not at all."""
    return {k: open_end(v) if k in ENDS else v for k, v in row.items()}


def clean(text: str, field: str, scope: str, at: At) -> str:
    """The text as it may be stored in a scope; what refuses it names the field."""
    return sanitized(text, field, scope, at).text


def sanitized(text: str, field: str, scope: str, at: At) -> Sanitized:
    """Return a text as it may be stored in a scope, and what was found; what refuses it names the
    field."""
    try:
        return sanitize(text, at.policy(scope))
    except LociError as error:
        error.field = field
        raise


def clean_tags_of(tags: Iterable[str], scope: str, at: At) -> tuple[str, ...]:
    """The tags as they may be stored in a scope; what may not be kept is cut from them."""
    return clean_tags(tags, at.policy(scope), strict=False)


def rest(node: Row, known: Iterable[str]) -> Record:
    """Properties beyond the known ones that a package can hold; moments as text."""
    unsaid = {*known, *COUNTERS}
    kept = {k: v for k, v in node.items() if k not in unsaid and v is not None}
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in kept.items()}


def unrest(stats: Record, known: Iterable[str] = ()) -> Row:
    """The reverse of `rest`, with the same known names: what ends in `_at` is a moment.

    A known name is left out, since a record must not say beside its fields what these decide, its
    scope above all. InvalidInput (`stats`) for what is no moment.
    """
    said = {*known, *COUNTERS}
    return {k: _moment(k, v) for k, v in stats.items() if k not in said}


def _moment(name: str, value: Any) -> Any:
    if not name.endswith("_at") or not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError(name)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(f"{name} is no moment with a time zone", field="stats") from None


async def held(tx: Tx, batch: Batch) -> set[str]:
    """Scopes of a batch whose derived graph this run restores."""
    if not batch.rules.derived:
        return set()
    scopes = sorted({row["scope"] for row in batch.rows})
    rows = await tx.rows(Q.restoring.held_by, scopes=scopes, run=batch.rules.run)
    return {row["scope"] for row in rows}


async def write_events(tx: Tx, rules: Rules, kind: str, rows: list[Row]) -> None:
    """One event a scope about new rows, tied to the scope; none where audit is restored."""
    if rules.restores:
        return
    by_scope: dict[str, list[str]] = {}
    for row in rows:
        by_scope.setdefault(row["scope"], []).append(row["subject"])
    events = [event_of(rules, scope, kind, found) for scope, found in sorted(by_scope.items())]
    if events:
        await tx.rows(Q.restoring.tie_events, rows=events)


async def write_new(tx: Tx, batch: Batch, kind: str, query: Query) -> Written:
    """Rows through a query that returns the lines of those that are new, by their subjects."""
    unique = {row["subject"]: row for row in reversed(batch.rows)}
    rows = [unique[subject] for subject in sorted(unique)]
    made = {row["line"] for row in await tx.rows(query, rows=rows)}
    batch.new = [row for row in rows if row["line"] in made]
    await write_events(tx, batch.rules, kind, batch.new)
    return Written(accepted=len(batch.new), duplicates=len(batch.rows) - len(batch.new))


async def write_unburied(tx: Tx, batch: Batch, kind: str, query: Query) -> Written:
    """The same for those that were not erased here."""
    gone = await buried(tx, batch.rules, batch.rows)
    kept = Batch(batch.file, [r for r in batch.rows if r["line"] not in gone], batch.rules)
    done = await write_new(tx, kept, kind, query=query) if kept.rows else Written()
    done.duplicates = len(batch.rows) - done.accepted
    batch.new = kept.new
    return done


async def write_restored(tx: Tx, batch: Batch, kind: str, query: Query) -> Written:
    """The same for what only scopes take in that this run restores."""
    scopes = await held(tx, batch)
    gone = await buried(tx, batch.rules, batch.rows)
    kept = [r for r in batch.rows if r["scope"] in scopes and r["line"] not in gone]
    taken = Batch(batch.file, kept, batch.rules)
    if not taken.rows:
        return Written(duplicates=len(batch.rows))
    done = await write_new(tx, taken, kind, query)
    done.duplicates = len(batch.rows) - done.accepted
    return done


async def buried(tx: Tx, rules: Rules, rows: Iterable[Row]) -> set[int]:
    """The lines of rows that were erased here, by `graves` where a row has them, else its id.

    What follows from a text has the same id each time that it is said, so that what was `said`
    after its erasure is not erased; that counts only where the run keeps moments as they are.
    """
    if rules.revives:
        return set()
    named = {row["line"]: row.get("graves") or [row.get("id") or ""] for row in rows}
    found = await graves(tx, {value for values in named.values() for value in values})
    return {
        row["line"]
        for row in rows
        for tenant, at in (found[value] for value in named[row["line"]] if value in found)
        if tenant == parse_scope(row["scope"]).tenant
        and not (rules.keeps and row.get("said") is not None and row["said"] > at)
    }


def missing(batch: Batch, row: Row, detail: str) -> Reject:
    """The reject of a row that refers to what is not there."""
    return Reject(batch.file, row["line"], "NotFound", detail, "episode", row["scope"])


async def finish(graph: Graph, rules: Rules) -> None:
    """Let go of every scope that the run restored, once what came incomplete is due again."""
    for row in await graph.rows(Q.restoring.all_held, run=rules.run):
        await _let_go(graph, row["scope"], rules.run)


async def release(graph: Graph, scope: str) -> str | None:
    """Let go of a scope that a run which ended holds; the id of the run, None where none does.

    A run that lives on takes no more of the scope. Episodes whose facts did not come are for the
    caller to have read anew.
    """
    found = await graph.optional(Q.restoring.restored_by, scope=scope)
    if found is None:
        return None
    run: str = found["run"]
    await _let_go(graph, scope, run)
    return run


async def _let_go(graph: Graph, scope: str, run: str) -> None:
    after = ""
    while found := await graph.rows(Q.restoring.check_facts, scope=scope, after=after, limit=PAGE):
        after = max(fact["id"] for fact in found)
    await graph.rows(Q.restoring.release, scope=scope, run=run)
