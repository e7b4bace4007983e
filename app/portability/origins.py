"""What notes are copies of: a learning that was shared upward, an entry that was promoted.

A copy lies in a wider scope than its original, which may come later than it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import Field

from app.kernel.cypher import Q
from app.kernel.fields import Id, Path, Unit
from app.kernel.graph import Graph, Row, Tx
from app.kernel.wire import Moment, WireModel
from app.portability.derived import PAGE, write_new
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned


class NoteOriginRecord(WireModel):
    """The note that another one is a copy of, and goes with where that is erased."""

    scope: Path = Field(description="Where the copy lies.")
    note: Id
    other: Id
    other_scope: Path | None = Field(
        None, description="Where the original lies; unset where it did not come along."
    )
    quality: Unit | None = Field(None, description="How good the original was then.")
    at: Moment | None = Field(None, description="When the copy was made.")


def prepare(record: NoteOriginRecord, at: At) -> Row:
    """One edge. Where the package is moved and its original did not come along, nothing tells which
    note that is here: it is tied to none."""
    scope = at.scope(record.scope)
    there = at.scope(record.other_scope, "other_scope") if record.other_scope else None
    note = at.identifier(record.note, scope)
    is_told = there is not None or at.rules.keeps
    other = at.identifier(record.other, there or scope) if is_told else None
    properties = record.model_dump(include={"quality", "at"}, exclude_none=True)
    return {
        "line": at.line,
        "scope": scope,
        "scopes": [scope, *([there] if there else [])],
        "subject": f"{note} {other}",
        "note": note,
        "other": other,
        "other_scope": there,
        "properties": properties,
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """Write the edges that are new, of notes that are both there."""
    return await write_new(tx, batch, "note_origin", query=Q.notes.restore_origins)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Yield every edge, by the scope and the id of the copy."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.notes.export_origins, scopes=[scope], among=chosen.scopes, after=after, limit=PAGE
        ):
            for row in page:
                for origin in row["origins"]:
                    yield cleaned({"scope": row["scope"], "note": row["id"], **origin})
            after = page[-1]["id"]


def counted(record: Record) -> Record:
    """An edge counts where both of its ends come along."""
    return record if record.get("other_scope") else {}


ORIGIN = Kind(
    "note_origin",
    "note_origins.jsonl",
    NoteOriginRecord,
    prepare,
    write,
    export,
    counted,
    serial=True,
)
