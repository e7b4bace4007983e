"""Steps of one transaction over a skill: locked first, then read, then set."""

from __future__ import annotations

from dataclasses import replace

from app.errors import NotFound
from app.kernel import audit
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.skills import record
from app.skills.draft import SkillChange, SkillDraft, SkillText
from app.skills.versioning import next_version
from app.skills.vocabulary import Category, Status

SHOWN = frozenset(["name", "description", "category", "tags", "body_hash", "version"])
# A new version starts with no outcomes of its own (seed 001).
ZEROED = {"success_count": 0, "failure_count": 0}


async def locked(tx: Tx, who: Caller, skill: str) -> Row:
    """The skill, locked; NotFound where absent or not visible."""
    row = await tx.optional(Q.skills.lock, id=skill, scopes=who.visible, at=now())
    if row is None:
        raise NotFound(f"there is no skill {skill}")
    found: Row = row["skill"]
    return found


async def version_named(tx: Tx, row: Row, version: str) -> Row:
    """One version of a locked skill; NotFound where it has none of that number."""
    rows = await tx.rows(Q.skills.versions, id=row["id"], scopes=[row["scope"]])
    found = next((r["version"] for r in rows if r["version"]["version"] == version), None)
    if found is None:
        raise NotFound(f"the skill {row['id']} has no version {version}")
    chosen: Row = found
    return chosen


async def added(tx: Tx, who: Caller, row: Row, text: SkillText, change: SkillChange) -> Row:
    """One more version, not in use; what it was made as."""
    rows = await tx.rows(Q.skills.versions, id=row["id"], scopes=[row["scope"]])
    known = {r["version"]["version"] for r in rows}
    made = {
        "version": next_version(known, row["version"], change.change_type),
        "change_type": str(change.change_type),
        "reason": change.reason,
        "is_active": False,
    }
    stamp = record.Stamp(row["id"], row["slug"], row["scope"], row["tenant"], who.principal, now())
    version = record.version_row(row["id"], text, stamp, made)
    await tx.one(Q.skills.add_version, id=row["id"], scope=row["scope"], version=version)
    return made


async def activated(tx: Tx, who: Caller, row: Row, version: Row, kind: str) -> None:
    """Bring a version into use: the skill says what it says, and has its outcomes."""
    await tx.one(Q.skills.activate, id=row["id"], scope=row["scope"], version=version["version"])
    text = record.text_of(version)
    counts = {name: version[name] for name in ZEROED}
    properties = {
        **record.text_row(text),
        **reindexed(row, replace(draft_of(row), text=text)),
        **counts,
        "version": version["version"],
        "updated_at": now(),
    }
    event = audit.event(who, kind, row["scope"], version=version["version"])
    await set_properties(tx, row, properties, event)


async def set_properties(tx: Tx, row: Row, properties: Row, event: Row) -> None:
    """Set properties of a locked skill, with the audit event."""
    await tx.one(
        Q.skills.change,
        id=row["id"],
        scope=row["scope"],
        properties=properties,
        tags=None,
        audit=event,
    )


def merged(change: SkillChange, stored: SkillText) -> SkillText:
    """The stored text with what the change names."""
    return SkillText(
        stored.body if change.body is None else change.body,
        stored.params if change.params is None else change.params,
        stored.preconditions if change.preconditions is None else change.preconditions,
        stored.postconditions if change.postconditions is None else change.postconditions,
    )


def draft_of(row: Row) -> SkillDraft:
    """A stored skill as a draft."""
    return SkillDraft(
        name=row["name"],
        description=row["description"],
        text=record.text_of(row),
        category=Category(row["category"]),
        status=Status(row["status"]),
        tags=tuple(row["tags"]),
        scope=row["scope"],
    )


def own_of(draft: SkillDraft) -> Row:
    """What a skill has that its versions have not."""
    return {
        "name": draft.name,
        "description": draft.description,
        "category": str(draft.category),
        "tags": list(draft.tags),
    }


def reindexed(row: Row, draft: SkillDraft) -> Row:
    """What the index has anew where the text, name or tags changed; nothing where they stay."""
    stamp = record.Stamp(
        row["id"], row["slug"], row["scope"], row["tenant"], row["author"], row["created_at"]
    )
    made = record.indexed(draft, stamp)
    names = ("content_hash", "title", "facets")
    if all(sorted(made[n]) == sorted(row[n]) for n in names):
        return {}
    kept = ("memory_id", "captured_at", "ingested_at", "captured_key", "ingested_key")
    fresh = {name: value for name, value in made.items() if name not in kept}
    return {**fresh, "index_rev": row["index_rev"] + 1}
