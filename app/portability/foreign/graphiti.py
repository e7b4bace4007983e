"""Graphs of Graphiti and exports of Zep: episodes, entities and edges with both clocks. Pure.

A dump is a list or lines of nodes and edges, `{"nodes", "edges"}`, or what Neo4j gives back
(`labels`, `type`, `properties`). An edge becomes a note: `valid_at` and `invalid_at` say when it
held, `created_at` and `expired_at` when it was known and overtaken. An episode that is a script of
a talk, `name: words` a line, becomes its turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.kernel.ids import digest
from app.portability.foreign.dumps import NEO4J, Item, drop, flat, place
from app.portability.foreign.model import Format, Probe, Reading, Record, of_file
from app.portability.foreign.scripts import Turn, turns
from app.portability.foreign.values import is_set, moment, shifted, short, text

# The ends of an edge are kept by their ids too, and its name, which is not always in the title.
EDGE = ("fact", "group_id", "created_at", "expired_at", "valid_at", "invalid_at",
        "source_in_neo4j", "target_in_neo4j")  # fmt: skip
ENTITY = ("name", "summary", "labels", "group_id", "created_at")
EPISODE = ("content", "source_description", "created_at", "valid_at", "role", "role_type")
IDS = ("uuid", "uuid_", "id")
CALLED = ("node", "relationship", "RELATES_TO")
LINKS = ("MENTIONS", "HAS_MEMBER", "HAS_EPISODE", "NEXT_EPISODE")
VECTORS = ("fact_embedding", "name_embedding", "embedding")
DROPPED = {"link": "MENTIONS and other links", "community": "communities", "other": "other nodes"}
SESSIONS = ("thread_id", "session_id", "group_id")
TALKS = ("sessions", "threads")  # of Zep: they say whose the messages of one are
NO_GROUP = ("", "_", "\\_")  # the group of what was put into none
LISTS = ("nodes", "edges", "relationships", "entities", "entity_nodes", "entity_edges", "episodes",
         "episodic_nodes", "facts", "relevant_facts", "messages")  # fmt: skip
EDGES = ("edges", "facts", "relevant_facts", "entity_edges")
ZEP_LISTS = (*LISTS, "summary", *TALKS)
TEXTS = {
    "facts": "fact",
    "summary": "summary",
    "sessions": "session_id",
    "threads": "thread_id",
}  # as which field a plain text is read
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant",
         "tool": "tool", "function": "tool"}  # fmt: skip


def recognises(probe: Probe) -> bool:
    """Whether the first item is a node or an edge of such a graph."""
    found = [probe.first] if probe.shape in ("list", "lines") else []
    if probe.shape == "object":
        found = [v for n, v in probe.members.items() if n in LISTS and isinstance(v, dict)]
    return any(_kind(flat(item)) for item in found)


def is_zep(probe: Probe) -> bool:
    """Whether an object holds messages or facts of sessions or threads."""
    if probe.shape != "object" or "fact" in probe.listed("edges"):
        return False
    said = probe.members.get("messages")
    typed = isinstance(said, dict) and {"role_type", "uuid", "uuid_"} & said.keys()
    fact = probe.members.get("facts", probe.members.get("relevant_facts"))
    beside = {"summary", "context", "relevant_facts"} & probe.members.keys()
    told = isinstance(fact, str) and bool(beside)
    return bool(typed) or told or (isinstance(fact, dict) and "fact" in fact)


def _kind(item: Item) -> str | None:
    """What an item is: an edge, an entity, an episode, or a link between those; None if none."""
    if "fact" in item:
        return "edge"
    labels = item.get("labels")
    named = labels if isinstance(labels, list) else []
    if item.get("type") == "relationship" or {item.get("type"), item.get("label")} & {*LINKS}:
        return "link"
    if "Episodic" in named or ("content" in item and ("uuid" in item or "role" in item)):
        return "episode"
    if "Entity" in named or ("summary" in item and "name" in item):
        return "community" if "Community" in named else "entity"
    if "Community" in named:
        return "community"
    return "other" if item.get("type") == "node" else None


def learn(reading: Reading, name: str | None, item: Item) -> None:
    """Remember the name of an entity, by which edges call it, and whose a session is."""
    if name in TALKS:
        talk, user = _talk(item), item.get("user_id")
        if talk and isinstance(user, str | int):
            reading.names[talk] = str(user)
        return
    known = flat(item)
    identifier = known.get(_called(known))
    if _kind(known) != "entity":
        return
    called = short(known.get("name")) or ""
    if isinstance(identifier, str):
        reading.names[identifier] = called
    known_as = place(item) if isinstance(item.get("properties"), dict) else None
    if known_as is not None:
        reading.names[known_as] = called


def read(reading: Reading, name: str | None, item: Item) -> Iterator[Record]:
    """The record of a node or an edge."""
    if name in TALKS:
        reading.lose(name or "")
        return
    drop(reading, item)
    item = flat(item)
    reading = reading.of_user(_whose(reading, item))
    kind = None if name == "summary" else _kind(item)
    kind = kind or ("edge" if name in EDGES else None)
    if kind in DROPPED:
        reading.lose(DROPPED[kind])
    elif kind == "edge":
        yield _edge(reading, item)
    elif kind == "entity":
        yield from _entity(reading, item)
    elif name == "summary":
        yield from _summary(reading, item)
    else:
        yield from _episode(reading, item)


def _talk(item: Item) -> str | None:
    """By which name whose a session is, is remembered."""
    named = next((item[n] for n in SESSIONS[:2] if item.get(n)), None)
    return f"session: {named}" if isinstance(named, str | int) else None


def _whose(reading: Reading, item: Item) -> Any:
    """The user of a node or an edge: its own, else that of its session or of the file, else its
    group, as which Graphiti has users."""
    if is_set(item.get("user_id")):
        return item["user_id"]
    known = reading.names.get(_talk(item) or "") or reading.names.get(of_file("user_id"))
    group = item.get("group_id")
    return known or (None if group in NO_GROUP else group)


def _edge(reading: Reading, item: Item) -> Record:
    names = reading.names
    ends = [_named(item, end, names) for end in ("source", "target")]
    beside = _rest(reading, item, EDGE)
    ended, overtaken = moment(item.get("invalid_at")), moment(item.get("expired_at"))
    created = moment(item.get("created_at"))
    said = [ends[0], text(item.get("name")), ends[1]]
    title = " ".join(str(part) for part in said) if all(said) else None
    return reading.note(
        item.get("fact"),
        item.get("metadata"),
        _group(item),
        beside=beside,
        id=_id(reading, item),
        title=title and title[:500],
        entry_type="fact",
        standing="superseded" if overtaken else None,
        valid_from=moment(item.get("valid_at")) or created or reading.at,
        valid_to=ended or overtaken,
        superseded_at=overtaken,
        ingested_at=created,
    )


def _rest(reading: Reading, item: Item, used: tuple[str, ...]) -> dict[str, Any]:
    """The fields that no record says, but for what only says which kind of thing the item is."""
    kinds = [n for n in NEO4J if item.get(n) in CALLED]
    kinds += ["labels"] if item.get("labels") == ["Episodic"] else []
    left = reading.rest(item, (*used, *kinds, "metadata", _called(item)), VECTORS)
    user = reading.names.get(of_file("user_id"))
    return {"user_id": user, **left} if user else left


def _called(item: Item) -> str:
    """The field that the id is of."""
    return next((n for n in IDS if item.get(n)), IDS[0])


def _named(item: Item, end: str, names: Mapping[str, str]) -> str | None:
    """The name of an end: its own, or what it is called by one of its ids."""
    ids = (item.get(f"{end}_{field}") for field in ("node_uuid", "uuid", "in_neo4j"))
    known = (names.get(found) for found in ids if isinstance(found, str))
    return short(item.get(f"{end}_node_name")) or next((name for name in known if name), None)


def _group(item: Item) -> list[Any]:
    """The group as a tag."""
    group = item.get("group_id")
    return [f"group:{group}" if short(group) else group] if is_set(group) else []


def _id(reading: Reading, item: Item) -> str | None:
    return reading.id(item.get(_called(item))) or reading.id(
        "text", item.get("fact") or item.get("name")
    )


def _entity(reading: Reading, item: Item) -> Iterator[Record]:
    beside = _rest(reading, item, ENTITY)
    if not text(item.get("summary")):
        said = ("group_id", "created_at", "labels", "metadata")
        beside |= {n: 1 for n in said if is_set(item.get(n))}
        reading.lose("entities without a summary", *(f"entities.{name}" for name in beside))
        return
    created = moment(item.get("created_at"))
    labels = item.get("labels")
    kinds = [n for n in labels if n != "Entity"] if isinstance(labels, list) else []
    yield reading.note(
        item["summary"],
        item.get("metadata"),
        [*kinds, *_group(item)],
        beside=beside,
        id=_id(reading, item),
        title=reading.name("entities.name", item.get("name")),
        entry_type="knowledge",
        valid_from=created or reading.at,
        ingested_at=created,
    )


def _summary(reading: Reading, item: Item) -> Iterator[Record]:
    """What Zep says in short of a session, as a note."""
    said = "content" if item.get("content") else "summary"
    created = moment(item.get("created_at"))
    yield reading.note(
        item.get(said),
        beside=_rest(reading, item, (said, "created_at")),
        id=_id(reading, item) or reading.id("summary", item.get(said)),
        title="Summary",
        entry_type="knowledge",
        valid_from=created or reading.at,
        ingested_at=created,
    )


def _episode(reading: Reading, item: Item) -> Iterator[Record]:
    where = next((n for n in SESSIONS if item.get(n)), SESSIONS[0])
    # A message of a thread has a name of its own beside the role; else the role may be one.
    speaks = "name" if "role" in item and not item.get("role_type") else "role"
    beside = _rest(reading, item, (*EPISODE, where, speaks))
    role = item.get("role_type") or item.get("role")
    known = ROLES.get(role) if isinstance(role, str) else None
    if is_set(item.get("role_type")) and known is None:
        beside["role_type"] = item["role_type"]
    named = item.get(speaks) or (item.get("role") if known is None else None)
    created = moment(item.get("created_at"))
    said = moment(item.get("valid_at")) or created
    whole = {
        "session": item.get(where) or _thread(reading, item),
        "labelled": item.get("metadata"),
        "beside": beside,
        "title": reading.name("episodes.source_description", item.get("source_description")),
        "ingested_at": created,
    }
    spoken = None if role or item.get("source") != "message" else turns(item.get("content"))
    if spoken is not None:
        yield from _turns(reading, item, spoken, (said, whole))
        return
    speaker = reading.name(f"messages.{speaks}", named)
    own = {"id": _id(reading, item), "role": known, "speaker": speaker, "captured_at": said}
    yield reading.episode(content=item.get("content"), **whole, **own)


def _turns(
    reading: Reading, item: Item, spoken: list[Turn], known: tuple[Any, dict[str, Any]]
) -> Iterator[Record]:
    """The turns of a script, in their order from the moment of the whole on; the first keeps what
    the whole has beside its words."""
    said, whole = known
    for number, turn in enumerate(spoken):
        if turn.role == "system":
            reading.lose("system messages")
            continue
        yield reading.episode(
            content=turn.content,
            **whole,
            id=_id(reading, item) if len(spoken) == 1 else _part_id(reading, item, number),
            role=turn.role,
            speaker=turn.speaker,
            captured_at=shifted(said, number),
        )
        whole = {**whole, "labelled": None, "beside": None}
    if whole["beside"]:
        reading.lose(*(f"episodes.{name}" for name in whole["beside"]))


def _part_id(reading: Reading, item: Item, number: int) -> str | None:
    own = item.get(_called(item))
    return reading.id(own, number) if own else None


def _thread(reading: Reading, item: Item) -> str:
    """The session of messages that name none: those of one file are a thread, which goes by the
    first of them. What has no role is no message, and all of it goes by the format."""
    if not item.get("role") and not item.get("role_type"):
        return reading.format
    first = f"{item.get(_called(item)) or digest('message', str(item.get('content')))[:16]}"
    return reading.names.setdefault("thread", f"{reading.format}-{short(first)}")


FIELDS = {
    "captured_at": "valid_at", "ingested_at": "created_at", "valid_from": "valid_at",
    "valid_to": "invalid_at", "superseded_at": "expired_at",
}  # fmt: skip
OF_FILE = frozenset(["user_id"])
GRAPHITI = Format(
    "graphiti",
    recognises,
    read,
    frozenset([None, *LISTS]),
    FIELDS | {"scope": "group_id"},
    learn,
    tells=OF_FILE,
    user="group_id",
)
ZEP = Format(
    "zep",
    is_zep,
    read,
    frozenset([None, *ZEP_LISTS]),
    FIELDS | {"scope": "user_id"},
    learn,
    texts=TEXTS,
    tells=OF_FILE,
    user="user_id",
)
