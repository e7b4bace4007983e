"""Pages in a package: their texts, from which links and passages follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence

from app.kernel.clock import FOREVER
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.scope import parse_scope
from app.lifecycle.graves import erased
from app.pages import record as rows_of
from app.pages.linking import Moved, lock_names, relink
from app.pages.naming import slug
from app.portability.derived import clean, opened, write_events
from app.portability.episodes import author_of
from app.portability.kind import At, Batch, Kind, Record, Selection, Written, cleaned
from app.portability.page_records import PageRecord, PageVersionRecord
from app.sanitize.step import sanitize

PAGE_OF = 200  # pages that an export reads at once: their texts are long
BATCH = 50
PLAIN = (
    "id", "scope", "kind", "title", "content", "aliases", "formers", "tags", "path", "version",
    "author", "updated_by", "ingested_at", "updated_at", "expired_at", "pii",
)  # fmt: skip
FORMER = (
    "version", "title", "content", "aliases", "tags", "author", "recorded_at", "retracted_at",
)  # fmt: skip


def prepare(record: PageRecord, at: At) -> Row:
    """A page with its former texts; what follows from its text is made anew."""
    scope = at.scope(record.scope)
    identifier = at.identifier(record.id, scope)
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    expired = record.expired_at or FOREVER
    title = clean(record.title, "title", scope, at)
    found = sanitize(record.content, at.policy(scope))
    page = {
        **rows_of.text_properties(found),
        "id": identifier,
        "scope": scope,
        "tenant": parse_scope(scope).tenant,
        "kind": record.kind,
        "title": title,
        "slug": slug(title),
        "aliases": [clean(alias, "aliases", scope, at) for alias in record.aliases],
        "formers": [clean(former, "formers", scope, at) for former in record.formers],
        "tags": list(record.tags),
        "path": rows_of.checked_path(record.path),
        "crlf": record.crlf,
        "bom": record.bom,
        "pii": sorted({*record.pii, *found.tags}),
        "marker_ids": sorted({*record.markers, *found.marker_ids}),
        "version": record.version,
        "author": author_of(record.author, scope, at),
        "updated_by": author_of(record.updated_by or record.author, scope, at),
        "ingested_at": taken,
        "updated_at": record.updated_at or taken,
        "touched_at": at.moment,
        "expired_at": expired,
        "live": expired >= FOREVER,
        "pending": [],
        "passage_state": "due",
    }
    versions = [_former(former, identifier, scope, at) for former in record.versions]
    return {
        "line": at.line,
        "scope": scope,
        "scopes": [scope],
        "subject": identifier,
        "id": identifier,
        "page": page,
        "versions": versions,
    }


def _former(former: PageVersionRecord, page: str, scope: str, at: At) -> Row:
    return {
        "id": rows_of.version_id(page, former.version),
        "page": page,
        "scope": scope,
        "version": former.version,
        "title": clean(former.title, "versions", scope, at),
        "content": clean(former.content, "versions", scope, at),
        "aliases": [clean(alias, "versions", scope, at) for alias in former.aliases],
        "tags": list(former.tags),
        "author": author_of(former.author, scope, at),
        "recorded_at": former.recorded_at,
        "retracted_at": former.retracted_at,
    }


async def write(tx: Tx, batch: Batch) -> Written:
    """Pages that are new and were not erased here, by id, with their links."""
    ids = [row["id"] for row in batch.rows]
    gone = set() if batch.rules.revives else await erased(tx, ids)
    unique = {row["id"]: row for row in reversed(batch.rows) if row["id"] not in gone}
    rows = [unique[identifier] for identifier in sorted(unique)]
    by_tenant: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_tenant[row["page"]["tenant"]].append(row)
    accepted = 0
    for tenant, some in sorted(by_tenant.items()):
        accepted += await _written(tx, tenant, some, batch)
    return Written(accepted=accepted, duplicates=len(batch.rows) - accepted)


async def _written(tx: Tx, tenant: str, rows: Sequence[Row], batch: Batch) -> int:
    moment = batch.rules.moment
    await lock_names(tx, tenant, [Moved(None, row["page"]) for row in rows], moment)
    made = {row["line"] for row in await tx.rows(Q.pages.restore, rows=list(rows))}
    new = [row for row in rows if row["line"] in made]
    if new:
        await relink(tx, tenant, [Moved(None, row["page"]) for row in new], moment)
    await write_events(tx, batch.rules, "page", new)
    return len(new)


async def export(graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Every page, deleted ones too, by scope and id."""
    for scope in chosen.scopes:
        after = ""
        while found := await graph.rows(
            Q.pages.export_pages, scopes=[scope], after=after, limit=PAGE_OF
        ):
            for row in found:
                yield _record(row)
            after = found[-1]["page"]["id"]


def _record(row: Row) -> Record:
    page = row["page"]
    versions = [cleaned({name: v.get(name) for name in FORMER}) for v in row["versions"]]
    return cleaned(
        {
            **opened({name: page.get(name) for name in PLAIN}),
            "crlf": page["crlf"] or None,
            "bom": page["bom"] or None,
            "markers": page.get("marker_ids"),
            "versions": versions,
        }
    )


PAGE = Kind("page", "pages.jsonl", PageRecord, prepare, write, export, serial=True, batch=BATCH)
