"""From drafts and changes to the rows of one transaction: pure, given ids and a clock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import orjson

from app.errors import InvalidInput, TooLarge
from app.kernel.clock import FOREVER
from app.kernel.graph import Row
from app.kernel.ids import digest
from app.pages import front_matter
from app.pages.model import CONTENT_LONGEST, MOST_LINKS, TITLE_LONGEST, Change, Draft
from app.pages.naming import distinct, name_id, own_slug, slug, without_suffix
from app.pages.resolve import Bearer, Wanted, names, wanted
from app.pages.wikilink import alternatives, links
from app.sanitize.step import SANITIZER_VERSION, Sanitized

PATH_LONGEST = 1000  # characters
NAME_LONGEST = 255  # bytes of one name in a path: what file systems take
_UNSAFE = re.compile(r"[\x00-\x1f\\]|^[A-Za-z]:")  # control characters, and what Windows reads
FORMERS_KEPT = 10  # titles that a page had before and still answers to
_NAMED = ("title", "slug", "aliases", "formers", "path", "kind", "scope", "live")
_VERSIONED = ("title", "content", "aliases", "tags")


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where, by whom and when a page is stored."""

    id: str
    scope: str
    tenant: str
    author: str
    at: datetime


def named(draft: Draft, content: str) -> Draft:
    """The draft with what the front matter of its text says where it is silent itself."""
    said = front_matter.read(content)
    return replace(
        draft,
        title=draft.title or said.title,
        aliases=said.aliases if draft.aliases is None else draft.aliases,
        tags=said.tags if draft.tags is None else draft.tags,
    )


def followed(stored: Row, change: Change, content: str) -> Change:
    """The change with what the front matter says otherwise in the new text, where the change
    itself is silent: aliases and tags that it no longer names go, a title stays."""
    before, after = front_matter.read(stored["content"]), front_matter.read(content)
    aliases, tags = change.aliases, change.tags
    if aliases is None and before.aliases != after.aliases:
        aliases = after.aliases or ()
    if tags is None and before.tags != after.tags:
        tags = after.tags or ()
    title = after.title if after.title != before.title else None
    return replace(change, title=change.title or title, aliases=aliases, tags=tags)


def page_row(draft: Draft, text: Sanitized, stamp: Stamp) -> Row:
    """Every property of a new page. InvalidInput (`title`) where nothing gives it a title."""
    title = (draft.title or file_title(draft.path)).strip()[:TITLE_LONGEST]
    if not title:
        raise InvalidInput("a page needs a title", field="title")
    return {
        "id": stamp.id,
        "scope": stamp.scope,
        "tenant": stamp.tenant,
        "kind": str(draft.kind),
        "title": title,
        "slug": slug(title, stamp.id),
        "aliases": list(distinct(draft.aliases or (), but=title)),
        "formers": [],
        "tags": list(dict.fromkeys(draft.tags or ())),
        "path": checked_path(draft.path),
        "crlf": draft.crlf,
        "bom": draft.bom,
        **text_properties(text),
        "version": 1,
        "author": stamp.author,
        "updated_by": stamp.author,
        "ingested_at": stamp.at,
        "updated_at": stamp.at,
        "touched_at": stamp.at,
        "expired_at": FOREVER,
        "live": True,
        "pending": [],
        "passage_state": "due",
    }


def checked_path(path: str | None) -> str | None:
    """A path within a folder, as it came; InvalidInput (`path`) for one that leads out of it."""
    if path is None:
        return None
    parts = path.split("/")
    wrong = any(part in ("", ".", "..") for part in parts)
    if wrong or _UNSAFE.search(path) or len(path) > PATH_LONGEST:
        raise InvalidInput("path is relative, of plain names with / between them", field="path")
    if any(len(part.encode()) > NAME_LONGEST for part in parts):
        raise InvalidInput(f"a name in path has at most {NAME_LONGEST} bytes", field="path")
    return path


def text_properties(text: Sanitized) -> Row:
    """What of a page follows from its text; TooLarge (`content`) for more than it may hold."""
    if len(text.text) > CONTENT_LONGEST:
        raise TooLarge(f"a page has at most {CONTENT_LONGEST} characters", field="content")
    return {
        "content": text.text,
        "content_hash": digest(text.text),
        "links": dumped(wanted(links(text.text))),
        "marker_ids": list(text.marker_ids),
        "pii": sorted(text.tags),
        "sanitizer": SANITIZER_VERSION,
    }


def changed(stored: Row, change: Change, text: Sanitized | None, stamp: Stamp) -> Row:
    """The page as it is after a change; equal to `stored` where nothing differs."""
    page = {**stored, **(text_properties(text) if text else {})}
    page["title"] = (change.title or stored["title"]).strip()[:TITLE_LONGEST]
    if page["title"] != stored["title"]:
        page["slug"] = slug(page["title"], page["id"])
    kept = stored["aliases"] if change.aliases is None else change.aliases
    page["aliases"] = list(distinct(kept, but=page["title"]))
    page["tags"] = list(stored["tags"] if change.tags is None else dict.fromkeys(change.tags))
    page["formers"] = _formers(stored, page["title"])
    page["path"] = stored.get("path") if change.path is None else checked_path(change.path)
    page["crlf"] = stored["crlf"] if change.crlf is None else change.crlf
    page["bom"] = stored["bom"] if change.bom is None else change.bom
    return _stamped(stored, page, stamp)


def told_apart(pages: Sequence[Row], taken: Mapping[tuple[str, str], str], number: int) -> bool:
    """Give pages slugs of their own where theirs is another page's; whether there were any.

    `taken` has the page of each scope and slug, `number` is that of the own slug to try.
    """
    owners, before = dict(taken), [page["slug"] for page in pages]
    for page in pages:
        if owners.setdefault((page["scope"], page["slug"]), page["id"]) != page["id"]:
            page["slug"] = own_slug(page["title"], page["id"], number)
    return before != [page["slug"] for page in pages]


def deleted(stored: Row, stamp: Stamp) -> Row:
    """The page hidden from every reading; its text stays, so that it can be restored."""
    gone = {"live": False, "expired_at": stamp.at, "touched_at": stamp.at, "pending": []}
    return {**stored, **gone, "passage_state": "due"}


def revived(stored: Row, stamp: Stamp) -> Row:
    """A deleted page as it was."""
    back = {"live": True, "expired_at": FOREVER, "touched_at": stamp.at}
    return {**stored, **back, "passage_state": "due"}


def former(stored: Row, stamp: Stamp) -> Row:
    """The text that a page had until now."""
    return {
        "id": version_id(stored["id"], stored["version"]),
        "page": stored["id"],
        "scope": stored["scope"],
        "version": stored["version"],
        **{name: stored[name] for name in _VERSIONED},
        "author": stored["updated_by"],
        "recorded_at": stored["updated_at"],
        "retracted_at": stamp.at,
    }


def version_id(page: str, version: int) -> str:
    """The id of a former text."""
    return f"{page}~v{version}"


def bearer(page: Row) -> Bearer:
    """The page as links see it."""
    return Bearer(
        id=page["id"],
        scope=page["scope"],
        kind=page["kind"],
        title=page["title"],
        slug=page["slug"],
        created_at=page["ingested_at"],
        aliases=tuple(page["aliases"]),
        formers=tuple(page["formers"]),
        path=page.get("path"),
    )


def borne(page: Row | None) -> frozenset[str]:
    """Ids of the names that a live page goes by."""
    if page is None or not page["live"]:
        return frozenset()
    return frozenset(name_id(page["tenant"], name) for name in names(bearer(page)))


def linked(page: Row | None) -> frozenset[str]:
    """Ids of the names that a live page links to."""
    if page is None or not page["live"]:
        return frozenset()
    targets = (one.target for one in loaded(page["links"]))
    return frozenset(name_id(page["tenant"], n) for t in targets for n in alternatives(t))


def renamed(before: Row | None, after: Row) -> bool:
    """Whether links may now mean another page than before."""
    return before is None or any(before.get(name) != after.get(name) for name in _NAMED)


def dumped(found: Iterable[Wanted]) -> str:
    """Links as a page holds them; TooLarge (`content`) for more targets than a page may have."""
    rows = [[one.target, list(one.raws)] for one in found]
    if len(rows) > MOST_LINKS:
        raise TooLarge(f"a page links to at most {MOST_LINKS} targets", field="content")
    return orjson.dumps(rows).decode()


def loaded(stored: str) -> tuple[Wanted, ...]:
    """Links of a page as it holds them."""
    return tuple(Wanted(target, tuple(raws)) for target, raws in orjson.loads(stored))


def _formers(stored: Row, title: str) -> list[str]:
    if title == stored["title"]:
        return list(stored["formers"])
    return list(distinct([stored["title"], *stored["formers"]], but=title))[:FORMERS_KEPT]


def _stamped(stored: Row, page: Row, stamp: Stamp) -> Row:
    if all(page.get(name) == stored.get(name) for name in (*_VERSIONED, "path", "crlf", "bom")):
        return stored
    moved = {"updated_at": stamp.at, "touched_at": stamp.at, "updated_by": stamp.author}
    return {**page, **moved, "passage_state": "due", "version": stored["version"] + 1}


def file_title(path: str | None) -> str:
    """The title of a file that does not say one: its name without the ending."""
    return " ".join(without_suffix((path or "").rpartition("/")[2]).split())
