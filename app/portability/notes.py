"""Notes that another program's later export brings up to date; `labelled.py` does the rest."""

from __future__ import annotations

from collections.abc import Sequence

from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.notes.kind import NOTE as DECLARED
from app.notes.model import MADE as NEVER_WRITTEN
from app.notes.model import Namespace
from app.portability.derived import buried, write_events, write_new
from app.portability.kind import Batch, Rules, State, Written
from app.portability.labelled import portable
from app.portability.reader import Reader

TEXT = (
    "content", "content_hash", "title", "language", "terms", "about_terms", "context_terms", "pii",
    "marker_ids", "privacy", "sanitizer", "metadata",
)  # fmt: skip


async def known(reader: Reader, rows: Sequence[Row], rules: Rules) -> dict[int, State]:
    """Return which notes are here by their ids.

    A later export of another program may say that one has ended since, or give it another text
    than it has and ever had here. Both are taken where the note still holds here, and nobody has
    changed it here.
    """
    asked = [_asked(row) for row in rows]
    found = {row["line"]: row for row in await reader.rows(Q.restoring.known_notes, rows=asked)}
    return {
        row["line"]: _state(row, found[row["line"]], rules) for row in rows if row["line"] in found
    }


def _asked(row: Row) -> Row:
    properties = row["properties"]
    return {"line": row["line"], "id": row["id"], "content": properties["content"]}


def _state(row: Row, here: Row, rules: Rules) -> State:
    own = row["properties"]
    ended = own["valid_to"] < here["valid_to"]
    is_foreign = rules.revises and own["namespace"] not in NEVER_WRITTEN
    is_older = own["ingested_at"] < here["ingested_at"] or (
        row["changed_at"] is not None and row["changed_at"] < here["updated_at"]
    )  # an export of before the one that is here
    if not is_foreign or here["scope"] != row["scope"] or not (here["is_new"] or ended):
        return "same"
    may = here["holds"] and not here["is_edited"] and (ended or not is_older)
    return "updated" if may else "changed"


async def _brought_up(tx: Tx, batch: Batch, rows: list[Row]) -> set[str]:
    """Give notes the text and the end that a later export has of them; their former texts stay.
    They say so since the export says, or since now. The ids of those that nobody has changed or
    forgotten meanwhile.

    Since when the end is known no export says that does not say since when: then it is now.
    """
    rows = sorted({row["id"]: row for row in rows}.values(), key=lambda row: str(row["id"]))
    given = []
    for row in rows:
        own = row["properties"]
        told = own["superseded_at"] > own["ingested_at"]
        since = own["superseded_at"] if told else batch.rules.moment
        text = {name: own[name] for name in TEXT if name in own}
        ends = {"valid_to": own["valid_to"], "superseded_at": since, "standing": own["standing"]}
        given.append(
            {
                "id": row["id"],
                "scope": row["scope"],
                "changed_at": row["changed_at"],
                "text": text,
                "ends": ends,
                "live": own["live"],
            }
        )
    done = await tx.rows(Q.restoring.revise_notes, rows=given, at=batch.rules.moment)
    brought = {row["id"] for row in done}
    await write_events(tx, batch.rules, "note", [row for row in rows if row["id"] in brought])
    return brought


async def write(tx: Tx, batch: Batch) -> Written:
    """Write notes that are new and were not erased here, by id; those that are here are brought up
    to date where another program's later export says so.

    One that says of itself that it is made of facts stays only if those facts say it.
    """
    states = await known(tx, batch.rows, batch.rules) if batch.rules.revises else {}
    batch.changed = [line for line, state in states.items() if state == "changed"]
    updates = [row for row in batch.rows if states.get(row["line"]) == "updated"]
    brought = await _brought_up(tx, batch, updates) if updates else set[str]()
    batch.changed += [row["line"] for row in updates if row["id"] not in brought]
    done = await _write_new(tx, batch)
    done.updated = sum(row["id"] in brought for row in updates)
    done.changed = batch.told(batch.rows)
    done.duplicates -= done.updated + len(done.changed)
    return done


async def _write_new(tx: Tx, batch: Batch) -> Written:
    gone = await buried(tx, batch.rules, batch.rows)
    kept = Batch(batch.file, [r for r in batch.rows if r["line"] not in gone], batch.rules)
    done = await write_new(tx, kept, "note", query=DECLARED.restore) if kept.rows else Written()
    made = [r for r in kept.rows if r["properties"]["namespace"] == Namespace.DERIVED]
    if made:
        ids, scopes = [r["id"] for r in made], sorted({r["scope"] for r in made})
        done.accepted -= len(await tx.rows(Q.condensed.unfounded, ids=ids, scopes=scopes))
    done.duplicates = len(batch.rows) - done.accepted
    return done


NOTE = portable(DECLARED, write, known)
