"""What a reader of several scopes sees, read from intervals, is what all claims would settle to."""

from __future__ import annotations

import random
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import orjson

from app.consolidation.fast import Observation
from app.facts.carried import date
from app.facts.runs import KEPT
from app.facts.service import Moments
from app.facts.standing import Beliefs
from app.facts.tasks import resettle_facts
from app.facts.view import FactView, settled_together
from app.jobs.model import Job
from app.kernel.caller import Role
from app.kernel.clock import now
from app.kernel.cypher import Q
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

START = datetime(2026, 1, 1, tzinfo=UTC)
SUBJECTS = ["Mara Lindqvist", "Mara", "Kestrel Pumps"]
TYPES = {"Mara Lindqvist": "person", "Mara": "person", "Kestrel Pumps": "organization"}
VALUES = ["Bremen", "Kiel", "Porto", "Vegesack"]  # the last may lie in any of them


def statement(chance: random.Random, subject: str) -> dict[str, Any]:
    """One of few statements, so that scopes meet: one value at a time, or many."""
    predicate = chance.choice(["lives_in", "likes"])
    mode = chance.choices(["assert", "end", "correct"], [12, 1, 1])[0]
    return {
        "subject": {"name": subject, "type": TYPES[subject]},
        "predicate": predicate,
        "object": {"value": chance.choice(VALUES)},
        "mode": mode,
    }


async def claims_settled(
    parts: Parts, ids: list[str], scopes: list[str], moments: Moments
) -> set[str]:
    """What holds by all visible claims."""
    rows = await parts.graph.rows(
        Q.facts.same_subject, ids=ids, scopes=scopes, known_at=moments.known_at
    )
    held = set()
    for row in rows:
        terms = await parts.consolidation.terms_of({m["fact"]["scope"] for m in row["group"]})
        for claim in (claim for member in row["group"] for claim in member["claims"]):
            date(claim)
        for facts, settled in settled_together(row["group"], row["predicate"], terms):
            held |= {
                s.fact
                for s in settled.segments
                if s.fact in facts & set(ids)
                and s.standing == "held"
                and s.valid_from <= moments.as_of < s.valid_to
            }
    return held


async def told(
    parts: Parts, speakers: list[Principal], scopes: list[str], count: int, seed: int
) -> list[str]:
    """Ids of the facts that come of random statements in the scopes."""
    chance = random.Random(seed)
    facts: set[str] = set()
    for place in range(count):
        said = START + timedelta(hours=place)
        observation = Observation(
            session="s",
            role="user",
            statement=statement(chance, chance.choice(SUBJECTS)),
            scope=chance.choice(scopes),
            said_at=said,
        )
        found = await parts.fast.remember(chance.choice(speakers).caller, observation)
        facts |= {row["fact"]["id"] for row in found.facts}
    return sorted(facts)


async def test_intervals_merged_for_a_reader_equal_his_claims_settled(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    admin = await principal(tenant, role=Role.ADMIN, name="admin", kind="user")
    scopes = [f"{tenant}/{name}" for name in ("a", "b", "c", "d")]
    for scope in scopes:
        await admin.http.post("/v1/scopes", json={"scope": scope})
    speakers = [
        await principal(tenant, role=Role.ADMIN, name=name, kind="user") for name in ("ada", "bob")
    ]
    facts = await told(opened, speakers, scopes, 60, seed=11)
    view = FactView(opened.graph, opened.consolidation.terms_of)
    seen = [list(c) for size in (1, 2, 4) for c in combinations(scopes, size)]
    for visible in seen:
        for as_of in (None, START + timedelta(hours=9), START + timedelta(hours=40)):
            moments = Moments.of(as_of, None)
            assert moments.latest
            found = await view.beliefs(facts, visible, moments)
            held = await claims_settled(opened, facts, visible, moments)
            assert found.held == held, (visible, as_of)
    _, asked = await counted(opened, facts, scopes)
    assert asked == ["facts.standing", "facts.kept"], "no claim is read, whatever they say"


async def counted(opened: Parts, ids: list[str], scopes: list[str]) -> tuple[Beliefs, list[str]]:
    """What is believed, and the queries that it took."""
    asked: list[str] = []
    graph = opened.graph
    rows, one = graph.rows, graph.one

    class Counting:
        async def rows(self, query: Any, **params: Any) -> Any:
            asked.append(query.key)
            return await rows(query, **params)

        async def one(self, query: Any, **params: Any) -> Any:
            asked.append(query.key)
            return await one(query, **params)

    view = FactView(Counting(), opened.consolidation.terms_of)  # type: ignore[arg-type]
    return await view.beliefs(ids, scopes, Moments.of(None, None)), asked


async def test_no_claim_is_read_where_one_scope_tells_or_several_agree(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    admin = await principal(tenant, role=Role.ADMIN, name="admin", kind="user")
    scopes = [f"{tenant}/{name}" for name in ("a", "b")]
    for scope in scopes:
        await admin.http.post("/v1/scopes", json={"scope": scope})
    ids, speaker = [], await principal(tenant, role=Role.ADMIN, name="ada", kind="user")
    for place, scope in enumerate(scopes * 6):
        found = await opened.fast.remember(
            speaker.caller,
            Observation(
                session=f"s{place}",
                role="user",
                statement={
                    "subject": {"name": "Mara Lindqvist", "type": "person"},
                    "predicate": "lives_in",
                    "object": {"value": "Bremen"},
                },
                scope=scope,
                said_at=START + timedelta(days=place),
            ),
        )
        ids.append(found.facts[0]["fact"]["id"])
    first, second = sorted(set(ids), key=ids.index)
    for visible, held in ((scopes, {first}), (scopes[:1], {first}), (scopes[1:], {second})):
        found, asked = await counted(opened, [first, second], visible)
        assert found.held == held
        assert asked == ["facts.standing"]


LATER = """
MATCH (:Passage)-[u:SUPPORTS]->(f:Fact {id: $id})
WITH f, head(collect(u)) AS u
MATCH (e:Passage)-[:SUPPORTS]->(f)
WITH f, u, head(collect(e)) AS e
UNWIND range(1, $count) AS place
WITH f, u, e, place, $since + duration({minutes: place * $every}) AS at
CREATE (e)-[v:SUPPORTS]->(f)
SET v = u {.*, id: f.id + at, start: place, said_at: at}
"""


async def settled_anew(opened: Parts, facts: Collection[str]) -> None:
    """Settle the whole of what is claimed of the facts."""
    await opened.graph.raw(
        "MATCH (f:Fact) WHERE f.id IN $ids REMOVE f.runs, f.heads SET f.settle_state = 'due'",
        ids=list(facts),
    )

    async def report(progress: Any) -> None:
        del progress

    await resettle_facts(opened, Job.__new__(Job), report)


async def test_claims_of_scopes_that_disagree_are_read_only_where_what_is_kept_does_not_tell(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """Three scopes say that she lives elsewhere; what one says a hundred times more comes after all
    of that, then all say it a hundred times in turns, and in the end a fourth denies one of it."""
    admin = await principal(tenant, role=Role.ADMIN, name="admin", kind="user")
    scopes = [f"{tenant}/{name}" for name in ("a", "b", "c", "d")]
    for scope in scopes:
        await admin.http.post("/v1/scopes", json={"scope": scope})
    speaker = await principal(tenant, role=Role.ADMIN, name="ada", kind="user")
    ids: list[str] = []

    async def settled() -> set[str]:
        return await claims_settled(opened, ids, scopes, Moments.of(None, None))

    async def tell(place: int, scope: str, town: str, mode: str = "assert") -> None:
        person = {"name": "Runa Hallström", "type": "person"}
        observation = Observation(
            session=f"s{place}",
            role="user",
            statement={
                "subject": person,
                "predicate": "lives_in",
                "object": {"value": town},
                "mode": mode,
            },
            scope=scope,
            said_at=START + timedelta(days=place),
        )
        found = await opened.fast.remember(speaker.caller, observation)
        ids.extend(row["fact"]["id"] for row in found.facts if row["fact"]["id"] not in ids)

    for place, (scope, town) in enumerate(zip(scopes, ("Turku", "Ghent", "Lyon"), strict=False)):
        await tell(place, scope, town)
    found, asked = await counted(opened, ids, scopes)
    assert asked == ["facts.standing", "facts.kept"]
    assert found.held == {ids[2]} == await settled()
    assert found.across[ids[0]].replaced_by == ids[1]

    await opened.graph.raw(LATER, id=ids[2], count=170, since=START + timedelta(days=2), every=1)
    await settled_anew(opened, ids)
    (row,) = await opened.graph.rows(Q.facts.kept, ids=ids[2:], scopes=scopes)
    words = [word for line in row["runs"] for word in orjson.loads(line)[5]]
    assert len(words) == KEPT + 2
    found, asked = await counted(opened, ids, scopes)
    assert asked == ["facts.standing", "facts.kept"]
    assert found.held == {ids[2]} == await settled()

    await tell(3, scopes[0], "Turku")
    found, asked = await counted(opened, ids, scopes)
    assert asked == ["facts.standing", "facts.kept"]
    assert found.held == {ids[0]} == await settled()

    for place, fact in enumerate(ids[:3]):
        since = START + timedelta(days=4, minutes=place)
        await opened.graph.raw(LATER, id=fact, count=170, since=since, every=3)
    await settled_anew(opened, ids)
    found, asked = await counted(opened, ids, scopes)
    assert asked == ["facts.standing", "facts.kept"], "no claim is read where they take turns"
    assert found.held == {ids[2]} == await settled()
    assert found.across[ids[0]].replaced_by == ids[1], "which comes after it each time"
    assert max(s.valid_to for s in found.across[ids[1]].segments) < now()

    await tell(9, scopes[1], "Ghent")
    found, asked = await counted(opened, ids, scopes)
    assert asked == ["facts.standing", "facts.kept"], "nor where one goes on"
    assert found.held == {ids[1]} == await settled()

    await tell(10, scopes[3], "Turku", "end")
    found, asked = await counted(opened, ids, scopes)
    assert asked == ["facts.standing", "facts.kept", "facts.same_subject"]
    assert found.held == await settled()


async def test_what_was_settled_before_is_right_until_it_is_settled_anew(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    speaker = await principal(tenant, role=Role.ADMIN, name="ada", kind="user")
    facts = await told(opened, [speaker], [tenant], 12, seed=3)
    await opened.graph.raw(
        "MATCH (f:Fact) WHERE f.id IN $ids "
        "REMOVE f.settled_by, f.heads, f.runs, f.newest SET f.settle_state = 'due'",
        ids=facts,
    )
    before, asked = await counted(opened, facts, [tenant])
    assert "facts.same_subject" in asked

    async def report(progress: Any) -> None:
        del progress

    job = Job.__new__(Job)
    for _ in range(2):
        await resettle_facts(opened, job, report)
        after, asked = await counted(opened, facts, [tenant])
        assert after.held == before.held
        assert asked == ["facts.standing"]
    assert not await opened.graph.rows(Q.facts.unsettled, limit=1)


MANY = """
MATCH (e:Passage)-[u:SUPPORTS]->(f:Fact {id: $id})-[a:ABOUT]->(s:Entity)
WITH e, u, f, a, s LIMIT 1
UNWIND range(1, $count) AS place
WITH *, '0' + place + $id AS id
CREATE (g:Fact {id: id})
CREATE (e)-[v:SUPPORTS {id: id}]->(g)
CREATE (g)-[b:ABOUT {id: id}]->(s)
SET g = f {.*, id: id, key: id, object_key: 'text:' + place, object_id: null},
    v = u {.*, id: id}, b = a {.*, id: id}
"""


async def test_what_is_asked_for_is_read_beside_any_number_of_its_kind(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """A thousand other things that she likes, in another scope, hide none that is asked for."""
    admin = await principal(tenant, role=Role.ADMIN, name="admin", kind="user")
    scopes = [f"{tenant}/{name}" for name in ("a", "b")]
    ids = []
    for scope in scopes:
        await admin.http.post("/v1/scopes", json={"scope": scope})
    speaker = await principal(tenant, role=Role.ADMIN, name="ada", kind="user")
    for day, scope in enumerate(scopes):
        found = await opened.fast.remember(
            speaker.caller,
            Observation(
                session=scope,
                role="user",
                statement={
                    "subject": {"name": "Mara Lindqvist", "type": "person"},
                    "predicate": "likes",
                    "object": {"value": "rowing"},
                },
                scope=scope,
                said_at=START + timedelta(days=day),
            ),
        )
        ids.append(found.facts[0]["fact"]["id"])
    await opened.graph.raw(MANY, id=ids[1], count=1100)
    view = FactView(opened.graph, opened.consolidation.terms_of)
    latest, known = Moments.of(None, None), Moments.of(None, now() - timedelta(microseconds=1))
    assert (latest.latest, known.latest) == (True, False)
    for moments in (latest, known):
        assert (await view.beliefs(ids[:1], scopes, moments)).held == set(ids[:1])
        (row,) = await opened.graph.rows(
            Q.facts.same_subject, ids=ids[:1], scopes=scopes, known_at=moments.known_at
        )
        assert {*ids} <= {member["fact"]["id"] for member in row["group"]}
        found = await opened.graph.one(
            Q.facts.standing, ids=ids[:1], scopes=scopes, as_of=moments.as_of
        )
        assert {*ids} <= {member["fact"]["id"] for member in found["found"][0]["told"]}
    await opened.graph.raw(
        "MATCH (f:Fact) WHERE f.id ENDS WITH $id AND f.id <> $id DETACH DELETE f", id=ids[1]
    )
