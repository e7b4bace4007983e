"""Erasure: what is named goes for good, with everything that was made from it.

One transaction takes a batch out of the graph and lets belief follow from the claims that are
left, so that what an erased text had retired comes back. Kept answers, ended jobs, spooled files
and caches follow; a receipt stays in the state `removing` until they are done, and whoever finds
it so goes on. Running it again therefore ends where the first run would have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

import orjson

from app.documents.writing import Receipt, Withdrawal
from app.entities.clusters import Link, changes, roots
from app.entities.following import follow_rules, touched_by
from app.entities.given_name_rule import first_word
from app.entities.lone import opening_words, single, unpack
from app.entities.repository import EntityRepository
from app.errors import Forbidden, GraphUnavailable, NotFound, SwitchedOff
from app.facts.following import follow_sources
from app.facts.repository import FactRepository, Terms
from app.indexing.neighbours import WINDOW_BEFORE
from app.kernel import audit
from app.kernel.caller import Caller, Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx
from app.kernel.ids import digest, new_id
from app.kernel.scope import parse_scope
from app.lifecycle.closure import close_over
from app.lifecycle.declared import Forgotten, detach, drop, forget, of_target, reach_of
from app.lifecycle.model import ERASED, Closure, Removed, Target, buried_content, tombstones
from app.lifecycle.people import MOST, about
from app.lifecycle.renaming import renamed
from app.lifecycle.residue import Residue
from app.lifecycle.rewording import reworded
from app.lifecycle.skill_erasure import FallBack, erase_skills, erase_versions
from app.lifecycle.whole_pages import close_with_pages, erase_page_versions, erase_pages
from app.notes.kind import NOTE
from app.notes.returning import come_back, ended_by, turn_shelves
from app.sanitize.aside import aside
from app.scopes.service import ScopeService
from app.shortterm.erasing import ShortTermErasure
from app.working.erasing import Value, WorkingErasure

BATCH = 25  # memories of one transaction
REACH = 50  # episodes of a session on either side that may have borrowed words
VECTOR_REACH = 2 * WINDOW_BEFORE  # of those, after it, whose vector may take in the text
SHORT_NAME = 2  # characters
PREVIEW = 1000  # memories that a dry run looks at
ROUNDS = 20  # of looking again for what agents write while it is buried

TermsOf = Callable[[str], Awaitable[Terms]]
Step = Callable[[Tx], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What erasure works with."""

    graph: Graph
    entities: EntityRepository
    facts: FactRepository
    scopes: ScopeService
    terms_of: TermsOf
    residue: Residue
    fall_back: FallBack
    working: WorkingErasure
    shortterm: ShortTermErasure


@dataclass(frozen=True, slots=True)
class Order:
    """Who wants what gone, under which receipt."""

    caller: Caller
    target: Target
    receipt: str


class ErasureService:
    """Dry runs, erasures, and finishing what was cut short."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.graph = parts.graph

    async def preview(self, caller: Caller, target: Target) -> dict[str, Any]:
        """What an erasure would take, without taking it."""
        ids = await self._next(caller, target, PREVIEW)
        _, closure, pages = await close_with_pages(self.graph, ids, sources=target.sources)
        refused = sorted({*_refused(caller, closure), *await self._closed(caller, target)})
        return {
            "target": target.name,
            "episodes": sorted(closure.episodes),
            "facts": sorted(closure.facts),
            **{f"{kind}s": sorted(rows) for kind, rows in closure.labelled.items()},
            "skills": sorted(closure.skills),
            "skill_versions": [row["id"] for row in await self._versions(caller, target)],
            "page_versions": await self._page_versions(caller, target, {p["id"] for p in pages}),
            "declared": await self._declared(closure, caller, target),
            "working": await self._at_hand(caller, target),
            "facts_kept": sorted(closure.kept),
            "survivors": closure.survivors(),
            "scopes": sorted({*closure.scopes, *(page["scope"] for page in pages)}),
            "hashes": closure.hashes,
            "refused": refused,
            "names": list(target.names),
            "pages": sorted(page["id"] for page in pages),
            "complete": target.kind == "memory" or len(ids) < PREVIEW,
        }

    async def place(self, caller: Caller, target: Target) -> str:
        """The scope that the target lies in; NotFound for what is not seen."""
        if target.kind != "memory":
            return str(parse_scope(target.scope or caller.home))
        place = await self._find(caller, target.value)
        if place is None:
            raise NotFound(f"there is no memory {target.value}")
        return str(place["scope"])

    async def _find(self, caller: Caller, identifier: str) -> Row | None:
        """A memory that is seen, or a value of a declared kind in a scope that is administered:
        who may read one is its own affair, so that nobody else is told of it."""
        found = await self.graph.optional(
            Q.lifecycle.find_memory, id=identifier, scopes=caller.visible
        )
        if found is not None:
            return found
        own = [scope for scope in caller.visible if caller.may(scope, Role.ADMIN)]
        return await self.graph.optional(Q.kinds.find, id=identifier, scopes=own)

    async def _concerned(self, caller: Caller, target: Target, most: int) -> list[str]:
        """Ids of values of declared kinds that are of an author or tell of a person, a few more
        than `most` at the latest."""
        found: list[str] = []
        sought = await self._sought(caller, target)
        if sought is not None:
            async for ids in sought.batches(self.graph):
                found += ids
                if len(found) >= most:
                    break
        return found

    async def _declared(
        self, closure: Closure, caller: Caller, target: Target
    ) -> dict[str, list[str]]:
        """Values of declared kinds that go or change, by kind."""
        ids = {*closure.declared, *await self._concerned(caller, target, PREVIEW)}
        found: dict[str, list[str]] = {}
        for row in await self.graph.rows(Q.kinds.with_parts, ids=sorted(ids)):
            found.setdefault(row["kind"], []).append(row["id"])
        return found

    async def _forget_declared(self, order: Order, scope: str) -> None:
        """What declared kinds hold of an author or a person, by batches."""
        sought = await self._sought(order.caller, order.target)
        if sought is not None:
            async for ids in sought.batches(self.graph):
                await self._forget(order, scope, (sought, ids))

    async def _forget(self, order: Order, scope: str, given: tuple[Forgotten, list[str]]) -> None:
        sought, ids = given

        async def work(tx: Tx) -> None:
            row, at = blank_receipt(order, scope), now()
            receipt = (await tx.one(Q.lifecycle.lock_receipt, id=order.receipt, row=row, at=at))[
                "receipt"
            ]
            closure, removed = await forget(tx, sought, ids)
            if not closure.ids and not removed.ids:
                return
            _permit(order.caller, closure)
            graves = tombstones(closure, receipt | {"at": at}, ())
            await tx.rows(Q.lifecycle.bury, rows=graves)
            await _write_receipt(tx, order, receipt, (closure, removed))

        await self.graph.write("lifecycle.forget_declared", work)

    async def exists(self, caller: Caller, target: Target) -> bool:
        """Whether there is anything left to erase."""
        if await self._next(caller, target, 1):
            return True
        if await self._concerned(caller, target, 1) or await self._versions(caller, target):
            return True
        if await self._page_versions(caller, target, frozenset()):
            return True
        for scope in _places(caller, target) if target.author else ():
            asked = await self.graph.one(Q.questions.asked_by, scope=scope, principal=target.author)
            if asked["questions"]:
                return True
        return bool(await self._at_hand(caller, target))

    async def check(self, caller: Caller, target: Target) -> str:
        """The scope that the target lies in.

        Raises NotFound for what is not seen, Forbidden without the admin's role there, and
        SwitchedOff where its rules do not allow erasure.
        """
        scope = await self.place(caller, target)
        caller.require(scope, Role.ADMIN)
        if not (await self._parts.scopes.rules(scope)).erasure:
            raise SwitchedOff(f"the rules of {scope} do not allow erasure", field="scope")
        if closed := await self._closed(caller, target):
            raise Forbidden(f"this key needs the role admin in {', '.join(closed)}")
        return scope

    async def _closed(self, caller: Caller, target: Target) -> list[str]:
        """Scopes that the caller does not administer and that hold what was promoted out of a
        session."""
        if target.kind != "session":
            return []
        ids = await self._concerned(caller, target, PREVIEW)
        rows = await self.graph.rows(Q.kinds.with_parts, ids=ids)
        return sorted({row["scope"] for row in rows if not _administers(caller, row["scope"])})

    async def find_receipt(self, caller: Caller, target: Target) -> Row | None:
        """The receipt of something that is gone already."""
        row = await self.graph.optional(
            Q.lifecycle.receipt_of, target=target.name, scopes=caller.visible
        )
        return row["receipt"] if row else None

    async def erase(
        self, order: Order, progress: Callable[[int], Awaitable[None]] | None = None
    ) -> Row:
        """Erase in batches until nothing is left, then clear what quotes it; the receipt."""
        scope = await self.place(order.caller, order.target)
        if order.target.kind == "person":
            return await self._erase_person(order, scope, progress or _untold)
        done = 0
        while ids := await self._next(order.caller, order.target, BATCH):
            removed = await self._batch(order, scope, ids)
            done += len(ids)
            if progress is not None:
                await progress(done)
            if not removed.counts or order.target.kind == "memory":
                break
        await self._drop_beside(order, scope)
        work = await self._forget_at_hand(order, scope)
        await self._forget_declared(order, scope)
        return await self.finish(order.receipt, work)

    async def _erase_person(
        self, order: Order, scope: str, progress: Callable[[int], Awaitable[None]]
    ) -> Row:
        """Everything at once or nothing: whoever may not erase one part of it erases none."""
        ids = await self._next(order.caller, order.target, MOST)
        _, closure, _ = await close_with_pages(self.graph, ids, sources=False)
        _permit(order.caller, closure)
        done = 0
        while ids:
            for start in range(0, len(ids), BATCH):
                await self._batch(order, scope, ids[start : start + BATCH])
                done += len(ids[start : start + BATCH])
                await progress(done)
            left = await self._next(order.caller, order.target, MOST)
            ids = left if left != ids else []  # what came meanwhile
        await self._drop_beside(order, scope)
        work = await self._forget_at_hand(order, scope)
        await self._forget_declared(order, scope)
        return await self.finish(order.receipt, work)

    async def _sought(self, caller: Caller, target: Target) -> Forgotten | None:
        """Whom declared kinds forget. Of a session also where it was promoted to by now: an agent's
        leaf may be made while its session is erased."""
        sought = of_target(target, caller.home)
        if sought is None or target.kind != "session":
            return sought
        scopes = await reach_of(self.graph, caller.tenant, sought.scopes[0])
        return replace(sought, scopes=scopes)

    async def _at_hand(self, caller: Caller, target: Target) -> int:
        """How many values of working and short-term memory an erasure would take."""
        sought = of_target(target, caller.home)
        if sought is None:
            return 0
        given = sought.scopes, sought.gone
        entries = await self._parts.shortterm.meant(*given)
        return len(entries) + await self._parts.working.meant(caller.tenant, *given)

    async def _forget_at_hand(self, order: Order, scope: str) -> int:
        """What agents have at hand of an author, a session or a person; how many values of working
        memory that were.

        It goes before what was promoted out of it: nothing can be promoted after that. Only what
        is buried is taken out, and what was written meanwhile is looked at again. It ends with a
        round that finds nothing before, in and after it: what is copied to the graph or back in
        that round was read in it, since its marks stop whatever was read before.
        """
        sought = of_target(order.target, order.caller.home)
        if sought is None:
            return 0
        working, done = self._parts.working, 0
        given = order.caller.tenant, sought.scopes, sought.gone
        values = await working.values(*given)
        for _ in range(ROUNDS):
            copies = await self._bury_at_hand(order, scope, sought, values)
            await working.stop_loading(order.caller.tenant)
            done += copies + await working.take(values)
            before, values = values, await working.values(*given)
            if not before and not copies and not values:
                break
        return done

    async def _bury_at_hand(
        self, order: Order, scope: str, sought: Forgotten, values: Sequence[Value]
    ) -> int:
        """Take entries and copies out and bury them, and bury some values before they go, since
        what a package holds of them may be older than the copies that there are; how many copies
        went."""
        given = sought.scopes, sought.gone

        async def work(tx: Tx) -> int:
            row, at = blank_receipt(order, scope), now()
            locked = await tx.one(Q.lifecycle.lock_receipt, id=order.receipt, row=row, at=at)
            entries = await self._parts.shortterm.forget(tx, *given)
            ids = sorted(entries)
            copies = await self._parts.working.take_copies(tx, order.caller.tenant, *given)
            # No package may bring them back.
            lost = {*entries.items(), *copies, *(value.copy for value in values)}
            named = {each for pair in lost for each in (pair[0], buried_content(*pair))}
            graves = tombstones(Closure(), locked["receipt"] | {"at": at}, named)
            await tx.rows(Q.lifecycle.bury, rows=graves)
            if ids:
                removed = Removed({"working": len(ids)}, ids)
                await _write_receipt(tx, order, locked["receipt"], (Closure(), removed))
            return len(copies)

        return await self.graph.write("lifecycle.forget_at_hand", work)

    async def _drop_beside(self, order: Order, scope: str) -> None:
        """What an author asked, and his versions of skills and pages that are somebody else's, go
        with what he said and wrote, from the same scopes."""
        author, places = order.target.author, _places(order.caller, order.target)
        if author is None:
            return

        async def locked(tx: Tx) -> Row:
            row, at = blank_receipt(order, scope), now()
            found = await tx.one(Q.lifecycle.lock_receipt, id=order.receipt, row=row, at=at)
            receipt: Row = found["receipt"]
            return receipt

        async def work(tx: Tx) -> None:
            receipt = await locked(tx)
            removed = Removed()
            versions: list[Row] = []
            for place in places:
                removed.add(await tx.one(Q.questions.erase_by, scope=place, principal=author))
                versions += await tx.rows(Q.erasure.versions_by, scope=place, author=author)
            for skill in sorted({row["skill"] for row in versions if row["in_use"]}):
                await self._parts.fall_back(tx, order.caller, skill, author)
            await erase_versions(tx, versions, removed)
            await _write_receipt(tx, order, receipt, (Closure(), removed))

        async def former(tx: Tx, place: str) -> int:
            receipt = await locked(tx)
            removed = Removed()
            done = await erase_page_versions(tx, place, author, BATCH, removed)
            if done:
                await _write_receipt(tx, order, receipt, (Closure(), removed))
            return done

        await self.graph.write("lifecycle.erase_beside", work)
        for place in places:
            while await self.graph.write(
                "lifecycle.erase_page_versions", partial(former, place=place)
            ):
                pass

    async def _versions(self, caller: Caller, target: Target) -> list[Row]:
        """An author's versions of skills that are somebody else's."""
        found: list[Row] = []
        for scope in _places(caller, target) if target.author else ():
            rows = Q.erasure.versions_by
            found += await self.graph.rows(rows, scope=scope, author=target.author)
        return found

    async def _page_versions(self, caller: Caller, target: Target, gone: Set[str]) -> list[str]:
        """Ids of an author's former texts of pages that stay; `gone` are those that go."""
        found: list[str] = []
        for scope in _places(caller, target) if target.author else ():
            rows = await self.graph.rows(
                Q.erasure.page_versions_by,
                scope=scope, author=target.author, texts=False, limit=PREVIEW,
            )  # fmt: skip
            found += [row["id"] for row in rows if row["page"] not in gone]
        return found

    async def withdraw(self, what: Withdrawal, before: Step, after: Step) -> None:
        """Passages that their own document no longer holds go as an erasure takes them.

        What rests on them alone goes too, in whichever scope it stands; no tombstone is written,
        since the same words may come again, and a receipt where one is asked for, which `finish`
        has to close. `before` and `after` run in the same transaction, in front of the removal
        and behind it, and may run again.
        """
        reach = await close_over(self.graph, what.ids)
        scopes = sorted({what.scope, *reach.scopes})
        terms = {path: await self._parts.terms_of(path) for path in scopes}

        async def work(tx: Tx) -> None:
            await before(tx)
            closure, removed = Closure(), Removed()
            if what.ids:
                closure = await self._locked(tx, what.ids, sources=False)
                if closure.scopes - terms.keys():
                    raise GraphUnavailable("the closure has grown while it was looked at")
                removed = await self._carry_out(tx, closure, (terms, now()))
            if what.receipt is not None:
                await _withdrawn(tx, what.receipt, closure, removed)
            await after(tx)

        await self.graph.write("lifecycle.withdraw", work)

    async def remove(self, order: Order, ids: list[str]) -> Removed:
        """Erase some memories with all that was made from them, under the receipt of an order."""
        return await self._batch(order, order.target.scope or order.caller.home, ids)

    async def finish(self, receipt: str, work: int = 0) -> Row:
        """Clear answers, jobs, files and caches of an erasure; does nothing where that is done.
        `work` is how many values of working memory went, which the receipt counts."""
        graph = self.graph
        found = await graph.optional(Q.lifecycle.touch_receipt, id=receipt, at=now())
        if found is None:
            raise NotFound("there is nothing to erase")
        row: Row = found["receipt"]
        if row["state"] == "done":
            return row
        cleared = await self._parts.residue.clear(row)
        counts = {**orjson.loads(row["counts"]), **cleared}
        if work:
            counts["working"] = counts.get("working", 0) + work
        at = now()
        packed = _packed(counts)
        await graph.rows(Q.lifecycle.close_receipt, id=receipt, counts=packed, at=at)
        return {**row, "counts": packed, "state": "done", "finished_at": at}

    async def finish_all(self) -> int:
        """Finish what a process that died has left; returns how many."""
        rows = await self.graph.rows(Q.lifecycle.open_receipts, limit=100)
        for row in rows:
            await self.finish(row["receipt"]["id"])
        return len(rows)

    async def _next(self, caller: Caller, target: Target, limit: int) -> list[str]:
        """Ids of the next memories to go; none where nothing is left."""
        if target.kind == "memory":
            row = await self._find(caller, target.value)
            return [row["id"]] if row else []
        if target.kind != "person":
            return (await self._by(caller, target, {target.kind: target.value}, limit))[:limit]
        if not target.entities and not target.names:
            return []
        found = {*await about(self.graph, target, limit)}
        if target.author:
            found |= {*await self._by(caller, target, {"author": target.author}, limit)}
        return sorted(found)[:limit]

    async def _by(
        self, caller: Caller, target: Target, given: dict[str, str], limit: int
    ) -> list[str]:
        """What is of a session, author or speaker, in every scope that a target means."""
        named = dict.fromkeys(("session", "author", "speaker"), "") | given
        found: list[str] = []
        for scope in _places(caller, target):
            rows = await self.graph.rows(Q.lifecycle.memories_by, scope=scope, limit=limit, **named)
            found += [row["id"] for row in rows]
        return found

    async def _batch(self, order: Order, scope: str, ids: list[str]) -> Removed:
        sources = order.target.sources
        ids, reach, pages = await close_with_pages(self.graph, ids, sources=sources)
        terms = {path: await self._parts.terms_of(path) for path in sorted({scope, *reach.scopes})}

        async def work(tx: Tx) -> Removed:
            return await self._remove(tx, order, scope, (ids, terms, pages))

        return await self.graph.write("lifecycle.erase", work)

    async def _remove(
        self, tx: Tx, order: Order, scope: str, given: tuple[list[str], dict[str, Terms], list[Row]]
    ) -> Removed:
        ids, terms, pages = given
        at = now()
        receipt = (
            await tx.one(
                Q.lifecycle.lock_receipt,
                id=order.receipt,
                row=blank_receipt(order, scope),
                at=at,
            )
        )["receipt"]
        closure = await self._locked(tx, ids, sources=order.target.sources)
        _permit(order.caller, closure)
        if closure.scopes - terms.keys():
            raise Forbidden("the closure has grown while it was looked at: send it again")
        removed = await self._carry_out(tx, closure, (terms, at))
        gone = [*closure.ids, *removed.entities]
        removed.add(
            await tx.one(
                Q.questions.erase_about,
                tenant=order.caller.tenant,
                ids=sorted(gone),
                names=removed.names,
            )
        )
        if order.target.kind != "scope":
            graves = await asyncio.to_thread(
                tombstones, closure, receipt | {"at": at}, removed.entities
            )
            await tx.rows(Q.lifecycle.bury, rows=graves)
        if pages:
            removed.add(await erase_pages(tx, pages, receipt))
            removed.ids += [page["id"] for page in pages]
            removed.pages += [page["id"] for page in pages]
            removed.scopes |= {page["scope"] for page in pages}
            await detach(tx, [page["id"] for page in pages], removed)
        await _write_receipt(tx, order, receipt, (closure, removed))
        return removed

    async def _carry_out(
        self, tx: Tx, closure: Closure, given: tuple[dict[str, Terms], datetime]
    ) -> Removed:
        """Take a locked closure out, and let belief and names follow from what is left."""
        terms, at = given
        removed = Removed(survivors=closure.survivors())
        places = await tx.rows(Q.lifecycle.keys_of, facts=sorted({*closure.facts, *closure.kept}))
        await self._take_out(tx, closure, removed)
        await self._settle(tx, places, (terms, at))
        await self._entities(tx, closure, (terms, removed))
        removed.add(
            await tx.one(Q.lifecycle.drop_shared, sessions=closure.sessions, tags=closure.tags)
        )
        return removed

    async def _locked(self, tx: Tx, ids: list[str], *, sources: bool) -> Closure:
        """The closure, written first: whoever reads it meanwhile waits, then finds it gone."""
        before = await close_over(tx, ids, sources=sources)
        notes = [row["node"] for row in before.labelled[NOTE.name].values()]
        await turn_shelves(tx, notes, now())
        await tx.rows(Q.entities.hold_names_of, scopes=sorted(before.scopes), at=now())
        await tx.rows(Q.lifecycle.lock_passages, ids=sorted(before.episodes), at=now())
        for kind, erasing in ERASED.items():
            await tx.rows(erasing.lock, ids=sorted(before.labelled[kind]), at=now())
        await tx.rows(Q.erasure.lock_skills, ids=sorted(before.skills), at=now())
        await tx.rows(Q.kinds.lock, ids=sorted(before.declared), at=now())
        facts = [row["fact"] for row in (*before.facts.values(), *before.kept.values())]
        places = await tx.rows(Q.lifecycle.keys_of, facts=sorted(f["id"] for f in facts))
        entities = {*before.entities, *(p["subject"] for p in places), *(p["root"] for p in places)}
        await tx.rows(Q.facts.lock, ids=sorted(e for e in entities if e), at=now())
        return await close_over(tx, ids, sources=sources)

    async def _take_out(self, tx: Tx, closure: Closure, removed: Removed) -> None:
        episodes, facts = sorted(closure.episodes), sorted(closure.facts)
        notes = sorted(closure.beside)
        await tx.rows(
            Q.communities.drop_words,
            passages=episodes,
            facts=sorted({*facts, *closure.kept}),
            at=now(),
        )
        await tx.rows(Q.lifecycle.name_targets, episodes=episodes, facts=facts, notes=notes)
        await self._neighbours(tx, episodes)
        await self._parts.entities.unlink_mentions(tx, episodes)
        read = {"episodes": episodes, "facts": facts, "notes": notes}
        removed.add(await tx.one(Q.llm.drop_readings, **read, at=now()))
        await tx.rows(Q.lifecycle.drop_hints, ids=sorted([*episodes, *notes]))
        removed.add(await tx.one(Q.lifecycle.drop_facts, ids=facts))
        ended = await ended_by(tx, sorted(closure.labelled[NOTE.name]))
        for kind, erasing in ERASED.items():
            gone = sorted(closure.labelled[kind])
            removed.add(await tx.one(erasing.drop, ids=gone))
        removed.add({"restored": await come_back(tx, ended, now())})
        removed.add(await tx.one(Q.retrieval.drop_names, passages=episodes, at=now()))
        removed.add(await tx.one(Q.lifecycle.drop_episodes, ids=episodes))
        await erase_skills(tx, closure, removed)
        await drop(tx, closure.declared, removed)
        await detach(tx, closure.ids, removed)

    async def _neighbours(self, tx: Tx, episodes: list[str]) -> None:
        near: set[str] = set()
        vectors: set[str] = set()
        for row in await tx.rows(Q.lifecycle.around, ids=episodes, reach=REACH):
            near.update(row["before"], row["after"])
            vectors.update(row["after"][:VECTOR_REACH])
        left = sorted(near - set(episodes))
        if left:
            await tx.rows(Q.lifecycle.unborrow, ids=left, vectors=sorted(vectors))

    async def _settle(
        self, tx: Tx, places: list[Row], given: tuple[dict[str, Terms], datetime]
    ) -> None:
        """Let belief follow from the claims that are left, in the words of what is left."""
        terms, at = given
        await follow_sources(tx, (place["id"] for place in places))
        keys: dict[str, set[str]] = {}
        for place in places:
            keys.setdefault(place["scope"], set()).update((place["key"], *place["fitted"]))
        for scope, touched in sorted(keys.items()):
            await self._parts.facts.settle(tx, touched, terms[scope])
            rows = await tx.rows(Q.lifecycle.facts_of_keys, keys=sorted(touched))
            await tx.rows(Q.lifecycle.forget_history, facts=[row["id"] for row in rows], at=at)

    async def _entities(
        self, tx: Tx, closure: Closure, given: tuple[dict[str, Terms], Removed]
    ) -> None:
        terms, removed = given
        rest = await tx.rows(Q.lifecycle.entity_rest, ids=closure.entities)
        await tx.rows(Q.likeness.drop, ids=closure.entities)
        orphans = [row["entity"] for row in rest if not row["needed"]]
        await self._split(tx, orphans, terms)
        removed.add(await tx.one(Q.lifecycle.drop_entities, ids=sorted(e["id"] for e in orphans)))
        removed.entities = sorted(e["id"] for e in orphans)
        removed.names = await aside(orphans, lambda: _names_of(orphans))
        called = await asyncio.to_thread(_names_in, closure)
        rows = [
            renamed(row, called.get(row["entity"]["id"], set())) for row in rest if row["needed"]
        ]
        changed = [row for row in rows if row is not None]
        if changed:
            removed.add((await tx.rows(Q.lifecycle.rename, rows=changed))[0])
            removed.ids += [row["id"] for row in changed]
        await self._demote(tx, [row["entity"] for row in rest], terms)
        words = await self._reword(tx, closure, terms)
        removed.ids += [row["id"] for row in words]
        await self._follow_rules(tx, closure, ([row["entity"] for row in rest], terms))

    async def _demote(self, tx: Tx, entities: list[Row], terms: dict[str, Terms]) -> None:
        """What one passage alone names now is a name that waits there, as if the rest had never
        been."""
        keys: dict[str, set[str]] = {}
        for entity in entities:
            keys.setdefault(entity["scope"], set()).add(entity["canonical_key"])
        for scope in sorted(keys):
            found = await single(tx, scope, keys[scope])
            if found.entities:
                await self._split(tx, found.entities, terms)
                ids = sorted(entity["id"] for entity in found.entities)
                await tx.rows(Q.lifecycle.drop_entities, ids=ids)
                await tx.rows(Q.entities.keep_lone, rows=found.kept)

    async def _follow_rules(
        self, tx: Tx, closure: Closure, given: tuple[list[Row], dict[str, Terms]]
    ) -> None:
        """Whom a name means may be another once an entity is gone, or a voice."""
        entities, terms = given
        places: dict[str, tuple[list[Row], set[str]]] = {}
        for entity in entities:
            places.setdefault(entity["scope"], ([], set()))[0].append(entity)
        for row in closure.episodes.values():
            episode = row["episode"]
            if episode.get("speaker"):
                words = places.setdefault(episode["scope"], ([], set()))[1]
                words.add(first_word(episode["speaker"]))
            if waited := opening_words(entry["key"] for entry in unpack(episode.get("lone"))):
                places.setdefault(episode["scope"], ([], set()))[1].update(waited)
        for scope, (found, words) in sorted(places.items(), key=lambda place: place[0]):
            touched = await aside(found, partial(touched_by, found, words))
            moved = await follow_rules(tx, scope, touched, now())
            if moved:
                keys = await self._parts.facts.rekey(tx, moved, terms[scope])
                await self._parts.facts.settle(tx, keys, terms[scope])

    async def _reword(self, tx: Tx, closure: Closure, terms: dict[str, Terms]) -> list[Row]:
        rows = await tx.rows(Q.lifecycle.best_support, facts=sorted(closure.kept))
        made = [reworded(row, terms[row["fact"]["scope"]].registry) for row in rows]
        words = [row for row in made if row is not None]
        if words:
            await tx.rows(Q.lifecycle.reword, rows=words)
        return words

    async def _split(self, tx: Tx, orphans: list[Row], terms: dict[str, Terms]) -> None:
        """Clusters that lose a member: the roots of the others follow from the merges left."""
        gone = {e["id"] for e in orphans}
        for scope in sorted({e["scope"] for e in orphans}):
            wanted = sorted({e["root"] for e in orphans if e["scope"] == scope})
            rows = await tx.rows(Q.lifecycle.cluster_members, roots=wanted, scope=scope, at=now())
            left = [row for row in rows if row["id"] not in gone]
            if not left:
                continue
            before = {row["id"]: row["root"] for row in left}
            moved = changes(before, roots(before, _links(left, gone)))
            await tx.rows(Q.lifecycle.set_roots, rows=moved)
            ids = [row["id"] for row in moved]
            keys = await self._parts.facts.rekey(tx, ids, terms[scope])
            await self._parts.facts.settle(tx, keys, terms[scope])


def _links(rows: Iterable[Row], gone: set[str]) -> list[Link]:
    return [
        Link(row["id"], edge["right"], edge["left_count"], edge["right_count"])
        for row in rows
        for edge in row["edges"]
        if edge["right"] not in gone
    ]


def _names_of(entities: Iterable[Row]) -> list[str]:
    """What entities are called, in lower case; two letters may be any word."""
    names = {
        str(name).lower() for e in entities for name in (e["canonical_name"], *(e["aliases"] or ()))
    }
    return sorted(name for name in names if len(name) > SHORT_NAME)


def _names_in(closure: Closure) -> dict[str, set[str]]:
    """What the erased texts called each entity: their words for it, and their speakers."""
    names: dict[str, set[str]] = {}
    for row in closure.episodes.values():
        speaker = row["episode"].get("speaker")
        for mention in row["mentions"]:
            if mention["name"]:
                called = names.setdefault(mention["entity"], set())
                called |= {mention["name"], *([speaker] if speaker else ())}
    return names


def _refused(caller: Caller, closure: Closure) -> list[str]:
    """Scopes of the closure that the caller does not administer."""
    return sorted(scope for scope in closure.scopes if not _administers(caller, scope))


def _administers(caller: Caller, scope: str) -> bool:
    """Whether the caller administers a scope, which may be younger than what is known of him."""
    return caller.may(scope, Role.ADMIN) or caller.governs(scope)


def blank_receipt(order: Order, scope: str) -> Row:
    """The receipt of an order on which nothing stands yet."""
    return {
        **_blank(),
        "id": order.receipt,
        "tenant": order.caller.tenant,
        "scope": scope,
        "kind": order.target.kind,
        "target": order.target.name,
        "by": order.caller.principal,
    }


def _permit(caller: Caller, closure: Closure) -> None:
    if refused := _refused(caller, closure):
        raise Forbidden(f"this key needs the role admin in {', '.join(refused)}")


async def _untold(done: int) -> None:
    """Tells nobody."""


def _blank() -> Row:
    """A receipt on which nothing stands yet."""
    return {
        "at": now(),
        "state": "removing",
        "counts": "{}",
        "ids": [],
        "hashes": [],
        "quoted": [],
        "survivors": [],
        "scopes": [],
    }


async def _withdrawn(tx: Tx, receipt: Receipt, closure: Closure, removed: Removed) -> None:
    """What went without being erased: on a receipt of its own, which later removals may go on."""
    row = {**_blank(), **receipt.row}
    removed.add({"documents": 1})
    removed.ids.append(receipt.document)
    stored = (await tx.one(Q.lifecycle.lock_receipt, id=row["id"], row=row, at=now()))["receipt"]
    await tx.rows(
        Q.lifecycle.add_to_receipt,
        id=row["id"],
        properties=_added(stored, closure, removed),
        audit=receipt.event,
    )


async def _write_receipt(tx: Tx, order: Order, receipt: Row, done: tuple[Closure, Removed]) -> None:
    closure, removed = done
    ids = closure.ids
    event = audit.event(
        order.caller,
        "erase",
        receipt["scope"],
        receipt=receipt["id"],
        target=order.target.name,
        ids=sorted(ids),
        hashes=sorted({*_hashes(closure), *removed.hashes}),
        counts=removed.counts,
    )
    told = [*removed.ids, *removed.hashes]  # several batches may change the same page
    event["id"] = digest("erase", receipt["id"], *sorted(ids or told))[:32]
    properties = _added(receipt, closure, removed)
    await tx.rows(Q.lifecycle.add_to_receipt, id=receipt["id"], properties=properties, audit=event)


def _hashes(closure: Closure) -> list[str]:
    return [f"{kind}:{h}" for kind, found in closure.hashes.items() for h in found]


def _added(receipt: Row, closure: Closure, removed: Removed) -> Row:
    """The properties of a receipt with what one more batch took."""
    counts = orjson.loads(receipt["counts"])
    for kind, count in removed.counts.items():
        counts[kind] = counts.get(kind, 0) + count
    return {
        "counts": _packed(counts),
        "ids": sorted({*receipt["ids"], *closure.ids, *removed.pages}),
        "hashes": sorted({*receipt["hashes"], *_hashes(closure), *removed.hashes}),
        # What answers may quote: not only what is gone, also what changed with it.
        "quoted": sorted(
            {*receipt["quoted"], *removed.ids, *removed.entities, *sorted(closure.kept)}
        ),
        "survivors": sorted({*receipt["survivors"], *removed.survivors}),
        "scopes": sorted({*receipt["scopes"], *closure.scopes, *removed.scopes}),
    }


def _packed(counts: dict[str, Any]) -> str:
    return orjson.dumps(counts, option=orjson.OPT_SORT_KEYS).decode()


def new_receipt() -> str:
    """The id of a receipt to come."""
    return new_id()


def _places(caller: Caller, target: Target) -> Sequence[str]:
    """The scopes in which what belongs to a session, an author or a speaker is looked for."""
    return target.scopes or (target.scope or caller.home,)
