"""Which page a link means. Pure: the same pages and the same text give the same edges.

A page of the same scope comes first, then an article of that scope or of a wider one, then pages of
wider scopes, nearest first. Within one of these the title decides before the slug, the slug before
an alias, that before a file's path, that before a former title, that before an id; and of two
pages that are alike in this, the older one is meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.kernel.scope import parse_scope
from app.pages.model import PageKind
from app.pages.naming import is_slug_of, name_key, path_names, title_key
from app.pages.wikilink import Link, alternatives, heading, is_own_heading, prefixed

WEIGHT = CONFIDENCE = 1.0  # of an edge that a person wrote (seed 000)


@dataclass(frozen=True, slots=True)
class Bearer:
    """A live page with all that it goes by."""

    id: str
    scope: str
    kind: str
    title: str
    slug: str
    created_at: datetime
    aliases: tuple[str, ...] = ()
    formers: tuple[str, ...] = ()
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """One target that a page links to, with every way in which its text writes the link."""

    target: str
    raws: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A reference from one node to another, with the links behind it."""

    target: str
    texts: tuple[str, ...]
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """What the links of one page come to: edges by target, and targets that nothing bears yet."""

    edges: tuple[Edge, ...]
    pending: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """The page whose links are resolved."""

    id: str
    scope: str
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What links may mean: pages by the key of each name, and what is no page by kind, name as the
    link writes it, and the scope that sees it."""

    pages: Mapping[str, Sequence[Bearer]] = field(default_factory=dict)
    others: Mapping[tuple[str, str, str], str] = field(default_factory=dict)


def names(page: Bearer) -> tuple[str, ...]:
    """Every text by which a link may name a page."""
    given = (page.title, page.slug, *page.aliases, *page.formers, *path_names(page.path), page.id)
    return tuple(dict.fromkeys(name for name in given if name))


def wanted(links: Sequence[Link]) -> tuple[Wanted, ...]:
    """The links of a text by target, in order of appearance; headings of its own left out."""
    raws: dict[str, dict[str, None]] = {}
    for link in links:
        if not is_own_heading(link.target):
            raws.setdefault(link.target, {})[link.raw] = None
    return tuple(Wanted(target, tuple(found)) for target, found in raws.items())


def settle(source: Source, known: Known) -> Settled:
    """The edges of one page; a link to itself is neither an edge nor pending."""
    chain = upward(source.scope)
    texts: dict[str, dict[str, None]] = {}
    headings: dict[str, dict[str, None]] = {}
    pending: dict[str, None] = {}
    for one in source.wanted:
        found = _target(one.target, chain, known)
        if found is None:
            pending[one.target] = None
        elif found[0] != source.id:
            target, name = found
            texts.setdefault(target, {}).update(dict.fromkeys(one.raws))
            part = "" if "#" in name else heading(one.target)
            headings.setdefault(target, {}).update({part: None} if part else {})
    edges = (Edge(t, tuple(raws), tuple(headings[t])) for t, raws in texts.items())
    return Settled(tuple(edges), tuple(pending))


def upward(scope: str) -> tuple[str, ...]:
    """A scope and what lies above it, nearest first."""
    path = parse_scope(scope)
    return (str(path), *(str(wider) for wider in path.ancestors))


def _target(target: str, chain: Sequence[str], known: Known) -> tuple[str, str] | None:
    """What a target means, and the name in it that says so; pages before what is no page."""
    for name in alternatives(target):
        found = [
            (*place, page.created_at, page.id)
            for page in known.pages.get(name_key(name), ())
            if (place := _place(page, name, chain)) is not None
        ]
        if found:
            return min(found)[-1], name
    for kind, name in prefixed(target):
        seen = (known.others.get((kind, name, scope)) for scope in chain)
        meant = next((one for one in seen if one), None)
        if meant:
            return meant, name
    return None


def _place(page: Bearer, name: str, chain: Sequence[str]) -> tuple[int, int, int] | None:
    """How near a page is to a link and how well its name fits; None where it is not meant."""
    if page.scope not in chain:
        return None
    rank = _rank(page, name)
    if rank is None:
        return None
    distance = chain.index(page.scope)
    if page.kind == PageKind.ARTICLE:
        return (1, distance, rank)
    return (0 if distance == 0 else 2, distance, rank)


def _rank(page: Bearer, name: str) -> int | None:
    wanted = title_key(name)
    fits = (
        title_key(page.title) == wanted,
        page.slug == name.strip().lower(),
        is_slug_of(name, page.title),
        any(title_key(alias) == wanted for alias in page.aliases),
        any(title_key(path) == wanted for path in path_names(page.path)),
        any(title_key(old) == wanted or is_slug_of(name, old) for old in page.formers),
        page.id == name.strip(),
    )
    return next((rank for rank, fit in enumerate(fits) if fit), None)
