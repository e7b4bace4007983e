"""Notes, core blocks and patterns of failure in a package."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from app.episodes.record import tag_rows
from app.facts.claim import Tier
from app.indexing.entry import LIVE, time_key
from app.kernel.clock import FOREVER
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.lifecycle.model import buried_block
from app.notes import record as rows_of
from app.notes.condensed import AUTHOR
from app.notes.memories import sentence_hash
from app.notes.model import MADE as NEVER_WRITTEN
from app.notes.model import Draft, Namespace
from app.portability import metadata
from app.portability.derived import (
    PAGE,
    buried,
    clean,
    clean_tags_of,
    closed,
    opened,
    privacy_in,
    rest,
    unrest,
    write_events,
    write_new,
    write_unburied,
)
from app.portability.episodes import author_of
from app.portability.kind import (
    At,
    Batch,
    Kind,
    Reader,
    Record,
    Rules,
    Selection,
    State,
    Written,
    cleaned,
)  # fmt: skip
from app.portability.note_records import BlockRecord, NoteLinkRecord, NoteRecord, PatternRecord
from app.sanitize.privacy import highest, number
from app.sanitize.privacy import named as level_named
from app.sanitize.step import SANITIZER_VERSION

FOUND = ("held", "superseded")  # what the indexes hold; the rest waits or was rejected
PLAIN = (
    "id", "scope", "namespace", "entry_type", "content", "title", "tags", "author", "tier",
    "standing", "reason", "valid_from", "valid_to", "superseded_at", "confidence",
    "confirmations", "version", "updated_at", "ingested_at", "expired_at", "importance", "trust",
    "is_pinned", "pii", "subject", "cluster", "model",
)  # fmt: skip
MADE = (
    "tenant", "content_hash", "marker_ids", "sanitizer", "windows", "memory_id", "kind", "session",
    "role", "live", "captured_at", "captured_key", "ingested_key", "expired_key", "facets",
    "language", "terms", "about_terms", "context_terms", "index_state", "index_rev",
    "index_error", "embedding", "embed_hash", "embedding_b", "embed_hash_b", "embedding_c",
    "embed_hash_c", "touched_at", "cited", "flags", "judged_by", "judged_hash", "privacy",
    "metadata",
)  # fmt: skip
TEXT = (
    "content", "content_hash", "title", "language", "terms", "about_terms", "context_terms", "pii",
    "marker_ids", "privacy", "sanitizer", "metadata",
)  # fmt: skip
BLOCK_PLAIN = (
    "scope", "kind", "content", "author", "version", "ingested_at", "updated_at", "expired_at",
)  # fmt: skip
PATTERN_PLAIN = ("scope", "content", "reason", "author", "count", "ingested_at", "expired_at")


def prepare(record: NoteRecord, at: At) -> Row:
    """A note with its index entry, its former texts, its tags, and what it was made from."""
    scope = at.scope(record.scope)
    record = record.model_copy(update={"tags": clean_tags_of(record.tags, scope, at)})
    identifier = at.identifier(record.id, scope)
    versions = [
        {
            "id": rows_of.version_id(identifier, former.version),
            "note": identifier,
            "scope": scope,
            "content": clean(former.content, "versions", scope, at),
            "version": former.version,
            "recorded_at": former.recorded_at,
            "retracted_at": former.retracted_at or FOREVER,
        }
        for former in record.versions
    ]
    return {
        "line": at.line,
        "scope": scope,
        "subject": identifier,
        "scopes": [scope],
        "id": identifier,
        "graves": [identifier, record.id],
        "said": record.ingested_at,
        "changed_at": record.updated_at,
        "moved": not at.rules.keeps,
        "searchable": record.standing in FOUND,
        "properties": _properties(record, identifier, scope, at),
        "versions": versions,
        "tags": tag_rows(scope, record.tags),
        "sources": [{"kind": s.kind, "id": at.identifier(s.id, scope)} for s in record.sources],
    }


def _properties(record: NoteRecord, identifier: str, scope: str, at: At) -> Row:
    text = clean(record.content, "content", scope, at)
    title = clean(record.title, "title", scope, at) if record.title else None
    made_here = Namespace(record.namespace) in NEVER_WRITTEN
    author = AUTHOR if made_here else author_of(record.author, scope, at)
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    tenant, tier = parse_scope(scope).tenant, Tier(record.tier)
    if tier is Tier.USER and at.rules.by_agent:
        tier = Tier.QUOTED
    stamp = rows_of.Stamp(identifier, scope, tenant, author, tier, record.valid_from, taken)
    draft = Draft(text, Namespace(record.namespace), title=title, tags=record.tags)
    made = rows_of.indexed(draft, text, stamp, live=record.standing == "held")
    expired = record.expired_at or FOREVER
    if expired < FOREVER:
        made["live"] = False
        made["facets"] = [token for token in made["facets"] if token != LIVE]
    own = record.model_dump(
        exclude={"versions", "sources", "stats", "markers", "privacy", "scope", "id", "metadata"},
        exclude_none=True,
    )
    own["tier"] = int(tier)
    return {
        **made,
        **unrest(record.stats, (*PLAIN, *MADE)),
        **closed(own, "valid_to", "superseded_at", "expired_at"),
        "id": identifier,
        "tenant": tenant,
        "content": text,
        "content_hash": digest(text),
        **({"title": title} if title else {}),
        **(_made(record, scope, at) if made_here else {}),
        **metadata.packed(record.metadata, at.policy(scope)),
        "tags": list(record.tags),
        "pii": list(record.pii),
        **({} if made_here else {"privacy": _level(record, scope, at), **_read_out(record)}),
        "marker_ids": list(record.markers),
        "author": author,
        "reason": record.reason or "",
        "ingested_at": taken,
        "updated_at": record.updated_at or taken,
        "expired_key": time_key(expired),
        "index_state": "pending" if record.standing in FOUND else rows_of.WAITING,
        "sanitizer": SANITIZER_VERSION,
        "windows": 1,
    }


def _level(record: NoteRecord, scope: str, at: At) -> int:
    """How private a written note is; one that is made of others is so private as these are."""
    return number(highest(record.privacy, privacy_in(record.content, scope, at)))


def _read_out(record: NoteRecord) -> Row:
    """What a note has that was read out of turns: it goes with each of them."""
    turns = sum(source.kind == "Episode" for source in record.sources)
    return {"cited": turns} if turns else {}


def _made(record: NoteRecord, scope: str, at: At) -> Row:
    """What a note has beside a written one that is made of facts, or was read out of turns."""
    namespace = Namespace(record.namespace)
    kind = "Fact" if namespace is Namespace.DERIVED else "Episode"
    cited = max(1, sum(source.kind == kind for source in record.sources))
    subject = at.identifier(record.subject, scope) if record.subject else None
    made = {"subject": subject, "cited": cited, "tier": int(Tier.EXTERNAL)}
    if namespace is Namespace.MEMORIES:
        made["content_hash"] = sentence_hash(clean(record.content, "content", scope, at))
    return made


async def known(reader: Reader, rows: Sequence[Row], rules: Rules) -> dict[int, State]:
    """Which notes are here by their ids.

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
    """Notes that are new and were not erased here, by id; those that are here are brought up to
    date where another program's later export says so.

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
    done = await write_new(tx, kept, "note", query=Q.restoring.notes) if kept.rows else Written()
    made = [r for r in kept.rows if r["properties"]["namespace"] == Namespace.DERIVED]
    if made:
        ids, scopes = [r["id"] for r in made], sorted({r["scope"] for r in made})
        done.accepted -= len(await tx.rows(Q.condensed.unfounded, ids=ids, scopes=scopes))
    done.duplicates = len(batch.rows) - done.accepted
    return done


async def pages(graph: Graph, chosen: Selection) -> AsyncIterator[list[Row]]:
    """Every note, by scope and id."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.restoring.export_notes, scopes=[scope], after=after, limit=PAGE
        ):
            yield page
            after = page[-1]["note"]["id"]


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every note, by scope and id."""
    async for page in pages(graph, chosen):
        for row in page:
            yield _record(row)


def _record(row: Row) -> Record:
    note = row["note"]
    named = ("version", "content", "recorded_at", "retracted_at")
    versions = [cleaned(opened({n: v.get(n) for n in named})) for v in row["versions"]]
    return cleaned(
        {
            **opened({name: note.get(name) for name in PLAIN}),
            "reason": note.get("reason") or None,
            "markers": note.get("marker_ids"),
            "metadata": metadata.opened(note),
            "privacy": level_named(note["privacy"]) if note.get("privacy") else None,
            "versions": versions,
            "sources": row["sources"],
            "stats": rest(note, (*PLAIN, *MADE)),
        }
    )


def prepare_link(record: NoteLinkRecord, at: At) -> Row:
    """One edge between notes."""
    scope = at.scope(record.scope)
    note, other = (at.identifier(i, scope) for i in (record.note, record.other))
    properties = {"reason": record.reason or "", "recorded_at": record.recorded_at}
    return {
        "line": at.line,
        "scope": scope,
        "subject": f"{record.type} {note} {other}",
        "scopes": [scope],
        "type": record.type,
        "note": note,
        "other": other,
        "properties": properties,
    }


async def write_link(tx: Tx, batch: Batch) -> Written:
    """Edges that are new."""
    return await write_new(tx, batch, "note_link", query=Q.restoring.note_links)


async def export_link(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every edge between notes, by scope and the note that it begins at."""
    async for page in pages(graph, chosen):
        for row in page:
            for link in row["links"]:
                own = {"scope": row["note"]["scope"], "note": row["note"]["id"]}
                yield cleaned({**own, **link, "reason": link["reason"] or None})


def prepare_block(record: BlockRecord, at: At) -> Row:
    """A core block; its id follows from scope and kind."""
    scope = at.scope(record.scope)
    text = clean(record.content, "content", scope, at)
    own = record.model_dump(exclude_none=True)
    identifier = digest("core-block", scope, record.kind)[:32]
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    return _text_row(identifier, scope, at) | {
        "graves": [buried_block(identifier, digest(text))],
        "said": record.updated_at,
        "properties": {
            **closed(own, "expired_at"),
            **_text_properties(identifier, scope, text, at),
            "author": author_of(record.author, scope, at),
            "ingested_at": taken,
            "updated_at": record.updated_at or taken,
        },
    }


def _text_row(identifier: str, scope: str, at: At) -> Row:
    return {
        "line": at.line,
        "scope": scope,
        "subject": identifier,
        "scopes": [scope],
        "id": identifier,
    }


def _text_properties(identifier: str, scope: str, text: str, at: At) -> Row:
    return {
        "id": identifier,
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "content": text,
        "content_hash": digest(text),
    }


async def write_block(tx: Tx, batch: Batch) -> Written:
    """Blocks of scopes that have none of the kind, and that do not say what was erased here."""
    return await write_unburied(tx, batch, "block", query=Q.restoring.blocks)


async def export_block(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every core block, by scope and kind."""
    for row in await graph.rows(Q.restoring.export_blocks, scopes=chosen.scopes):
        yield cleaned(opened({name: row["block"].get(name) for name in BLOCK_PLAIN}))


def prepare_pattern(record: PatternRecord, at: At) -> Row:
    """A pattern; its id follows from scope and text."""
    scope = at.scope(record.scope)
    text = clean(record.content, "content", scope, at)
    reason = clean(record.reason, "reason", scope, at) if record.reason else ""
    identifier = digest("bad-pattern", scope, text)[:32]
    return _text_row(identifier, scope, at) | {
        "said": record.ingested_at,
        "properties": {
            **closed(record.model_dump(exclude_none=True), "expired_at"),
            **_text_properties(identifier, scope, text, at),
            "reason": reason,
            "author": author_of(record.author, scope, at),
            "ingested_at": (record.ingested_at if at.rules.keeps else None) or at.moment,
            "touched_at": at.moment,
        },
    }


async def write_pattern(tx: Tx, batch: Batch) -> Written:
    """Patterns that are new and were not erased here."""
    return await write_unburied(tx, batch, "pattern", query=Q.restoring.patterns)


async def export_pattern(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every pattern, by scope and id."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(
            Q.restoring.export_patterns, scopes=[scope], after=after, limit=PAGE
        ):
            for row in page:
                own = opened({name: row["pattern"].get(name) for name in PATTERN_PLAIN})
                yield cleaned({**own, "reason": own["reason"] or None})
            after = page[-1]["pattern"]["id"]


NOTE = Kind("note", "notes.jsonl", NoteRecord, prepare, write, export, serial=True, known=known)
NOTE_LINK = Kind(
    "note_link",
    "note_links.jsonl",
    NoteLinkRecord,
    prepare_link,
    write_link,
    export_link,
    serial=True,
)
BLOCK = Kind("block", "blocks.jsonl", BlockRecord, prepare_block, write_block, export_block)
PATTERN = Kind(
    "pattern", "patterns.jsonl", PatternRecord, prepare_pattern, write_pattern, export_pattern
)
