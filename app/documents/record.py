"""From a text and its cuts to the rows of its chunks, and what an edit changes of them: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson

from app.documents.model import Heading, Piece, Work
from app.embeddings.tokens import count_tokens
from app.episodes.record import IMPORTANCE, content_hash, tag_rows
from app.indexing.entry import LIVE, Facts, entry
from app.kernel.clock import FOREVER
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.sanitize.step import SANITIZER_VERSION

KIND = "chunk"
# What a chunk has of its place in the text; its words do not depend on it.
PLACE = ("number", "start", "own", "end", "headings", "heading_path")
# What it has of the work that it is part of.
SHARED = (
    *("title", "aliases", "tags", "facets", "about_terms", "pii", "live", "origin", "link_targets"),
)
# What the names of a chunk in the retrieval graph follow from, beside its words and its place.
NAMED = ("title", "aliases", "heading_path", "link_targets")


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it is stored, with its headings, where it is cut, and its links: how each reads,
    and what it leads to by name."""

    body: str
    pieces: Sequence[Piece]
    headings: Sequence[Heading] = ()
    links: Sequence[tuple[str, str]] = ()


@dataclass(slots=True)
class Difference:
    """What has to be done to the chunks of a work so that they are those of its new text."""

    added: list[Row] = field(default_factory=list)
    changed: list[Row] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    kept: int = 0

    def counts(self) -> dict[str, int]:
        """For a receipt: chunks that are new, stayed, and went."""
        return {"added": len(self.added), "kept": self.kept, "dropped": len(self.dropped)}


def chunk_id(work: Work, dated: str, text_hash: str, copy: int) -> str:
    """The id of a chunk: the same words in the same work, said then by the same, are one chunk.

    `copy` counts chunks of equal words in one text.
    """
    return digest("chunk", work.id, work.role, work.speaker, dated, text_hash, str(copy))[:32]


def chunk_rows(work: Work, text: Text, at: datetime, *, dated: bool) -> list[Row]:
    """Every property of every chunk of a text, in order.

    `dated` tells that the work names its moment: a chunk said at another moment is another chunk.
    Each is taken in a microsecond after the one before, so that they are read in order.
    """
    seen: Counter[str] = Counter()
    rows = []
    for number, piece in enumerate(text.pieces):
        body = text.body[piece.start : piece.end]
        hashed = content_hash(body)
        moment = work.captured_at.isoformat() if dated else ""
        identifier = chunk_id(work, moment, hashed, seen[hashed])
        seen[hashed] += 1
        targets = sorted({target for shown, target in text.links if shown in body})
        own = {
            "id": identifier,
            "content": body,
            "content_hash": hashed,
            "link_targets": targets or None,
        }
        rows.append(
            _row(work, own, _placed(text, piece, number), at + timedelta(microseconds=number))
        )
    return rows


def _row(work: Work, own: Row, placed: Row, at: datetime) -> Row:
    chunk = {
        **indexed(work, own, placed, at),
        **own,
        **placed,
        "work": work.id,
        "tenant": work.tenant,
        "author": work.author,
        "dedup_key": own["id"],
        "title": work.title,
        "aliases": list(work.aliases) or None,
        "origin": work.origin,
        **({"speaker": work.speaker} if work.speaker else {}),
        "tags": list(work.tags),
        "tokens": count_tokens(own["content"]),
        "importance": IMPORTANCE,
        "trust": work.trust,
        "is_pinned": False,
        "consolidation_state": "raw",
        "marker_ids": list(work.marker_ids),
        "pii": list(work.pii),
        "sanitizer": SANITIZER_VERSION,
        "windows": 1,
    }
    return {"chunk": chunk, "tags": tag_rows(work.scope, work.tags)}


def indexed(work: Work, own: Row, placed: Row, at: datetime) -> Row:
    """The index entry of a chunk: it is about its title and its headings."""
    about = " ".join([work.title, *placed["heading_path"]])
    made = entry(
        Facts(
            memory_id=own["id"],
            scope=work.scope,
            kind=KIND,
            captured_at=work.captured_at,
            ingested_at=at,
            session=work.group,
            role=work.role,
            title=about,
            tags=work.tags,
            expired_at=FOREVER,
        ),
        own["content"],
    )
    return made if work.live else hidden(made)


def hidden(made: Row) -> Row:
    """The entry of a chunk that no search finds now."""
    return {**made, "live": False, "facets": [token for token in made["facets"] if token != LIVE]}


def _placed(text: Text, piece: Piece, number: int) -> Row:
    inside = [
        [h.start - piece.own, h.level, h.title]
        for h in text.headings
        if piece.own <= h.start < piece.end
    ]
    return {
        "number": number,
        "start": piece.start,
        "own": piece.own,
        "end": piece.end,
        "heading_path": list(piece.path),
        "headings": orjson.dumps(inside).decode(),
    }


def difference(stored: Iterable[Row], wanted: Sequence[Row]) -> Difference:
    """What turns the stored chunks into the wanted ones; equal words stay what they are."""
    known = {row["id"]: row for row in stored}
    done = Difference()
    for row in wanted:
        old = known.pop(row["chunk"]["id"], None)
        if old is None:
            done.added.append(row)
            continue
        done.kept += 1
        change = _change(old, row)
        if change is not None:
            done.changed.append(change)
    done.dropped = sorted(known)
    return done


def _change(old: Row, row: Row) -> Row | None:
    wanted = row["chunk"]
    properties = {name: wanted[name] for name in (*PLACE, *SHARED)}
    if old["expired_at"] < FOREVER:
        # Forgotten on its own: it stays so, whatever becomes of the text around it.
        properties = {n: v for n, v in hidden(wanted).items() if n in properties}
    if all(old.get(name) == value for name, value in properties.items()):
        return None
    retitled = old.get("title") != wanted["title"]
    tags = row["tags"] if old.get("tags") != wanted["tags"] else None
    return {
        "id": wanted["id"],
        "properties": properties,
        "retitled": retitled,
        "renamed": _renamed(old, wanted),
        "tags": tags,
    }


def _renamed(old: Row, wanted: Row) -> bool:
    """Whether a chunk goes by other names than before; only the first opens with a subject."""
    opens = (old.get("number") == 0) != (wanted["number"] == 0)
    return opens or any(old.get(name) != wanted[name] for name in NAMED)


def rebuilt(chunks: Sequence[Mapping[str, Any]]) -> tuple[str, list[Heading]]:
    """The stored text with its headings, put together from the chunks' own parts in their order."""
    parts: list[str] = []
    headings: list[Heading] = []
    length = 0
    for chunk in chunks:
        own = chunk["content"][chunk["own"] - chunk["start"] :]
        for start, level, title in orjson.loads(chunk["headings"]):
            headings.append(Heading(length + start, level, title))
        parts.append(own)
        length += len(own)
    return "".join(parts), headings
