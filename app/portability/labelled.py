"""Kinds whose nodes have a label of their own, in a package: one engine for all that declare it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from app.kernel.graph import Graph, Row, Tx
from app.kernel.labelled import Arrival, LabelledKind, Links
from app.portability.derived import (
    PAGE,
    clean_tags_of,
    opened,
    rest,
    sanitized,
    unrest,
    write_new,
    write_unburied,
)
from app.portability.episodes import author_of
from app.portability.kind import At, Batch, Kind, Known, Record, Selection, Write, Written, cleaned
from app.sanitize.tree import sanitize_tree


def portable(
    kind: LabelledKind[Any], write: Write | None = None, known: Known | None = None
) -> Kind:
    """Return the portable kind of a declared one; `write` and `known` for one that another
    program's later export brings up to date."""
    return Kind(
        kind.name,
        kind.file,
        kind.struct,
        partial(prepare, kind),
        write or partial(_write, kind),
        partial(export, kind),
        serial=kind.shared,
        known=known,
    )


def labelled(kinds: Iterable[LabelledKind[Any]], own: Mapping[str, Kind]) -> Iterator[Kind]:
    """Yield the portable kinds of declared ones, each before its edges; `own` has by name those
    that are written in another way."""
    for kind in kinds:
        yield own.get(kind.name) or portable(kind)
        if kind.links is not None:
            yield linking(kind, kind.links)


def prepare(kind: LabelledKind[Any], record: Any, at: At) -> Row:
    """Return the row of a record: in its scope here, sanitised, under the id that follows."""
    scope = at.scope(record.scope)
    clean, levels = _clean(kind, record, scope, at)
    arrival = Arrival(lambda who: author_of(who, scope, at), at.rules.by_agent, levels)
    value = record.model_copy(update={**clean, "scope": scope})
    value = value.relocated(lambda given: at.identifier(given, scope)).arrived(arrival)
    identifier = kind.id_of(value)
    taken = (record.ingested_at if at.rules.keeps else None) or at.moment
    graves = (*value.graves(identifier), *([] if kind.identity else [record.id]))
    return {
        "line": at.line,
        "scope": scope,
        "subject": identifier,
        "scopes": [scope],
        "id": identifier,
        "graves": list(graves),
        "said": getattr(record, kind.changed),
        "changed_at": getattr(record, "updated_at", None),
        "moved": not at.rules.keeps,
        "properties": {
            **unrest(getattr(record, "stats", {}), kind.known),
            **value.row(identifier, taken),
        },
        **value.beside(identifier),
    }


def _clean(
    kind: LabelledKind[Any], record: Any, scope: str, at: At
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what clients wrote as it may be stored, and how private its texts are, by field."""
    made: dict[str, Any] = {}
    levels: dict[str, str] = {}
    for path in kind.sanitised:
        name, _, inner = path.partition(".")
        value = getattr(record, name)
        if inner:
            texts = [sanitized(getattr(each, inner), name, scope, at).text for each in value]
            pairs = zip(value, texts, strict=True)
            made[name] = tuple(each.model_copy(update={inner: text}) for each, text in pairs)
        elif isinstance(value, tuple):
            made[name] = clean_tags_of(value, scope, at)
        elif isinstance(value, dict):
            made[name] = sanitize_tree(value, at.policy(scope), name)
        elif value:
            found = sanitized(value, name, scope, at)
            made[name], levels[name] = found.text, found.privacy
    return made, levels


async def _write(kind: LabelledKind[Any], tx: Tx, batch: Batch) -> Written:
    """Write what is new and was not erased here."""
    return await write_unburied(tx, batch, kind.name, query=kind.restore)


async def pages(
    kind: LabelledKind[Any], graph: Graph, chosen: Selection
) -> AsyncIterator[list[Row]]:
    """Yield the nodes of a kind, by scope and cursor, a page at a time."""
    for scope in chosen.scopes:
        after = ""
        while page := await graph.rows(kind.pages, scopes=[scope], after=after, limit=PAGE):
            yield page
            after = page[-1]["node"][kind.cursor]


async def export(kind: LabelledKind[Any], graph: Graph, chosen: Selection) -> AsyncIterator[Record]:
    """Yield every value of a kind, by scope and cursor."""
    async for page in pages(kind, graph, chosen):
        for row in page:
            yield _told(kind, row)


def _told(kind: LabelledKind[Any], row: Row) -> Record:
    node = row["node"]
    parts = {name: [cleaned(opened(each)) for each in row[name]] for name in kind.parts}
    stats = {"stats": rest(node, kind.known)} if "stats" in kind.struct.model_fields else {}
    return cleaned({**opened(kind.struct.told(node)), **parts, **stats})


def linking(kind: LabelledKind[Any], links: Links) -> Kind:
    """Return the portable kind of the edges between values of a declared one."""
    return Kind(
        links.name,
        links.file,
        links.struct,
        partial(_prepare_link, links),
        partial(_write_link, links),
        partial(_export_links, kind, links),
        serial=True,
    )


def _prepare_link(links: Links, record: Any, at: At) -> Row:
    scope = at.scope(record.scope)
    ends = {name: at.identifier(getattr(record, name), scope) for name in links.ends}
    reason = sanitized(record.reason, "reason", scope, at).text if record.reason else ""
    return {
        "line": at.line,
        "scope": scope,
        "subject": " ".join((record.type, *ends.values())),
        "scopes": [scope],
        "type": record.type,
        **ends,
        "properties": {"reason": reason, "recorded_at": record.recorded_at},
    }


async def _write_link(links: Links, tx: Tx, batch: Batch) -> Written:
    """Write the edges that are new."""
    return await write_new(tx, batch, links.name, query=links.restore)


async def _export_links(
    kind: LabelledKind[Any], links: Links, graph: Graph, chosen: Selection
) -> AsyncIterator[Record]:
    """Yield every edge, by scope and the value that it begins at."""
    start, _ = links.ends
    async for page in pages(kind, graph, chosen):
        for row in page:
            own = {"scope": row["node"]["scope"], start: row["node"]["id"]}
            for link in row["links"]:
                yield cleaned({**own, **link, "reason": link["reason"] or None})
