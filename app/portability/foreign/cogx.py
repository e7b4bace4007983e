"""cognee's exchange format (COGX 0.1): a folder of JSONL by kind with `cogx_version`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.portability.foreign.chats import ROLES
from app.portability.foreign.files import lines
from app.portability.foreign.model import FILE, Format, Probe, Reading, Record
from app.portability.foreign.values import is_set, moment, short, text

FILES = {
    "document": "documents.jsonl", "episode": "episodes.jsonl", "entity": "entities.jsonl",
    "fact": "facts.jsonl", "memory": "memories.jsonl", "memory_block": "memory_blocks.jsonl",
    "raw_node": "nodes.jsonl",
}  # fmt: skip
BASE = ("external_id", "scope", "created_at", "metadata")
OWN = {
    "document": ("content", "title"),
    "episode": ("turns",),
    "entity": ("name", "entity_type", "description"),
    "fact": ("fact_text", "valid_at", "invalid_at", "confidence"),
    "memory": ("content", "categories"),
    "memory_block": ("label", "value"),
}  # fmt: skip
NAMING = ("kind", "external_id", "name")  # what facts need of an entity
Item = dict[str, Any]


def recognises(probe: Probe) -> bool:
    """Whether a folder's manifest names a version of the format."""
    return probe.shape == "folder" and "cogx_version" in probe.members


def items(path: Path) -> Iterator[tuple[int, str | None, Any]]:
    """Each line of each file, under the kind of the file."""
    for number, (kind, name) in enumerate(FILES.items()):
        if (path / name).is_file():
            found = lines(path / name)
            yield from ((number * FILE + place, kind, item) for place, _, item in found)


def names(path: Path) -> list[str]:
    """The files of an archive in the order of their numbers."""
    return list(FILES.values())


def learn(reading: Reading, name: str | None, item: Item) -> None:
    """Remember the name of an entity, by which facts call it."""
    if name == "entity" and isinstance(item.get("external_id"), str):
        reading.names[item["external_id"]] = short(item.get("name")) or ""


def read(reading: Reading, name: str | None, item: Item) -> Iterator[Record]:
    """The records of one line."""
    if name == "raw_node" or name is None:
        reading.lose("raw nodes")
        return
    reading = reading.of_user(_scope(item).get("user_id"))
    if name in ("entity", "fact", "memory_block"):
        yield from _note(reading, name, item)
    elif name == "episode":
        own = item.get("metadata")
        beside = _rest(reading, name, item) | ({"metadata": own} if is_set(own) else {})
        yield from reading.whole(_turns(reading, item), name, beside)
    else:
        yield _episode(reading, name, item)


def _rest(reading: Reading, name: str, item: Item) -> Item:
    """What is kept beside a record: its scope as far as the record does not say it, too. The kind
    is that of the file."""
    beside = reading.rest(item, (*BASE, *OWN[name]))
    if beside.get("kind") == name:
        del beside["kind"]
    given = item.get("scope")
    own = () if name in ("entity", "fact", "memory_block") else _named(_scope(item))
    left = {k: v for k, v in _scope(item).items() if k not in own and is_set(v)}
    kept = left if isinstance(given, dict) else given
    return beside | ({"scope": kept} if is_set(kept) else {})


def _scope(item: Item) -> Item:
    found = item.get("scope")
    return found if isinstance(found, dict) else {}


def _named(scope: Item) -> tuple[str, ...]:
    """The field of a scope that names the session; none where none does."""
    named = ("session_id", "run_id", "user_id", "agent_id")
    return tuple(n for n in named if scope.get(n))[:1]


def _session(item: Item, other: str) -> Any:
    scope = _scope(item)
    return next((scope[n] for n in _named(scope)), other)


def _episode(reading: Reading, name: str, item: Item) -> Record:
    return reading.episode(
        _session(item, name),
        item.get("content"),
        item.get("metadata"),
        item.get("categories"),
        _rest(reading, name, item),
        id=reading.id(name, item.get("external_id")),
        title=reading.name(f"{name}.title", item.get("title")),
        speaker=reading.name(f"{name}.scope.user_id", _scope(item).get("user_id")),
        captured_at=moment(item.get("created_at")),
        ingested_at=moment(item.get("created_at")),
    )


def _turns(reading: Reading, item: Item) -> Iterator[Record]:
    key = _session(item, str(item.get("external_id") or "episode"))
    turns = item.get("turns")
    for number, turn in enumerate(turns if isinstance(turns, list) else [None]):
        turn = turn if isinstance(turn, dict) else {}
        role = turn.get("role")
        if role == "system":
            reading.lose("system messages")
            continue
        known = ROLES.get(role) if isinstance(role, str) else None
        yield reading.episode(
            key,
            turn.get("content"),
            turn.get("metadata"),
            beside=reading.rest(turn, ("role", "content", "occurred_at", "metadata")),
            id=reading.id("turn", item.get("external_id"), number),
            role=known,
            speaker=None if known else reading.name("episode.turns.role", role),
            captured_at=moment(turn.get("occurred_at")) or moment(item.get("created_at")),
            ingested_at=moment(item.get("created_at")),
        )


def _note(reading: Reading, name: str, item: Item) -> Iterator[Record]:
    content, title = _worded(reading, name, item)
    if name == "entity" and not text(content):
        lost = (f"entity.{n}" for n, v in item.items() if n not in NAMING and is_set(v))
        reading.lose("entities without a description", *lost)
        return
    created = moment(item.get("created_at"))
    kind = item.get("entity_type")
    yield reading.note(
        content,
        item.get("metadata"),
        kind if isinstance(kind, list) else [kind],
        _rest(reading, name, item),
        id=reading.id(name, item.get("external_id")),
        title=title,
        entry_type="fact" if name == "fact" else "knowledge",
        valid_from=moment(item.get("valid_at")) or created or reading.at,
        valid_to=moment(item.get("invalid_at")),
        ingested_at=created,
        confidence=item.get("confidence"),
    )


def _worded(reading: Reading, name: str, item: Item) -> tuple[Any, str | None]:
    """The text and the title of what becomes a note."""
    if name == "entity":
        return item.get("description"), reading.name("entity.name", item.get("name"))
    if name == "memory_block":
        return item.get("value"), reading.name("memory_block.label", item.get("label"))
    known = reading.names
    ends = [known.get(str(item.get(n)), item.get(n)) for n in ("subject_ref", "object_ref")]
    said = [str(part) for part in (ends[0], item.get("predicate"), ends[1]) if part]
    told = " ".join(said)[:500] if len(said) == 3 else None
    return item.get("fact_text") or told, told


COGX = Format(
    "cogx",
    recognises,
    read,
    frozenset(FILES),
    {
        "captured_at": "created_at",
        "valid_from": "valid_at",
        "valid_to": "invalid_at",
        "scope": "scope.user_id",
    },
    learn,
    items,
    names,
    user="scope.user_id",
)
