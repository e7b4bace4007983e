"""The demands on entities, preferences, facts and relationships, over the bridge."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from app.kernel.caller import Role
from tests.agentmemory.conftest import REST, Bridge, MakeBridge
from tests.conftest import Principal

TYPES = ("PERSON", "ORGANIZATION", "LOCATION", "EVENT", "OBJECT")
THINGS = (
    ("Ilka Brandmeier", "PERSON", "Engineer of the dam at Sorvik"),
    ("Brunnholm Works", "ORGANIZATION", "A maker of turbines"),
    ("Sorvik", "LOCATION", "A town by the fjord"),
    ("Turbine Week", "EVENT", "The fair of the year"),
)


async def entity(bridge: Bridge, name: str, kind: str, told: str | None = None) -> dict[str, Any]:
    more = {} if told is None else {"description": told}
    made: dict[str, Any] = await bridge("add_entity", name=name, entity_type=kind, **more)
    return made


@pytest.mark.parametrize("kind", TYPES)
async def test_an_entity_keeps_its_type(bridge: Bridge, kind: str) -> None:
    """SPEC-1.2.1 SPEC-1.2.2 SPEC-1.2.3 SPEC-1.2.4 SPEC-1.2.5 SPEC-1.2.6 SPEC-1.2.7 SPEC-1.2.8
    SPEC-3.1.1 SPEC-3.1.3 SPEC-3.1.4 SPEC-3.1.5 SPEC-3.1.6 SPEC-3.1.7 SPEC-3.1.9 SPEC-3.1.12"""
    made = await entity(bridge, "Varnholt", kind)
    assert (made["name"], made["type"], made["description"]) == ("Varnholt", kind, None)
    assert str(UUID(made["id"])) == made["id"]
    assert datetime.fromisoformat(made["created_at"]).tzinfo is not None


async def test_entities_stand_beside_each_other(bridge: Bridge) -> None:
    """SPEC-3.1.2 SPEC-3.1.8 SPEC-3.1.10 SPEC-3.1.11 SPEC-3.6.1 SPEC-3.6.2 SPEC-5.1.3"""
    made = {name: await entity(bridge, name, kind, told) for name, kind, told in THINGS}
    for name, kind, told in THINGS:
        found = await bridge("get_entity_by_name", name=name)
        assert found == made[name]
        assert (found["type"], found["description"]) == (kind, told)
    one = await entity(bridge, "Merkur", "OBJECT")
    other = await entity(bridge, "Merkur", "LOCATION")
    assert one["id"] != other["id"]
    assert [one["type"], other["type"]] == ["OBJECT", "LOCATION"]
    assert (await entity(bridge, "Café de 世界", "LOCATION"))["name"] == "Café de 世界"
    again = await entity(bridge, "Sorvik", "LOCATION")
    assert again == made["Sorvik"]
    assert await bridge("get_entity_by_name", name="Nobody at all") is None


async def test_entities_are_found(bridge: Bridge) -> None:
    """SPEC-3.4.1 SPEC-3.4.2 SPEC-3.4.3 SPEC-3.4.4 SPEC-5.5.1"""
    assert await bridge("search_entities", query="anything") == []
    for name, kind, told in THINGS:
        await entity(bridge, name, kind, told)

    async def found(query: str, **more: Any) -> list[str]:
        return [e["name"] for e in await bridge("search_entities", query=query, **more)]

    assert (await found("Ilka Brandmeier"))[0] == "Ilka Brandmeier"
    assert "Ilka Brandmeier" in await found("Brandmeier")
    assert "Brunnholm Works" in await found("who makes turbines")
    assert len(await found("turbines", limit=1)) == 1
    assert await found("Sorvik", type="PERSON", limit=1) == ["Ilka Brandmeier"]


async def test_preferences_are_kept_and_found(bridge: Bridge) -> None:
    """SPEC-1.3.1 SPEC-1.3.2 SPEC-3.2.1 SPEC-3.2.2 SPEC-3.2.3 SPEC-3.2.4 SPEC-3.2.5 SPEC-3.2.6
    SPEC-3.2.7 SPEC-3.5.1 SPEC-3.5.2 SPEC-3.5.3 SPEC-3.5.4 SPEC-5.1.5"""
    assert await bridge("search_preferences", query="anything") == []
    long = "Prefers " + "very " * 500 + "detailed explanations"
    given = [
        {"category": "language", "preference": "Prefers Python over JavaScript", "context": "code"},
        {"category": "food", "preference": "Likes pizza"},
        {"category": "food", "preference": "Dislikes sushi"},
        {"category": "style", "preference": long},
    ]
    made = [await bridge("add_preference", **one) for one in given]
    assert len({str(UUID(one["id"])) for one in made}) == len(given)
    for one, told in zip(given, made, strict=True):
        assert {**{"context": None}, **one}.items() <= told.items()
    assert (await bridge("search_preferences", query="Python"))[0] == made[0]
    food = await bridge("search_preferences", query="Likes sushi", category="food")
    assert {one["id"] for one in food} == {made[1]["id"], made[2]["id"]}
    assert len(await bridge("search_preferences", query="Likes sushi", limit=1)) == 1


async def test_facts_are_kept(bridge: Bridge) -> None:
    """SPEC-1.4.1 SPEC-1.4.2 SPEC-3.3.1 SPEC-3.3.2 SPEC-3.3.3 SPEC-3.3.4 SPEC-3.3.5 SPEC-5.1.4"""
    await entity(bridge, "Ilka Brandmeier", "PERSON")
    triples = [
        ("Ilka Brandmeier", "WORKS_AT", "Brunnholm Works"),
        ("Ilka Brandmeier", "LIVES_IN", "Sorvik"),
        ("Café 世界", "LOCATED_IN", "París"),
        ("A", "KNOWS", "B"),
    ]
    ids = set()
    for subject, predicate, value in triples:
        told = await bridge("add_fact", subject=subject, predicate=predicate, obj=value)
        assert (told["subject"], told["predicate"], told["object"]) == (subject, predicate, value)
        ids.add(UUID(told["id"]))
    assert len(ids) == len(triples)
    answer = await bridge.who.http.post("/v1/search", json={"query": "where does Ilka live"})
    assert "Sorvik" in answer.text


async def test_relationships_lead_to_others(bridge: Bridge) -> None:
    """SPEC-3.7.1 SPEC-3.7.2 SPEC-3.7.3 SPEC-3.7.4 SPEC-5.2.1 SPEC-5.2.2 SPEC-5.2.3 SPEC-5.2.4"""
    made = {name: await entity(bridge, name, kind, told) for name, kind, told in THINGS}
    ilka, works, town = made["Ilka Brandmeier"], made["Brunnholm Works"], made["Sorvik"]
    for name in made:
        assert await bridge("get_related_entities", entity_id=made[name]["id"]) == []

    async def relate(one: dict[str, Any], other: dict[str, Any], kind: str) -> dict[str, Any]:
        told: dict[str, Any] = await bridge(
            "add_relationship",
            source_id=one["id"],
            target_id=other["id"],
            relationship_type=kind,
            properties={"since": 2019},
        )
        assert (told["source_id"], told["target_id"]) == (one["id"], other["id"])
        assert (told["relationship_type"], told["properties"]) == (kind, {"since": 2019})
        assert str(UUID(told["id"])) == told["id"]
        return told

    await relate(ilka, works, "WORKS_AT")
    await relate(works, town, "LOCATED_AT")

    async def near(**more: Any) -> list[str]:
        found = await bridge("get_related_entities", entity_id=ilka["id"], **more)
        return [one["name"] for one in found]

    assert await near() == ["Brunnholm Works"]
    assert await near(depth=2) == ["Brunnholm Works", "Sorvik"]
    assert await near(relationship_type="KNOWS") == []
    assert await near(relationship_type="WORKS_AT", depth=2) == ["Brunnholm Works"]
    await relate(ilka, town, "LIVES_IN")
    assert sorted(await near()) == ["Brunnholm Works", "Sorvik"]
    back = await bridge("get_related_entities", entity_id=town["id"], relationship_type="LIVES_IN")
    assert back == [ilka]


async def test_entities_are_merged(bridge: Bridge) -> None:
    """SPEC-5.3.1 SPEC-5.3.2"""
    one = await entity(bridge, "Ilka Brandmeier", "PERSON", "Engineer")
    other = await entity(bridge, "The Dam Lady", "PERSON", "Developer")
    works = await entity(bridge, "Brunnholm Works", "ORGANIZATION")
    town = await entity(bridge, "Sorvik", "LOCATION")
    fair = await entity(bridge, "Turbine Week", "EVENT")
    for source, target, kind in (
        (one, works, "WORKS_AT"),
        (other, town, "LIVES_IN"),
        (other, works, "WORKS_AT"),
        (fair, other, "HONOURS"),
    ):
        ends = {"source_id": source["id"], "target_id": target["id"]}
        await bridge("add_relationship", **ends, relationship_type=kind)
    for _ in range(2):
        merge = {"source_id": other["id"], "target_id": one["id"]}
        merged = await bridge("merge_duplicate_entities", **merge)
        assert merged["id"] == one["id"]
        for asked in (one, other):
            found = await bridge("get_related_entities", entity_id=asked["id"])
            names = sorted(thing["name"] for thing in found)
            assert names == ["Brunnholm Works", "Sorvik", "Turbine Week"], "of both, each once"
    back = await bridge("get_related_entities", entity_id=town["id"])
    assert len(back) == 1
    assert back[0]["id"] in (one["id"], other["id"])
    named = await bridge("get_entity_by_name", name="The Dam Lady")
    assert named["id"] == back[0]["id"]


WORDS = ("Weaver", "Weaver of carpets, since 1950", "Weberin in Lund", "42", "Retired")


@pytest.mark.parametrize("seed", [3, 8])
async def test_the_description_given_last_is_shown(bridge: Bridge, seed: int) -> None:
    chance = random.Random(seed)
    thing = await entity(bridge, "Solveig Trondal", "PERSON", *chance.sample([WORDS[0]], seed % 2))
    url = f"{REST}/entities/{thing['id']}"
    for told in chance.choices(WORDS, k=6):
        answer = await bridge.who.http.put(url, json={"description": told})
        assert (answer.status_code, answer.json()["description"]) == (200, told), answer.text
        assert (await bridge("get_entity_by_name", name="Solveig Trondal"))["description"] == told
    held = await held_of(bridge, plain(thing["id"]))
    assert [one["untrusted"]["object"] for one in held] == [told]


async def test_a_value_is_superseded_back_and_forth(bridge: Bridge) -> None:
    thing = await entity(bridge, "Runar Holmsund", "PERSON", "Skipper")
    http, subject = bridge.who.http, plain(thing["id"])
    for value in ("Pilot", "Skipper", "Pilot", "Skipper"):
        for _ in range(2):  # the same request again changes nothing
            (old,) = await held_of(bridge, subject)
            body = {"fact": old["id"], "object": {"value": value}}
            answer = await http.post("/v1/facts:supersede", json=body)
            assert answer.status_code == 200, answer.text
        assert [one["untrusted"]["object"] for one in await held_of(bridge, subject)] == [value]


async def test_a_description_is_changed_by_whoever_may_write(
    bridge: Bridge, connect: MakeBridge, tenant: str
) -> None:
    thing = await entity(bridge, "Tormod Aaseby", "PERSON", "Fisher")
    url = f"{REST}/entities/{thing['id']}"
    reader = await connect(f"{tenant}/dev", role=Role.READER, name="looker")
    writer = await connect(f"{tenant}/dev", role=Role.WRITER, name="scribe")
    stranger = await connect(f"{tenant}x/dev", role=Role.ADMIN, name="stranger")
    for who, status in ((reader, 403), (stranger, 404)):
        answer = await who.who.http.put(url, json={"description": "Thief"})
        assert answer.status_code == status, answer.text
    answer = await writer.who.http.put(url, json={"name": "Tor", "description": "Thief"})
    assert answer.status_code == 403  # a name takes a curator, and nothing is half done
    assert (await bridge("get_entity_by_name", name="Tormod Aaseby"))["description"] == "Fisher"
    answer = await writer.who.http.put(url, json={"description": "Fisher and sailor"})
    assert answer.json()["description"] == "Fisher and sailor"


def plain(given: str) -> str:
    return given.replace("-", "")


async def held_of(bridge: Bridge, subject: str) -> list[dict[str, Any]]:
    """The facts that describe an entity, but for denials."""
    asked = {"subject": subject, "predicate": "description"}
    answer = await bridge.who.http.get("/v1/facts", params=asked)
    return [one for one in answer.json()["items"] if not one["negated"]]


async def test_a_field_called_like_a_part_of_ours_is_named(bridge: Bridge) -> None:
    answer = await bridge.send("setup_nothing", agent_memory=1)
    assert answer.status_code == 404
    answer = await bridge.send("add_fact", subject="a", predicate="b", obj="c", agent_memory=1)
    assert answer.status_code == 400
    assert answer.json() == {"error": "agent_memory: there is no field agent_memory here"}


async def test_an_entity_that_was_deleted_is_added_again(writer: Principal) -> None:
    body = {"name": "Solfrid Enge", "type": "person", "description": "Keeps the lighthouse"}
    for again in range(3):
        made = (await writer.http.post(f"{REST}/entities", json=body)).json()
        assert made["description"] == body["description"], made
        at = f"{REST}/entities/{made['id']}"
        if again:  # what was so last before it was deleted is no longer so either
            changed = await writer.http.put(at, json={"description": "Paints boats"})
            assert changed.json()["description"] == "Paints boats", changed.text
        assert (await writer.http.delete(at)).status_code == 204
        assert (await writer.http.get(at)).status_code == 404
