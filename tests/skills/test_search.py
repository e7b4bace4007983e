"""Skills in recall: found with everything else, as they were at a moment, and where they may be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from xml.etree import ElementTree as ET

from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal
from tests.skills.test_skills import get, post, skill

Drain = Callable[[], Awaitable[int]]


async def found(who: Principal, query: str, **more: Any) -> dict[str, dict[str, Any]]:
    """What a search shows, by id."""
    answer = await post(who, "/v1/search", 200, query=query, **more)
    return {hit["id"]: hit for hit in answer["hits"]}


async def test_a_skill_is_a_hit_that_says_what_it_is(writer: Principal, drain: Drain) -> None:
    one = await skill(writer, "Prune the wombat index", body="Stop writers first.", tags=["index"])
    draft = await skill(writer, "Wombat draft", status="draft")
    await drain()
    for mode in ("keyword", "vector", "hybrid"):
        hits = await found(writer, "prune the wombat index", mode=mode)
        assert one in hits, mode
        assert draft not in hits, mode
    hit = hits[one]
    assert (hit["kind"], hit["untrusted"]["title"]) == ("skill", "Prune the wombat index")
    assert hit["skill"] == {
        "slug": "prune-the-wombat-index",
        "category": "deployment",
        "status": "active",
        "version": "1.0.0",
        "effectiveness": 0.5,
        "usage_count": 0,
    }
    assert hit["source"]["skill_id"] == one
    assert hit["untrusted"]["text"] == "Stop writers first."
    assert list(await found(writer, "wombat", kinds=["skill"])) == [one]
    assert await found(writer, "wombat", kinds=["episode", "chunk", "fact", "note"]) == {}
    assert list(await found(writer, "wombat", tags=["index"])) == [one]
    read = await get(writer, f"/v1/memories/{one}")
    assert (read["kind"], read["untrusted"]["text"]) == ("skill", "Stop writers first.")


async def test_the_bundle_names_the_skill_and_how_well_it_works(writer: Principal) -> None:
    one = await skill(writer, "Feed <wombats>", body="Grass & roots.")
    answer = await post(
        writer, "/v1/search", 200, query="feed wombats", mode="keyword", form="bundle"
    )
    _, _, wrapped = answer["bundle"].partition("\n")
    (line,) = ET.fromstring(wrapped)
    assert line.attrib | {"score": ""} == {
        "id": one,
        "kind": "skill",
        "scope": writer.caller.home,
        "name": "Feed <wombats>",
        "category": "deployment",
        "version": "1.0.0",
        "works": "0.50",
        "score": "",
    }
    assert line.text == "Grass & roots."


async def test_at_a_moment_a_skill_says_what_it_said_then(writer: Principal) -> None:
    one = await skill(writer, "Wash the wombat", description="A wombat is washed.", body="By hand.")
    made = (await get(writer, f"/v1/skills/{one}"))["updated_at"]
    change = {"body": "By machine.", "change_type": "major"}
    changed = await writer.http.patch(f"/v1/skills/{one}", json=change)
    assert changed.status_code == 200
    moment = changed.json()["updated_at"]
    query = "wash the wombat"
    ago = {"as_of": "2020-01-01T00:00:00Z"}
    assert await found(writer, query, mode="keyword", **ago) == {}
    before = (await found(writer, query, mode="keyword", known_at=made))[one]
    after = (await found(writer, query, mode="keyword", known_at=moment))[one]
    assert (before["skill"]["version"], after["skill"]["version"]) == ("1.0.0", "2.0.0")
    assert before["untrusted"]["text"] == "A wombat is washed.\n\nBy hand."
    assert after["untrusted"]["text"] == "A wombat is washed.\n\nBy machine."
    left = await post(writer, f"/v1/skills/{one}/status", 200, status="deprecated")
    assert await found(writer, query, mode="keyword") == {}
    assert one in await found(writer, query, mode="keyword", as_of=moment, known_at=moment)
    assert await found(writer, query, mode="keyword", known_at=left["updated_at"]) == {}
    back = await post(writer, f"/v1/skills/{one}/status", 200, status="active")
    assert one in await found(writer, query, mode="keyword", as_of=back["updated_at"])


async def test_a_trial_is_not_what_was_said_before(writer: Principal) -> None:
    one = await skill(writer, "Weigh the wombat", body="With scales.")
    trial = {"body": "By guess.", "change_type": "experimental"}
    assert (await writer.http.patch(f"/v1/skills/{one}", json=trial)).status_code == 200
    moment = (await get(writer, f"/v1/skills/{one}/versions"))["items"][0]["created_at"]
    hit = (await found(writer, "weigh the wombat", mode="keyword", known_at=moment))[one]
    assert hit["untrusted"]["text"] == "With scales."


async def test_a_skill_is_found_in_its_scope_and_nowhere_else(
    principal: MakePrincipal, tenant: str, drain: Drain
) -> None:
    here = await principal(f"{tenant}/one", Role.WRITER)
    there = await principal(f"{tenant}/two", Role.WRITER, name="eve")
    one = await skill(here, "Count the wombats")
    await drain()
    assert list(await found(here, "count the wombats")) == [one]
    assert await found(there, "count the wombats") == {}
    await get(there, f"/v1/memories/{one}", 404)


async def test_a_page_is_read_by_its_id_and_its_passages_say_what_they_are_of(
    writer: Principal,
) -> None:
    body = {"title": "Wombat care", "content": "A wombat sleeps by day.", "kind": "article"}
    page = (await post(writer, "/v1/pages", **body))["id"]
    read = await get(writer, f"/v1/memories/{page}")
    assert (read["kind"], read["untrusted"]["text"]) == ("article", "A wombat sleeps by day.")
    (hit,) = (await found(writer, "wombat sleeps", mode="keyword", kinds=["chunk"])).values()
    assert (hit["chunk"]["document_id"], hit["chunk"]["work"]) == (page, "article")
