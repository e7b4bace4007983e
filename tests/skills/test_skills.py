"""Skills over HTTP: stored, versioned, found, tied to others, and left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from app.embeddings.provider import EmbeddingConfig, build_embedder
from app.indexing.spaces import Spaces
from app.kernel.caller import Role
from app.skills.discovery import DiscoveryService, Sought, Walk
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal

Drain = Callable[[], Awaitable[int]]


async def post(who: Principal, path: str, code: int = 201, /, **body: Any) -> dict[str, Any]:
    answer = await who.http.post(path, json=body)
    assert answer.status_code == code, answer.text
    found: dict[str, Any] = answer.json() if answer.content else {}
    return found


async def get(who: Principal, path: str, code: int = 200, /, **query: Any) -> dict[str, Any]:
    answer = await who.http.get(path, params=query)
    assert answer.status_code == code, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def skill(who: Principal, name: str, **more: Any) -> str:
    body = {"name": name, "category": "deployment"} | more
    return str((await post(who, "/v1/skills", **body))["id"])


async def test_a_skill_is_stored_as_it_was_said(writer: Principal) -> None:
    made = await post(
        writer,
        "/v1/skills",
        name="Deploy to Kubernetes",
        description="Roll a release out to the cluster.",
        body="1. Build. 2. `kubectl apply`.",
        params={"cluster": "prod", "replicas": 3},
        preconditions=["The image is built."],
        postconditions=["All pods are ready."],
        tags=["K8s"],
    )
    found = await get(writer, f"/v1/skills/{made['id']}")
    assert found["untrusted"] == {
        "name": "Deploy to Kubernetes",
        "description": "Roll a release out to the cluster.",
        "body": "1. Build. 2. `kubectl apply`.",
        "params": {"cluster": "prod", "replicas": 3},
        "preconditions": ["The image is built."],
        "postconditions": ["All pods are ready."],
        "tags": ["k8s"],
    }
    assert (found["slug"], found["category"]) == ("deploy-to-kubernetes", "deployment")
    assert (found["version"], found["status"], found["effectiveness"]) == ("1.0.0", "active", 0.5)


async def test_saved_again_it_is_one_skill_and_another_of_that_name_is_refused(
    writer: Principal,
) -> None:
    body = {"name": "Run tests", "category": "testing", "body": "pytest"}
    first = await post(writer, "/v1/skills", **body)
    again = await post(writer, "/v1/skills", 200, **body)
    assert again["id"] == first["id"]
    refused = await post(writer, "/v1/skills", 409, **(body | {"name": "run TESTS!", "body": "x"}))
    assert (refused["code"], refused["errors"][0]["field"]) == ("AlreadyExists", "name")
    assert len((await get(writer, "/v1/skills"))["items"]) == 1


async def test_saved_by_many_at_once_it_is_one_skill(writer: Principal) -> None:
    body = {"name": "Run once", "category": "testing", "body": "once"}
    told = await asyncio.gather(*(writer.http.post("/v1/skills", json=body) for _ in range(6)))
    assert sorted(answer.status_code for answer in told) == [200] * 5 + [201]
    assert len({answer.json()["id"] for answer in told}) == 1


async def test_names_that_differ_in_what_a_slug_leaves_out_stand_side_by_side(
    writer: Principal,
) -> None:
    names = ["C", "C++", "C#", "日本", "中国"]
    made = {name: await skill(writer, name) for name in names}
    again = {name: (await post(writer, "/v1/skills", 200, name=name, category="deployment"))["id"]
             for name in names}  # fmt: skip
    assert again == made
    assert len(set(made.values())) == 5


@pytest.mark.parametrize(
    "more",
    [{"category": "design"}, {"tags": ["k8s"]}, {"status": "draft"}, {"description": "other"}],
)
async def test_saved_again_otherwise_it_is_refused_and_stays(
    writer: Principal, more: dict[str, Any]
) -> None:
    one = await skill(writer, "Run tests")
    before = await get(writer, f"/v1/skills/{one}")
    body = {"name": "Run tests", "category": "deployment"} | more
    refused = await post(writer, "/v1/skills", 409, **body)
    assert refused["errors"][0]["field"] == "name"
    assert next(iter(more)) in refused["detail"]
    assert await get(writer, f"/v1/skills/{one}") == before


async def test_another_name_moves_the_slug_and_a_taken_one_is_refused(writer: Principal) -> None:
    one, two = await skill(writer, "Run tests"), await skill(writer, "Check")

    async def rename(skill: str, name: str, code: int = 200) -> dict[str, Any]:
        answer = await writer.http.patch(f"/v1/skills/{skill}", json={"name": name})
        assert answer.status_code == code, answer.text
        found: dict[str, Any] = answer.json()
        return found

    refused = await rename(two, "run TESTS", 409)
    assert (refused["code"], refused["errors"][0]["field"]) == ("AlreadyExists", "name")
    assert (await get(writer, f"/v1/skills/{two}"))["slug"] == "check"
    assert (await rename(one, "Run specs"))["slug"] == "run-specs"
    assert (await rename(two, "Run tests"))["slug"] == "run-tests"
    assert (await rename(two, "Run Tests!"))["slug"] == "run-tests"
    both = await asyncio.gather(
        *(writer.http.patch(f"/v1/skills/{s}", json={"name": "Last"}) for s in (one, two))
    )
    assert sorted(a.status_code for a in both) == [200, 409]


async def test_an_archived_skill_gives_its_name_free(writer: Principal) -> None:
    one = await skill(writer, "Run tests", status="draft")
    await post(writer, f"/v1/skills/{one}/status", 200, status="archived")
    two = await skill(writer, "Run tests")
    assert two != one
    assert (await get(writer, f"/v1/skills/{one}"))["status"] == "archived"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "Zzz"}, "category"),
        ({"name": "Zzz", "category": "sales"}, "category"),
        ({"name": "Zzz", "category": "testing", "status": "archived"}, "status"),
        ({"name": " ", "category": "testing"}, "name"),
        ({"name": "Zzz", "category": "testing", "params": {"n": 2**70}}, "params"),
    ],
)
async def test_bad_input_names_the_field_and_stores_nothing(
    writer: Principal, body: dict[str, Any], field: str
) -> None:
    refused = await post(writer, "/v1/skills", 422, **body)
    assert refused["errors"][0]["field"] == field
    assert (await get(writer, "/v1/skills"))["items"] == []


async def test_texts_are_sanitised_wherever_they_stand(writer: Principal) -> None:
    made = await post(
        writer,
        "/v1/skills",
        name="Answer mail",
        category="communication",
        body="Write to mia@example.com.",
        params={"to": ["mia@example.com"]},
        preconditions=["mia@example.com is away"],
    )
    assert "mia@example.com" not in str(made)
    assert "[email]" in made["untrusted"]["params"]["to"][0]


async def test_a_new_body_makes_a_version_and_a_new_description_none(writer: Principal) -> None:
    one = await skill(writer, "Deploy", body="by hand", description="old")
    other = await skill(writer, "Check", body="by eye")
    for _ in range(2):
        changed = await writer.http.patch(f"/v1/skills/{one}", json={"description": "new words"})
        assert changed.json()["version"] == "1.0.0"
    assert changed.json()["untrusted"]["description"] == "new words"
    await post(writer, f"/v1/skills/{one}/outcomes", success=True)
    body = {"body": "by script", "change_type": "major", "reason": "faster"}
    changed = await writer.http.patch(f"/v1/skills/{one}", json=body)
    again = await writer.http.patch(f"/v1/skills/{one}", json=body)
    assert (changed.json()["version"], again.json()["version"]) == ("2.0.0", "2.0.0")
    assert (changed.json()["success_count"], changed.json()["usage_count"]) == (0, 1)
    versions = (await get(writer, f"/v1/skills/{one}/versions"))["items"]
    assert [(v["version"], v["is_active"]) for v in versions] == [("2.0.0", True), ("1.0.0", False)]
    back = await post(writer, f"/v1/skills/{one}/versions/1.0.0/activate", 200)
    assert (back["version"], back["untrusted"]["body"]) == ("1.0.0", "by hand")
    assert back["success_count"] == 1
    versions = (await get(writer, f"/v1/skills/{one}/versions"))["items"]
    assert [v["is_active"] for v in versions] == [False, True]
    await post(writer, f"/v1/skills/{one}/versions/9.9.9/activate", 404)
    versions = (await get(writer, f"/v1/skills/{other}/versions"))["items"]
    assert [(v["version"], v["is_active"]) for v in versions] == [("1.0.0", True)]


async def test_many_changes_at_once_leave_one_version_in_use(writer: Principal) -> None:
    one = await skill(writer, "Deploy", body="0")
    bodies = [{"body": str(n), "change_type": "patch"} for n in range(1, 7)]
    answers = await asyncio.gather(
        *(writer.http.patch(f"/v1/skills/{one}", json=body) for body in bodies)
    )
    assert {a.status_code for a in answers} == {200}
    versions = (await get(writer, f"/v1/skills/{one}/versions"))["items"]
    assert sorted(v["version"] for v in versions) == [f"1.0.{n}" for n in range(7)]
    assert sum(v["is_active"] for v in versions) == 1


async def test_the_life_of_a_skill(writer: Principal, drain: Drain) -> None:
    one = await skill(writer, "Deploy zeppelins", status="draft", body="up")
    refused = await post(writer, f"/v1/skills/{one}/status", 409, status="deprecated")
    assert (refused["code"], refused["errors"][0]["field"]) == ("StateRefused", "status")
    assert "active, archived" in refused["detail"]
    await drain()

    async def found() -> list[str]:
        hits = await get(writer, "/v1/skills/discover", description="zeppelins")
        return [hit["id"] for hit in hits["items"]]

    assert await found() == []
    await post(writer, f"/v1/skills/{one}/status", 200, status="active")
    assert await found() == [one]
    await post(writer, f"/v1/skills/{one}/status", 200, status="inactive")
    assert await found() == []
    await post(writer, f"/v1/skills/{one}/status", 200, status="archived")
    changed = await writer.http.patch(f"/v1/skills/{one}", json={"body": "down"})
    assert changed.status_code == 409
    listed = await get(writer, "/v1/skills", status="archived", category="deployment")
    assert [item["id"] for item in listed["items"]] == [one]


async def test_only_author_and_curator_change_a_skill(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    one = await skill(writer, "Deploy")
    other = await principal(f"{tenant}/dev", name="other")
    curator = await principal(f"{tenant}/dev", name="cura", role=Role.CURATOR)
    stranger = await principal(f"{tenant}/ops", name="far")
    body = {"description": "mine"}
    assert (await other.http.patch(f"/v1/skills/{one}", json=body)).status_code == 403
    assert (await curator.http.patch(f"/v1/skills/{one}", json=body)).status_code == 200
    assert (await stranger.http.get(f"/v1/skills/{one}")).status_code == 404
    assert (await get(stranger, "/v1/skills"))["items"] == []


async def test_discovery_weighs_outcomes_and_failures(writer: Principal, drain: Drain) -> None:
    good = await skill(writer, "Rotate logs alpha", body="rotate logs")
    bad = await skill(writer, "Rotate logs beta", body="rotate logs")
    await drain()
    for n in range(6):
        await post(writer, f"/v1/skills/{good}/outcomes", success=True, key=str(n))
        await post(
            writer, f"/v1/skills/{bad}/outcomes", success=False, key=str(n), failure="rotate logs"
        )
    found = await get(writer, "/v1/skills/discover", description="rotate logs")
    assert found["mode"] == "hybrid"
    first, second = found["items"]
    assert (first["id"], second["id"]) == (good, bad)
    assert (first["penalty"], round(second["penalty"], 3)) == (1.0, 0.667)
    assert round(first["success"], 3) == 0.875
    assert second["untrusted"]["failures"] == ["rotate logs"]
    patterns = await get(writer, "/v1/bad-patterns")
    assert [p["count"] for p in patterns["items"]] == [6]
    other = await get(writer, "/v1/skills/discover", description="rotate logs", category="testing")
    assert other["items"] == []


async def test_outcomes_count_once_and_rate_from_five_on(writer: Principal) -> None:
    one = await skill(writer, "Deploy")
    two = await skill(writer, "Check")
    for n in range(4):
        told = await post(writer, f"/v1/skills/{one}/outcomes", success=True, key=str(n))
        assert (told["recorded"], told["effectiveness"]) == (True, 0.5)
    again = await post(writer, f"/v1/skills/{one}/outcomes", success=True, key="3")
    assert again["recorded"] is False
    fifth = await post(
        writer, f"/v1/skills/{one}/outcomes", success=False, key="4", together=[two, one]
    )
    assert (fifth["effectiveness"], fifth["trend"]) == (0.65, "unknown")
    found = await get(writer, f"/v1/skills/{one}")
    assert [found[k] for k in ("usage_count", "success_count", "failure_count")] == [5, 4, 1]
    evolution = await get(writer, f"/v1/skills/{one}/evolution")
    assert evolution["versions"][0]["effectiveness"] == 0.8
    around = await get(writer, f"/v1/graph/nodes/{one}/neighbours", relation_type="co_used")
    assert [(e["type"], e["strength"]) for e in around["edges"]] == [("co_used", 0.45)]
    await post(writer, f"/v1/skills/{one}/outcomes", 404, success=True, version="7.0.0")
    for field in ("duration_ms", "tokens"):
        refused = await post(
            writer, f"/v1/skills/{one}/outcomes", 422, **{"success": True, field: 2**63}
        )
        assert refused["errors"][0]["field"] == field
    assert len((await get(writer, f"/v1/skills/{one}/outcomes"))["items"]) == 5


async def test_a_variant_is_tried_and_wins_only_if_better(writer: Principal) -> None:
    one = await skill(writer, "Deploy", body="old way")
    await post(writer, f"/v1/skills/{one}/experiment/end", 409)
    await post(writer, f"/v1/skills/{one}/experiment", 409, version="1.0.0")
    await post(writer, "/v1/skills/none/experiment", 404, version="1.0.0")
    changed = await writer.http.patch(
        f"/v1/skills/{one}", json={"body": "new way", "change_type": "experimental"}
    )
    assert (changed.json()["version"], changed.json()["untrusted"]["body"]) == ("1.0.0", "old way")
    tried = "1.0.1-exp.1"
    started = await post(writer, f"/v1/skills/{one}/experiment", version=tried, share=7)
    assert (started["experiment"], started["share"]) == ("running", 0.99)
    given = await get(writer, f"/v1/skills/{one}/variant", unit="task 1")
    assert given == await get(writer, f"/v1/skills/{one}/variant", unit="task 1")
    for n in range(5):
        await post(writer, f"/v1/skills/{one}/outcomes", success=True, key=f"b{n}", version=tried)
        await post(writer, f"/v1/skills/{one}/outcomes", success=n > 0, key=f"a{n}")
    ended = await post(writer, f"/v1/skills/{one}/experiment/end", 200)
    assert (ended["experiment"], ended["is_active"]) == ("won", True)
    found = await get(writer, f"/v1/skills/{one}")
    assert (found["version"], found["untrusted"]["body"]) == (tried, "new way")
    assert (found["success_count"], found["failure_count"]) == (5, 0)


async def test_dependencies_are_walked_within_a_budget(writer: Principal, drain: Drain) -> None:
    empty = await get(writer, "/v1/skills/traverse", task="airship")
    assert (empty["steps"], empty["untrusted"]["text"]) == ([], "")
    names = ("Ship the airship", "Inflate", "Weld", "Sew", "Paint")
    ids = [await skill(writer, n, description=f"{n} well", body="x" * 500) for n in names]
    for source, target, kind in (
        (0, 1, "requires"), (1, 2, "composes"), (2, 3, "requires"), (4, 0, "enhances"),
    ):  # fmt: skip
        await post(writer, f"/v1/skills/{ids[source]}/links", 200, target=ids[target], type=kind)
    await post(writer, f"/v1/skills/{ids[0]}/links", 422, target=ids[0])
    await post(writer, f"/v1/skills/{ids[0]}/links", 404, target="none")
    await drain()
    walk = await get(writer, "/v1/skills/traverse", task="airship", mode="needs", depth=2)
    depths = {step["untrusted"]["name"]: step["depth"] for step in walk["steps"]}
    assert depths == {"Ship the airship": 0, "Inflate": 1, "Weld": 2}
    assert walk["steps"][0]["via"] is None
    full = await get(writer, "/v1/skills/traverse", task="airship", tokens=250)
    assert {s["untrusted"]["name"] for s in full["steps"]} == set(names)
    assert full["dropped"] == 4
    assert len(full["untrusted"]["text"]) <= 1000
    context = await get(writer, f"/v1/skills/{ids[1]}/context")
    assert [s["untrusted"]["name"] for s in context["needs"]] == ["Inflate", "Weld", "Sew"]
    assert (await get(writer, "/v1/skills/traverse"))["steps"] == []
    odd = await get(writer, "/v1/skills/traverse", 422, task="x", mode="psychic")
    assert odd["errors"][0]["field"] == "mode"
    gone = await writer.http.delete(f"/v1/skills/{ids[0]}/links/requires/{ids[1]}")
    assert gone.status_code == 204
    again = await writer.http.delete(f"/v1/skills/{ids[0]}/links/requires/{ids[1]}")
    assert again.status_code == 404


async def test_chains_leave_out_what_is_not_to_be_used(writer: Principal) -> None:
    first, second, old, gone, behind = [
        await skill(writer, name) for name in ("First", "Second", "Old", "Gone", "Behind")
    ]
    draft = await skill(writer, "Draft", status="draft")
    edges = ((first, second), (second, old), (first, draft), (first, gone), (gone, behind))
    for source, target in edges:
        await post(writer, f"/v1/skills/{source}/links", 200, target=target)
    for one, step in ((old, "deprecated"), (gone, "deprecated"), (gone, "archived")):
        await post(writer, f"/v1/skills/{one}/status", 200, status=step)
    context = await get(writer, f"/v1/skills/{first}/context")
    assert [(s["id"], s["status"]) for s in context["needs"]] == [
        (first, "active"), (second, "active"), (old, "deprecated"),
    ]  # fmt: skip
    assert "## Old (deployment, 1.0.0, deprecated)" in context["untrusted"]["text"]
    listed = (await get(writer, f"/v1/skills/{first}/links"))["items"]
    assert {edge["target"] for edge in listed} == {second, draft, gone}


async def test_a_hub_has_five_neighbours_and_not_five_edges(writer: Principal) -> None:
    ids = [await skill(writer, f"Skill {n}") for n in range(6)]
    for kind in ("requires", "enhances", "composes", "succeeds"):
        await post(writer, f"/v1/skills/{ids[0]}/links", 200, target=ids[1], type=kind)
    await post(writer, f"/v1/skills/{ids[1]}/links", 200, target=ids[0])
    needs = (await get(writer, f"/v1/skills/{ids[0]}/context"))["needs"]
    assert {s["hub"] for s in needs} == {False}
    for other in ids[2:]:
        await post(writer, f"/v1/skills/{ids[0]}/links", 200, target=other, type="enhances")
    needs = (await get(writer, f"/v1/skills/{ids[0]}/context"))["needs"]
    assert {s["id"]: s["hub"] for s in needs} == {ids[0]: True, ids[1]: False}


async def test_a_category_is_found_behind_many_of_another(writer: Principal, drain: Drain) -> None:
    for n in range(6):
        await skill(writer, f"Rotate logs {n}", description="rotate logs")
    one = await skill(writer, "Probe how logs rotate", category="testing")
    await drain()
    found = await get(
        writer, "/v1/skills/discover", description="rotate logs", category="testing", limit=1
    )
    assert [hit["id"] for hit in found["items"]] == [one]


async def test_without_the_model_words_lead_to_skills(writer: Principal, opened: Parts) -> None:
    one = await skill(writer, "Ship the airship", description="Up and away.")
    two = await skill(writer, "Inflate")
    await post(writer, f"/v1/skills/{one}/links", 200, target=two)
    nowhere = EmbeddingConfig(
        provider="openai", model="m", base_url="http://127.0.0.1:9", dimension=2, max_retries=0
    )
    embedder = build_embedder(nowhere)
    parts = replace(opened.skilled.skills.parts, spaces=Spaces(opened.graph, embedder, {}))
    service = DiscoveryService(parts, opened.skilled.skills)
    found = await service.discover(Sought("airship", writer.caller.visible))
    assert (found.mode, [hit.skill["id"] for hit in found.hits]) == ("keyword", [one])
    chain = await service.traverse(Walk("airship", writer.caller.visible))
    assert [(step.skill["id"], step.score) for step in chain.steps] == [(one, 0.5), (two, 0.34)]
    await embedder.aclose()


async def test_agents_out_of_sight_are_neither_counted_nor_touched(
    admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    made = await skill(admin, "Weld", scope=tenant)
    held = f"/v1/skills/{made}/agents"
    seen, hidden = [
        (await principal(f"{tenant}/{place}", name=place)).caller.principal
        for place in ("dev", "other")
    ]
    for agent in (seen, hidden):
        assert (await admin.http.put(f"{held}/{agent}", json={})).status_code == 204
    reader = await principal(f"{tenant}/dev", name="eye")
    granted = {"scope": tenant, "role": "writer"}
    curator = await principal(f"{tenant}/dev", name="hand")
    given = await admin.http.post(f"/v1/principals/{curator.caller.principal}/grants", json=granted)
    assert given.is_success, given.text
    for who, count in ((admin, 2), (reader, 1), (curator, 1)):
        (listed,) = (await get(who, "/v1/skills"))["items"]
        found = await post(who, "/graphql", 200, query="{ skills { nodes { agents } } }")
        one = await post(who, "/graphql", 200, query=f'{{ skill(id: "{made}") {{ agents }} }}')
        assert [
            (await get(who, f"/v1/skills/{made}"))["agents"],
            listed["agents"],
            found["data"]["skills"]["nodes"][0]["agents"],
            one["data"]["skill"]["agents"],
            len((await get(who, held))["items"]),
        ] == [count] * 5
    taken = [(await curator.http.delete(f"{held}/{agent}")).status_code for agent in (hidden, seen)]
    assert taken == [404, 204]
    assert [each["agent"] for each in (await get(admin, held))["items"]] == [hidden]


async def test_a_team_is_covered_by_its_members(
    admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    team = f"{tenant}/dev/team:crew"
    await post(admin, "/v1/scopes", scope=team)
    scope = f"{tenant}/dev"
    held = {"ann": ["deployment", "testing"], "bob": ["testing"], "cid": []}
    for name, categories in held.items():
        who = await principal(scope, name=name)
        answer = await admin.http.post(
            f"/v1/principals/{who.caller.principal}/grants",
            json={"scope": team, "role": "writer"},
        )
        assert answer.is_success, answer.text
        for category in categories:
            made = await skill(admin, f"{name} {category}", category=category, scope=scope)
            given = await admin.http.put(
                f"/v1/skills/{made}/agents/{who.caller.principal}", json={}
            )
            assert given.status_code == 204, given.text
    found = await get(
        admin, "/v1/teams/coverage", team=team, category=["deployment", "testing", "design"]
    )
    assert found["ratio"] == round(2 / 3, 4)
    assert [(c["agent"].rpartition(":")[2], c["adds"]) for c in found["chosen"]] == [
        ("ann", ["deployment", "testing"])
    ]
    assert found["missing"] == ["design"]
    agents = {a["name"]: a for a in (await get(admin, "/v1/agents"))["items"]}
    assert agents["ann"]["teams"] == [team]
    assert sorted(s["category"] for s in agents["ann"]["skills"]) == ["deployment", "testing"]
    nothing = await get(admin, "/v1/teams/coverage", team=team, task="zebra quilts")
    assert (nothing["needed"], nothing["ratio"], nothing["missing"]) == ([], 0.0, [])
    teams = (await get(admin, "/v1/teams"))["items"]
    assert [len(t["members"]) for t in teams if t["scope"] == team] == [3]
    await get(admin, "/v1/teams/coverage", 404, team=f"{tenant}/none")
