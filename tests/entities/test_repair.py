"""Proposals of the repair job: what is proposed, on what evidence, and what is left alone."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from app.embeddings.measured import Measured
from app.entities.likeness import DISTANCES, near
from app.entities.match import Rarity
from app.entities.names import read_name
from app.entities.repair import REPAIR, repair_scope, run_repair
from app.entities.suggest import Candidate, Company, Likeness, alike, best, evidence, pairs
from app.jobs.repository import SYSTEM
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.entities.test_graph import an_episode, take_in

NEAR = Company(shared=3, weight=1.2)


def entity(name: str, kind: str, place: int = 0, **attributes: str) -> Candidate:
    read = read_name(name, kind)
    identifier = f"{name}/{kind}/{place}"
    return Candidate(identifier, identifier, name, kind, read.keys, read.marks, attributes)


def likenesses(*entities: Candidate) -> list[Likeness]:
    return [kind for found in pairs(entities).values() for kind in found]


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        (entity("Mercedes", "person"), entity("Mercedes", "organization"), Likeness.NAME),
        (entity("Rust", "technology"), entity("Rust", "unknown"), Likeness.NAME),
        (
            entity("Deutsche Bahn", "organization"),
            entity("DB", "organization"),
            Likeness.ABBREVIATION,
        ),
        (entity("Thomas Weber", "person"), entity("Weber", "person"), Likeness.PART),
        (entity("Thomas Weber", "person"), entity("Herr Weber", "person"), Likeness.PART),
        (entity("Acme Robotics", "organization"), entity("Acme", "organization"), Likeness.PART),
        (entity("Postgresql", "technology"), entity("Postgresq", "technology"), Likeness.SPELLING),
        (entity("Anna Schmitt", "person"), entity("Anna Schmidt", "person"), Likeness.SPELLING),
    ],
)
def test_what_is_alike(one: Candidate, other: Candidate, likeness: Likeness) -> None:
    assert likenesses(one, other) == [likeness] == likenesses(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (entity("Acme GmbH", "organization"), entity("Acme AG", "organization")),
        (entity("Thomas Weber", "person"), entity("Frau Weber", "person")),
        (entity("Thomas Weber", "person"), entity("Weber", "organization")),
        (entity("Vega 2", "project"), entity("Vega", "project")),
        (entity("Python 3", "technology"), entity("Python 2", "technology")),
        (entity("Donald Ball", "person"), entity("DB", "person")),
        (entity("Rust", "technology"), entity("Dust", "technology")),
        (entity("Anna Weber", "person"), entity("Thomas Weber", "person")),
    ],
)
def test_what_is_not(one: Candidate, other: Candidate) -> None:
    assert likenesses(one, other) == []


def test_members_of_one_cluster_are_not_proposed() -> None:
    one, other = entity("Rust", "technology"), entity("Rust", "unknown")
    merged = Candidate(**{**{f: getattr(other, f) for f in other.__slots__}, "root": one.id})
    assert likenesses(one, merged) == []


def test_a_likeness_of_names_needs_company() -> None:
    one, other = entity("Thomas Weber", "person"), entity("Weber", "person")
    rarity = Rarity(["Thomas Weber", "Weber"])
    assert evidence(one, other, [Likeness.PART], Company(), rarity) is None
    assert evidence(one, other, [Likeness.PART], Company(shared=1, weight=0.1), rarity) is None
    shown = evidence(one, other, [Likeness.PART], NEAR, rarity)
    assert shown is not None
    assert shown["shared_company"] == 3
    assert evidence(one, other, [Likeness.PART], Company(facts=1), rarity) is not None
    assert evidence(one, other, [Likeness.NAME], Company(), rarity) is not None


def test_attributes_speak_against() -> None:
    one = entity("Acme", "organization", domain="acme.de")
    other = entity("Acme Robotics", "organization", domain="acme.ch")
    assert evidence(one, other, [Likeness.PART], NEAR, Rarity([])) is None


def test_a_part_of_several_wholes_goes_with_the_closest_or_none() -> None:
    def shown(weight: float) -> dict[str, object]:
        return {"likeness": [Likeness.PART], "shared_weight": weight, "shared_facts": 0}

    even = {("a", "w"): shown(1.0), ("b", "w"): shown(1.0)}
    assert best(even) == {}
    assert list(best({**even, ("a", "w"): shown(2.0)})) == [("a", "w")]


async def a_scope(opened: Parts, writer: Principal) -> dict[str, str]:
    """Herr Weber keeps the company of Thomas Weber; DB that of Deutsche Bahn; Acme is alone."""
    said = [
        [("Thomas Weber", "person"), ("Vega", "project"), ("Zürich", "place")],
        [("Herr Weber", "person"), ("Vega", "project"), ("Zürich", "place")],
        [("Deutsche Bahn", "organization"), ("Berlin", "place")],
        [("DB", "organization"), ("Berlin", "place")],
        [("Acme Polaris", "organization")],
        [("Acme", "organization"), ("Mercedes", "person")],
        [("Mercedes", "organization")],
    ]
    ids: dict[str, str] = {}
    for turn, pairs_said in enumerate(said):
        episode = await an_episode(opened, writer, f"Turn {turn}.")
        for answer in await take_in(opened, writer.caller.home, episode, pairs_said):
            ids[f"{answer.mention.name}/{answer.mention.type}"] = answer.entity_id
    return ids


async def test_the_job_proposes_and_never_accepts(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    ids = await a_scope(opened, writer)
    scope = writer.caller.home
    assert await repair_scope(opened.graph, opened.merges, scope) == 3
    listed = (await writer.http.get("/v1/merges", params={"status": "pending"})).json()["items"]
    found = {frozenset((m["left"]["id"], m["right"]["id"])): m["evidence"] for m in listed}
    weber = found[frozenset((ids["Thomas Weber/person"], ids["Herr Weber/person"]))]
    assert weber["likeness"] == ["part"]
    assert weber["shared_company"] == 2
    railway = frozenset((ids["Deutsche Bahn/organization"], ids["DB/organization"]))
    assert found[railway]["likeness"] == ["abbreviation"]
    car = frozenset((ids["Mercedes/person"], ids["Mercedes/organization"]))
    assert found[car]["types"] == ["organization", "person"]
    assert len(found) == 3, "Acme and Acme Polaris share no company"
    assert {m["proposed_by"] for m in listed} == {SYSTEM}
    entities = (await writer.http.get("/v1/entities", params={"limit": 100})).json()["items"]
    assert len(entities) == len(set(ids.values())), "nothing is merged yet"


async def test_what_was_decided_is_not_proposed_again(
    opened: Parts, writer: Principal, principal: MakePrincipal
) -> None:
    await a_scope(opened, writer)
    scope = writer.caller.home
    curator = await principal(scope, role=Role.CURATOR, name="curator", kind="user")
    await repair_scope(opened.graph, opened.merges, scope)
    listed = (await curator.http.get("/v1/merges")).json()["items"]
    verbs = ["reject", "accept"]
    for merge, verb in zip(listed, verbs, strict=False):
        await opened.merges.decide(curator.caller, merge["id"], verb)
    await opened.merges.decide(curator.caller, listed[1]["id"], "undo")
    assert await repair_scope(opened.graph, opened.merges, scope) == 0
    after = (await curator.http.get("/v1/merges")).json()["items"]
    assert sorted(m["status"] for m in after) == ["pending", "rejected", "undone"]


async def test_the_job_runs_by_its_name(opened: Parts, writer: Principal) -> None:
    await a_scope(opened, writer)
    scope = writer.caller.home
    job = await opened.jobs.create(
        REPAIR, tenant=scope.partition("/")[0], scope=scope, args={"scope": scope}
    )

    async def report(progress: dict[str, object]) -> None:
        assert orjson.dumps(progress)

    outcome = await run_repair(opened, job, report)
    assert outcome.result == {"scopes": 1, "proposed": 3}
    everywhere = await opened.jobs.create(REPAIR, tenant=SYSTEM, scope=SYSTEM, args={})
    outcome = await run_repair(opened, everywhere, report)
    assert outcome.result["scopes"] >= 1


# --- what the vectors bring ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (entity("Verlag Kranich", "organization"), entity("Kranich Bücher", "organization"), True),
        (entity("Bob Weber", "person"), entity("Robert Weber", "person"), True),
        (entity("Anna Weber", "person"), entity("Anna Schulz", "person"), False),
        (entity("Herr Weber", "person"), entity("Frau Weber", "person"), False),
        (entity("Anna Weber", "person"), entity("Thomas Weber", "person"), False),
        (entity("Vega 2", "project"), entity("Vega 3", "project"), False),
        (entity("Vega", "project"), entity("Vega", "product"), False),
        (entity("Acme GmbH", "organization"), entity("Acme AG", "organization"), False),
        (entity("Ding", "unknown"), entity("Dinge", "unknown"), False),
    ],
)
def test_what_reads_alike_and_is_told_apart(one: Candidate, other: Candidate, same: bool) -> None:
    assert alike(one, other) == same == alike(other, one)
    assert not alike(one, replace(other, root=one.root))


TALK = [
    [("Kranich Verlag Bremen", "organization"), ("Vega", "project"), ("Zürich", "place")],
    [("Verlag Kranich", "organization"), ("Vega", "project"), ("Zürich", "place")],
    [("Verlag Kranich", "product"), ("Vega", "project")],
    [("Hafen Lübeck", "organization"), ("Vega", "project"), ("Zürich", "place")],
]


async def told(opened: Parts, writer: Principal, order: list[int]) -> None:
    for turn in order:
        episode = await an_episode(opened, writer, f"Turn {turn}.")
        await take_in(opened, writer.caller.home, episode, TALK[turn])


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
async def test_close_entities_are_proposed_whatever_came_first(
    opened: Parts, writer: Principal, order: list[int]
) -> None:
    await told(opened, writer, order)
    scope = writer.caller.home
    model = Measured(opened.embedder, 0.5)
    await repair_scope(opened.graph, opened.merges, scope, model)
    listed = (await writer.http.get("/v1/merges", params={"status": "pending"})).json()["items"]
    seen = [m for m in listed if Likeness.VECTOR in m["evidence"]["likeness"]]
    names = {frozenset((m["left"]["name"], m["right"]["name"])) for m in seen}
    assert names == {frozenset(("Kranich Verlag Bremen", "Verlag Kranich"))}
    assert 0 < seen[0]["evidence"]["distance"] <= 0.5
    # What has not changed has its vector, and asks nothing again.
    assert await near(opened.graph, model, scope) == {}


async def test_a_model_that_was_not_measured_sees_nothing(opened: Parts) -> None:
    assert Measured.of(opened.embedder, DISTANCES) is None


async def test_vectors_stay_in_their_scope(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    one, other = await principal(f"{tenant}/one"), await principal(f"{tenant}/two")
    await told(opened, one, [0])
    await told(opened, other, [1])
    model = Measured(opened.embedder, 2.0)
    await near(opened.graph, model, one.caller.home)
    found = await near(opened.graph, model, other.caller.home)
    ids = {i for pair in found for i in pair}
    rows = await opened.graph.raw(
        "MATCH (e:Entity) WHERE e.id IN $ids RETURN DISTINCT e.scope AS scope", ids=sorted(ids)
    )
    assert {row["scope"] for row in rows} <= {other.caller.home}
    answer = await other.http.get("/v1/entities", params={"limit": 100})
    assert "embedding" not in answer.text
