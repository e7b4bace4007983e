"""The knowledge graph over entities, skills, pages and agents: search, neighbours, statistics.

A relation is a type of edge (`requires`, `references`) or the predicate of a fact (`works_for`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.embeddings.calibration import Kinds
from app.entities.model import alias_id
from app.entities.service import keys_of_any_type
from app.errors import InvalidInput, NotFound
from app.indexing.spaces import FIRST, Part
from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.pages.naming import name_id
from app.skills.finding import Finder
from app.skills.links import candidate_names
from app.skills.walk import DEGREES, density, mean_degree, node_quality, path_score

SEED_LEAST, NAMED = 0.5, 0.5  # similarity of a seed; what a seed counts that was found by its name
CALLED = 1.0  # what a seed counts whose name is the whole question
SEEDS = 10
DEEPEST, DEEPEST_SEARCH = 5, 5
EDGES_A_HOP = 500
KINDS = ("entity", "skill", "page")
LONGEST_TITLE, WORDS_READ = 8, 60  # words of a title that is looked for, and of a question
# Kinds of the index, and what they are to a question; a chunk of a page leads to that.
SOUGHT = {"skill": Kinds.TASK, "chunk": Kinds.ANSWER}


def folded(relation: str | None) -> str | None:
    """A relation as it is compared; None for a blank one, which is any."""
    return relation.strip().lower() if relation and relation.strip() else None


@dataclass(frozen=True, slots=True)
class Reached:
    """A node with the best path to it; `quality` is that of the node."""

    node: Row
    score: float
    depth: int
    path: tuple[Row, ...]
    quality: float


@dataclass(frozen=True, slots=True)
class Found:
    """Nodes, best first, the edges that lead to them, and how sure the whole is."""

    nodes: list[Reached]
    edges: list[Row]
    confidence: float
    truncated: bool


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a graph is made of."""

    nodes: dict[str, int]
    relations: dict[str, int]
    density: float
    mean_degree: float


@dataclass(slots=True)
class _Spread:
    """How far a walk has come: the best path to each node, and every edge that was seen."""

    paths: dict[str, tuple[str, tuple[Row, ...]]]
    edges: dict[tuple[str, str, str, str | None], Row]
    truncated: bool = False


class KnowledgeService:
    """Reads only; every hop is one statement and bounded."""

    def __init__(self, graph: Graph, finder: Finder) -> None:
        self._graph = graph
        self._finder = finder

    async def search(
        self, who: Caller, query: str, relation: str | None, depth: int, limit: int
    ) -> Found:
        """Nodes for a question and what lies around them, scored along the best path. With a
        relation only nodes that such an edge begins or ends at are found."""
        seeds = await self._seeds(who, query)
        spread = await self._spread(who, seeds, relation, min(depth, DEEPEST_SEARCH))
        found = await self._reached(who, spread, seeds)
        if relation is not None:
            touched = {end for edge in spread.edges.values() for end in _ends(edge)}
            found = [each for each in found if each.node["id"] in touched]
        top = found[:limit]
        sure = round(sum(each.score for each in top) / limit, 4) if top else 0.0
        return Found(top, _among(spread, top), min(sure, 1.0), spread.truncated)

    async def neighbours(
        self, who: Caller, node: str, relation: str | None, depth: int, limit: int
    ) -> Found:
        """What lies around a node, in either direction; NotFound for a node that is not seen."""
        known = await self._nodes(who, [node])
        if not known:
            raise NotFound(f"there is no node {node}")
        (node,) = known  # of what was merged, its root
        spread = await self._spread(who, {node: 1.0}, relation, min(depth, DEEPEST))
        found = await self._reached(who, spread, {node: 1.0})
        others = [each for each in found if each.node["id"] != node]
        here = [each for each in found if each.node["id"] == node]
        around = others[:limit]
        cut = spread.truncated or len(others) > limit
        return Found(around, _among(spread, [*here, *around]), 1.0, cut)

    async def statistics(self, scopes: list[str], relation: str | None) -> Statistics:
        """Counts by kind and relation, density and mean degree."""
        kinds = await self._graph.rows(Q.knowledge.count_nodes, scopes=scopes)
        rows = await self._graph.rows(Q.knowledge.count_edges, scopes=scopes, relation=relation)
        relations: dict[str, int] = {}
        for row in rows:
            name = row["predicate"] or row["type"]
            relations[name] = relations.get(name, 0) + row["found"]
        nodes = dict.fromkeys(KINDS, 0) | {row["kind"]: row["found"] for row in kinds}
        total, edges = sum(nodes.values()), sum(relations.values())
        return Statistics(
            nodes, relations, round(density(edges, total), 6), round(mean_degree(edges, total), 4)
        )

    # --- parts ---------------------------------------------------------------------------------

    async def _seeds(self, who: Caller, query: str) -> dict[str, float]:
        """The best ten nodes for a question; of equals those that it names come first."""
        seeds = await self._named(who, query)
        await self._indexed(who, query, seeds)
        best = sorted(seeds, key=lambda node: -seeds[node])[:SEEDS]
        return {node: seeds[node] for node in best}

    async def _named(self, who: Caller, query: str) -> dict[str, float]:
        """Entities and pages that the question names; what it names as a whole counts in full."""
        called = [alias_id(scope, key) for scope in who.visible for key in whole_name(query)]
        bearers = await self._graph.rows(
            Q.knowledge.named_entities, aliases=called, scopes=who.visible
        )
        aliases = [alias_id(scope, key) for scope in who.visible for key in candidate_names(query)]
        entities = await self._graph.rows(
            Q.knowledge.named_entities, aliases=aliases, scopes=who.visible
        )
        pages = await self._graph.rows(
            Q.knowledge.named_pages, names=titles(who.tenant, query), scopes=who.visible
        )
        seeds = dict.fromkeys([row["id"] for row in (*entities, *pages)], NAMED)
        return seeds | dict.fromkeys([row["id"] for row in bearers], CALLED)

    async def _indexed(self, who: Caller, query: str, seeds: dict[str, float]) -> None:
        """What the indexes find, by meaning and by words, beside the seeds that there are."""
        scopes = who.visible
        asked = await self._finder.asked(query, scopes)
        near = [
            n
            for kind, kinds in SOUGHT.items()
            for n in await self._finder.near(asked, (kind,), SEEDS, kinds)
        ]
        worded = [
            n for kind in SOUGHT for n in await self._finder.worded(query, scopes, (kind,), SEEDS)
        ]
        page_of = await self._pages_of(scopes, [n.id for n in (*near, *worded)])
        for each in near:
            node = each.id if each.kind == "skill" else page_of.get(each.id)
            _raise(seeds, node, each.similarity or 0.0)
        await self._near_entities(asked, seeds)
        for each in worded:
            _raise(seeds, each.id if each.kind == "skill" else page_of.get(each.id), NAMED)

    async def _pages_of(self, scopes: list[str], ids: list[str]) -> dict[str, str]:
        rows = await self._graph.rows(Q.knowledge.pages_of, ids=ids, scopes=scopes)
        return {row["chunk"]: row["page"] for row in rows}

    async def _near_entities(self, asked: list[Part] | None, seeds: dict[str, float]) -> None:
        for part in asked or []:
            if part.space is not FIRST:
                continue  # entities have vectors of the first space only
            for row in await self._graph.rows(
                Q.knowledge.near_entities,
                v=part.vector,
                scopes=part.scopes,
                limit=SEEDS,
            ):
                # The language of what is said of an entity is not known: taken as the question's,
                # whose cosines say less than those between two languages.
                similarity = part.similarity(row["cosine"], Kinds.ANSWER, part.language)
                _raise(seeds, row["id"], similarity)

    async def _spread(
        self, who: Caller, seeds: Mapping[str, float], relation: str | None, depth: int
    ) -> _Spread:
        spread = _Spread({node: (node, ()) for node in seeds}, {})
        border = list(seeds)
        for _ in range(depth):
            if not border:
                break
            rows = await self._graph.rows(
                Q.knowledge.hop,
                ids=border,
                relation=relation,
                scopes=who.visible,
                tenant=who.tenant,
                limit=EDGES_A_HOP,
            )
            spread.truncated |= len(rows) == EDGES_A_HOP
            border = _onward(spread, set(border), rows)
        return spread

    async def _nodes(self, who: Caller, ids: Iterable[str]) -> dict[str, Row]:
        rows = await self._graph.rows(
            Q.knowledge.nodes,
            ids=list(ids),
            scopes=who.visible,
            tenant=who.tenant,
            degrees=DEGREES,
        )
        return {row["id"]: row for row in rows}

    async def _reached(
        self, who: Caller, spread: _Spread, seeds: Mapping[str, float]
    ) -> list[Reached]:
        nodes = await self._nodes(who, spread.paths)
        found = []
        for name, node in nodes.items():
            seed, path = spread.paths[name]
            score = path_score(seeds[seed], [edge["strength"] for edge in path])
            good = node_quality(min(node["confidence"], 1.0), node["mentions"], node["degree"])
            found.append(Reached(node, score, len(path), path, good))
        return sorted(found, key=lambda each: (-each.score, each.depth, each.node["id"]))


def whole_name(query: str) -> list[str]:
    """The keys of a question that is nothing but a name."""
    if len(query.split()) > LONGEST_TITLE:
        return []
    try:
        return keys_of_any_type(query)
    except InvalidInput:
        return []  # nothing in it to read as a name


def titles(tenant: str, query: str) -> list[str]:
    """The ids of the names that a question may say of pages: each run of one to eight words."""
    words = query.split()[:WORDS_READ]
    found: dict[str, None] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST_TITLE, len(words)) + 1):
            found[name_id(tenant, " ".join(words[start:end]).strip(".,;:!?()[]\"'`*"))] = None
    return list(found)


def _raise(seeds: dict[str, float], node: str | None, score: float) -> None:
    if node is not None and score >= SEED_LEAST:
        seeds[node] = round(max(seeds.get(node, 0.0), score), 6)


def _ends(edge: Row) -> tuple[str, str]:
    return edge["source"], edge["target"]


def _onward(spread: _Spread, border: set[str], rows: list[Row]) -> list[str]:
    """The nodes that edges newly reach; each keeps the first, and so a shortest, path to it."""
    fresh: dict[str, None] = {}
    for edge in rows:
        key = (edge["source"], edge["target"], edge["type"], edge["predicate"])
        spread.edges.setdefault(key, edge)
        for near, far in (_ends(edge), _ends(edge)[::-1]):
            if near in border and far not in spread.paths:
                seed, path = spread.paths[near]
                spread.paths[far] = (seed, (*path, edge))
                fresh[far] = None
    return list(fresh)


def _among(spread: _Spread, nodes: list[Reached]) -> list[Row]:
    shown = {each.node["id"] for each in nodes}
    return [edge for edge in spread.edges.values() if set(_ends(edge)) <= shown]
