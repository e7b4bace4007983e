"""Bringing the references of the graph to what texts and names say, inside one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from app.entities.model import alias_id
from app.entities.names import UNKNOWN, name_keys
from app.errors import InvalidInput
from app.kernel.cypher import Q
from app.kernel.graph import Row, Tx
from app.pages.naming import name_id, name_key
from app.pages.record import bearer, borne, linked, loaded, renamed, told_apart
from app.pages.resolve import CONFIDENCE, WEIGHT, Bearer, Known, Settled, Source, settle, upward
from app.pages.wikilink import alternatives, prefixed

BATCH = 200  # pages whose links are settled with one set of queries
ENTITY_KINDS = ("entity", "mission")  # a mission is an entity; it has no kind of its own


@dataclass(frozen=True, slots=True)
class Moved:
    """One page on its way: as it was (None for a new one) and as it will be."""

    before: Row | None
    after: Row

    @property
    def touched(self) -> frozenset[str]:
        """Names that may mean another page from now on."""
        if not renamed(self.before, self.after):
            return frozenset()
        return borne(self.before) | borne(self.after)

    @property
    def locks(self) -> frozenset[str]:
        """Names that nobody else may take or link to meanwhile."""
        return self.touched | (linked(self.before) ^ linked(self.after))


async def _lock_names(tx: Tx, tenant: str, moved: Sequence[Moved], at: datetime) -> None:
    ids = sorted(frozenset().union(*(one.locks for one in moved)))
    if ids:
        await tx.rows(Q.pages.lock_names, ids=ids, tenant=tenant, at=at)


async def take_names(tx: Tx, tenant: str, moved: Sequence[Moved], at: datetime) -> None:
    """Lock all names that a batch touches, in their order, and give pages that are about to be
    saved a slug that no other page of their scope has.

    Pages of one slug meet at a name that is locked by then, so that one waits for the other.
    """
    pages = [one.after for one in moved]
    for number in count(1):  # ends at the first that nobody has: a title may read like an own slug
        await _lock_names(tx, tenant, moved, at)
        wanted = [{"scope": page["scope"], "slug": page["slug"]} for page in pages]
        rows = await tx.rows(Q.pages.slugs, rows=wanted)
        taken = {(row["scope"], row["slug"]): row["id"] for row in rows}
        if not told_apart(pages, taken, number):
            return


async def part_doubled(tx: Tx, tenant: str, ids: Sequence[str], at: datetime) -> None:
    """Give those of some pages slugs of their own that share one, and settle what links to them."""
    await tx.rows(Q.pages.lock_pages, ids=sorted(ids), tenant=tenant, at=at)
    pages = [row["page"] for row in await tx.rows(Q.pages.doubled, ids=list(ids))]
    moved = [Moved(page, dict(page)) for page in pages]
    await take_names(tx, tenant, moved, at)
    slugs = [{"id": one.after["id"], "slug": one.after["slug"]} for one in moved]
    await tx.rows(Q.pages.give_slugs, rows=slugs)
    await relink(tx, tenant, moved, at)


async def relink(tx: Tx, tenant: str, moved: Sequence[Moved], at: datetime) -> dict[str, Settled]:
    """Write names and links of pages that have just been saved, and settle every page whose links
    may mean something else now; what became of the links of each page."""
    touched = await _named(tx, moved)
    found = await tx.rows(Q.pages.affected, rows=touched, tenant=tenant) if touched else []
    ids = {row["id"] for row in found} | {one.after["id"] for one in moved}
    return await settle_pages(tx, tenant, ids, at)


async def name_only(tx: Tx, tenant: str, moved: Sequence[Moved]) -> None:
    """Write names and links of pages that have just been saved; every page whose links may mean
    something else now waits to be settled, as the new ones do (`app.pages.due`)."""
    touched = await _named(tx, moved)
    if touched:
        await tx.rows(Q.pages.unlink, rows=touched, tenant=tenant)


async def _named(tx: Tx, moved: Sequence[Moved]) -> list[Row]:
    """Write what pages go by and link to; the names that changed hands, with the scopes where."""
    named = [one for one in moved if one.touched]
    if named:
        rows = [{"id": m.after["id"], "bears": sorted(borne(m.after))} for m in named]
        await tx.rows(Q.pages.bear, rows=rows)
    relinked = [one for one in moved if linked(one.before) != linked(one.after)]
    if relinked:
        rows = [{"id": m.after["id"], "names": sorted(linked(m.after))} for m in relinked]
        await tx.rows(Q.pages.link, rows=rows)
    return [
        {"name": name, "scope": one.after["scope"]} for one in named for name in sorted(one.touched)
    ]


async def settle_pages(tx: Tx, tenant: str, ids: Iterable[str], at: datetime) -> dict[str, Settled]:
    """Resolve the links of these pages anew and write the difference; none of them waits for that
    any longer."""
    settled: dict[str, Settled] = {}
    ordered = sorted(ids)
    for start in range(0, len(ordered), BATCH):
        some = ordered[start : start + BATCH]
        await tx.rows(Q.pages.settling, ids=some, tenant=tenant, at=at)
        rows = await tx.rows(Q.pages.sources, ids=some, tenant=tenant)
        sources = [Source(r["id"], r["scope"], loaded(r["links"])) for r in rows]
        known = await _known(tx, tenant, sources)
        made = {source.id: settle(source, known) for source in sources}
        changed = [row for before in rows if (row := _changed(before, made[before["id"]]))]
        if changed:
            await tx.rows(Q.pages.refer, rows=changed)
        settled |= made
    return settled


async def _known(tx: Tx, tenant: str, sources: Sequence[Source]) -> Known:
    targets = {one.target for source in sources for one in source.wanted}
    scopes = sorted({scope for source in sources for scope in upward(source.scope)})
    pages = await _bearers(tx, tenant, targets, scopes)
    others = {one for target in targets for one in prefixed(target)}
    entities = await _entities(tx, {o for o in others if o[0] in ENTITY_KINDS}, scopes)
    agents = await _agents(tx, tenant, {o for o in others if o[0] == "agent"}, scopes)
    skills = await _skills(tx, {o for o in others if o[0] == "skill"}, scopes)
    return Known(pages, entities | agents | skills)


async def _bearers(
    tx: Tx, tenant: str, targets: Iterable[str], scopes: list[str]
) -> dict[str, list[Bearer]]:
    keys = {name_id(tenant, n): name_key(n) for t in targets for n in alternatives(t)}
    if not keys:
        return {}
    rows = await tx.rows(Q.pages.bearers, names=sorted(keys), scopes=scopes)
    found: dict[str, list[Bearer]] = defaultdict(list)
    for row in rows:
        found[keys[row["name"]]].append(bearer(row["page"]))
    return found


async def _entities(
    tx: Tx, wanted: set[tuple[str, str]], scopes: list[str]
) -> dict[tuple[str, str, str], str]:
    """Entities by the name that a link gives them, in each scope that has one of that name."""
    if not wanted:
        return {}
    aliases: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for kind, name in sorted(wanted):
        for key in _keys(name):
            for scope in scopes:
                aliases[alias_id(scope, key)].append((kind, name, scope))
    rows = await tx.rows(Q.pages.named_entities, aliases=sorted(aliases), scopes=scopes)
    found: dict[tuple[str, str, str], str] = {}
    for row in rows:
        for place in aliases[row["alias"]]:
            found.setdefault(place, row["target"])
    return found


def _keys(name: str) -> tuple[str, ...]:
    """The keys of an entity's name; none for a link that names nothing, such as `entity:?`."""
    try:
        return name_keys(name, UNKNOWN)
    except InvalidInput:
        return ()


async def _agents(
    tx: Tx, tenant: str, wanted: set[tuple[str, str]], scopes: list[str]
) -> dict[tuple[str, str, str], str]:
    """Agents by name in any case, in each scope that has them at home or has given them a role."""
    if not wanted:
        return {}
    ids = _spellings((f"agent:{tenant}:{name.lower()}", (kind, name)) for kind, name in wanted)
    rows = await tx.rows(Q.pages.named_principals, ids=sorted(ids), tenant=tenant, scopes=scopes)
    return {(*one, row["scope"]): row["id"] for row in rows for one in ids[row["id"]]}


async def _skills(
    tx: Tx, wanted: set[tuple[str, str]], scopes: list[str]
) -> dict[tuple[str, str, str], str]:
    """Skills by name, else by slug, in each scope that has one of that name."""
    if not wanted:
        return {}
    by_name = _spellings((name.lower(), (kind, name)) for kind, name in wanted)
    names = sorted(by_name)
    rows = await tx.rows(Q.pages.named_skills, names=names, slugs=names, scopes=scopes)
    found: dict[tuple[str, str, str], str] = {}
    for said in ([r["name"].lower() for r in rows], [r["slug"] for r in rows]):
        for row, text in zip(rows, said, strict=True):
            for one in by_name.get(text, ()):
                found.setdefault((*one, row["scope"]), row["id"])
    return found


def _spellings(pairs: Iterable[tuple[str, tuple[str, str]]]) -> dict[str, list[tuple[str, str]]]:
    """Every way in which links write a name, by what it is looked up as."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for key, one in sorted(pairs):
        found[key].append(one)
    return found


def _changed(before: Row, found: Settled) -> Row | None:
    """What has to be written of a page's references; None where they are what they were."""
    stored = {target: (texts, headings) for target, texts, headings in before["edges"]}
    wanted = {edge.target: (list(edge.texts), list(edge.headings)) for edge in found.edges}
    edges = [_edge(t, *said) for t, said in wanted.items() if stored.get(t) != said]
    gone = sorted(stored.keys() - wanted.keys())
    pending = list(found.pending)
    if not edges and not gone and pending == before["pending"]:
        return None
    return {"id": before["id"], "edges": edges, "gone": gone, "pending": pending}


def _edge(target: str, texts: list[str], headings: list[str]) -> Row:
    return {
        "target": target,
        "texts": texts,
        "headings": headings,
        "weight": WEIGHT,
        "confidence": CONFIDENCE,
    }
