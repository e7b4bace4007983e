"""What an agent should have in mind for a task: out of every tier, under a number of tokens.

The order of the sections, the budget and the weights of facts are those of the context injector of
seed 000; trajectories are results of traces of tasks alike, replays are the steps of the most
similar ones, and short-term memory stands behind working memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from app.contexts.entries import Entry, MemoryType, text_of
from app.contexts.formulas import UNSET_IMPORTANCE
from app.contexts.own import is_hidden
from app.errors import EmbedderUnavailable, NotFound
from app.goals.model import GoalState
from app.goals.service import GoalService
from app.goals.service import Wanted as WantedGoals
from app.kernel.caller import Caller, Role
from app.kernel.cypher import Q
from app.kernel.graph import Graph
from app.kernel.ids import ID
from app.kernel.scope import parse_scope
from app.observations.service import ObservationService
from app.observations.service import Wanted as WantedObservations
from app.scopes.service import ScopeService
from app.scopes.tuning import tuned
from app.search.bundle import standing
from app.search.model import KINDS, Filters, Hit, SearchRequest
from app.search.relevance import Asked
from app.search.service import SearchService
from app.shortterm.service import ShortTermService
from app.tiers.packing import LONG, Item, Packed, Section, packed
from app.tiers.retelling import at_hand, replay
from app.traces.model import LONGEST_TASK
from app.traces.service import TraceService
from app.traces.similar import SimilarTraces, Sought
from app.working.service import WorkingService, own
from app.working.values import unpacked

BUDGET, MINIMAL = 4000, 1000  # tokens, where nothing is set
RELEVANT = 0.5  # least relevance of what is found by a search, where nothing is set
TAGGED = 0.2  # what each tag that fact and task share adds to the fact's importance, of itself
FACTS, HITS, MOST = 200, 50, 20  # facts that are weighed, hits of the search, entries of others
REPLAYS = 3  # traces of which the steps are told
STEPS = 200  # of a trace that are read for that, and as many tool calls
LETTERS = 8  # for each token of a budget, of a replay before it is shortened


@dataclass(frozen=True, slots=True)
class InjectionLimits:
    """Tokens of a context and of a minimal one, tokens above which an entry is cut to half, and the
    least similarity of an experience and relevance of the rest."""

    budget: int = tuned("tiers.context_tokens", default=BUDGET)
    minimal: int = tuned("tiers.minimal_tokens", default=MINIMAL)
    long: int = tuned("tiers.entry_tokens", default=LONG)
    experience: float = tuned("tiers.experience", default=0.6)
    relevant: float = tuned("tiers.relevant", default=RELEVANT)


@dataclass(frozen=True, slots=True)
class Task:
    """What a context is for; `minimal` tells facts alone. Where no budget in tokens is named, the
    scope says it."""

    query: str
    session: str | None = None
    tags: tuple[str, ...] = ()
    budget: int | None = None
    minimal: bool = False


@dataclass(frozen=True, slots=True)
class InjectorParts:
    """Where a context comes from."""

    graph: Graph
    scopes: ScopeService
    limits: InjectionLimits
    working: WorkingService
    shortterm: ShortTermService
    searches: SearchService
    traces: SimilarTraces
    solved: TraceService
    goals: GoalService
    observations: ObservationService


class ContextInjector:
    """Reads only, by the rights that the caller has, and holds no state."""

    def __init__(self, parts: InjectorParts) -> None:
        self._parts = parts

    async def inject(self, who: Caller, scope: str | None, task: Task) -> Packed:
        """Return what helps with a task, of the caller's memory in a scope and of what else he
        sees."""
        home = who.require(str(parse_scope(scope or who.home)), Role.READER)
        at_home = replace(who, home=home)
        limits = await self._parts.scopes.limits(self._parts.limits, home)
        budget = task.budget or (limits.minimal if task.minimal else limits.budget)
        sections: dict[Section, list[Item]] = {}
        if task.minimal:
            sections |= await self._facts(at_home, task)
        else:
            found = await asyncio.gather(
                self._facts(at_home, task),
                self._working(at_home, task),
                self._short_term(at_home, task),
                self._searched(at_home, task, limits),
                self._solved(at_home, task, budget * LETTERS),
                self._goals(at_home),
                self._observed(at_home),
            )
            for more in found:
                sections |= more
        asked = Asked.of(task.query)
        done = await asyncio.to_thread(packed, sections, asked, budget, limits.long)
        self._parts.searches.shown(sorted(done.ids))
        return done

    async def _facts(self, who: Caller, task: Task) -> Mapping[Section, list[Item]]:
        """Facts by their importance, and by how many tags they share with the task."""
        entries = await self._parts.graph.many(
            Q.tiers.facts, Entry, scopes=who.visible, limit=FACTS
        )
        tags = {tag.strip().lower() for tag in task.tags}
        entries.sort(key=lambda one: (-weight(one, tags), one.id))
        return {Section.FACTS: [_item(entry) for entry in entries]}

    async def _working(self, who: Caller, task: Task) -> Mapping[Section, list[Item]]:
        if task.session is None or not ID.match(task.session):
            return {}
        place = own(who, None, task.session, Role.READER)
        found = await self._parts.working.values.values(place)

        def told() -> list[tuple[str, str]]:
            return at_hand([(slot, unpacked(content)) for slot, content in found], MOST)

        lines = await asyncio.to_thread(told)
        return {Section.WORKING: [Item(field, place.scope, text) for field, text in lines]}

    async def _short_term(self, who: Caller, task: Task) -> Mapping[Section, list[Item]]:
        """Entries that were written last, the more important ones first; this reads none of them
        as an agent does."""
        rows = await self._parts.shortterm.newest(who, [who.home], task.session, MOST)
        rows.sort(key=lambda row: -row.get("importance", UNSET_IMPORTANCE))
        return {
            Section.SHORT_TERM: [
                Item(row["id"], row["scope"], f"{row['key']}: {_said(row['content'].encode())}")
                for row in rows
            ]
        }

    async def _searched(
        self, who: Caller, task: Task, limits: InjectionLimits
    ) -> Mapping[Section, list[Item]]:
        """What the one search finds, by what it is."""
        filters = Filters(scopes=who.visible, kinds=list(KINDS), reader=who.principal)
        request = SearchRequest(query=task.query, filters=filters, limit=HITS, counted=False)
        hits = (await self._parts.searches.search(request)).hits
        ids = [hit.id for hit in hits if hit.memory["kind"] == "context_entry"]
        query, visible = Q.tiers.entries, who.visible
        rows = await self._parts.graph.many(query, Entry, ids=ids, scopes=visible) if ids else []
        entries = {entry.id: entry for entry in rows}
        found: dict[Section, list[Item]] = {}
        for hit in hits:
            section = section_of(hit, entries.get(hit.id), who.principal, limits)
            if section is not None:
                memory = hit.memory
                item = Item(hit.id, memory["scope"], memory["content"], standing(hit))
                found.setdefault(section, []).append(item)
        return found

    async def _solved(self, who: Caller, task: Task, most: int) -> Mapping[Section, list[Item]]:
        sought = Sought(task.query[:LONGEST_TASK], self._parts.traces.floor, MOST)
        try:
            found = await self._parts.traces.among(who.visible, sought)
        except EmbedderUnavailable:
            return {}
        told = [(one.trace, [one.trace.task, one.trace.result or ""]) for one in found]
        items = [Item(trace.id, trace.scope, ": ".join(filter(None, said))) for trace, said in told]
        best = [one.trace.id for one in found[:REPLAYS]]
        whole = await asyncio.gather(*(self._replay(who, trace, most) for trace in best))
        replays = [item for item in whole if item is not None]
        return {Section.TRAJECTORIES: items, Section.REPLAYS: replays}

    async def _replay(self, who: Caller, trace: str, most: int) -> Item | None:
        try:
            begun = await self._parts.solved.begun(who, trace, STEPS)
        except NotFound:
            return None
        text = replay(begun.trace.task, begun.steps, begun.calls, most)
        return Item(trace, begun.trace.scope, text) if text else None

    async def _goals(self, who: Caller) -> Mapping[Section, list[Item]]:
        wanted = WantedGoals(state=GoalState.ACTIVE)
        goals = await self._parts.goals.page(who, [who.home], wanted, "", MOST)
        return {Section.GOALS: [Item(g.id, g.scope, f"{g.title} ({g.progress} %)") for g in goals]}

    async def _observed(self, who: Caller) -> Mapping[Section, list[Item]]:
        wanted = WantedObservations(processed=False)
        found = await self._parts.observations.page(who, [who.home], wanted, "", MOST)
        items = [Item(o.id, o.scope, f"{o.sensor}: {text_of(o.payload)}") for o in found]
        return {Section.OBSERVATIONS: items}


def weight(entry: Entry, tags: Iterable[str]) -> float:
    """Return what a fact counts: `importance * (1 + .2 * shared tags)`."""
    shared = len(set(entry.tags) & set(tags))
    held = UNSET_IMPORTANCE if entry.importance is None else entry.importance
    return held * (1 + TAGGED * shared)


def section_of(
    hit: Hit, entry: Entry | None, principal: str, limits: InjectionLimits
) -> Section | None:
    """Return the section that a hit belongs to; None for one that tells too little."""
    kind = hit.memory["kind"]
    if kind == "context_entry":
        if entry is None or is_hidden(entry) or entry.memory_type is MemoryType.FACTUAL:
            return None
        if entry.memory_type is MemoryType.EXPERIENTIAL:
            return Section.EXPERIENCES if (hit.similarity or 0.0) >= limits.experience else None
    if hit.relevance < limits.relevant:
        return None
    if kind == "context_entry":
        own_word = entry is not None and entry.created_by == principal
        return Section.SELF if own_word else Section.SHARED_KNOWLEDGE
    if kind == "note":
        learnt = hit.memory["namespace"] == "learnings"
        return Section.LEARNINGS if learnt else Section.SHARED_KNOWLEDGE
    return Section.SHARED_KNOWLEDGE if kind in ("skill", "pool_text") else Section.GRAPH


def _item(entry: Entry) -> Item:
    return Item(entry.id, entry.scope, f"{entry.key}: {text_of(entry.value)}")


def _said(content: bytes) -> str:
    return text_of(unpacked(content))
