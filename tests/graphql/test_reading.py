"""Every kind as its HTTP route shows it, one statement a level, and nobody else's."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio
from graphql import (
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
    is_list_type,
)
from graphql.type import get_nullable_type

from app.asgi import graphql_service
from app.graphql.inputs import camel, snake
from app.graphql.relations import BESIDE, LINKS, LISTS, MANY, NAMED
from app.graphql.schema import build
from app.graphql.service import Request
from app.kernel.caller import Role
from app.wiring import Parts
from tests.conftest import MakePrincipal
from tests.graphql.conftest import Client, World
from tests.support.statements import Statements

SCHEMA = build()
ROUTES = {
    "episode": "/v1/episodes",
    "fact": "/v1/facts",
    "entity": "/v1/entities",
    "page": "/v1/pages",
    "skill": "/v1/skills",
    "document": "/v1/documents",
    "community": "/v1/communities",
    "note": "/v1/notes",
    "learning": "/v1/learnings",
    "skillProposal": "/v1/skill-proposals",
    "merge": "/v1/merges",
    "job": "/v1/jobs",
    "session": "/v1/sessions",
}
# What the moment of reading decides, and what only one of the doors shows.
APART = {"priority", "passageId", "job"}


def own(kind: GraphQLObjectType) -> list[str]:
    """The fields that a value holds itself."""
    hung = {*LISTS, *LINKS, *MANY, *BESIDE, "Community.parts"}
    return [name for name in kind.fields if f"{kind.name}.{name}" not in hung and name not in APART]


def selection(kind: GraphQLObjectType) -> str:
    """Everything that a value holds itself, as a selection."""
    parts = []
    for name in own(kind):
        inner = get_named_type(kind.fields[name].type)
        below = f" {selection(inner)}" if isinstance(inner, GraphQLObjectType) else ""
        parts.append(f"{name}{below}")
    return "{ " + " ".join(parts) + " }"


def expected(shown: Any, kind: GraphQLObjectType) -> Any:
    """What a route shows, under the names of the schema."""
    told = {}
    for name in own(kind):
        field = kind.fields[name]
        inner = get_named_type(field.type)
        value = shown.get(NAMED.get(f"{kind.name}.{name}", snake(name)))
        if isinstance(inner, GraphQLObjectType) and value is not None:
            if is_list_type(get_nullable_type(field.type)):
                value = [expected(each, inner) for each in value]
            else:
                value = expected(value, inner)
        told[name] = value
    return told


def of_field(name: str) -> GraphQLObjectType:
    root = SCHEMA.query_type
    assert root is not None
    kind = get_named_type(root.fields[name].type)
    assert isinstance(kind, GraphQLObjectType)
    return kind


async def both(world: World, name: str, path: str, key: str) -> tuple[Any, Any]:
    kind = of_field(name)
    found = await world.curator.ask(f'{{ {name}(id: "{key}") {selection(kind)} }}')
    return found[name], expected(await world.curator.get(path), kind)


async def test_every_kind_shows_what_its_route_shows(world: World) -> None:
    for name, route in ROUTES.items():
        key = world.ids[name]
        here, there = await both(world, name, f"{route}/{key}", key)
        assert here == there, name
    key = world.ids["base"]
    here, there = await both(world, "knowledgeBase", f"/v1/knowledge-bases/{key}", key)
    assert here == there


LEVELS = """{ entities(first: 30) { nodes { name
  facts(first: 5) { nodes { id
    object { name }
    support { episode { id mentions(first: 5) { nodes { id } } } } } }
  neighbours(first: 5) { nodes { kind entity { id episodes(first: 2) { nodes { id } } } } } } } }"""
EACH = {
    "entities.list_entities": 1,
    "graphql.facts_about": 1,
    "graphql.neighbours": 1,
    "graphql.facts_by_id": 1,
    "graphql.episodes_by_id": 1,
    "graphql.mentions": 1,
    "graphql.mentioning": 1,
}


async def counted(world: World, query: str) -> Counter[str]:
    asking, caller = graphql_service(world.opened), world.curator.caller
    with Statements() as ran:
        answer = await asking.answer(caller, Request(query))
    assert answer.body.errors == []
    return Counter(ran.names)


async def test_a_level_is_one_statement_however_many_parents(world: World) -> None:
    ran = await counted(world, LEVELS)
    # Objects of facts and neighbours are entities of two levels, reached at different times.
    assert ran.pop("graphql.entities_by_id") <= 2
    assert ran == EACH
    fewer = await counted(world, LEVELS.replace("first: 30", "first: 1"))
    assert max((fewer - Counter({"graphql.entities_by_id": 9})).values()) == 1
    assert fewer.keys() <= {*EACH, "graphql.entities_by_id"}


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (
            "{ merges { nodes { left { id } leftEntity { name } rightEntity { name } } } }",
            {"entities.list_merges": 1, "graphql.entities_by_id": 1},
        ),
        (
            "{ skillProposals { nodes { parts { id } parent { id } skill { slug } } } }",
            {"skills.proposals": 1},
        ),
        (
            "{ learnings { nodes { note { id } } } }",
            {"skills.learnings": 1, "graphql.notes_by_id": 1},
        ),
        ('{ a: job(id: "x") { id } b: jobs { nodes { id } } }', {"jobs.list_jobs": 1}),
        (
            "{ agents { nodes { skills { slug } } } }",
            {"skills.agents": 1, "graphql.skills_by_id": 1},
        ),
        (
            """{ skills { nodes { holders { nodes { agent } } outcomes { nodes { id } }
              entities { nodes { entity { name } } } } } }""",
            {
                "skills.page": 1,
                "graphql.skill_holders": 1,
                "graphql.skill_outcomes": 1,
                "graphql.skill_concerns": 1,
                "graphql.entities_by_id": 1,
            },
        ),
        (
            """{ episodes { nodes { session { characters
              episodes(first: 2) { nodes { id } } } } } }""",
            {
                "graphql.episodes": 1,
                "graphql.sessions_by_id": 1,
                "graphql.sessions_episodes": 1,
            },
        ),
        (
            "{ pendingPages { nodes { page { slug } } } }",
            {"pages.waiting": 1, "graphql.pages_by_id": 1},
        ),
        (
            "{ orphanPages { nodes { untrusted { content } } } }",
            {"pages.orphans": 1, "graphql.pages_by_id": 1},
        ),
        (
            "{ feedback { nodes { note { id } fact { id } episode { id } } } }",
            {"lifecycle.list_feedback": 1, "graphql.notes_by_id": 1},
        ),
        ("{ auditEvents { nodes { id } } }", {"access.audit_history": 1}),
        (
            "{ badPatterns { nodes { id } } coreBlocks { id } }",
            {"blocks.list_patterns": 1, "blocks.list_blocks": 1},
        ),
        ("{ whoAmI { key { id } scopes { nodes { scope } } } }", {"graphql.keys_by_id": 1}),
    ],
)
async def test_further_lists_are_read_by_level(
    world: World, text: str, statements: dict[str, int]
) -> None:
    text = text.replace('"x"', f'"{world.ids["job"]}"')
    ran = await counted(world, text)
    if "job(" in text:
        assert ran.pop("graphql.jobs_by_id") == 1
    assert ran == statements


async def test_the_link_graph_of_a_page(world: World) -> None:
    query = """query Q($id: ID!, $depth: Int, $first: Int) {
      linkGraph(page: $id, depth: $depth, first: $first) { cut
        nodes { id kind slug depth untrusted { title } page { id } entity { id } }
        edges { source target } } }"""
    key = world.ids["page"]
    for depth in (1, 2, 3):
        found = (await world.curator.ask(query, id=key, depth=depth))["linkGraph"]
        route = await world.curator.get(f"/v1/pages/{key}/graph", depth=depth)
        plain = [{k: node[k] for k in ("id", "kind", "slug", "depth", "untrusted")}
                 for node in found["nodes"]]  # fmt: skip
        assert plain == route["nodes"]
        assert [[edge["source"], edge["target"]] for edge in found["edges"]] == route["edges"]
        for node in found["nodes"]:
            assert (node["page"] or node["entity"])["id"] == node["id"]
        assert not found["cut"]
    fewer = (await world.curator.ask(query, id=key, depth=2, first=2))["linkGraph"]
    assert (len(fewer["nodes"]), fewer["cut"]) == (2, True)
    for depth in (0, 4):
        _, error = await world.curator.wrong(query, id=key, depth=depth)
        assert error["extensions"]["field"] == "depth"
    _, error = await world.stranger.wrong(query, id=key, depth=1)
    assert error["extensions"]["code"] == "NotFound"
    ran = await counted(
        world, f'{{ linkGraph(page: "{key}", depth: 2) {{ nodes {{ page {{ id }} }} }} }}'
    )
    assert ran == {"pages.get": 1, "pages.around": 2, "graphql.pages_by_id": 1}


async def test_an_answer_is_that_of_the_route(world: World) -> None:
    query = """query Q($i: AskInput!) { ask(input: $i) { by question rounds totalResults note
      sources { number id kind relevance start end documentId documentStart documentEnd
                untrusted { text title } possibleChanges { factId }
                episode { id } fact { id } note { id } chunk { id } skill { id } }
      history { query found fresh mean sufficient missing }
      untrusted { answer sentences { text sources start end } } } }"""
    given = {"query": "Where does Ada Berger live?", "maxRounds": 1}
    found = (await world.curator.ask(query, i=given))["ask"]
    route = await world.curator.post("/v1/rag/ask", query=given["query"], max_rounds=1)
    assert found["untrusted"] == route["untrusted"]
    assert found["untrusted"]["answer"]
    assert (found["by"], found["rounds"], found["totalResults"]) == (
        route["by"], route["rounds"], route["total_results"],
    )  # fmt: skip
    assert found["history"] == route["history"]
    for mine, theirs in zip(found["sources"], route["sources"], strict=True):
        changes = theirs.pop("possible_changes")
        assert [each["factId"] for each in mine["possibleChanges"]] == [c["fact"] for c in changes]
        assert {name: mine[camel(name)] for name in theirs} == theirs
        linked = [mine[kind] for kind in ("episode", "fact", "note", "chunk", "skill")]
        assert [each["id"] for each in linked if each] == [mine["id"]]
    nothing = (await world.stranger.ask(query, i=given))["ask"]
    assert (nothing["sources"], nothing["untrusted"]["sentences"]) == ([], [])
    _, error = await world.curator.wrong(query, i={"query": "", "maxRounds": 9})
    assert error["extensions"]["code"] == "InvalidInput"


async def test_learnings_are_asked_as_over_the_route(world: World) -> None:
    query = """query Q($q: String!) { askLearnings(query: $q, first: 5) {
      mode items { id quality freshness note { namespace } untrusted { content } } } }"""
    found = (await world.curator.ask(query, q="oiled pump"))["askLearnings"]
    route = await world.curator.get("/v1/learnings", query="oiled pump", limit=5)
    assert found["mode"] == route["mode"] != "none"
    assert [each["id"] for each in found["items"]] == [each["id"] for each in route["items"]]
    assert [each["quality"] for each in found["items"]] == [e["quality"] for e in route["items"]]
    assert {each["note"]["namespace"] for each in found["items"]} == {"learnings"}
    assert (await world.stranger.ask(query, q="oiled pump"))["askLearnings"]["items"] == []
    status, error = await world.curator.wrong(query, q=" ")
    assert (status, error["extensions"]["field"]) == (422, "query")


async def test_who_asks_is_told_and_no_key_s_text(world: World) -> None:
    query = """{ whoAmI { principal kind name tenant home keyId key { id principal role prefix }
      scopes(first: 1) { nodes { scope role } pageInfo { hasNextPage endCursor } } } }"""
    caller = world.curator.caller
    found = (await world.curator.ask(query))["whoAmI"]
    assert (found["principal"], found["home"]) == (caller.principal, world.scope)
    assert found["key"]["id"] == found["keyId"] == caller.key
    assert (found["key"]["role"], found["key"]["principal"]) == ("curator", caller.principal)
    tenant = world.scope.partition("/")[0]
    assert found["scopes"]["nodes"] == [{"scope": tenant, "role": "reader"}]
    assert found["scopes"]["pageInfo"] == {"hasNextPage": True, "endCursor": tenant}
    rest = "query Q($a: String) { whoAmI { scopes(after: $a) { nodes { scope role } } } }"
    shown = (await world.curator.ask(rest, a=tenant))["whoAmI"]["scopes"]["nodes"]
    assert shown == [{"scope": world.scope, "role": "curator"}]


async def test_what_is_named_twice_in_a_level_is_read_once(world: World) -> None:
    fact = f'fact(id: "{world.ids["fact"]}") {{ id subject {{ id }} support {{ claim }} }}'
    ran = await counted(world, f"{{ a: {fact} b: {fact} }}")
    # The fact itself, and one level below it its support and its subject.
    assert ran == {"graphql.facts_by_id": 2, "graphql.entities_by_id": 1}


EVERY = """query Q($entity: ID!, $page: ID!, $skill: ID!, $base: ID!, $document: ID!, $note: ID!,
                $community: ID!, $fact: ID!) {
  entity(id: $entity) { name
    backlinks { nodes { page { slug } untrusted { excerpt } } }
    neighbours { nodes { kind predicate fact { predicate } entity { name } } }
    episodes { nodes { untrusted { content } } } }
  page(id: $page) {
    backlinkCount referenceCount
    backlinks { nodes { pageId page { id } untrusted { title texts } } }
    links { nodes { kind entity { name } page { slug } } }
    versions { nodes { version } }
    untrusted { pending } }
  skill(id: $skill) {
    versions { nodes { version changeType } }
    links { nodes { type source target other { slug } } }
    conflicts { nodes { id skills { id } } } }
  knowledgeBase(id: $base) { documents { nodes { id chunkCount } } }
  document(id: $document) { knowledgeBase { id } chunks(first: 3) { nodes { number } } }
  note(id: $note) { untrusted { tags } sources { id } versions { nodes { version } } }
  community(id: $community) { size members { nodes { name } } parts { nodes { id } }
    central { entity { name } } }
  fact(id: $fact) { history { nodes { interval { standing } } }
    contradicts { id status } supersededBy { id } subject { name } object { name } }
  quarantine { nodes { fact { id } reasons against { id } } }
}"""


async def test_what_hangs_on_what(world: World) -> None:
    names = ("entity", "page", "skill", "base", "document", "note", "community", "fact")
    found = await world.curator.ask(EVERY, **{name: world.ids[name] for name in names})
    entity, page, skill = found["entity"], found["page"], found["skill"]
    assert [link["page"]["slug"] for link in entity["backlinks"]["nodes"]] == ["valve"]
    assert "Of [[entity:Ada Berger]]" in entity["backlinks"]["nodes"][0]["untrusted"]["excerpt"]
    kinds = {each["kind"] for each in entity["neighbours"]["nodes"]}
    assert kinds == {"COOCCURS", "RELATES_TO"}
    assert "Acme GmbH" in {each["entity"]["name"] for each in entity["neighbours"]["nodes"]}
    assert page["untrusted"]["pending"] == ["Nowhere"]
    assert {each["kind"] for each in page["links"]["nodes"]} == {"page", "entity"}
    assert (page["backlinkCount"], page["referenceCount"]) == (1, 2)
    assert [each["other"]["slug"] for each in skill["links"]["nodes"]] == ["deploy"]
    assert [each["version"] for each in skill["versions"]["nodes"]] == ["1.0.0"]
    assert [each["id"] for each in found["knowledgeBase"]["documents"]["nodes"]] == [
        world.ids["document"]
    ]
    assert [each["number"] for each in found["document"]["chunks"]["nodes"]] == [0, 1, 2]
    members = {each["name"] for each in found["community"]["members"]["nodes"]}
    assert len(members) == min(found["community"]["size"], 20)
    assert found["fact"]["object"]["name"] == "Bremen"
    assert [each["id"] for each in found["fact"]["contradicts"]] == [world.ids["waiting"]]
    waiting = found["quarantine"]["nodes"]
    assert [each["fact"]["id"] for each in waiting] == [world.ids["waiting"]]
    assert [each["id"] for each in waiting[0]["against"]] == [world.ids["fact"]]


async def test_both_clocks_hold_below_the_field_that_was_given_them(world: World) -> None:
    query = """query Q($id: ID!, $at: Time) {
      now: entity(id: $id) { facts { nodes { id } } }
      then: entity(id: $id, asOf: $at) { facts { nodes { id } } neighbours { nodes { kind } } }
      again: entity(id: $id, asOf: $at) { facts(asOf: "2999-01-01T00:00:00Z") { nodes { id } } }
    }"""
    found = await world.curator.ask(query, id=world.ids["entity"], at="1990-01-01T00:00:00Z")
    assert world.ids["fact"] in [each["id"] for each in found["now"]["facts"]["nodes"]]
    assert found["then"]["facts"]["nodes"] == []
    assert {each["kind"] for each in found["then"]["neighbours"]["nodes"]} == {"COOCCURS"}
    assert found["again"] == found["now"]
    status, error = await world.curator.wrong(query, id=world.ids["entity"], at="1990-01-01")
    assert (status, error["extensions"]["code"]) == (422, "InvalidInput")
    gone = 'query Q($id: ID!) { entity(id: $id, knownAt: "2001-01-01T00:00:00Z") { id } }'
    _, error = await world.curator.wrong(gone, id=world.ids["entity"])
    assert error["extensions"]["code"] == "NotFound"


@dataclass(frozen=True)
class Told:
    """What one person said of two others on three days; `before` is when the last was not known."""

    who: Client
    days: list[str]
    nils: str
    before: str

    async def below(self, query: str, **moments: str) -> dict[str, Any]:
        """What stands below the entity at some moments."""
        text = "query Q($id: ID!, $as: Time, $known: Time) {"
        text += f" entity(id: $id, asOf: $as, knownAt: $known) {{ {query} }} }}"
        entity: dict[str, Any] = (await self.who.ask(text, id=self.nils, **moments))["entity"]
        return entity

    async def beside(self, **moments: str) -> set[str]:
        """The names that texts mention beside it at some moments."""
        shown = await self.below("neighbours { nodes { kind entity { name } } }", **moments)
        nodes = shown["neighbours"]["nodes"]
        return {each["entity"]["name"] for each in nodes if each["kind"] == "COOCCURS"}


@pytest_asyncio.fixture(loop_scope="session")
async def said(opened: Parts, principal: MakePrincipal, tenant: str) -> Told:
    """Where two live, that they met, and that the first has moved."""
    scope, days, before = f"{tenant}/dev", [], ""
    made = await principal(scope, role=Role.CURATOR, name="otto", kind="user")
    who = Client(made.http, made.caller)
    for text, day in (
        ("Nils Ohm lives in Kiel.", "2024-01-01"),
        ("Vera Pohl lives in Graz.", "2024-02-01"),
        ("Nils Ohm moved to Bonn and met Vera Pohl.", "2025-03-01"),
    ):
        before = datetime.now(UTC).isoformat()
        body = {"content": text, "session": "talk", "role": "user"}
        receipt = await who.post("/v1/episodes", **body, captured_at=f"{day}T00:00:00Z")
        await opened.consolidation.consolidate(scope)
        days.append(receipt["id"])
    await opened.indexing.drain()
    (nils,) = (await who.get("/v1/entities", name="Nils Ohm"))["items"]
    return Told(who, days, nils["id"], before)


BETWEEN = "2024-06-01T00:00:00Z"


async def test_a_text_joins_while_it_is_shown_and_from_when_it_was_known(said: Told) -> None:
    assert "Vera Pohl" in await said.beside()
    assert "Vera Pohl" not in await said.beside(known=said.before)
    assert "Kiel" in await said.beside(known=said.before)
    assert "Vera Pohl" in await said.beside(**{"as": BETWEEN}), "it has no date in the world"
    for verb, shown in (("forget", False), ("unforget", True)):
        await said.who.post(f"/v1/memories/{said.days[2]}/{verb}")
        assert ("Vera Pohl" in await said.beside()) is shown


async def test_texts_below_a_moment_were_said_and_known_by_then(said: Told) -> None:
    query = "episodes { nodes { id session { episodeCount lastAt episodes { nodes { id } } } } }"

    async def texts(**moments: str) -> tuple[list[str], list[str], int]:
        nodes = (await said.below(query, **moments))["episodes"]["nodes"]
        session = nodes[0]["session"]
        listed = [each["id"] for each in session["episodes"]["nodes"]]
        return [each["id"] for each in nodes], listed, session["episodeCount"]

    first, second, third = said.days
    assert await texts() == ([third, first], [first, second, third], 3)
    for moments in ({"as": BETWEEN}, {"known": said.before}):
        assert await texts(**moments) == ([first], [first, second], 2)


async def test_what_was_dated_ahead_is_shown_where_no_moment_is_named(
    opened: Parts, said: Told
) -> None:
    body = {"content": "Nils Ohm lives in Bonn.", "session": "talk", "role": "user"}
    receipt = await said.who.post("/v1/episodes", **body, captured_at="2999-01-01T00:00:00Z")
    await opened.consolidation.consolidate(said.who.caller.home)
    query = "episodes { nodes { id session { episodeCount episodes { nodes { id } } } } }"
    for moments, shown in (({}, True), ({"as": BETWEEN}, False)):
        nodes = (await said.below(query, **moments))["episodes"]["nodes"]
        session = nodes[0]["session"]
        listed = [each["id"] for each in session["episodes"]["nodes"]]
        assert ([receipt["id"] in [each["id"] for each in nodes], receipt["id"] in listed]) == [
            shown, shown
        ]  # fmt: skip
        assert session["episodeCount"] == len(listed)


AT = "intervals { validFrom validTo standing recordedAt } status"


async def test_a_hit_is_shown_at_the_moments_of_its_search(said: Told) -> None:
    text = f"query S($i: SearchInput!) {{ search(input: $i) {{ hits {{ fact {{ id {AT} }} }} }} }}"
    one = f"""query F($id: ID!, $as: Time, $known: Time) {{
      fact(id: $id, asOf: $as, knownAt: $known) {{ id {AT} }} }}"""
    asked = {"query": "Where does Nils Ohm live?", "kinds": ["fact"]}
    ends = []
    for moments, given in (
        ({}, {}),
        ({"as": BETWEEN}, {"asOf": BETWEEN}),
        ({"known": said.before}, {"knownAt": said.before}),
    ):
        hits = (await said.who.ask(text, i={**asked, **given}))["search"]["hits"]
        assert hits
        for hit in hits:
            fact = (await said.who.ask(one, id=hit["fact"]["id"], **moments))["fact"]
            assert hit["fact"] == fact
            assert fact["intervals"]
            ends += [interval["validTo"] for interval in fact["intervals"] if moments]
    assert len(set(ends)) == 2, "it was open as it was known first, and is not now"


async def test_a_history_tells_what_was_known_by_then(said: Told) -> None:
    query = """facts(asOf: "2024-06-01T00:00:00Z", predicates: ["lives_in"]) { nodes {
      id history { nodes { interval { validTo retractedAt } } } } }"""
    (then,) = (await said.below(query, known=said.before))["facts"]["nodes"]
    (now,) = (await said.below(query))["facts"]["nodes"]
    assert now["id"] == then["id"]
    (interval,) = [each["interval"] for each in then["history"]["nodes"]]
    assert interval == {"validTo": None, "retractedAt": None}
    newest, oldest = [each["interval"] for each in now["history"]["nodes"]]
    assert newest["validTo"] is not None
    assert newest["retractedAt"] is None
    assert oldest["validTo"] is None
    assert oldest["retractedAt"] is not None
    route = await said.who.get(f"/v1/facts/{now['id']}/history")
    assert len(route["intervals"]) == 2


@pytest.mark.parametrize("when", ["as_of", "known_at"])
async def test_a_note_of_a_moment_is_shown_as_the_route_shows_it(world: World, when: str) -> None:
    who, note = world.curator, world.ids["note"]
    query = """query Q($id: ID!, $as_of: Time, $known_at: Time) {
      note(id: $id, asOf: $as_of, knownAt: $known_at) { id } }"""
    for at, status in (("1990-01-01T00:00:00Z", 404), ("2999-01-01T00:00:00Z", 200)):
        route = await who.http.get(f"/v1/notes/{note}", params={when: at})
        assert route.status_code == status, route.text
        found = await who.send(query, id=note, **{when: at})
        if status == 200:
            assert found.json()["data"] == {"note": {"id": note}}
        else:
            (error,) = found.json()["errors"]
            assert error["extensions"]["code"] == "NotFound"
            assert error["message"] == route.json()["detail"]
    assert await who.ask(query, id=note) == {"note": {"id": note}}


async def test_the_facts_of_a_scope_by_predicate_and_moment_are_those_of_the_route(
    world: World,
) -> None:
    query = """query Q($of: [String!], $by: [String!], $at: Time) {
      facts(scopes: $of, predicates: $by, asOf: $at, first: 100) { nodes { id } } }"""

    async def found(who: Any, **given: Any) -> set[str]:
        nodes = (await who.ask(query, **given))["facts"]["nodes"]
        return {node["id"] for node in nodes}

    who, at = world.curator, "1990-01-01T00:00:00Z"
    for given, asked in (
        ({"of": [world.scope]}, {"scope": world.scope}),
        ({"of": [world.scope], "by": ["lives_in"]}, {"predicate": "lives_in"}),
        ({"of": [world.scope], "by": ["married_to"]}, {"predicate": "married_to"}),
        ({"of": [world.scope], "at": at}, {"as_of": at}),
    ):
        route = await who.get("/v1/facts", **{"scope": world.scope, "limit": 100, **asked})
        assert await found(who, **given) == {fact["id"] for fact in route["items"]}
    assert world.ids["fact"] in await found(who, of=[world.scope], by=["lives_in"])
    assert await found(who, of=[world.scope], by=["married_to"]) == set()
    assert await found(who, of=[world.scope], at=at) == set()
    assert world.ids["fact"] not in await found(world.stranger)
    status, error = await world.stranger.wrong(query, of=[world.scope])
    assert (status, error["extensions"]["code"]) == (404, "NotFound")


async def walked(world: World, query: str, *path: str) -> list[Any]:
    """All nodes of a list, by steps of two, with the cursors as they come."""
    nodes: list[Any] = []
    after = None
    for _ in range(50):
        held: Any = await world.curator.ask(query, after=after)
        for step in path:
            held = held[step]
        nodes += [edge["node"] for edge in held["edges"]]
        assert [edge["node"] for edge in held["edges"]] == held["nodes"]
        assert len(held["nodes"]) <= 2
        if not held["pageInfo"]["hasNextPage"]:
            return nodes
        assert held["pageInfo"]["endCursor"] == held["edges"][-1]["cursor"]
        after = held["pageInfo"]["endCursor"]
    raise AssertionError("the list has no end")


LISTED = {
    "episodes": ("episodes", "id"),
    "entities": ("entities", "id"),
    "pages": ("pages", "id"),
    "skills": ("skills", "id"),
    "notes": ("notes", "id"),
    "communities": ("communities", "id"),
    "documents": ("documents", "id"),
    "learnings": ("learnings", "id"),
    "skillProposals": ("skillProposals", "id"),
    "merges": ("merges", "id"),
    "jobs": ("jobs", "id"),
    "pendingPages": ("pendingPages", "pageId"),
    "agents": ("agents", "id"),
    "teams": ("teams", "scope"),
    "predicates": ("predicates", "name"),
    "badPatterns": ("badPatterns", "id"),
    "feedback": ("feedback", "id"),
    "learningLog": ("learningLog", "id"),
    "auditEvents": ("auditEvents", "id at"),
    "turns": ('session(id: "{session}") {{ list: episodes', "id"),
    "holders": ('skill(id: "{skill}") {{ list: holders', "agent"),
    "concerns": ('skill(id: "{skill}") {{ list: entities', "entityId"),
    "outcomes": ('skill(id: "{skill}") {{ list: outcomes', "id"),
    "places": ("whoAmI {{ list: scopes", "scope"),
    "knowledgeBases": ("knowledgeBases", "id"),
    "neighbours": ('entity(id: "{entity}") {{ list: neighbours', "kind entityId factId"),
    "facts": ('entity(id: "{entity}") {{ list: facts', "id"),
    "mentions": ('episode(id: "{episode}") {{ list: mentions', "id"),
    "supported": ('episode(id: "{episode}") {{ list: facts', "id"),
    "mentioning": ('entity(id: "{entity}") {{ list: episodes', "id"),
    "chunks": ('document(id: "{document}") {{ list: chunks', "id number"),
    "members": ('community(id: "{community}") {{ list: members', "id"),
    "links": ('page(id: "{page}") {{ list: links', "targetId"),
    "backlinks": ('page(id: "{page}") {{ list: backlinks', "pageId"),
}


PAGE = (
    "{{ edges {{ cursor node {{ {0} }} }} nodes {{ {0} }} pageInfo {{ hasNextPage endCursor }} }}"
)


async def test_lists_go_on_from_every_cursor(world: World) -> None:
    """By twos, whole and without repeats: what one page of a hundred holds."""
    for name, (field, what) in LISTED.items():
        head = field.format(**world.ids) if "{" in field else f"list: {field}"
        tail = "}" if "{" in field else ""
        query = (
            "query Q($after: String) { " + head + "(first: 2, after: $after) " + PAGE.format(what)
        )
        path = ("list",) if not tail else (head.split("(")[0].split("{")[0].strip(), "list")
        some = await walked(world, f"{query} {tail} }}", *path)
        whole: Any = await world.curator.ask(f"{query} {tail} }}".replace("first: 2", "first: 100"))
        for step in path:
            whole = whole[step]
        assert some == whole["nodes"], name
        assert len(some) == len({str(each) for each in some}), name


async def test_cursors_are_those_of_the_routes(world: World) -> None:
    same = ("episodes", "entities", "pages", "merges", "jobs", "feedback")
    other = {"skillProposals": "skill-proposals", "badPatterns": "bad-patterns",
             "auditEvents": "audit", "learningLog": "learning-log"}  # fmt: skip
    for field, route in [*((name, name) for name in same), *other.items()]:
        shown = await world.curator.get(f"/v1/{route}", limit=1)
        data = await world.curator.ask(f"{{ {field}(first: 1) {{ pageInfo {{ endCursor }} }} }}")
        assert shown["next"] in (data[field]["pageInfo"]["endCursor"], None), field


async def test_search_tells_why(world: World) -> None:
    query = """query Q($i: SearchInput!) { search(input: $i) { mode count hits {
      id kind score scoreBand legs window { start end } untrusted { text } episode { id }
      fact { id subject { name } } } } }"""
    given = {
        "query": "Where does Ada Berger live?",
        "first": 5,
        "kinds": ["fact"],
        "mode": "keyword",
    }
    found = (await world.curator.ask(query, i=given))["search"]
    over = {"query": given["query"], "limit": 5, "kinds": ["fact"], "mode": "keyword"}
    route = await world.curator.post("/v1/search", **over)
    assert [hit["id"] for hit in found["hits"]] == [hit["id"] for hit in route["hits"]]
    assert found["count"] == route["count"] > 0
    assert [hit["legs"] for hit in found["hits"]] == [hit["legs"] for hit in route["hits"]]
    assert all(hit["fact"]["id"] == hit["id"] and hit["episode"] is None for hit in found["hits"])


async def test_nobody_sees_another_tenant(world: World) -> None:
    """Every kind by its id, with a stranger's key: not there. Every list: empty."""
    for name in ROUTES:
        query = f'{{ {name}(id: "{world.ids[name]}") {{ id }} }}'
        _, error = await world.stranger.wrong(query)
        mine = await world.curator.ask(query)
        assert mine[name]["id"], name
        assert (error["extensions"]["code"], error["extensions"]["status"]) == ("NotFound", 404)
    lists = ("episodes", "entities", "pages", "skills", "notes", "communities", "documents",
             "knowledgeBases", "quarantine", "skillConflicts", "learnings", "skillProposals",
             "merges", "jobs", "orphanPages", "pendingPages", "badPatterns", "feedback",
             "learningLog", "promotions")  # fmt: skip
    for name in lists:
        held = await world.stranger.ask(f"{{ {name} {{ edges {{ cursor }} }} }}")
        assert held[name]["edges"] == [], name
        if name == "jobs":  # which are of the scopes that a key sees, as over the route
            continue
        _, error = await world.stranger.wrong(
            f"query Q($s: [String!]) {{ {name}(scopes: $s) {{ edges {{ cursor }} }} }}",
            s=[world.scope],
        )
        assert error["extensions"]["code"] == "NotFound"
        assert error["extensions"]["field"] == "scopes"


@pytest.mark.parametrize("name", [*ROUTES, "knowledgeBase"])
async def test_every_relation_answers(world: World, name: str) -> None:
    """One level of everything that hangs on a kind, so that no resolver is without its query."""
    kind = of_field(name)
    key = world.ids["base" if name == "knowledgeBase" else name]
    texts = [
        f"{field}{'(first: 2)' if 'first' in given.args else ''} {below_of(given)}"
        for field, given in kind.fields.items()
        if not is_leaf_type(get_named_type(given.type))
    ]
    asked = [world.curator.ask(f'{{ {name}(id: "{key}") {{ {text} }} }}') for text in texts]
    assert all(found[name] is not None for found in await asyncio.gather(*asked))


def below_of(given: Any) -> str:
    inner = get_named_type(given.type)
    assert isinstance(inner, GraphQLObjectType)
    if not inner.name.endswith("Connection"):
        return selection(inner)
    node = get_named_type(inner.fields["nodes"].type)
    assert isinstance(node, GraphQLObjectType)
    return f"{{ nodes {selection(node)} }}"
