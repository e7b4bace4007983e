"""What one who is to use a skill should know beside it, within a budget."""

from __future__ import annotations

from dataclasses import dataclass

from app.kernel.caller import Caller
from app.kernel.cypher import Q
from app.kernel.graph import Graph, Row
from app.skills.discovery import Chain, DiscoveryService
from app.skills.links import LinkService
from app.skills.service import SkillService
from app.skills.walk import LETTERS


@dataclass(frozen=True, slots=True)
class Context:
    """A skill with what it needs, what it is about, what was learnt, and how it failed; `text` is
    all of it as Markdown, cut at whole items."""

    skill: Row
    chain: Chain
    entities: list[Row]
    learnings: list[Row]
    failures: list[Row]
    text: str


class EnrichmentService:
    """Reads only."""

    def __init__(
        self,
        graph: Graph,
        skills: SkillService,
        links: LinkService,
        discovery: DiscoveryService,
    ) -> None:
        self._graph = graph
        self._skills = skills
        self._links = links
        self._discovery = discovery

    async def context(self, who: Caller, skill: str, tokens: int) -> Context:
        """Everything for one skill; the skill and what it needs come first, then patterns of
        failure, learnings and facts, as far as four letters a token allow."""
        row = await self._skills.get(who, skill)
        chain = await self._discovery.chain_of(who, skill, tokens)
        scopes = who.visible
        read = await self._graph.rows(Q.skills.read_many, ids=[skill], scopes=scopes)
        failures = [
            {name: each[name] for name in ("id", "content", "count")}
            for each in read[0]["failures"]
        ]
        learnt = await self._graph.rows(Q.skills.learnings_of, id=skill, scopes=scopes)
        notes = [each["note"] for each in learnt]
        entities = await self._links.concerns(who, skill)
        lines = _lines(failures, notes, entities)
        text = chain.text + _within(lines, tokens * LETTERS - len(chain.text))
        return Context(row["skill"], chain, entities, notes, failures, text)


def _lines(failures: list[Row], notes: list[Row], entities: list[Row]) -> list[str]:
    return [
        *(f"- Failed before: {each['content']}" for each in failures),
        *(f"- Learnt: {note['content']}" for note in notes),
        *(f"- Known: {fact}" for entity in entities for fact in entity["facts"]),
    ]


def _within(lines: list[str], room: int) -> str:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n" + "\n".join(kept) + "\n" if kept else ""
