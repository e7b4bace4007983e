"""What the tests of consolidation share: things said by several people, and what is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from app.consolidation.service import ConsolidationService
from app.entities.model import place_of
from app.episodes.model import Capture
from app.kernel.caller import Caller
from app.kernel.graph import Graph
from app.wiring import Parts

START = datetime(2026, 3, 2, 8, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """One thing said: hours after the start, by whom, through which principal."""

    hour: int
    text: str
    speaker: str | None = None
    by: str = "one"
    role: str = "user"
    session: str = "s"


async def capture(opened: Parts, caller: Caller, said: Said) -> str:
    """Hand one thing in; the id of its episode."""
    receipt = await opened.episodes.capture(
        caller,
        Capture(
            content=said.text,
            session=said.session,
            role=said.role,
            speaker=said.speaker,
            captured_at=START + timedelta(hours=said.hour),
        ),
    )
    assert receipt.id is not None
    assert receipt.status == "accepted", receipt
    return receipt.id


async def take_in(
    opened: Parts, callers: dict[str, Caller], told: Sequence[Said], batch: int = 32
) -> None:
    """Capture in this order, some at a time, and consolidate after each portion."""
    scope = next(iter(callers.values())).home
    service = ConsolidationService(opened.consolidation._parts, batch)
    for start in range(0, len(told), batch):
        for said in told[start : start + batch]:
            await capture(opened, callers[said.by], said)
        tally = await service.consolidate(scope)
        assert tally.failed == 0


async def query(graph: Graph, text: str, **params: Any) -> list[dict[str, Any]]:
    """What the graph holds, read past every scope."""
    async with graph.driver.session() as session:
        return await (await session.run(text, params)).data()


async def places(graph: Graph, scope: str) -> dict[str, str]:
    """The word at the end of a phrase without a name, with the key of the session that it follows
    from: its id, and so the word, are a scope's own, and scopes are compared."""
    rows = await query(
        graph,
        """
        MATCH (p:Passage {scope: $scope}) MATCH (s:MemSession {id: p.session})
        RETURN DISTINCT s.id AS id, s.key AS key, p.title AS title
        """,
        scope=scope,
    )
    return {place_of(r["id"], r["title"]): f"<{r['key']}|{r['title'] or ''}>" for r in rows}


def placed(value: Any, words: dict[str, str]) -> Any:
    """The same with the session's key where a name ends in the word for it."""
    if isinstance(value, list):
        return [placed(each, words) for each in value]
    if not isinstance(value, str):
        return value
    for word, session in words.items():
        value = value.replace(f" {word}", f" {session}")
    return value


async def beliefs(opened: Parts, scope: str) -> list[tuple[Any, ...]]:
    """Each fact with its state and what is held of it on the world's axis, by what it says.

    Things go by the names of their roots, with what the fact's own subject and object are.
    """
    rows = await query(
        opened.graph,
        """
        MATCH (f:Fact {scope: $scope})
        MATCH (s:Entity {id: f.subject})
        MATCH (r:Entity {id: s.root})
        OPTIONAL MATCH (o:Entity {id: f.object_id})
        OPTIONAL MATCH (p:Entity {id: o.root})
        CALL (f) {
          OPTIONAL MATCH (f)-[a:ABOUT]->(:Entity)
          WHERE a.retracted_at > datetime.realtime()
          WITH a ORDER BY a.valid_from, a.valid_to
          RETURN collect([toString(a.valid_from), toString(a.valid_to), a.from_precision,
                          a.to_precision, a.standing, a.reason]) AS held
        }
        RETURN r.canonical_key AS subject, f.predicate AS predicate,
               coalesce(p.canonical_key, f.object_key) AS object, f.negated AS negated,
               f.statement AS statement, f.status AS status, f.evidence AS evidence,
               round(f.confidence, 6) AS confidence, held,
               [s.canonical_key, s.type, o.canonical_key, o.type] AS ends
        """,
        scope=scope,
    )
    words = await places(opened.graph, scope)
    rows = [{name: placed(value, words) for name, value in row.items()} for row in rows]
    return sorted(
        (
            row["subject"],
            row["predicate"],
            row["object"],
            row["negated"],
            row["status"],
            row["evidence"],
            row["confidence"],
            tuple(tuple(map(str, span)) for span in row["held"] if span[0]),
            tuple(map(str, row["ends"])),
        )
        for row in rows
    )


async def things(opened: Parts, scope: str) -> list[tuple[Any, ...]]:
    """Each entity with its names and marks, how often it is mentioned, and its root."""
    rows = await query(
        opened.graph,
        """
        MATCH (e:Entity {scope: $scope}) MATCH (r:Entity {id: e.root})
        RETURN [e.canonical_key, e.type, e.canonical_name, toString(e.mention_count)] AS thing,
               e.aliases AS aliases, e.keys AS keys, e.marks AS marks,
               [r.canonical_key, r.type] + r.marks AS root
        """,
        scope=scope,
    )
    words = await places(opened.graph, scope)
    rows = [{name: placed(value, words) for name, value in row.items()} for row in rows]
    for row in rows:
        row["keys"] = sorted(row["keys"])  # a set, stored in the order of its words
    return sorted(tuple(tuple(row[part]) for part in row) for row in rows)


async def joined(opened: Parts, scope: str) -> list[tuple[str, ...]]:
    """The merges that stand, each with the rule that made it."""
    rows = await query(
        opened.graph,
        """
        MATCH (a:Entity {scope: $scope})-[t:SAME_AS {status: 'accepted'}]->(b:Entity)
        RETURN [a.canonical_key + '/' + a.type, b.canonical_key + '/' + b.type] AS ends,
               coalesce(t.rule, '') AS rule
        """,
        scope=scope,
    )
    words = await places(opened.graph, scope)
    return sorted((*sorted(placed(row["ends"], words)), row["rule"]) for row in rows)


async def roots(opened: Parts, scope: str) -> dict[str, str]:
    """The name of the root of each name, of those that have one root."""
    rows = await query(
        opened.graph,
        "MATCH (e:Entity {scope: $scope}) MATCH (r:Entity {id: e.root}) "
        "WITH e.canonical_key AS name, collect(DISTINCT r.canonical_key) AS roots "
        "RETURN name, roots",
        scope=scope,
    )
    return {row["name"]: "|".join(sorted(row["roots"])) for row in rows}


async def digest(opened: Parts, scope: str) -> tuple[Any, ...]:
    """Everything that a second pass must leave as it is."""
    edges = await query(
        opened.graph,
        """
        MATCH (f:Fact {scope: $scope})-[a:ABOUT]->(e:Entity)
        RETURN f.id AS fact, f.key AS key, f.status AS status, a.id AS edge, e.id AS entity,
               toString(a.recorded_at) AS recorded, toString(a.retracted_at) AS retracted
        ORDER BY fact, edge
        """,
        scope=scope,
    )
    claims = await query(
        opened.graph,
        """
        MATCH (e:Episode {scope: $scope})-[s:SUPPORTS]->(f:Fact)
        RETURN e.id AS episode, s.id AS claim, f.id AS fact ORDER BY claim
        """,
        scope=scope,
    )
    merges = await query(
        opened.graph,
        """
        MATCH (m:MergeRecord {scope: $scope})
        RETURN m.id AS id, m.status AS status, toString(m.decided_at) AS at ORDER BY id
        """,
        scope=scope,
    )
    return tuple(tuple(sorted(map(str, found))) for found in (edges, claims, merges))


async def again(opened: Parts, scope: str, batch: int = 32) -> None:
    """A second pass over everything."""
    found = await opened.consolidation._parts.rows.reset(scope, ["failed", "consolidated"])
    assert found
    tally = await ConsolidationService(opened.consolidation._parts, batch).consolidate(scope)
    assert tally.episodes == found
