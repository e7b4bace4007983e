"""Long episodes are written in parts, and yield what they would in one transaction."""

from __future__ import annotations

from typing import Any

import pytest

from app.consolidation import parts
from app.consolidation.service import ConsolidationService
from app.kernel.graph import Graph
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.consolidation.conftest import Said, beliefs, capture, query

NAMES = ("Anna Berg", "Tom Reed", "Priya Sundar", "Marta Quist", "Jonas Fels", "Ilse Kranz")
PLACES = ("Bremen", "Kiel", "Graz", "Turin")
TOLD = " ".join(  # without what has no order in time: there an id decides
    f"{name} lives in {PLACES[n % 4]}. {name} works for {NAMES[n].split()[1]} Logistics. "
    f"The budget of Project {NAMES[n].split()[0]} is {n + 2}000 euros. {name} leads Team {n}."
    for turn in range(4)
    for n, name in enumerate(NAMES[:4])
)


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST", 9)


async def yields(graph: Graph, scope: str) -> list[Any]:
    """What an episode mentions, and what was counted of it."""
    rows = await query(
        graph,
        """MATCH (ep:Episode {scope: $scope})-[m:MENTIONS]->(e:Entity)
           RETURN e.canonical_key AS name, e.mention_count AS count, m.start AS start
           ORDER BY start, name""",
        scope=scope,
    )
    pairs = await query(
        graph,
        """MATCH (a:Entity {scope: $scope})<-[:MENTIONS]-(p:Episode)-[:MENTIONS]->(b:Entity)
           WHERE a.id < b.id
           RETURN a.canonical_key AS one, b.canonical_key AS other, count(DISTINCT p) AS count
           ORDER BY one, other""",
        scope=scope,
    )
    return [
        [list(row.values()) for row in rows],
        sorted(sorted(map(str, p.values())) for p in pairs),
    ]


async def told(opened: Parts, who: Principal, text: str = TOLD) -> list[Any]:
    """Beliefs and mentions once a text was said and consolidated."""
    await capture(opened, who.caller, Said(1, text, "Tomas Bielik"))
    tally = await opened.consolidation.consolidate(who.caller.home)
    assert (tally.episodes, tally.failed) == (1, 0)
    held = await beliefs(opened, who.caller.home)
    return [held, *await yields(opened.graph, who.caller.home)]


async def test_parts_come_to_what_one_transaction_does(
    opened: Parts, principal: MakePrincipal, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await told(opened, await principal(f"{tenant}a", name="a"))
    monkeypatch.setattr(parts, "MOST", 9)
    several = await told(opened, await principal(f"{tenant}b", name="a"))
    assert several == one
    assert len(one[0]) > 10


@pytest.mark.usefixtures("short_parts")
async def test_a_text_that_was_broken_off_between_parts_is_read_again(
    opened: Parts, principal: MakePrincipal, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await told(opened, await principal(f"{tenant}a", name="a"))
    other = await principal(f"{tenant}b", name="a")
    await capture(opened, other.caller, Said(1, TOLD, "Tomas Bielik"))
    service = ConsolidationService(opened.consolidation._parts)
    written = 0
    believe = service._believe

    async def third_fails(*args: Any, **named: Any) -> Any:
        nonlocal written
        written += 1
        if written == 3:
            raise KeyboardInterrupt
        return await believe(*args, **named)

    monkeypatch.setattr(service, "_believe", third_fails)
    with pytest.raises(KeyboardInterrupt):
        await service.consolidate(other.caller.home)
    rows = await query(
        opened.graph,
        "MATCH (e:Episode {scope: $s}) SET e.lease_until = datetime('2020-01-01') "
        "RETURN e.consolidation_state AS state",
        s=other.caller.home,
    )
    assert rows == [{"state": "in_progress"}]
    tally = await opened.consolidation.consolidate(other.caller.home)
    assert (tally.episodes, tally.failed) == (1, 0)
    again = [
        await beliefs(opened, other.caller.home),
        *await yields(opened.graph, other.caller.home),
    ]
    assert again == whole


@pytest.mark.usefixtures("short_parts")
async def test_what_a_text_says_again_and_again_has_few_claims(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    who = await principal(tenant, name="a")
    await told(opened, who, "Nora Fels lives in Kiel. Tom Reed lives in Graz. " * 30)
    rows = await query(
        opened.graph,
        """MATCH (e:Episode {scope: $scope})-[s:SUPPORTS]->(f:Fact)
           RETURN f.object_text AS place, count(s) AS claims,
                  COUNT { (e)-[:MENTIONS]->(:Entity {id: f.object_id}) } AS mentions
           ORDER BY place""",
        scope=who.caller.home,
    )
    assert rows == [
        {"place": place, "claims": parts.PLACES, "mentions": 30} for place in ("Graz", "Kiel")
    ]
