"""The rows of skills and versions: pure, given ids and a clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from app.indexing.entry import LIVE, Facts, entry
from app.kernel.clock import FOREVER
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.sanitize.step import SANITIZER_VERSION
from app.skills.draft import SkillDraft, SkillText
from app.skills.effectiveness import UNKNOWN
from app.skills.vocabulary import ChangeType, Status

KIND = "skill"
IMPORTANCE, TRUST = 0.5, 0.5


@dataclass(frozen=True, slots=True)
class Stamp:
    """Under which id and slug, where, by whom and when a skill is stored."""

    id: str
    slug: str
    scope: str
    tenant: str
    author: str
    at: datetime


def skill_key(scope: str, slug: str) -> str:
    """What makes a slug unique in its scope."""
    return digest("skill", scope, slug)[:32]


def released_key(skill: str) -> str:
    """What an archived skill bears instead: its name is free for another."""
    return f"archived:{skill}"


def version_id(skill: str, version: str) -> str:
    """The id of one version of a skill."""
    return f"{skill}~v{version}"


def skill_row(draft: SkillDraft, stamp: Stamp, version: str) -> Row:
    """Every property of a new skill, those of its index entry included."""
    return {
        **indexed(draft, stamp),
        **text_row(draft.text),
        "id": stamp.id,
        "tenant": stamp.tenant,
        "slug": stamp.slug,
        "skill_key": _key(draft.status, stamp),
        "name": draft.name,
        "description": draft.description,
        "category": str(draft.category),
        "status": str(draft.status),
        "tags": list(draft.tags),
        "author": stamp.author,
        "version": version,
        "effectiveness": UNKNOWN,
        "confidence": UNKNOWN,
        "usage_count": 0,
        "success_count": 0,
        "failure_count": 0,
        "created_at": stamp.at,
        "updated_at": stamp.at,
        **in_use(draft.status, stamp.at),
        "touched_at": stamp.at,
        "importance": IMPORTANCE,
        "trust": TRUST,
        "is_pinned": False,
        "sanitizer": SANITIZER_VERSION,
        "windows": 1,
    }


def _key(status: Status, stamp: Stamp) -> str:
    if status is Status.ARCHIVED:
        return released_key(stamp.id)
    return skill_key(stamp.scope, stamp.slug)


def text_row(text: SkillText) -> Row:
    """What a skill has of the version in use, and each version of its own."""
    return {
        "body": text.body,
        "params": orjson.dumps(dict(text.params), option=orjson.OPT_SORT_KEYS).decode(),
        "preconditions": list(text.preconditions),
        "postconditions": list(text.postconditions),
        "body_hash": body_hash(text),
    }


def body_hash(text: SkillText) -> str:
    """Equal exactly when a version says the same."""
    bag = orjson.dumps(dict(text.params), option=orjson.OPT_SORT_KEYS).decode()
    parts = (text.body, bag, "\n".join(text.preconditions), "\n".join(text.postconditions))
    return digest("skill-body", *parts)


def text_of(row: Row) -> SkillText:
    """The reverse of `text_row`."""
    return SkillText(
        body=row.get("body") or "",
        params=orjson.loads(row.get("params") or "{}"),
        preconditions=tuple(row.get("preconditions") or ()),
        postconditions=tuple(row.get("postconditions") or ()),
    )


def content_of(draft: SkillDraft) -> str:
    """The text that a skill is found by, beside its name."""
    parts = (draft.description, draft.text.body)
    return "\n\n".join(part for part in parts if part.strip()) or draft.name


def indexed(draft: SkillDraft, stamp: Stamp) -> Row:
    """The index entry of a skill; only an active one is live."""
    facts = Facts(
        memory_id=stamp.id,
        scope=stamp.scope,
        kind=KIND,
        captured_at=stamp.at,
        ingested_at=stamp.at,
        title=draft.name,
        tags=draft.tags,
    )
    content = content_of(draft)
    made = entry(facts, content)
    own = {"title": draft.name, "content": content, "content_hash": digest(content)}
    return {**made, **own, **liveness(draft.status, made["facets"])}


def liveness(status: Status, facets: list[str]) -> Row:
    """Whether the index finds a skill of that status as held now."""
    live = status is Status.ACTIVE
    kept = [facet for facet in facets if facet != LIVE]
    return {"live": live, "facets": [*kept, LIVE] if live else kept}


def in_use(status: Status, since: datetime, until: datetime = FOREVER) -> Row:
    """From when to when a skill was last active, half open; a draft never was."""
    if status is Status.DRAFT:
        return {"active_from": FOREVER, "active_to": FOREVER}
    return {"active_from": since, "active_to": FOREVER if status is Status.ACTIVE else until}


def moved(before: Status, after: Status, at: datetime) -> Row:
    """What a step in its life changes of that; nothing where it is active on neither side."""
    if after is Status.ACTIVE:
        return in_use(after, at)
    return {"active_to": at} if before is Status.ACTIVE else {}


def version_row(skill: str, text: SkillText, stamp: Stamp, made: Row) -> Row:
    """One version; `made` has its number, change_type, reason and whether it is in use."""
    return {
        **text_row(text),
        **made,
        "id": version_id(skill, made["version"]),
        "skill": skill,
        "scope": stamp.scope,
        "tenant": stamp.tenant,
        "author": stamp.author,
        "created_at": stamp.at,
        "usage_count": 0,
        "success_count": 0,
        "failure_count": 0,
        "expired_at": FOREVER,
    }


def first_version(version: str) -> dict[str, Any]:
    """What the first version of a skill is made as."""
    return {
        "version": version,
        "change_type": str(ChangeType.MAJOR),
        "reason": "",
        "is_active": True,
    }
