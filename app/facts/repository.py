"""Facts in the graph: every write locks its subjects first and settles what it touched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from app.extraction.predicates import Registry
from app.facts.carried import date
from app.facts.claim import Rules
from app.facts.following import follow_sources
from app.facts.interval import Standing
from app.facts.later_texts import LaterTexts
from app.facts.onward import News, asked, go_on, news_of, seal, state_row
from app.facts.open_ends import Keyed, Near, OpenEnd, settle_subject
from app.facts.record import OPEN_END, belief_key
from app.facts.revision import (
    Revision,
    claims_in,
    keep,
    names_of,
    reviews_of,
    revise,
    revised,
)
from app.facts.runs import KEPT, MOMENTS
from app.facts.sharing import is_mixed, sharing_of
from app.facts.together import Together, open_end, open_ends, words_said
from app.kernel import audit, feed
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row, Tx

PAGE = 500  # facts whose keys are made anew in one transaction
FACT_MOMENTS = frozenset(("captured_at", "valid_from", "valid_to", "ingested_at", "expired_at"))
SETTLER = "loci"  # who acts where belief follows from the claims alone


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms a scope's claims are settled.

    `registry` tells which predicates take one value at a time; `members` is the scope's rule.
    """

    registry: Registry
    members: bool = False

    def single(self, predicate: str, value: str) -> bool:
        """Whether a value shares its belief key with the predicate's other values."""
        if predicate == OPEN_END:
            return True  # all of a subject are settled together
        known = self.registry.get(predicate)
        if known.functional or known.exclusive is True:
            return True
        return known.exclusive is not False and value in known.exclusive

    def rules(self, predicate: str, value: str, names: Mapping[str, str] | None = None) -> Rules:
        """The rules of one belief key; `names` are those of its values, wanted where it is
        settled."""
        return Rules(
            functional=self.single(predicate, value),
            members=self.members,
            sharing=sharing_of(self.registry.get(predicate)),
            mixed=is_mixed(predicate),
            names=names or {},
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to write in one transaction.

    `locks` are the entities that its beliefs hang on; `extra` are further keys to settle.
    """

    facts: list[Row]
    claims: list[Row]
    locks: list[str]
    extra: list[str] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """The belief keys that the batch touches."""
        return sorted({*self.extra, *(row["key"] for row in self.facts)})


@dataclass(frozen=True, slots=True)
class Settled:
    """What a settlement changed."""

    opened: int
    retracted: int
    quarantined: tuple[str, ...]
    superseded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settling:
    """How some keys are settled; `news` are claims just written, by key, where nothing else has
    changed there."""

    terms: Terms
    request: str = ""
    news: Mapping[str, News] = field(default_factory=dict)


@dataclass(slots=True)
class Changes:
    """What settling some keys at one moment comes to; `kept` are states to go on from, `begun` keys
    that have none any more."""

    at: datetime
    revision: Revision = field(default_factory=Revision)
    facts: dict[str, Row] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    kept: list[Row] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)

    def add(self, key: str, rows: Collection[Row], revision: Revision) -> None:
        """Take what one key comes to."""
        self.keys.add(key)
        self.facts |= {row["fact"]["id"]: row["fact"] for row in rows}
        self.revision.merge(revision)

    @property
    def settled(self) -> Settled:
        """The same in numbers and names."""
        return Settled(
            opened=len(self.revision.open),
            retracted=len(self.revision.retract),
            quarantined=tuple(sorted({row["fact"] for row in self.revision.quarantined})),
            superseded=tuple(sorted({row["fact"] for row in self.revision.superseded})),
        )


class FactRepository:
    """One method a step; those that take a `Tx` run inside the caller's transaction."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.changes = LaterTexts(graph)

    async def put(self, tx: Tx, batch: Batch, terms: Terms, request: str = "") -> Settled:
        """Write facts and claims, then settle their keys; the entities must be there already."""
        if batch.locks:
            await tx.rows(Q.facts.lock, ids=sorted(set(batch.locks)), at=now())
        news: dict[str, News] = {}
        if batch.facts:
            erased = (await tx.one(Q.facts.put, **packed(batch)))["erased"]
            await follow_sources(tx, (row["id"] for row in batch.facts))
            news = news_of(batch.facts, batch.claims, frozenset(erased))
        later = {key: told for key, told in news.items() if key not in batch.extra}
        return await self._settle(tx, batch.keys, Settling(terms, request, later))

    async def settle(
        self, tx: Tx, keys: Collection[str], terms: Terms, request: str = ""
    ) -> Settled:
        """Bring what is held of keys in line with all their claims; the subjects are locked."""
        return await self._settle(tx, keys, Settling(terms, request))

    async def _settle(self, tx: Tx, keys: Collection[str], how: Settling) -> Settled:
        if not keys:
            return Settled(0, 0, (), ())
        done = Changes(now())
        ends = await open_ends(tx, keys)
        together = ends.keys
        if ends.subjects:  # of other subjects than those that the caller locked
            await tx.rows(Q.facts.lock, ids=sorted(ends.subjects), at=now())
        later = {key: news for key, news in how.news.items() if key not in together}
        await self._go_on(tx, replace(how, news=later), done)
        whole = sorted((set(keys) | together) - done.keys)
        if whole:
            await self._settle_whole(tx, whole, ends, how.terms, done)
        if done.kept or done.begun:
            await tx.rows(Q.facts.keep_states, kept=done.kept, dropped=sorted(done.begun))
        await self._write(tx, done.revision, done.facts, done.at, how.request)
        return done.settled

    async def _go_on(self, tx: Tx, how: Settling, done: Changes) -> None:
        """Settle the keys of which only later things are claimed, from where each ended."""
        rules = {key: how.terms.rules(n.predicate, n.value) for key, n in how.news.items()}
        rows = [asked(key, news, rules[key]) for key, news in sorted(how.news.items())]
        wanted = [row for row in rows if row is not None]
        if not wanted:
            return
        found = (await tx.one(Q.facts.carried, rows=wanted))["rows"]
        for key, group in _by_key(found).items():
            went = go_on(group, how.news[key], rules[key], done.at)
            if went is not None:
                done.add(key, group, went[0])
                done.kept.append(state_row(key, group[0]["fact"], went[1], rules[key]))

    async def _settle_whole(
        self, tx: Tx, keys: list[str], ends: Together, terms: Terms, done: Changes
    ) -> None:
        done.begun |= set(keys)
        held = _by_key(await self._claims_of(tx, keys))
        for group in ends.groups:
            some = {key: held.pop(key) for key in group if key in held}
            _settle_group(some, ends.near, terms, done)
        for key, rows in sorted(held.items()):
            values = {row["fact"]["id"]: row["value"] for row in rows}
            first = rows[0]["fact"]
            rules = terms.rules(first["predicate"], first["object_key"], names_of(rows))
            done.add(key, rows, revise(rows, values, rules, done.at))
            end = seal(rows, values, rules)
            if end is not None:
                done.kept.append(state_row(key, first, end, rules))
                done.begun.discard(key)

    async def _claims_of(self, tx: Tx, keys: list[str]) -> list[Row]:
        """What the keys hold, after facts that nothing supports any more have gone."""
        bounds = {"kept": KEPT, "most": MOMENTS}
        rows: list[Row] = (await tx.one(Q.facts.claims_of, keys=keys, **bounds))["rows"]
        lost = sorted({row["key"] for row in rows if not row["claims"]})
        if lost:
            await tx.rows(Q.facts.drop_unsupported, keys=lost)
            rows = (await tx.one(Q.facts.claims_of, keys=keys, **bounds))["rows"]
        return rows

    async def _write(
        self, tx: Tx, revision: Revision, facts: Mapping[str, Row], at: datetime, request: str
    ) -> None:
        if revision.retract or revision.unlink:
            await tx.rows(Q.facts.retract, abouts=revision.retract, links=revision.unlink, at=at)
        if revision.held_anew:
            await tx.rows(
                Q.facts.open,
                abouts=revision.open,
                superseded=revision.superseded,
                contradictions=revision.contradictions,
                may_change=revision.may_change,
                at=at,
            )
        if revision.retract:
            # No reader may find a sentence in a note that its fact no longer bears out.
            changed = sorted({row["fact"] for row in revision.retract})
            await tx.rows(Q.condensed.close, facts=changed, at=at)
        if revision.mirror:
            await tx.rows(Q.facts.mirror, rows=revision.mirror)
        if revision.relate:
            await tx.rows(Q.facts.relate, facts=revision.relate, at=at)
        events = [
            *(
                _event("fact.quarantine", facts[row["fact"]], request, reason=row["reason"])
                for row in revision.quarantined
            ),
            *(
                _event(
                    "fact.supersede",
                    facts[row["fact"]],
                    request,
                    by=row["other"],
                    reason=row["properties"]["reason"],
                )
                for row in revision.superseded
            ),
        ]
        if events:
            await tx.rows(Q.facts.write_audit, rows=events)
        changed_now = list(believed(revision, facts, at))
        if changed_now:
            await tx.rows(Q.events.put, rows=changed_now)

    async def rekey(self, tx: Tx, entities: Collection[str], terms: Terms) -> list[str]:
        """Give the facts of entities whose root changed their new keys; all keys concerned."""
        rows = await tx.rows(Q.facts.keyed, entities=sorted(entities))
        touched: set[str] = set()
        changed = []
        for row in rows:
            value = f"entity:{row['object_root']}" if row["object_root"] else row["object_key"]
            key = belief_key(
                row["scope"],
                row["subject_root"],
                row["predicate"],
                None if terms.single(row["predicate"], row["object_key"]) else value,
                row["qualifier"] or "",
            )
            touched |= {row["key"], key}
            if key != row["key"]:
                changed.append({"id": row["id"], "key": key})
        await tx.rows(Q.facts.rekey, rows=sorted(changed, key=lambda row: row["id"]))
        return sorted(touched)

    async def predicates(self, paths: list[str]) -> list[Row]:
        return await self.graph.rows(Q.facts.predicates, paths=paths)

    async def save_predicate(self, row: Row, event: Row) -> None:
        await self.graph.one(Q.facts.save_predicate, row=row, audit=event)

    async def facts_of_predicate(self, scopes: list[str], predicate: str, after: str) -> list[Row]:
        return await self.graph.rows(
            Q.facts.facts_of_predicate, scopes=scopes, predicate=predicate, after=after, limit=PAGE
        )

    async def get(
        self, ids: list[str], scopes: list[str], as_of: datetime, known_at: datetime
    ) -> list[Row]:
        """Facts with their intervals at two moments, their support, and what may have changed
        them."""
        rows = await self.graph.rows(
            Q.facts.get, ids=ids, scopes=scopes, as_of=as_of, known_at=known_at
        )
        return await self.changes.with_later(rows, scopes, as_of, known_at)

    async def list_held(self, subjects: list[str] | None = None, **params: Any) -> list[Row]:
        """Facts that were held at both moments, about some entities or of whole scopes, by id."""
        if subjects is None:
            rows = await self.graph.rows(Q.facts.held_in, **params)
        else:
            rows = await self.graph.rows(Q.facts.list_held, subjects=subjects, **params)
        moments = params["as_of"], params["known_at"]
        return await self.changes.with_later(rows, params["scopes"], *moments)

    async def list_scope(self, **params: Any) -> list[str]:
        return [row["id"] for row in await self.graph.rows(Q.facts.list_scope, **params)]

    async def timeline(self, **params: Any) -> list[Row]:
        """The intervals of an entity's facts; those held now with what may have changed them."""
        rows = await self.graph.rows(Q.facts.timeline, **params)
        return await self.changes.with_later(rows, params["scopes"], now(), params["known_at"])

    async def history(self, fact: str, scopes: list[str]) -> Row | None:
        return await self.graph.optional(Q.facts.history, id=fact, scopes=scopes)

    async def quarantined(self, scopes: list[str], after: str, limit: int) -> list[Row]:
        return await self.graph.rows(Q.facts.quarantined, scopes=scopes, after=after, limit=limit)

    async def possible_changes(self, scopes: list[str], after: str, limit: int) -> list[Row]:
        return await self.graph.rows(
            Q.facts.possible_changes, scopes=scopes, after=after, limit=limit
        )

    async def places(self, ids: list[str], scopes: list[str]) -> dict[str, Row]:
        rows = await self.graph.rows(Q.facts.places, ids=ids, scopes=scopes)
        return {row["id"]: row for row in rows}


def believed(revision: Revision, facts: Mapping[str, Row], at: datetime) -> Iterator[Row]:
    """Yield an event for each way in which belief changed in each scope, which names its facts.

    A fact is opened where it holds and did not, ended where it held on and no longer does, changed
    where it holds at other times, and withdrawn where it no longer does at any.
    """
    before = {row["fact"] for row in revision.retract}
    now_held: dict[str, list[Row]] = defaultdict(list)
    for row in revision.open:
        if row["properties"]["standing"] == Standing.HELD:
            now_held[row["fact"]].append(row["properties"])
    ways: dict[tuple[str, str], list[str]] = defaultdict(list)
    for fact in sorted({*before, *now_held}):
        scope = facts[fact]["scope"]
        if fact not in before:
            way = "opened"
        elif fact not in now_held:
            way = "withdrawn"
        else:
            over = all(row["valid_to"] is not None for row in now_held[fact])
            way = "ended" if over else "changed"
        ways[scope, f"fact.{way}"].append(fact)
    for row in revision.may_change:
        ways[facts[row["fact"]]["scope"], "possible_change"].append(row["other"])
    for (scope, kind), ids in sorted(ways.items()):
        yield feed.told(kind, scope, ids[0], at, facts=ids)


def _settle_group(
    held: dict[str, list[Row]],
    near: Mapping[str, frozenset[Near]],
    terms: Terms,
    done: Changes,
) -> None:
    """Settle keys of which ends leave open which of them they ended."""
    keys: dict[str, Keyed] = {}
    ends: list[OpenEnd] = []
    of_ends: list[Row] = []
    for key, rows in sorted(held.items()):
        first = rows[0]["fact"]
        values = {row["fact"]["id"]: row["value"] for row in rows}
        claims = claims_in(rows, values)
        rules = terms.rules(first["predicate"], first["object_key"], names_of(rows))
        keep(rows, claims, rules)
        if first["predicate"] == OPEN_END:
            told = {row["fact"]["id"]: row["fact"] for row in rows}
            ends += [open_end(c, told[c.fact], values[c.fact], near[key]) for c in claims]
            of_ends += rows
        else:
            words = {row["fact"]["id"]: words_said(row) for row in rows}
            keys[key] = Keyed(first["predicate"], claims, rules, reviews_of(rows), words=words)
    settled = settle_subject(keys, ends, reviews_of(of_ends))
    for key, keyed in keys.items():
        for row in held[key] if keyed.added else ():
            row["kept"] |= {"heads": None, "runs": None}  # an end says more than that it holds
        done.add(key, held[key], revised(held[key], settled[key], done.at))
    for key, rows in sorted(held.items()):
        if rows[0]["fact"]["predicate"] == OPEN_END:
            done.add(key, rows, revised(rows, settled[""], done.at))


def packed(batch: Batch) -> dict[str, Any]:
    """The parameters of `facts.put`.

    To write a moment takes the driver as long as ten words: each goes once, not with every row.
    """
    facts = [
        {
            "id": row["id"],
            "key": row["key"],
            "said_at": row["properties"]["captured_at"],
            "properties": {k: v for k, v in row["properties"].items() if k not in FACT_MOMENTS},
        }
        for row in batch.facts
    ]
    claims = [
        {**row, "properties": {k: v for k, v in row["properties"].items() if k != "recorded_at"}}
        for row in batch.claims
    ]
    at = max((row["properties"]["recorded_at"] for row in batch.claims), default=None)
    return {"facts": facts, "claims": claims, "at": at or now()}


def _by_key(rows: Collection[Row]) -> dict[str, list[Row]]:
    """Rows of `claims_of` or `carried` by their keys, with their moments as such."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for part in (row["fact"], *row.get("claims", ()), *row.get("words", ()), *row["held"]):
            date(part)
        groups[row["key"]].append(row)
    return groups


def _event(kind: str, fact: Row, request: str, **payload: Any) -> Row:
    properties = audit.record(
        kind,
        tenant=fact["tenant"],
        scope=fact["scope"],
        actor=SETTLER,
        request=request,
        payload=payload,
    )
    return {"fact": fact["id"], "properties": properties}
