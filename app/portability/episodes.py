"""Episodes in a package: sanitised, analysed and stored as capture stores them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from app.episodes.labels import clean_labels
from app.episodes.model import Capture
from app.episodes.record import (
    Cleaned,
    Stamp,
    content_hash,
    dedup_key,
    episode_row,
    provenance_row,
    session_row,
    tag_rows,
)
from app.errors import Erased, InvalidInput, LociError, SystemRoleRefused
from app.kernel.clock import FOREVER, START, open_end
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.scope import NAME, parse_scope
from app.portability import sessions, triples
from app.portability.derived import buried, held
from app.portability.kind import (
    At,
    Batch,
    Kind,
    Record,
    Reject,
    Rules,
    Selection,
    State,
    Written,
    cleaned,
)  # fmt: skip
from app.portability.reader import Reader
from app.portability.records import EpisodeRecord
from app.portability.twins import Given, twins
from app.portability.vectors import counted, given_vectors, judged, packed_vector, stored_vectors
from app.portability.writing import importer_of, write_events
from app.sanitize import metadata
from app.sanitize.policy import SanitizePolicy
from app.sanitize.privacy import named
from app.sanitize.step import sanitize

DEEPEST = 100  # levels of a statement; the JSON that is stored takes no more than 254

AUTHOR = re.compile(rf"(?P<kind>agent|user):(?P<tenant>{NAME}):(?P<name>{NAME})\Z")
PAGE = 1000
STATS = (
    "importance", "trust", "is_pinned", "consolidation_state", "consolidated_at", "attempts",
    "consolidation_error",
)  # fmt: skip
DERIVED = ("consolidated_at", "attempts", "consolidation_error")
MOST_TEXTS = 100  # later texts of one episode that are gone through


def prepare(record: EpisodeRecord, at: At) -> Row:
    """Every node and edge of one episode, as values; raises what the sanitising step raises."""
    scope = at.scope(record.scope)
    cleaned_up = _clean(record, scope, at)
    stamp = _stamp(record, scope, at)
    near = record.near_duplicate
    episode = {
        **episode_row(cleaned_up, stamp),
        **_carried(record, cleaned_up),
        **({"near_duplicate": at.identifier(near, scope)} if near else {}),
        **triples.packed(record.triples, scope, at),
        **metadata.packed(record.metadata, at.policy(scope)),
    }
    if record.assertion:
        packed = _cleaned_tree(record.assertion, at.policy(scope))
        episode["assertion"] = orjson.dumps(packed, option=orjson.OPT_SORT_KEYS).decode()
    vector, windows = given_vectors(record, at, stamp.id)
    episode.update(vector | judged(vector, windows, episode["content"], at))
    return {
        "line": at.line,
        "scope": scope,
        "subject": f"{stamp.id} {episode['content_hash']}",
        "scopes": [scope],
        "id": stamp.id,
        "first": stamp.id,
        "own": _own(record, scope, at),
        "hash": episode["content_hash"],
        "timed": stamp.timed,
        "key": episode["dedup_key"],
        "graves": [stamp.id, episode["dedup_key"], *([record.id] if record.id else [])],
        "said": record.ingested_at,
        "session": episode["session"],
        "episode": episode,
        "made_session": session_row(cleaned_up, stamp),
        "provenance": _provenance(record, cleaned_up, stamp, at),
        "tags": tag_rows(scope, cleaned_up.capture.tags),
        "windows": windows,
    }


def _own(record: EpisodeRecord, scope: str, at: At) -> Given | None:
    """The episode as its package has it, where it goes by another id here: it is the same one where
    the package came from, whoever takes it in, and no second word on what it says."""
    is_other = record.id is not None and not at.rules.keeps
    return Given(record.id, record.scope, scope) if is_other and record.id else None


def _cleaned_tree(value: Any, policy: SanitizePolicy, deep: int = 0) -> Any:
    """A statement with every text in it as it may be stored; RecursionError beyond `DEEPEST`."""
    if deep > DEEPEST:
        raise RecursionError
    if isinstance(value, dict):
        return {name: _cleaned_tree(item, policy, deep + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_cleaned_tree(item, policy, deep + 1) for item in value]
    return sanitize(value, policy).text if isinstance(value, str) and value.strip() else value


def _clean(record: EpisodeRecord, scope: str, at: At) -> Cleaned:
    if record.role == "system":
        raise SystemRoleRefused(field="role")
    policy = at.policy(scope)
    capture = Capture(
        content=record.content,
        session=record.session,
        role=record.role,
        scope=scope,
        speaker=record.speaker or _quoted(record, at),
        title=record.title,
        captured_at=record.captured_at,
        origin=record.origin,
        tags=tuple(dict.fromkeys(record.tags)),
        model_family=record.model_family,
        transport=at.rules.transport,
        privacy=record.privacy,
        supersedes=at.identifier(record.supersedes, scope) if record.supersedes else None,
    )
    labelled = clean_labels(capture, policy)
    try:
        text = sanitize(record.content, policy)
    except LociError as error:
        error.field = "content"
        raise
    return Cleaned(labelled, scope, text, "absent")


def _stamp(record: EpisodeRecord, scope: str, at: At) -> Stamp:
    keeps = at.rules.keeps
    ingested_at = (record.ingested_at if keeps else None) or at.moment
    given = record.captured_at is not None
    return Stamp(
        id=at.identifier(record.id, scope) if record.id else new_id(),
        tenant=parse_scope(scope).tenant,
        author=author_of(record.author, scope, at),
        agent=importer_of(at.rules, scope),
        captured_at=record.captured_at or ingested_at,
        ingested_at=ingested_at,
        timed=given if record.timed is None else record.timed and given,
        expired_at=_expired(record, at),
    )


def _expired(record: EpisodeRecord, at: At) -> datetime:
    """When it ceased to hold. What another program lets lapse later holds until it is said anew:
    here only what is past is hidden."""
    ended = record.expired_at or FOREVER
    return FOREVER if at.rules.revises and ended > at.rules.moment else ended


def _quoted(record: EpisodeRecord, at: At) -> str | None:
    """The name of the user whom an agent's key quotes, by the author that the record names."""
    match = AUTHOR.match(record.author or "") if at.rules.by_agent else None
    return match["name"] if match and match["kind"] == "user" else None


def author_of(given: str | None, scope: str, at: At) -> str:
    """The author's id in the tenant of `scope`; InvalidInput for one of another tenant.

    It is the importer's where nobody vouches for another. Of a user's words that an agent's key
    hands in the agent is the author: it quotes them.
    """
    if given is None:
        return importer_of(at.rules, scope)
    match = AUTHOR.match(given)
    tenant = parse_scope(scope).tenant
    if match is None:
        raise InvalidInput("author reads agent:tenant:name or user:tenant:name", field="author")
    if at.rules.target is None and match["tenant"] != tenant:
        raise InvalidInput("the author belongs to another tenant", field="author")
    if not at.rules.vouched or (match["kind"] == "user" and at.rules.by_agent):
        return importer_of(at.rules, scope)
    return f"{match['kind']}:{tenant}:{match['name']}"


def _carried(record: EpisodeRecord, cleaned_up: Cleaned) -> Row:
    """What an earlier store knew of the text, and its sanitising step had found."""
    found = cleaned_up.text
    carried: Row = {
        "marker_ids": sorted({*record.markers, *found.marker_ids}),
        "pii": sorted({*record.pii, *found.tags}),
    }
    if record.stats:
        carried |= record.stats.model_dump(exclude_none=True)
    return carried


def _provenance(record: EpisodeRecord, cleaned_up: Cleaned, stamp: Stamp, at: At) -> Row:
    """The given one where the run keeps it; else ours, with what the text went through before."""
    own = provenance_row(cleaned_up, stamp)
    given = record.provenance
    if given is None:
        return own
    if not at.rules.keeps:
        family = given.model_family
        return {**own, **({"model_family": family} if family else {})}
    stored = given.model_dump(exclude={"redactions", "expired_at"}, exclude_none=True)
    return {
        **stored,
        "scope": own["scope"],
        "session": own["session"],
        "expired_at": given.expired_at or FOREVER,
        "redactions": orjson.dumps(given.redactions, option=orjson.OPT_SORT_KEYS).decode(),
    }


async def lead(tx: Tx, batch: Batch) -> None:
    """Tell which rows are new, and write the sessions and tags they share with other batches."""
    unique = _distinct(batch.rows)
    states = await known(tx, unique, batch.rules)
    updates = [_next(row, row["last"]) for row in unique if states.get(row["line"]) == "updated"]
    batch.changed = [line for line, state in states.items() if state == "changed"]
    absent = [row for row in unique if row["line"] not in states] + updates
    # Asked after what is known: what an erasure takes meanwhile is either still there, or buried.
    gone = await buried(tx, batch.rules, absent)
    batch.gone = [row for row in absent if row["line"] in gone]
    new = (row for row in absent if row["line"] not in gone)
    batch.new = sorted(new, key=lambda r: (r["session"], r["id"]))
    if batch.new:
        # In order: two batches that meet in one wait, and do not deadlock.
        touched = _sessions(batch.new)
        await tx.rows(Q.portability.touch_sessions, rows=touched, since=batch.rules.moment)
    tags = {tag["id"]: tag for row in batch.new for tag in row["tags"]}
    if tags:
        await tx.rows(Q.portability.touch_tags, rows=[tags[i] for i in sorted(tags)])


async def known(reader: Reader, rows: Sequence[Row], rules: Rules) -> dict[int, State]:
    """What is here of some rows, by what makes them the same or by their ids.

    A later export may say something else under an id. It is taken as said anew, in the place of
    what was said last, where it says that it was said later and nobody has forgotten that here; it
    goes by an id of its own then, which follows from the words.
    """
    found = await _found(reader, rows)
    absent = [row for row in rows if row["line"] not in found]
    found |= await _at_home(reader, absent, rules)
    states: dict[int, State] = dict.fromkeys(found, "same")
    others = [row for row in rows if _is_other(row, found.get(row["line"]), rules)]
    told = await _found(reader, [_next(row, "") for row in others]) if others else {}
    others = [row for row in others if row["line"] not in told]
    last = await _last(reader, {row["line"]: found[row["line"]] for row in others})
    forgotten = await _forgotten(reader, last)
    for row in others:
        here = last[row["line"]]
        row["last"] = here["id"]
        is_later = here["id"] not in forgotten and _is_later(row, here)
        states[row["line"]] = "updated" if is_later else "changed"
    return states


def _is_other(row: Row, here: Row | None, rules: Rules) -> bool:
    """Whether what is here under the id of a row says something else."""
    if here is None or here["said"] or not rules.revises:
        return False
    return here["hash"] not in (None, row["hash"])


def _is_later(row: Row, last: Row) -> bool:
    is_later = row["timed"] and row["episode"]["captured_at"] > last["captured_at"]
    return bool(is_later and last["hash"] != row["hash"])


async def _forgotten(reader: Reader, found: Mapping[int, Row]) -> set[str]:
    """The ids of those that somebody has forgotten here."""
    ids = sorted({here["id"] for here in found.values()})
    rows = await reader.rows(Q.portability.forgotten, ids=ids) if ids else []
    return {row["id"] for row in rows}


async def _last(reader: Reader, found: dict[int, Row]) -> dict[int, Row]:
    """What was said last in the place of each episode: itself, where nothing was."""
    last = dict(found)
    for _ in range(MOST_TEXTS):
        ids = sorted({here["id"] for here in last.values()})
        rows = await reader.rows(Q.portability.succeeding, ids=ids) if ids else []
        if not rows:
            break
        after = {row["former"]: row for row in rows}
        last = {line: after.get(here["id"], here) for line, here in last.items()}
    return last


async def _found(reader: Reader, rows: Sequence[Row]) -> dict[int, Row]:
    asked = [{"line": r["line"], "key": r["key"], "id": r["id"]} for r in rows]
    found = await reader.rows(Q.portability.known_episodes, rows=asked)
    return {row["line"]: row for row in found}


async def _at_home(reader: Reader, rows: Sequence[Row], rules: Rules) -> dict[int, Row]:
    """What is here of rows by the ids that they have in the package, or that these follow from."""
    given = {row["line"]: row["own"] for row in rows if row["own"] is not None}
    same = await twins(reader, rules.run, given.values()) if given else {}
    asked = [
        {"line": line, "key": "", "id": same[own.id, own.source]}
        for line, own in given.items()
        if (own.id, own.source) in same
    ]
    found = await reader.rows(Q.portability.known_episodes, rows=asked) if asked else []
    return {row["line"]: row for row in found}


def _next(row: Row, last: str) -> Row:
    """The row of a later text of an episode, which is said in the place of the last one."""
    identifier = digest("next", row["id"], row["hash"])[:32]
    own = {"id": identifier, "memory_id": identifier, "supersedes": last}
    return {
        **row,
        "id": identifier,
        "subject": f"{identifier} {row['hash']}",
        "graves": [*row["graves"], identifier],
        "episode": {**row["episode"], **own},
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """Episodes that are new, with provenance and one event a scope."""
    if batch.new:
        await _keep_states(tx, batch, batch.new)
        await _write_new(tx, batch, batch.new)
    updated = sum(row["id"] != row["first"] for row in batch.new)
    error = Erased("it was erased from this store; --revive brings it back")
    return Written(
        accepted=len(batch.new) - updated,
        duplicates=len(batch.rows) - len(batch.new) - len(batch.gone) - len(batch.changed),
        updated=updated,
        changed=batch.told(batch.rows),
        rejects=[Reject.of(batch.file, row["line"], error, row["scope"]) for row in batch.gone],
    )


async def _keep_states(tx: Tx, batch: Batch, new: list[Row]) -> None:
    """How far episodes were consolidated counts only where what was made of them comes along."""
    restored = await held(tx, batch)
    for row in new:
        if row["scope"] not in restored:
            kept = {k: v for k, v in row["episode"].items() if k not in DERIVED}
            row["episode"] = {**kept, "consolidation_state": "raw"}


def _distinct(rows: list[Row]) -> list[Row]:
    """The first of rows that are the same, or claim the same id."""
    keys: set[str] = set()
    kept = []
    for row in rows:
        if row["key"] not in keys and row["id"] not in keys:
            kept.append(row)
            keys.update((row["key"], row["id"]))
    return kept


async def _write_new(tx: Tx, batch: Batch, new: list[Row]) -> None:
    await write_events(tx, batch, "episode", new)
    rows = [
        {
            **{name: row[name] for name in ("episode", "session", "provenance", "event")},
            "tags": [tag["id"] for tag in row["tags"]],
        }
        for row in new
    ]
    if batch.rules.restores:
        await tx.rows(Q.portability.restore_episodes, rows=rows)
    else:
        await tx.rows(Q.portability.create_episodes, rows=rows)
    windows = [window for row in new for window in row["windows"]]
    if windows:
        await tx.rows(Q.indexing.store_windows, rows=windows)


def _sessions(new: list[Row]) -> list[Row]:
    """Each session once, beginning with its first event, by id."""
    first: dict[str, Row] = {}
    for row in new:
        made = row["made_session"]
        known = first.get(made["id"])
        if known is None or made["started_at"] < known["started_at"]:
            first[made["id"]] = made
    return [first[identifier] for identifier in sorted(first)]


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every episode, by scope, session, moment and id."""
    for scope in chosen.scopes:
        async for listed in sessions.pages(graph, scope):
            for group in _groups(listed):
                async for page in _episodes(graph, scope, [s["id"] for s in group]):
                    ids = [row["episode"]["id"] for row in page]
                    vectors = await stored_vectors(graph, chosen, ids)
                    for row in page:
                        key = group[row["place"]]["key"]
                        yield _record(row, key, vectors.get(row["episode"]["id"]))


def _groups(listed: list[Row]) -> list[list[Row]]:
    """Sessions together that fit one page; a longer one alone."""
    groups: list[list[Row]] = []
    room = 0
    for row in listed:
        if row["episodes"] > room or not groups:
            groups.append([])
            room = PAGE
        groups[-1].append(row["session"])
        room -= row["episodes"]
    return groups


async def _episodes(graph: Graph, scope: str, ids: list[str]) -> AsyncIterator[list[Row]]:
    after_at, after_id = START, ""
    while True:
        page = await graph.rows(
            Q.portability.export_episodes,
            scopes=[scope],
            sessions=ids,
            after_at=after_at,
            after_id=after_id,
            limit=PAGE,
        )
        if page:
            yield page
        if len(ids) > 1 or len(page) < PAGE:
            return
        last = page[-1]["episode"]
        after_at, after_id = last["captured_at"], last["id"]


async def pages(graph: Graph, scope: str) -> AsyncIterator[list[str]]:
    """The ids of a scope's episodes, in the order in which they are exported."""
    async for listed in sessions.pages(graph, scope):
        for group in _groups(listed):
            async for page in _episodes(graph, scope, [s["id"] for s in group]):
                yield [row["episode"]["id"] for row in page]


# Taken over as they are; the rest of a node is derived from these, or belongs to the index.
PLAIN = (
    "scope",
    "role",
    "content",
    "speaker",
    "title",
    "author",
    "captured_at",
    "ingested_at",
    "tags",
    "origin",
    "id",
    "pii",
    "supersedes",
    "near_duplicate",
)


def _record(row: Row, key: str, vector: Row | None) -> Record:
    episode, provenance = row["episode"], row["provenance"]
    record: Record = {name: episode.get(name) for name in PLAIN}
    record["session"] = key
    record["expired_at"] = open_end(episode["expired_at"])
    record["timed"] = _is_timed(episode)
    record["markers"] = episode.get("marker_ids")
    record["privacy"] = named(episode["privacy"]) if episode.get("privacy") else None
    record["stats"] = {name: episode[name] for name in STATS if episode.get(name) is not None}
    if episode["consolidation_state"] == "in_progress":
        record["stats"]["consolidation_state"] = "raw"  # nothing is written before it is done
    if episode.get("assertion"):
        record["assertion"] = orjson.loads(episode["assertion"])
    record["triples"] = triples.opened(episode.get("triples"))
    record["metadata"] = metadata.opened(episode)
    if provenance:
        record["provenance"] = _provenance_record(provenance)
        record["model_family"] = provenance.get("model_family")
    record |= packed_vector(vector)
    return cleaned(record)


def _is_timed(episode: Row) -> bool:
    """Whether the moment is part of what makes the episode the same as another."""
    hashed = content_hash(episode["content"])
    untimed = dedup_key(episode["scope"], episode["session"], episode["author"], hashed, None)
    return bool(episode["dedup_key"] != untimed)


def _provenance_record(stored: Row) -> Record:
    given = {k: v for k, v in stored.items() if k not in ("scope", "session")}
    given["expired_at"] = open_end(stored["expired_at"])
    given["redactions"] = orjson.loads(stored.get("redactions") or "{}")
    return cleaned(given)


EPISODE = Kind(
    "episode",
    "episodes.jsonl",
    EpisodeRecord,
    prepare,
    write,
    export,
    counted,
    lead=lead,
    known=known,
)
