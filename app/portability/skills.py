"""Skills in a package: what follows from their texts is made anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson

from app.episodes.record import tag_rows
from app.indexing.entry import time_key
from app.kernel.clock import FOREVER
from app.kernel.cypher import Q, Query
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest
from app.kernel.scope import parse_scope
from app.portability.derived import PAGE, clean, clean_tags_of, opened, write_new, write_unburied
from app.portability.episodes import author_of
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned
from app.portability.skill_records import (
    SaidRecord,
    SkillConflictRecord,
    SkillLinkRecord,
    SkillProposalRecord,
    SkillRecord,
    SkillUsageRecord,
    SkillVersionRecord,
)
from app.skills import record as rows_of
from app.skills.draft import SkillDraft, SkillText, cleaned_text
from app.skills.proposing import overlap_label
from app.skills.vocabulary import TYPE_OF, Status

SKILL_PLAIN = tuple(SkillRecord.model_fields.keys() - {"versions"})
VERSION_PLAIN = tuple(SkillVersionRecord.model_fields.keys() - {"params"})
PROPOSAL_PLAIN = tuple(SkillProposalRecord.model_fields.keys() - {"params", "findings"})
SAID = frozenset(SaidRecord.model_fields)
NOTHING: Row = {}


def _placed(at: At, scope: str, identifier: str, properties: Row) -> Row:
    return {
        "line": at.line,
        "scope": scope,
        "scopes": [scope],
        "subject": identifier,
        "id": identifier,
        "moved": not at.rules.keeps,
        "properties": {k: v for k, v in properties.items() if v is not None},
    }


def _said(record: SaidRecord, scope: str, at: At) -> SkillText:
    text = SkillText(record.body, record.params, record.preconditions, record.postconditions)

    def cleaner(line: str, name: str) -> str:
        return clean(line, name, scope, at) if line.strip() else ""

    return cleaned_text(text, cleaner)


def prepare(record: SkillRecord, at: At) -> Row:
    """A skill with its versions and its index entry; the last one that says it is in use is."""
    scope = at.scope(record.scope)
    record = record.model_copy(update={"tags": clean_tags_of(record.tags, scope, at)})
    identifier = at.identifier(record.id, scope)
    author = author_of(record.author, scope, at)
    used = next((v for v in reversed(record.versions) if v.is_active), record.versions[-1])
    draft = SkillDraft(
        name=clean(record.name, "name", scope, at),
        description=_optional(record.description, "description", scope, at),
        text=_said(used, scope, at),
        category=record.category,
        status=record.status,
        tags=record.tags,
        scope=scope,
    )
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    stamp = rows_of.Stamp(
        identifier, record.slug, scope, parse_scope(scope).tenant, author, record.created_at
    )
    own = record.model_dump(exclude={"versions", "name", "description", "id", "scope"})
    counts = {"success_count": used.success_count, "failure_count": used.failure_count}
    expired, updated = record.expired_at or FOREVER, record.updated_at or record.created_at
    properties = {
        **rows_of.skill_row(draft, stamp, used.version),
        **own,
        **counts,
        "author": author,
        "tags": list(record.tags),
        "category": str(record.category),
        "status": str(record.status),
        "updated_at": updated,
        **rows_of.in_use(
            record.status, record.active_from or record.created_at, record.active_to or updated
        ),
        "ingested_at": taken,
        "ingested_key": time_key(taken),
        "expired_at": expired,
        "expired_key": time_key(expired),
    }
    if expired < FOREVER:
        properties |= rows_of.liveness(Status.ARCHIVED, properties["facets"])
    versions = [_version(v, stamp, v is used, at) for v in record.versions]
    row = _placed(at, scope, identifier, properties)
    graves = [identifier, record.id]
    return {**row, "graves": graves, "versions": versions, "tags": tag_rows(scope, record.tags)}


def _optional(text: str, name: str, scope: str, at: At) -> str:
    return clean(text, name, scope, at) if text.strip() else ""


def _version(record: SkillVersionRecord, stamp: rows_of.Stamp, used: bool, at: At) -> Row:
    text = _said(record, stamp.scope, at)
    own = record.model_dump(exclude=set(SAID), exclude_none=True)
    made = {
        **own,
        "change_type": str(record.change_type),
        "reason": _optional(record.reason, "reason", stamp.scope, at),
        "is_active": used,
    }
    return {
        **rows_of.version_row(stamp.id, text, stamp, made),
        "author": author_of(record.author, stamp.scope, at),
        "created_at": record.created_at,
        "success_count": record.success_count,
        "failure_count": record.failure_count,
        "usage_count": record.success_count + record.failure_count,
    }


def prepare_link(record: SkillLinkRecord, at: At) -> Row:
    """One edge at a skill."""
    scope = at.scope(record.scope)
    skill = at.identifier(record.skill, scope)
    there = at.scope(record.other_scope, "other_scope") if record.other_scope else scope
    other = _end(record, there, at)
    apart = {"scope", "type", "skill", "other", "other_scope", "outside"}
    row = _placed(at, scope, f"{record.type} {skill} {other}", record.model_dump(exclude=apart))
    ends = {"skill": skill, "other": other, "scopes": sorted({scope, there})}
    return {**row, "type": record.type, **ends}


def _end(record: SkillLinkRecord, there: str, at: At) -> str:
    if record.type == "HAS_SKILL":
        return author_of(record.other, there, at)
    return at.identifier(record.other, there)


def prepare_usage(record: SkillUsageRecord, at: At) -> Row:
    """One outcome."""
    scope = at.scope(record.scope)
    identifier = at.identifier(record.id, scope)
    properties = record.model_dump() | {
        "id": identifier,
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "skill": at.identifier(record.skill, scope),
        "principal": author_of(record.principal, scope, at),
        "recorded_at": record.recorded_at or at.moment,
    }
    return _placed(at, scope, identifier, properties)


def prepare_conflict(record: SkillConflictRecord, at: At) -> Row:
    """One conflict, under the id that a scan gives it."""
    scope = at.scope(record.scope)
    skills = [at.identifier(skill, scope) for skill in record.skills]
    identifier = digest("skill-conflict", scope, str(record.finding), *sorted(skills))[:32]
    properties = record.model_dump() | {
        "id": identifier,
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "type": str(TYPE_OF[record.finding]),
        "finding": str(record.finding),
        "severity": str(record.severity),
        "status": str(record.status),
        "skills": skills,
        "detail": record.detail or "",
        "note": _optional(record.note or "", "note", scope, at) or None,
        "touched_at": at.moment,
    }
    return _placed(at, scope, identifier, properties)


def prepare_proposal(record: SkillProposalRecord, at: At) -> Row:
    """One proposal."""
    scope = at.scope(record.scope)
    identifier = at.identifier(record.id, scope)
    findings = [
        each.model_dump(mode="json") | {"id": at.identifier(each.id, scope)}
        for each in record.findings
    ]
    properties = {
        **record.model_dump(exclude=set(SAID) | {"findings"}),
        **rows_of.text_row(_said(record, scope, at)),
        "id": identifier,
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "author": author_of(record.author, scope, at),
        "name": clean(record.name, "name", scope, at),
        "description": _optional(record.description, "description", scope, at),
        "note": _optional(record.note or "", "note", scope, at) or None,
        "category": str(record.category),
        "status": str(record.status),
        "tags": list(clean_tags_of(record.tags, scope, at)),
        "findings": orjson.dumps(findings).decode(),
        "sources": [at.identifier(source, scope) for source in record.sources],
        "overlap_label": overlap_label(record.overlap),
        "parent": record.parent and at.identifier(record.parent, scope),
        "skill": record.skill and at.identifier(record.skill, scope),
        "touched_at": at.moment,
    }
    row = _placed(at, scope, identifier, properties)
    return {**row, "graves": [identifier, record.id]}


async def write(tx: Tx, batch: Batch) -> Written:
    """Skills that are new, by id, in scopes that have none of the slug."""
    return await write_unburied(tx, batch, "skill", query=Q.skill_packages.skills)


async def write_link(tx: Tx, batch: Batch) -> Written:
    """Edges that are new."""
    return await write_new(tx, batch, "skill_link", query=Q.skill_packages.links)


async def write_usage(tx: Tx, batch: Batch) -> Written:
    """Outcomes that are new, by id."""
    return await write_new(tx, batch, "skill_usage", query=Q.skill_packages.usages)


async def write_conflict(tx: Tx, batch: Batch) -> Written:
    """Conflicts that are new."""
    return await write_new(tx, batch, "skill_conflict", query=Q.skill_packages.conflicts)


async def write_proposal(tx: Tx, batch: Batch) -> Written:
    """Proposals that are new, by id."""
    return await write_unburied(tx, batch, "skill_proposal", query=Q.skill_packages.proposals)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every skill, by scope and id."""
    async for row in _pages(graph, chosen, "skill", query=Q.skill_packages.export_skills):
        versions = [_told(v, VERSION_PLAIN) for v in row["versions"]]
        skill = opened({name: row["skill"].get(name) for name in SKILL_PLAIN})
        yield cleaned(skill) | {"versions": versions}


async def export_link(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every edge at a skill, by scope and the skill."""
    more = {"among": chosen.scopes, "audited": chosen.audited}
    async for row in _pages(graph, chosen, "id", query=Q.skill_packages.export_links, more=more):
        for link in row["links"]:
            own = {"scope": row["scope"], "skill": row["id"]}
            yield cleaned({**own, **link, "outside": link["outside"] or None})


def _within(record: Record) -> Record:
    """An edge counts where both of its ends come along."""
    return {} if record.get("outside") else record


async def export_usage(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every outcome, by scope and id."""
    async for row in _pages(graph, chosen, "item", query=Q.skill_packages.export_usages):
        yield cleaned(_only(row["item"], SkillUsageRecord.model_fields))


async def export_conflict(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every conflict, by scope and id."""
    async for row in _pages(graph, chosen, "item", query=Q.skill_packages.export_conflicts):
        yield cleaned(_without(_only(row["item"], SkillConflictRecord.model_fields), "detail"))


async def export_proposal(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every proposal, parents first."""
    async for row in _pages(graph, chosen, "item", query=Q.skill_packages.export_proposals):
        item = row["item"]
        findings = [cleaned(each) for each in orjson.loads(item["findings"])]
        yield cleaned({**_told(item, PROPOSAL_PLAIN), "findings": findings})


def _only(item: Row, names: Any) -> Row:
    return {name: item.get(name) for name in names}


def _without(item: Row, *names: str) -> Row:
    """Empty texts left out."""
    return {k: v for k, v in item.items() if k not in names or v}


def _told(item: Row, names: tuple[str, ...]) -> Record:
    texts = ("body", "reason", "description")
    plain = _without(_only(item, names), *texts)
    return cleaned({**plain, "params": orjson.loads(item["params"])})


async def _pages(
    graph: Graph, chosen: Selection, named: str, query: Query, more: Row = NOTHING
) -> AsyncIterator[Row]:
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(query, scope=scope, after=after, limit=PAGE, **more):
            for row in page:
                yield row
            last = page[-1][named]
            after = last if isinstance(last, str) else _place(last)


def _place(item: Row) -> str:
    return f"{item['depth']}{item['id']}" if "depth" in item else str(item["id"])


SKILL = Kind("skill", "skills.jsonl", SkillRecord, prepare, write, export, serial=True)
SKILL_LINK = Kind(
    "skill_link", "skill_links.jsonl", SkillLinkRecord, prepare_link, write_link, export_link,
    _within, serial=True,
)  # fmt: skip
SKILL_USAGE = Kind(
    "skill_usage", "skill_usages.jsonl", SkillUsageRecord, prepare_usage, write_usage, export_usage
)
SKILL_CONFLICT = Kind(
    "skill_conflict", "skill_conflicts.jsonl", SkillConflictRecord, prepare_conflict,
    write_conflict, export_conflict, serial=True,
)  # fmt: skip
SKILL_PROPOSAL = Kind(
    "skill_proposal", "skill_proposals.jsonl", SkillProposalRecord, prepare_proposal,
    write_proposal, export_proposal, serial=True,
)  # fmt: skip
