"""Writing pages: sanitised first, then saved, linked and cut into passages in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from app.errors import Conflict, InvalidInput, LociError, NotFound
from app.jobs.queue import Wakeup
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.scope import parse_scope
from app.pages import record
from app.pages.linking import (
    Moved,
    name_only,
    relink,
    settle_pages,
    take_names,
)
from app.pages.model import Change, Draft, Receipt, Redacted
from app.pages.naming import without_suffix
from app.pages.passages import DUE, PassageService
from app.pages.resolve import Settled
from app.pages.rewriting import rewritten
from app.sanitize.aside import aside, sanitize_aside
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import Sanitized, sanitize
from app.scopes.service import ScopeService, own_leaf

_TRIES = 10  # rounds against other writers of the same page


@dataclass(frozen=True, slots=True)
class Parts:
    """What pages work with."""

    graph: Graph
    scopes: ScopeService
    wakeup: Wakeup
    passages: PassageService


@dataclass(frozen=True, slots=True)
class _Writing:
    """One page on its way into the graph; `text` where it has passed the sanitising step now."""

    before: Row | None
    after: Row
    kind: str
    text: Sanitized | None = None

    @property
    def moved(self) -> Moved:
        return Moved(self.before, self.after)


class PageService:
    """Pages as callers write them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.graph = parts.graph

    async def write(self, who: Caller, draft: Draft) -> Receipt:
        """Store a new page.

        Raises NotFound or Forbidden by the scope, InvalidInput (`title`) for a page without a
        title, TooLarge (`content`), and what the scope's policy refuses.
        """
        return (await self.write_many(who, [draft]))[0]

    async def write_many(
        self, who: Caller, drafts: Sequence[Draft], *, settle: bool = True
    ) -> list[Receipt]:
        """Store new pages in one transaction; all or none. Raises as `write` does.

        Without `settle` their links and passages are left to the worker, and the receipts count
        none: each page of many is settled once then, and not once for every name that comes later.
        """
        writings = [await self._drafted(who, draft) for draft in drafts]
        settled = await self._saved(who, writings, settle=settle)
        if settled is None:  # new pages have nothing that others could have changed
            raise Conflict("the pages changed while they were written")
        return [_receipt("stored", w, settled) for w in writings]

    async def read(self, who: Caller, page: str, *, live: bool = True) -> Row:
        """One page with its counts of links; NotFound where absent, not visible, or deleted while
        a live one is asked for."""
        rows = await self.graph.rows(Q.pages.get, ids=[page], scopes=who.visible)
        if not rows or (live and not rows[0]["page"]["live"]):
            raise NotFound(f"there is no page {page}")
        return rows[0]

    async def change(self, who: Caller, page: str, change: Change) -> Receipt:
        """Set what the change names; the former text is kept as a version.

        Raises NotFound, Forbidden, what `write` raises for the text, and Conflict (`version`)
        where the change names another version than the stored one.
        """
        for _ in range(_TRIES):
            writing = await self._edited(who, page, change)
            if writing.after is writing.before:
                return _receipt("unchanged", writing, {})
            settled = await self._saved(who, [writing])
            if settled is not None:
                return _receipt("changed", writing, settled)
        raise Conflict("too many others write this page at this moment; try again")

    async def rename(self, who: Caller, page: str, title: str, *, rewrite: bool) -> Receipt:
        """Give a page another title. Links to the old one stay links to it; `rewrite` also writes
        the new title into the texts that the caller may change. The receipt offers the rest."""
        for _ in range(_TRIES):
            writing = await self._edited(who, page, Change(title=title))
            if writing.after is writing.before:
                return _receipt("unchanged", writing, {})
            sources = await self._naming(who, writing)
            texts = [source["page"]["content"] for source in sources]
            others = await aside(texts, partial(_to_rewrite, sources, writing))
            mine = await self._following(who, others, writing) if rewrite else []
            settled = await self._saved(who, [writing, *mine])
            if settled is not None:
                done = {w.after["id"] for w in mine}
                left = [s["page"]["id"] for s in others if s["page"]["id"] not in done]
                return replace(_receipt("changed", writing, settled), offers=tuple(sorted(left)))
        raise Conflict("too many others write these pages at this moment; try again")

    async def delete(self, who: Caller, page: str) -> Receipt:
        """Hide a page: what links to it waits for a page of that name, what it said is no longer
        held on its word. It can be restored."""
        for _ in range(_TRIES):
            stored = (await self.read(who, page))["page"]
            stamp = self._stamp(who, stored)
            writing = _Writing(stored, record.deleted(stored, stamp), "page.delete")
            settled = await self._saved(who, [writing])
            if settled is not None:
                return _receipt("deleted", writing, settled)
        raise Conflict("too many others write this page at this moment; try again")

    async def restore(self, who: Caller, page: str, version: int | None = None) -> Receipt:
        """Bring back a deleted page, or the text that a page had at a version, as a new version.

        Raises NotFound where there is no such page or version.
        """
        stored = (await self.read(who, page, live=False))["page"]
        if version is not None:
            former = await self.version(who, page, version)
            change = Change(
                content=former["content"],
                title=former["title"],
                aliases=tuple(former["aliases"]),
                tags=tuple(former["tags"]),
            )
            if not stored["live"]:
                await self._revive(who, stored)
            return replace(await self.change(who, page, change), status="restored")
        if stored["live"]:
            return _receipt("unchanged", _Writing(stored, stored, ""), {})
        return await self._revive(who, stored)

    async def stored_path(self, scope: str, path: str) -> str:
        """A path as a page of the scope keeps it: blanks as they are, characters and personal data
        as in any text. InvalidInput (`path`) for none, and what the scope's policy refuses."""
        cleaned = _path(path, await self._parts.scopes.policy(scope))
        record.checked_path(cleaned)
        return cleaned

    async def stored_hash(self, scope: str, content: str) -> str:
        """The `content_hash` that a text would have in the scope; raises what its policy
        refuses."""
        policy = await self._parts.scopes.policy(scope)
        return digest((await sanitize_aside(content, policy, "content")).text)

    async def version(self, who: Caller, page: str, version: int) -> Row:
        """The text of a page at one version, the present one too; NotFound where there is none."""
        stored: Row = (await self.read(who, page, live=False))["page"]
        if version == stored["version"]:
            return stored
        named = record.version_id(page, version)
        row = await self.graph.optional(
            Q.pages.one_version, id=page, version=named, scopes=who.visible
        )
        if row is None:
            raise NotFound(f"page {page} has no version {version}")
        found: Row = row["version"]
        return found

    async def extract_links(self, who: Caller, page: str) -> Settled:
        """Read the links of a page's text anew; doing it twice is doing it once."""
        stored = (await self.read(who, page))["page"]
        who.require(stored["scope"], Role.WRITER)

        async def work(tx: Tx) -> Settled:
            found = await settle_pages(tx, who.tenant, [page], now())
            return found[page]

        return await self.graph.write("pages.extract", work)

    # --- steps ---------------------------------------------------------------------------------

    async def _drafted(self, who: Caller, draft: Draft) -> _Writing:
        scope = _scope_of(who, draft)
        who.require(scope, Role.WRITER)
        policy = await self._parts.scopes.policy(scope)
        text = await sanitize_aside(draft.content, policy, "content")
        stamp = record.Stamp(new_id(), scope, who.tenant, who.principal, now())

        def made() -> Row:
            named = _clean_labels(record.named(draft, text.text), policy)
            return record.page_row(named, text, stamp)

        return _Writing(None, await aside(text.text, made), "page.write", text)

    async def _edited(self, who: Caller, page: str, change: Change) -> _Writing:
        stored = (await self.read(who, page))["page"]
        stamp = self._stamp(who, stored)
        if change.version is not None and change.version != stored["version"]:
            raise Conflict(f"the page is at version {stored['version']}", field="version")
        policy = await self._parts.scopes.policy(stored["scope"])
        text = None
        if change.content is not None and change.content != stored["content"]:
            text = await sanitize_aside(change.content, policy, "content")

        def made() -> Row:
            followed = change if text is None else record.followed(stored, change, text.text)
            return record.changed(stored, _clean_change(followed, policy), text, stamp)

        after = await aside([stored["content"], change.content], made)
        return _Writing(stored, after, "page.change", text)

    async def _revive(self, who: Caller, stored: Row) -> Receipt:
        stamp = self._stamp(who, stored)
        writing = _Writing(stored, record.revived(stored, stamp), "page.restore")
        settled = await self._saved(who, [writing])
        if settled is None:
            raise Conflict(f"page {stored['id']} was changed meanwhile; try again")
        return _receipt("restored", writing, settled)

    async def _naming(self, who: Caller, writing: _Writing) -> list[Row]:
        """Live pages that link to this one, as far as they are visible."""
        after = writing.after
        rows = await self.graph.rows(
            Q.pages.linking, id=after["id"], scopes=who.visible, tenant=who.tenant
        )
        return [row for row in rows if row["page"]["id"] != after["id"]]

    async def _following(
        self, who: Caller, rows: Sequence[Row], writing: _Writing
    ) -> list[_Writing]:
        """Pages whose links name the old title, as they read with the new one: those that the
        caller may write, and whose scope takes it."""
        found = []
        for row in rows:
            source = row["page"]
            if not who.may(source["scope"], Role.WRITER):
                continue
            try:
                policy = await self._parts.scopes.policy(source["scope"])
                text = await aside(source["content"], partial(_rewritten, row, writing))
                clean = await sanitize_aside(text, policy, "content")
                cut = {*source["marker_ids"], *clean.marker_ids}
                clean = replace(clean, marker_ids=tuple(sorted(cut)))
                made = partial(record.changed, source, Change(), clean, self._stamp(who, source))
                after = await aside(clean.text, made)
            except LociError as error:
                if error.status >= 500:
                    raise
                continue  # left to its writers, as an offer
            found.append(_Writing(source, after, "page.rewrite", clean))
        return found

    def _stamp(self, who: Caller, stored: Row) -> record.Stamp:
        who.require(stored["scope"], Role.WRITER)
        return record.Stamp(stored["id"], stored["scope"], who.tenant, who.principal, now())

    async def _saved(
        self, who: Caller, writings: Sequence[_Writing], *, settle: bool = True
    ) -> dict[str, Settled] | None:
        """Write in one transaction; None where a page is no longer as it was read."""
        moved = [writing.moved for writing in writings]
        rows = [_save_row(who, writing) for writing in writings]

        async def work(tx: Tx) -> dict[str, Settled] | None:
            moment = now()
            await take_names(tx, who.tenant, moved, moment)
            if not await _as_read(tx, who, writings):
                return None
            await tx.rows(Q.pages.save, rows=rows)
            if settle:
                return await relink(tx, who.tenant, moved, moment)
            await name_only(tx, who.tenant, moved)
            return {}

        settled = await self.graph.write("pages.save", work)
        if settled is not None:
            self._parts.wakeup.set()
            for writing in writings if settle else ():
                if writing.after["passage_state"] == DUE:
                    await self._cut(writing.after)
        return settled

    async def _cut(self, page: Row) -> None:
        """Bring the passages up to the text. The page is stored by then: where others write it all
        the time, whoever is last does it, or the worker."""
        with suppress(Conflict):
            await self._parts.passages.bring(page["id"], page["scope"])


def _rewritten(row: Row, writing: _Writing) -> str:
    """The text of a page that links to one by its old title, with the new one."""
    assert writing.before is not None
    raws = frozenset(row["texts"])
    return rewritten(row["page"]["content"], raws, writing.before, writing.after)


def _to_rewrite(sources: Sequence[Row], writing: _Writing) -> list[Row]:
    """The pages whose texts name the old title."""
    return [s for s in sources if _rewritten(s, writing) != s["page"]["content"]]


async def _as_read(tx: Tx, who: Caller, writings: Sequence[_Writing]) -> bool:
    """Lock the pages; whether each is still as it was read."""
    read = {w.before["id"]: w.before for w in writings if w.before is not None}
    if not read:
        return True
    rows = await tx.rows(Q.pages.lock_pages, ids=sorted(read), tenant=who.tenant, at=now())
    same = [
        (row["version"], row["live"]) == (read[row["id"]]["version"], read[row["id"]]["live"])
        for row in rows
    ]
    return len(same) == len(read) and all(same)


def _scope_of(who: Caller, draft: Draft) -> str:
    if draft.scope is not None and draft.personal:
        raise InvalidInput("give a scope, or personal, not both", field="personal")
    if not draft.personal:
        return str(parse_scope(draft.scope or who.home))
    return own_leaf(who)


def _clean_labels(draft: Draft, policy: SanitizePolicy) -> Draft:
    return replace(
        draft,
        title=draft.title and _label(draft.title, "title", policy),
        path=draft.path and _path(draft.path, policy),
        aliases=_labels(draft.aliases, "aliases", policy),
        tags=_labels(draft.tags, "tags", policy),
    )


def _clean_change(change: Change, policy: SanitizePolicy) -> Change:
    title = change.title and _label(change.title, "title", policy)
    aliases = _labels(change.aliases, "aliases", policy)
    return replace(
        change,
        title=title,
        path=change.path and _path(change.path, policy),
        aliases=aliases,
        tags=_labels(change.tags, "tags", policy),
    )


def _labels(
    labels: tuple[str, ...] | None, field: str, policy: SanitizePolicy
) -> tuple[str, ...] | None:
    return None if labels is None else tuple(_label(each, field, policy) for each in labels)


def _label(text: str, field: str, policy: SanitizePolicy) -> str:
    return " ".join(_sanitized(text, field, policy).split())


def _path(path: str, policy: SanitizePolicy) -> str:
    """A file stays one of Markdown, also where its ending reads like that of an address."""
    cleaned, ending = _sanitized(path, "path", policy), path[len(without_suffix(path)) :]
    return cleaned if cleaned.endswith(ending) else cleaned + ending


def _sanitized(text: str, field: str, policy: SanitizePolicy) -> str:
    try:
        return sanitize(text, policy).text
    except LociError as error:
        error.field = field
        raise


def _save_row(who: Caller, writing: _Writing) -> Row:
    before, after = writing.before, writing.after
    changed = before is not None and before["version"] != after["version"]
    stamp = record.Stamp(after["id"], after["scope"], who.tenant, who.principal, now())
    event = audit.event(
        who,
        writing.kind,
        after["scope"],
        content_hash=after["content_hash"],
        version=after["version"],
        redactions=len(writing.text.redactions) if writing.text else 0,
        markers=list(writing.text.marker_ids) if writing.text else [],
    )
    former = record.former(before, stamp) if before is not None and changed else None
    return {"page": after, "former": former, "audit": event}


def _receipt(status: str, writing: _Writing, settled: dict[str, Settled]) -> Receipt:
    page, text = writing.after, writing.text
    found = settled.get(page["id"])
    return Receipt(
        status=status,
        id=page["id"],
        scope=page["scope"],
        version=page["version"],
        title=page["title"],
        slug=page["slug"],
        links=len(found.edges) if found else 0,
        pending=found.pending if found else tuple(page["pending"]),
        redactions=tuple(Redacted(*r) for r in text.redactions) if text else (),
        markers=tuple(text.marker_ids) if text else (),
    )
