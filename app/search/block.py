"""The form `relevant_context`: what was found as one block for a prompt, by scope, escaped.

Nothing that is recalled can close an element or forge another, and nothing stands in it twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

from app.kernel.clock import now
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.notes.cooling import FACTOR as COOLED
from app.sanitize.aside import READ, aside
from app.sanitize.hidden import shown as visible
from app.scopes.service import ScopeService
from app.search.believed import believed
from app.search.blend import Blend, BlockDefaults, Evidence, Reach, final, reach_of
from app.search.bundle import LONGEST, qualified, snippet
from app.search.mmr import mmr
from app.search.model import Found, Hit
from app.search.precedence import touched
from app.search.relevance import Asked
from app.search.service import SearchService
from app.tables.hints import hints

OPEN, CLOSE = "<relevant_context>", "</relevant_context>"
GRAPH = ("<knowledge_graph>", "</knowledge_graph>")
CHARACTERS = 12_000  # of a block
LOOKED_AT = 50  # hits that are weighed for one
NEW = 0.7  # what relevance counts against saying something new, where more is left than is shown
ENTITIES = 12  # things that the last line names
BELOW = 0.99  # of the score of what holds, for what is past on the same
FACTS = 1.0  # confidence of what states none


@dataclass(frozen=True, slots=True)
class Line:
    """One memory of a block, with its score."""

    id: str
    reach: Reach
    label: str
    score: float
    text: str

    @property
    def written(self) -> str:
        """The two lines that the block has of it."""
        return f"[{escape(self.label)}] ({round(100 * min(self.score, 1.0))}%)\n{self.text}"


class ContextBlocks:
    """Makes blocks of what a search found; holds no state."""

    def __init__(
        self, graph: Graph, searches: SearchService, scopes: ScopeService, held: BlockDefaults
    ) -> None:
        self.held = held
        self._graph = graph
        self._searches = searches
        self._scopes = scopes

    async def defaults(self, scope: str) -> BlockDefaults:
        """Return what a scope says of blocks."""
        return await self._scopes.limits(self.held, scope)

    async def of(
        self,
        found: Found,
        question: str,
        scopes: Sequence[str],
        blend: Blend,
        *,
        limit: int,
        characters: int = CHARACTERS,
        at: datetime | None = None,
    ) -> str:
        """Return the block, the empty string where nothing is worth its place."""
        asked = Asked.of(question)
        texts, moment = [hit.memory["content"] for hit in found.hits], at or now()
        lines = await aside(
            texts, lambda: weighed(found.hits, question, asked, blend, moment), READ
        )
        lines = await self._chosen(lines, scopes, limit)
        if not lines:
            return ""
        told, text = fitted(lines, await self._graph_line(lines, scopes), characters)
        self._searches.shown([line.id for line in told])
        return text

    async def _chosen(self, lines: list[Line], scopes: Sequence[str], limit: int) -> list[Line]:
        """The best ones; where there are more, those of them that say something new."""
        if len(lines) <= limit:
            return lines
        vectors = await self._searches.matrix([line.id for line in lines], list(scopes))
        return [lines[n] for n in mmr([line.score for line in lines], vectors, NEW, limit)]

    async def _graph_line(self, lines: Sequence[Line], scopes: Sequence[str]) -> str:
        """What the memories name, the most mentioned first, and the tables that hold data of it."""
        rows = await self._graph.rows(
            Q.search.named_in,
            ids=[line.id for line in lines],
            scopes=list(scopes),
            limit=ENTITIES,
        )
        if not rows:
            return ""
        told = ", ".join(_thing(row) for row in rows)
        names = {row["root"]: row["name"] for row in rows}
        tables = [hint.text for hint in await hints(self._graph, names, scopes)]
        return visible(escape("\n".join([f"Entities: {told}", *tables])))


def weighed(
    hits: Sequence[Hit], question: str, asked: Asked, blend: Blend, at: datetime
) -> list[Line]:
    """Return the hits whose score is above what the blend keeps, the best first, each text once."""
    lines: dict[str, Line] = {}
    scores = [final(blend, evidence(hit, asked, at)) * _cooled(hit) for hit in hits]
    for hit, score in zip(hits, settled(hits, question, asked, scores), strict=True):
        line = _line(hit, asked, score)
        same = lines.get(line.text)
        if line.text and line.score > blend.least and (same is None or same.score < line.score):
            lines[line.text] = line
    return sorted(lines.values(), key=lambda line: (-line.score, line.id))


def settled(
    hits: Sequence[Hit], question: str, asked: Asked, scores: Sequence[float]
) -> list[float]:
    """Return scores of which those of what is past or disputed on the question lie below what the
    search has placed above it on the same: what took its place, and what holds its words."""
    made: list[float] = []
    words = [asked.within(hit.memory["content"]) for hit in hits]
    held: list[int] = []
    for place, hit in enumerate(hits):
        score, own = scores[place], words[place]
        if lapsed := touched(question, asked, own, hit.marks):
            instead = {mark.replaced_by[0] for mark in lapsed if mark.replaced_by}
            above = [n for n in held if hits[n].id in instead or (own and own <= words[n])]
            score = min([score, *(BELOW * made[n] for n in above)])
        else:
            held.append(place)
        made.append(score)
    return made


def evidence(hit: Hit, asked: Asked, at: datetime) -> Evidence:
    """Return what speaks for a hit."""
    memory = hit.memory
    confirmed = memory.get("confirmations") or max(0, (memory.get("evidence") or 1) - 1)
    sure = memory.get("confidence")
    return Evidence(
        vector=hit.similarity or 0.0,
        text=asked.held(memory) / len(asked.words) if asked.words else 0.0,
        graph=_near(hit),
        reach=reach_of(memory["scope"]),
        namespace=str(memory.get("namespace") or ""),
        age=at - _since(memory),
        confidence=FACTS if sure is None else float(sure),
        confirmations=int(confirmed),
    )


def fitted(lines: Sequence[Line], graph: str, characters: int) -> tuple[list[Line], str]:
    """Return the block in so many characters, and what is told in it: the lowest scores go first,
    then what the graph says; nothing and the empty string where nothing fits."""
    kept = list(lines)
    while kept:
        text = _block(kept, graph)
        if len(text) <= characters:
            return kept, text
        if len(kept) == 1 and graph:
            graph = ""
        else:
            kept.remove(min(kept, key=lambda line: (line.score, line.id)))
    return [], ""


def _block(lines: Sequence[Line], graph: str) -> str:
    parts = []
    for reach in Reach:
        said = sorted((x for x in lines if x.reach is reach), key=lambda x: (-x.score, x.id))
        if said:
            told = "\n".join(line.written for line in said)
            parts.append(f'<scope type="{reach}">{told}</scope>')
    if graph:
        parts.append(f"{GRAPH[0]}{graph}{GRAPH[1]}")
    return "\n".join([OPEN, *parts, CLOSE])


def _line(hit: Hit, asked: Asked, score: float) -> Line:
    memory = hit.memory
    text = snippet(memory["content"], hit.span, asked, LONGEST)
    label = str(memory.get("namespace") or memory["kind"])
    shown = visible(escape(qualified(text, hit))).strip() if text.strip() else ""
    return Line(hit.id, reach_of(memory["scope"]), label, score, shown)


def _cooled(hit: Hit) -> float:
    """What a hit counts that is new and near a core block."""
    return COOLED if hit.fade is not None and hit.fade.cooled else 1.0


def _near(hit: Hit) -> float:
    """1 for what the walk began at or came to by one step, a share of it for what is further."""
    if hit.path is None:
        return 0.0
    return 1 / max(1, len(hit.path.steps) - 1)


def _since(memory: Row) -> datetime:
    held: datetime = believed(memory).since if memory["kind"] == "fact" else memory["captured_at"]
    return min(held, now()) if memory["kind"] == "fact" else held


def _thing(row: Row) -> str:
    count = row["mentions"]
    noun = "mention" if count == 1 else "mentions"
    return f"{row['name']} ({row['type']}, {count} {noun})"
