"""What asks and what tells of a scope: as the routes do, and nothing of anybody else's."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLObjectType

from app.kernel.caller import Role
from tests.conftest import MakePrincipal
from tests.graphql.conftest import Client, World
from tests.graphql.test_reading import below_of, counted, expected, of_field, selection
from tests.support.statements import Statements

Params = dict[str, Any]
ADA, PUMP, SHIP = (
    "Where does Ada Berger live?",
    "a pump that is oiled on Mondays",
    "ship the service",
)
# Each field with its arguments, and the route that tells the same with its parameters.
TOLD: dict[str, tuple[str, str, Params]] = {
    "researchSkill": (f'topic: "{PUMP}"', "/v1/skill-proposals/research", {"topic": PUMP}),
    "discoverSkills": (
        f'description: "{SHIP}", first: 5',
        "/v1/skills/discover",
        {"description": SHIP, "limit": 5},
    ),
    "searchGraph": (
        'query: "Ada Berger", depth: 2, first: 20',
        "/v1/graph/search",
        {"query": "Ada Berger", "depth": 2, "limit": 20},
    ),
    "graphNeighbours": (
        'node: "{entity}", relationType: " Works_for "',
        "/v1/graph/nodes/{entity}/neighbours",
        {"relation_type": "works_for"},
    ),
    "graphStatistics": (
        'relationType: " Works_for "',
        "/v1/graph/statistics",
        {"relation_type": "works_for"},
    ),
    "timeline": ('entity: "{entity}"', "/v1/entities/{entity}/timeline", {}),
}
LISTED: dict[str, tuple[str, str, Params]] = {
    "pendingPages": ("first: 9", "/v1/pages/pending", {}),
    "relatedPages": ('page: "{page}"', "/v1/pages/{page}/related", {}),
    "unlinkedMentions": ('page: "{page}"', "/v1/pages/{page}/unlinked-mentions", {}),
    "agents": ("first: 9", "/v1/agents", {}),
    "predicates": ("first: 100", "/v1/predicates", {}),
    "coreBlocks": ("", "/v1/core-blocks", {}),
    "badPatterns": ("first: 9", "/v1/bad-patterns", {}),
    "feedback": ("first: 9", "/v1/feedback", {}),
    "learningLog": ("first: 9", "/v1/learning-log", {"limit": 9}),
    "auditEvents": (
        'first: 9, kind: "note.write"',
        "/v1/audit",
        {"kind": "note.write", "limit": 9},
    ),
}
EMPTY = {"learningLog"}  # of a world in which nothing was learnt yet


def asked(name: str, args: str, world: World, below: str) -> str:
    given = f"({args.format(**world.ids)})" if args else ""
    return f"{{ {name}{given} {below} }}"


@pytest.mark.parametrize("name", TOLD)
async def test_it_is_told_as_over_the_route(world: World, name: str) -> None:
    args, path, params = TOLD[name]
    kind = of_field(name)
    found = await world.curator.ask(asked(name, args, world, selection(kind)))
    route = await world.curator.get(path.format(**world.ids), **params)
    assert found[name] == expected(route, kind)
    assert any(found[name].get(held) for held in ("findings", "items", "nodes"))


@pytest.mark.parametrize("name", LISTED)
async def test_it_lists_what_the_route_lists(world: World, name: str) -> None:
    args, path, params = LISTED[name]
    kind = of_field(name)
    if kind.name.endswith("Connection"):
        node = of_node(kind)
        below = f"{{ nodes {selection(node)} pageInfo {{ hasNextPage }} }}"
        found = (await world.curator.ask(asked(name, args, world, below)))[name]["nodes"]
    else:
        node = kind
        found = (await world.curator.ask(asked(name, args, world, selection(kind))))[name]
    route = await world.curator.get(path.format(**world.ids), **params)
    assert found == [expected(each, node) for each in route["items"]]
    assert found or name in EMPTY


def of_node(kind: GraphQLObjectType) -> GraphQLObjectType:
    node = kind.fields["nodes"].type
    while hasattr(node, "of_type"):
        node = node.of_type
    assert isinstance(node, GraphQLObjectType)
    return node


async def test_a_team_is_told_to_who_sees_it(world: World, principal: MakePrincipal) -> None:
    team = f"{world.scope}/team:blue"
    made = await principal(team, name="ivy")
    ivy, text = Client(made.http, made.caller), "{ teams { nodes { scope members { id role } } } }"
    shown = (await ivy.ask(text))["teams"]["nodes"]
    route = (await ivy.get("/v1/teams"))["items"]
    assert [each["scope"] for each in shown] == [each["scope"] for each in route] == [team]
    assert [m["id"] for m in shown[0]["members"]] == [m["id"] for m in route[0]["members"]]
    for other in (world.curator, world.stranger):
        assert (await other.ask(text))["teams"]["nodes"] == []


RETRIEVE = """query R($i: RetrieveInput!) { retrieve(input: $i) { query question without
  results { id kind scope start end documentId score similarity rank communityId
    path { entityId factId predicate
    untrusted { name } } untrusted { text title path past } episode { id } chunk { id } fact { id }
    note { id } skill { id } community { id } }
  communities { score hop community { id size members(first: 1) { nodes { id } } }
    path { entityId entity { id } fact { id } } }
  seeds { entityId score how entity { id } } } }"""


async def test_a_retrieval_is_that_of_the_route(world: World) -> None:
    given = {"query": ADA, "topK": 5, "maxHops": 3}
    found = (await world.curator.ask(RETRIEVE, i=given))["retrieve"]
    body = {"query": ADA, "top_k": 5, "max_hops": 3}
    route = await world.curator.post("/v1/rag/retrieve", **body)
    assert [each["id"] for each in found["results"]] == [each["id"] for each in route["results"]]
    for mine, theirs in zip(found["results"], route["results"], strict=True):
        assert mine["untrusted"] == theirs["untrusted"]
        assert (mine["rank"], mine["communityId"]) == (theirs["rank"], theirs["community"])
        assert [step["entityId"] for step in mine["path"]] == [s["entity"] for s in theirs["path"]]
        assert mine[mine["kind"]]["id"] == mine["id"]
        assert (mine["start"], mine["end"]) == (theirs["start"], theirs["end"])
        assert mine["documentId"] == theirs["document_id"]
        assert (mine["community"] or {"id": None})["id"] == mine["communityId"]
    assert world.ids["episode"] in [each["id"] for each in found["results"]]
    assert [each["community"]["id"] for each in found["communities"]] == [
        each["community"]["id"] for each in route["communities"]
    ]
    assert [(s["entityId"], s["how"]) for s in found["seeds"]] == [
        (s["entity"], s["how"]) for s in route["seeds"]
    ]
    assert all(seed["entity"]["id"] == seed["entityId"] for seed in found["seeds"])


async def test_what_hangs_on_a_retrieval_is_one_statement_a_kind(world: World) -> None:
    text = """{ retrieve(input: {query: "Where does Ada Berger live?"}) {
      results { episode { id } chunk { id } community { id } }
      seeds { entity { name } } } }"""
    ran = await counted(world, text)
    own = {name: times for name, times in ran.items() if name.startswith("graphql.")}
    assert own["graphql.episodes_by_id"] == own["graphql.entities_by_id"] == 1
    assert max(own.values()) == 1


CONTEXT = """query C($i: ContextInput!) { context(input: $i) { query question context tokens budget
  frame ledger { id kind tokens kept reason } citations
  tables { entity scope tables untrusted { text } } without reason } }"""


async def test_a_context_is_that_of_the_route_with_its_ledger(world: World) -> None:
    for budget in (400, 60):
        found = await world.curator.ask(CONTEXT, i={"query": ADA, "tokenBudget": budget})
        route = await world.curator.post("/v1/rag/context", query=ADA, token_budget=budget)
        assert found["context"] == route
        assert found["context"]["tokens"] <= budget
    assert {e["reason"] for e in route["ledger"] if not e["kept"]} == {"budget"}


async def test_a_retrieval_and_a_context_are_on_the_record_of_questions(world: World) -> None:
    before = await doors(world)
    await world.curator.ask(RETRIEVE, i={"query": "Who knows Pia Kranich?"})
    await world.curator.ask(CONTEXT, i={"query": "Who knows Pia Kranich?"})
    after = await doors(world)
    assert {door: after[door] - before.get(door, 0) for door in after} == {
        **dict.fromkeys(after, 0), "retrieve": 1, "context": 1,
    }  # fmt: skip


async def doors(world: World) -> dict[str, int]:
    """How often the curator asked at each door, as it is on record."""
    await world.opened.question_log.flush()
    rows = await world.opened.graph.raw(
        "MATCH (q:RagQuery {principal: $who}) RETURN q.door AS door, count(*) AS times",
        who=world.curator.caller.principal,
    )
    return {row["door"]: row["times"] for row in rows}


BAD: list[tuple[str, Params, str]] = [
    (RETRIEVE, {"query": ""}, "query"),
    (RETRIEVE, {"query": "x", "topK": 51}, "topK"),
    (RETRIEVE, {"query": "x", "maxHops": 6}, "maxHops"),
    (RETRIEVE, {"query": "x", "scopes": ["other/place"]}, "scopes"),
    (RETRIEVE, {"query": "x", "knowledgeBaseIds": ["none"]}, "knowledgeBaseIds"),
    (CONTEXT, {"query": "x", "tokenBudget": 0}, "tokenBudget"),
]


@pytest.mark.parametrize(("text", "given", "field"), BAD)
async def test_a_bad_question_names_its_field(
    world: World, text: str, given: Params, field: str
) -> None:
    status, error = await world.curator.wrong(text, i=given)
    assert status in (404, 422)
    assert error["extensions"]["field"] == field


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{ researchSkill(topic: " ") { sources } }', "topic"),
        ('{ discoverSkills(description: "") { mode } }', "description"),
        ('{ discoverSkills(description: "x", category: "y") { mode } }', "category"),
        ('{ searchGraph(query: "x", depth: 6) { confidence } }', "depth"),
        ('{ searchGraph(query: "x", relationType: "%s") { confidence } }' % ("r" * 101),
         "relationType"),
        ('{ relatedPages(page: "x", first: 51) { pageId } }', "first"),
        ('{ predicates(scope: "other/place") { nodes { name } } }', "scope"),
        ('{ coreBlocks(scopes: ["other/place"]) { id } }', "scopes"),
        ('{ auditEvents(after: "x") { nodes { id } } }', "after"),
    ],
)  # fmt: skip
async def test_a_bad_argument_is_named(world: World, text: str, field: str) -> None:
    with Statements():
        status, error = await world.curator.wrong(text)
    assert status in (404, 422)
    assert error["extensions"]["field"] in (field, f"{field}s")


async def test_nobody_is_told_of_another_tenant(world: World) -> None:
    """With a stranger's key what is named is not there, and what is listed is the stranger's."""
    for name, (args, _, _) in (TOLD | LISTED).items():
        kind = of_field(name)
        below = (
            f"{{ nodes {selection(of_node(kind))} }}"
            if kind.name.endswith("Connection")
            else selection(kind)
        )
        answer = await world.stranger.send(asked(name, args, world, below))
        assert not [key for key in world.ids.values() if f'"{key}"' in answer.text], name
        assert f'"{world.scope}"' not in answer.text
        if "{" in args:
            assert answer.json()["errors"][0]["extensions"]["code"] == "NotFound", name
    nothing = (await world.stranger.ask(RETRIEVE, i={"query": ADA}))["retrieve"]
    assert (nothing["results"], nothing["communities"], nothing["seeds"]) == ([], [], [])
    bare = (await world.stranger.ask(CONTEXT, i={"query": ADA}))["context"]
    assert (bare["ledger"], bare["citations"]) == ([], {})


async def test_what_is_for_curators_is_refused_to_others(
    world: World, principal: MakePrincipal
) -> None:
    reader = await principal(world.scope, role=Role.READER, name="glance")
    glance = Client(reader.http, reader.caller)
    for name in ("feedback", "auditEvents"):
        for who in (glance, world.agent):
            status, error = await who.wrong(f"{{ {name} {{ nodes {{ id }} }} }}")
            assert (status, error["message"]) == (403, "this key needs the role curator")
    assert (await glance.ask("{ badPatterns { nodes { id } } }"))["badPatterns"]["nodes"]


async def test_pages_by_a_name_and_without_links(world: World) -> None:
    lone = (await world.curator.post("/v1/pages", title="Lone", content="Alone."))["id"]
    text = """{ pages(name: "valve") { nodes { id untrusted { content } } }
      orphanPages { nodes { id untrusted { content } } } }"""
    found = await world.curator.ask(text)
    (named,) = found["pages"]["nodes"]
    assert named["id"] == world.ids["page"]
    assert "[[Nowhere]]" in named["untrusted"]["content"]
    orphans = {each["id"]: each["untrusted"]["content"] for each in found["orphanPages"]["nodes"]}
    assert orphans[lone] == "Alone."
    route = await world.curator.get("/v1/pages/orphans")
    assert list(orphans) == [each["id"] for each in route["items"]]


async def test_pages_of_a_name_go_on_and_keep_to_kind_and_tag(world: World) -> None:
    async def page(kind: str, *tags: str) -> str:
        given = {"title": "Twice", "content": kind, "kind": kind, "tags": tags}
        return str((await world.curator.post("/v1/pages", **given))["id"])

    ids = sorted([await page("page"), await page("article", "x"), await page("article")])
    text = """query ($after: String, $kind: PageKind, $tag: String, $first: Int) {
      pages(name: "twice", after: $after, kind: $kind, tag: $tag, first: $first) {
        nodes { id } pageInfo { hasPreviousPage startCursor hasNextPage endCursor } } }"""

    async def found(**given: Any) -> tuple[list[str], dict[str, Any]]:
        told = (await world.curator.ask(text, **given))["pages"]
        return [node["id"] for node in told["nodes"]], told["pageInfo"]

    first, info = await found(first=2)
    assert (first, info) == (ids[:2], {
        "hasPreviousPage": False, "startCursor": ids[0], "hasNextPage": True, "endCursor": ids[1],
    })  # fmt: skip
    assert await found(first=2, after=info["endCursor"]) == (ids[2:], {
        "hasPreviousPage": True, "startCursor": ids[2], "hasNextPage": False, "endCursor": ids[2],
    })  # fmt: skip
    for given in ({"kind": "article"}, {"kind": "page"}, {"tag": "x"}):
        route = await world.curator.get("/v1/pages", name="twice", **given)
        assert (await found(**given))[0] == [item["id"] for item in route["items"]]
        assert len(route["items"]) < 3


async def test_a_conflict_is_told_with_its_skills(world: World) -> None:
    who, ids = world.curator, []
    for name in ("Rinse the tank", "Fill the tank"):
        body = {"name": name, "category": "automation", "body": name}
        ids.append((await who.post("/v1/skills", **body))["id"])
    for source, target in (ids, ids[::-1]):
        await who.post(f"/v1/skills/{source}/links", target=target)
    await who.post("/v1/skill-chores/conflict-scan", dry_run=False)
    listed = await who.ask("{ skillConflicts(open: true) { nodes { id skillIds } } }")
    (key,) = [c["id"] for c in listed["skillConflicts"]["nodes"] if set(c["skillIds"]) == set(ids)]
    text = f'{{ skillConflict(id: "{key}") {{ finding severity skills {{ id }} }} }}'
    found = (await who.ask(text))["skillConflict"]
    route = await who.get(f"/v1/skill-conflicts/{key}")
    assert (found["finding"], found["severity"]) == (route["finding"], route["severity"])
    assert {skill["id"] for skill in found["skills"]} == set(ids)
    _, error = await world.stranger.wrong(text)
    assert error["extensions"]["code"] == "NotFound"


async def test_a_promotion_shows_the_fact_and_its_copy(world: World) -> None:
    said = await world.curator.post("/v1/facts:remember", text="Ben Holm lives in Kiel.")
    fact = said["facts"][0]["id"]
    rules = {"promotion": {"enabled": True, "quorum": 3, "threshold": 0.5}}
    where = {"scope": world.scope}
    answer = await world.admin.http.put("/v1/scopes/rules", params=where, json=rules)
    assert answer.status_code == 200, answer.text
    for who in (world.curator, world.agent, world.admin):
        await who.post(f"/v1/facts/{fact}/attest")
    assert (await world.admin.post("/v1/promotions", **where))["promoted"] == 1
    text = """{ promotions { nodes { id factId copyId target state attesters
      fact { scope } copy { scope untrusted { statement } } } } }"""
    (found,) = (await world.curator.ask(text))["promotions"]["nodes"]
    (route,) = (await world.curator.get("/v1/promotions"))["items"]
    assert (found["id"], found["copyId"]) == (route["id"], route["copy"])
    assert (found["factId"], found["fact"]) == (fact, {"scope": world.scope})
    assert found["copy"]["scope"] == found["target"] == world.scope.partition("/")[0]
    assert "Kiel" in found["copy"]["untrusted"]["statement"]
    assert (await world.stranger.ask(text))["promotions"]["nodes"] == []


@pytest.mark.parametrize("name", ["session", "skill"])
async def test_what_hangs_on_it_is_there(world: World, name: str) -> None:
    kind = of_field(name)
    key = world.ids[name]
    fields = {"session": ["episodes"], "skill": ["holders", "entities", "outcomes"]}[name]
    below = " ".join(f"{field} {below_of(kind.fields[field])}" for field in fields)
    found = (await world.curator.ask(f'{{ {name}(id: "{key}") {{ {below} }} }}'))[name]
    assert all(found[field]["nodes"] for field in fields)
    if name == "skill":
        for field, route in (("holders", "agents"), ("entities", "entities")):
            shown = (await world.curator.get(f"/v1/skills/{key}/{route}"))["items"]
            node = of_node(of_type(kind, field))
            assert found[field]["nodes"] == [expected(each, node) for each in shown]


def of_type(kind: GraphQLObjectType, field: str) -> GraphQLObjectType:
    held = kind.fields[field].type
    while hasattr(held, "of_type"):
        held = held.of_type
    assert isinstance(held, GraphQLObjectType)
    return held
