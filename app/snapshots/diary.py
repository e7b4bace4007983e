"""Pages of days: made of what was said, stored where they differ from the last."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import date, timedelta

from app.autonomy.ledger import Ledger, lock_scope, of_loci
from app.errors import NotFound
from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.scopes.every import paths
from app.scopes.service import ScopeService
from app.snapshots.days import Outline, Said, bounds, outlined, rendered_outline
from app.snapshots.model import DAY_PAGE, DayPage
from app.snapshots.telling import Asking, DayTeller, Terms
from app.snapshots.wording import Words, sent

LOOKED_BACK = 7  # days whose pages the schedule makes anew, for what was said late
MOST = 1_000  # texts of a day
MOST_DUE, PAGE = 500, 100  # pages that one pass makes anew, and that are looked up at once


class DiaryService:
    """Makes, stores and lists the pages of days."""

    def __init__(self, graph: Graph, scopes: ScopeService, teller: DayTeller) -> None:
        self._graph = graph
        self._teller = teller
        self._ledger = Ledger(graph, scopes, DAY_PAGE)

    async def pages(
        self, scope: str, day: date | None, before: date | None, limit: int
    ) -> list[DayPage]:
        """Return the pages of a scope, the newest first, or that of one day."""
        return await self._graph.many(
            Q.snapshots.days,
            DayPage,
            scope=scope,
            day=None if day is None else day.isoformat(),
            before="~" if before is None else before.isoformat(),
            limit=limit,
        )

    async def make(
        self,
        scope: str,
        day: date,
        who: Caller | None = None,
        *,
        dry_run: bool = False,
        asking: Asking | None = None,
    ) -> tuple[DayPage | None, bool]:
        """Make the page of a day anew: the page, and whether it changed or would.

        A day of which nothing is left has none any more. A model is asked before; then the texts
        are read with the lock of the scope held, for which an erasure waits that drops the pages,
        and the answer is taken where it was made of the same lines. A dry run asks nobody.
        """
        actor = who or of_loci(scope, "days")
        terms = await self._teller.terms(scope)
        fresh = None if dry_run else await self._answer(scope, day, terms, asking or Asking())

        async def work(tx: Tx) -> tuple[DayPage | None, bool]:
            if not dry_run:
                await lock_scope(tx, scope)
                await tx.rows(Q.snapshots.begin_day, scope=scope, day=day.isoformat())
            held = await self._held(tx, scope, day)
            made = await self._made(tx, scope, day, held, terms, fresh)
            changed = (held and held.sha256) != (made and made.sha256)
            if dry_run or not changed:
                return made if changed else await self._noted(tx, held, made, dry_run), changed
            await self._store(tx, actor, held, made)
            return made, True

        return await self._graph.write("day_page.make", work)

    async def make_all(self, scopes: Sequence[str] | None = None, *, dry_run: bool = False) -> Row:
        """Make the pages of the last days of some scopes, or of all; which have changed."""
        today = now().date()
        days = [today - timedelta(days=back) for back in range(LOOKED_BACK + 1)]
        changed: list[str] = []
        pages, asking = 0, Asking()
        async for scope in paths(self._graph, scopes):
            for day in await self._spoken(scope, days):
                pages += 1
                try:
                    if (await self.make(scope, day, dry_run=dry_run, asking=asking))[1]:
                        changed.append(f"{scope} {day.isoformat()}")
                except NotFound:
                    break  # the scope was deleted meanwhile
        told = {"pages": pages, "changed": len(changed), "places": changed[:1000]}
        return {**told, "dry_run": dry_run, **asking.told()}

    async def make_due(self, *, dry_run: bool = False) -> Row:
        """Make the pages anew of which a text was forgotten, erased or came back, however old: as
        many as one pass takes; how many there were, and which have changed."""
        changed: list[str] = []
        pages, after, asking = 0, "", Asking()
        while pages < MOST_DUE and (
            rows := await self._graph.rows(Q.snapshots.due_days, after=after, limit=PAGE)
        ):
            for row in rows:
                day = date.fromisoformat(row["day"])
                try:
                    if (await self.make(row["scope"], day, dry_run=dry_run, asking=asking))[1]:
                        changed.append(f"{row['scope']} {row['day']}")
                except NotFound:
                    continue  # the scope was deleted meanwhile
            pages += len(rows)
            after = rows[-1]["id"]
        told = {"pages": pages, "changed": len(changed), "places": changed[:1000]}
        return {**told, "dry_run": dry_run, **asking.told()}

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._teller.aclose()

    async def _spoken(self, scope: str, days: Sequence[date]) -> list[date]:
        """Those of some days on which something was said in a scope."""
        rows = [
            {"day": day.isoformat(), "since": bounds(day)[0], "until": bounds(day)[1]}
            for day in days
        ]
        found = await self._graph.rows(Q.snapshots.spoken, scope=scope, rows=rows)
        return [date.fromisoformat(row["day"]) for row in found]

    async def _answer(self, scope: str, day: date, terms: Terms, asking: Asking) -> Words | None:
        """What a model says of a day as it stands, where there is one that may be asked and it was
        not asked the same before."""
        if not self._teller.asks(scope, terms, asking):
            return None
        outline = await self._outline(self._graph, scope, day)
        lines = outline.lines if outline else ()
        asked = await asyncio.to_thread(sent, lines, terms.policy)
        held = await self._held(self._graph, scope, day)
        if asked is None or (held and not held.due and held.words_key == asked.key):
            return None
        return await self._teller.ask(scope, asked, terms, asking)

    async def _held(self, source: Graph | Tx, scope: str, day: date) -> DayPage | None:
        held = await source.many(Q.snapshots.held_day, DayPage, scope=scope, day=day.isoformat())
        return held[0] if held else None

    async def _outline(self, source: Graph | Tx, scope: str, day: date) -> Outline | None:
        since, until = bounds(day)
        rows = await source.rows(
            Q.snapshots.said_on, scope=scope, since=since, until=until, limit=MOST
        )
        if not rows:
            return None
        said = [
            Said(r["at"], r["speaker"] or "", r["session"] or "", r["content"], r["language"])
            for r in rows
        ]
        return await asyncio.to_thread(outlined, said)

    async def _made(
        self,
        tx: Tx,
        scope: str,
        day: date,
        held: DayPage | None,
        terms: Terms,
        fresh: Words | None,
    ) -> DayPage | None:
        outline = await self._outline(tx, scope, day)
        if outline is None:
            return None
        words = await asyncio.to_thread(_words, outline, terms, held, fresh)
        by, told = (words.by, words.text) if words else ("", "")
        text = rendered_outline(scope, day, outline, told, by)
        return DAY_PAGE.placed(
            DayPage(
                id="new",
                scope=scope,
                day=day.isoformat(),
                text=text,
                sha256=hashlib.sha256(text.encode()).hexdigest(),
                version=1 if held is None else held.version + 1,
                made_at=now(),
                words=told or None,
                words_key=words and words.key,
                worded_by=by or None,
            )
        )

    async def _noted(
        self, tx: Tx, held: DayPage | None, made: DayPage | None, dry_run: bool
    ) -> DayPage | None:
        """The page that stays as it is; what a model was asked of it is kept."""
        if dry_run or held is None or made is None or held.words_key == made.words_key:
            return held
        fields = {name: getattr(made, name) for name in ("words", "words_key", "worded_by")}
        noted = held.model_copy(update=fields)
        await self._ledger.save(tx, noted)
        return noted

    async def _store(self, tx: Tx, who: Caller, held: DayPage | None, made: DayPage | None) -> None:
        """Write a page in the place of the one that is held; that goes where nothing is left."""
        if made is not None and held is not None:
            await self._ledger.save(tx, made)
            await self._ledger.tell(tx, who, "change", made, version=made.version)
        elif made is not None:
            await self._ledger.store(tx, who, made, version=made.version)
        elif held is not None:
            await tx.rows(Q.snapshots.drop_day, id=held.id, scope=held.scope)
            await self._ledger.tell(tx, who, "drop", held)


def _words(
    outline: Outline, terms: Terms, held: DayPage | None, fresh: Words | None
) -> Words | None:
    """What a model said of just these lines, the answer that is held before a fresh one; none
    where the scope keeps its texts to itself."""
    kept = held and held.words_key and Words(held.words_key, held.words or "", held.worded_by or "")
    known = [words for words in (kept, fresh) if words]
    asked = sent(outline.lines, terms.policy) if known and terms.allowed else None
    return next((words for words in known if asked and words.key == asked.key), None)
