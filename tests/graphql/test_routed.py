"""Fields of GraphQL that are routes which read: they tell, refuse and hide what the routes do."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio
from graphql import GraphQLObjectType, get_named_type, parse

from app.errors import QueryRefused
from app.graphql.inputs import snake
from app.graphql.limits import Limits, check
from app.graphql.routed import ROUTED
from app.graphql.schema import build
from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal

SCHEMA = build()
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
# A field, what it is asked with, and its route; `{…}` stands for an id of what was made.
ALIKE: dict[str, tuple[str, str]] = {
    "workingTasks": ("", "/v1/working-memory"),
    "workingTask": ('task: "bake"', "/v1/working-memory/bake"),
    "workingValue": (
        'task: "bake", part: "keys", name: "oven"', "/v1/working-memory/bake/keys/oven"
    ),
    "workingPart": ('task: "bake", part: "state"', "/v1/working-memory/bake/state"),
    "workingCopy": ('task: "bake"', "/v1/working-memory/bake/copy"),
    "shortMemories": ('session: "s1"', "/v1/short-term-memory?session=s1"),
    "tierStatistics": ("", "/v1/tiers/stats"),
    "conversation": ('conversation: "talk"', "/v1/conversations/talk"),
    "conversationBuffer": ('conversation: "talk"', "/v1/conversations/talk/messages"),
    "conversationWindow": (
        'conversation: "talk", first: 1', "/v1/conversations/talk/window?limit=1"
    ),
    "midTermMemory": ("", "/v1/mid-term-memory"),
    "pool": ('pool: "kiln"', "/v1/pools/kiln"),
    "pools": ('type: "shared"', "/v1/pools?type=shared"),
    "poolData": ('pool: "kiln", path: "heat.top"', "/v1/pools/kiln/data?path=heat.top"),
    "poolVersions": ('pool: "kiln"', "/v1/pools/kiln/versions"),
    "poolEvents": ('pool: "kiln"', "/v1/pools/kiln/events"),
    "poolAccess": ('pool: "kiln"', "/v1/pools/kiln/access"),
    "persistentContext": ('context: "{context}"', "/v1/contexts/{context}"),
    "persistentContexts": ('status: "active"', "/v1/contexts?status=active"),
    "contextEntries": ('context: "{context}"', "/v1/contexts/{context}/entries"),
    "contextSnapshots": ('context: "{context}"', "/v1/contexts/{context}/snapshots"),
    "contextEntryVersions": (
        'context: "{context}", entry: "{entry}"',
        "/v1/contexts/{context}/entries/{entry}/versions",
    ),
    "contextIntegrity": ('context: "{context}"', "/v1/contexts/{context}/integrity"),
    "observations": ("processed: false", "/v1/observations?processed=false"),
    "interventionPolicies": ("", "/v1/intervention-policies"),
    "snapshot": ("", "/v1/snapshots"),
    "dayPages": ("", "/v1/snapshots/days"),
    "toolStatistics": ("", "/v1/traces/tool-statistics"),
    "segment": ('segment: "{segment}"', "/v1/segments/{segment}"),
    "segments": ('state: "open"', "/v1/segments?state=open"),
    "intents": ("", "/v1/intents"),
    "learned": ("", "/v1/learned"),
    "learnedChanges": ("", "/v1/learned/changes"),
    "tableSuggestions": ("", "/v1/tables/suggestions"),
    "noteRating": ('noteId: "{note}"', "/v1/notes/{note}/rating"),
}  # fmt: skip
# Fields whose route reads by POST, with the same body.
ASKING: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "searchTiers": ("", '{query: "heat"}', "/v1/tiers/search", {"query": "heat"}),
    "searchContext": (
        'context: "{context}", ', '{query: "heat", threshold: 0.0}',
        "/v1/contexts/{context}/search", {"query": "heat", "threshold": 0.0},
    ),
    "queryTable": (
        'table: "{table}", ', '{filter: {column: "name", op: "eq", value: "Ada"}}',
        "/v1/tables/{table}/query",
        {"filter": {"column": "name", "op": "eq", "value": "Ada"}},
    ),
    "similarTraces": ("", '{task: "Bake"}', "/v1/traces/similar", {"task": "Bake"}),
}  # fmt: skip


@pytest_asyncio.fixture
async def made(writer: Principal) -> dict[str, str]:
    """Ids of some of each; the writer keeps it all."""
    sent = writer.http

    async def post(path: str, **body: Any) -> dict[str, Any]:
        answer = await sent.post(path, json=body)
        assert answer.status_code < 300, (path, answer.text)
        told: dict[str, Any] = answer.json()
        return told

    for place, value in (("keys/oven", {"on": True}), ("state", {"step": 2})):
        kept = await sent.put(f"/v1/working-memory/bake/{place}", json={"value": value})
        assert kept.status_code < 300, kept.text
    await sent.put("/v1/working-memory/bake/copy")
    short = await post("/v1/short-term-memory", session="s1", key="flour", value="rye")
    await post("/v1/conversations/talk/messages", messages=[
        {"role": "user", "content": "The oven is hot."},
        {"role": "assistant", "content": "I bake the bread."},
    ])  # fmt: skip
    await post("/v1/pools", name="Kiln", pool_id="kiln", type="shared", data={"heat": {"top": 9}})
    await sent.put("/v1/pools/kiln/data?path=heat.top", json={"value": 12})
    context = await post("/v1/contexts", name="Oven")
    entries = f"/v1/contexts/{context['id']}/entries"
    entry = await post(entries, key="heat", content="The heat is great.", entry_type="fact")
    await sent.put(f"{entries}/{entry['id']}/content", json={"content": "The heat is small."})
    await post(f"/v1/contexts/{context['id']}/snapshots", name="first")
    await post("/v1/observations", items=[{"sensor": "gate", "key": "k", "payload": {"at": "x"}}])
    segment = await post("/v1/segments", task="Bake bread")
    columns = [{"name": "name", "type": "text"}]
    table = await post("/v1/tables", name="bakers", columns=columns)
    await post(f"/v1/tables/{table['id']}/rows", rows=[{"name": "Ada"}, {"name": "Bo"}])
    note = await post("/v1/notes", content="The oven stands in the cellar.")
    return {
        "short": short["id"], "context": context["id"], "entry": entry["id"],
        "segment": segment["id"], "table": table["id"], "note": note["id"],
    }  # fmt: skip


def put(text: str, ids: dict[str, str]) -> str:
    """A text with each id in its place."""
    for name, identifier in ids.items():
        text = text.replace(f"{{{name}}}", identifier)
    return text


def selection(kind: Any) -> str:
    """Everything that a value holds."""
    shown = []
    for name, field in kind.fields.items():
        inner = get_named_type(field.type)
        below = f" {selection(inner)}" if isinstance(inner, GraphQLObjectType) else ""
        shown.append(f"{name}{below}")
    return "{ " + " ".join(shown) + " }"


def whole(name: str) -> str:
    """The same of a field, of the nodes of a page where it is a list."""
    assert SCHEMA.query_type is not None
    kind = get_named_type(SCHEMA.query_type.fields[name].type)
    if ROUTED[name].by is None:
        return selection(kind)
    assert isinstance(kind, GraphQLObjectType)
    return f"{{ nodes {selection(get_named_type(kind.fields['nodes'].type))} }}"


def alike(value: Any) -> Any:
    """A value with names as REST has them and moments as one writes them."""
    if isinstance(value, dict):
        return {snake(name): alike(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [alike(inner) for inner in value]
    if isinstance(value, str) and MOMENT.fullmatch(value):
        return datetime.fromisoformat(value).astimezone(UTC)
    return value


# What tells the moment of its reading.
OF_NOW = {
    "snapshot": ("taken_at",),
    "toolStatistics": ("since", "until"),
    "queryTable": ("known_at",),
}


def timeless(name: str, value: Any) -> Any:
    """A value without the moment at which it was read, and without seconds that are left."""
    if isinstance(value, list):
        return [timeless(name, inner) for inner in value]
    if not isinstance(value, dict):
        return value
    passing = {"ttl", *OF_NOW.get(name, ())}
    return {key: timeless(name, inner) for key, inner in value.items() if key not in passing}


async def ask(who: Principal, query: str, **variables: Any) -> dict[str, Any]:
    answer = await who.http.post("/graphql", json={"query": query, "variables": variables})
    told: dict[str, Any] = answer.json()
    return told


async def read(who: Principal, name: str, given: str, ids: dict[str, str]) -> Any:
    asked = f"({put(given, ids)})" if given else ""
    told = await ask(who, f"{{ {name}{asked} {whole(name)} }}")
    assert "errors" not in told, (name, told["errors"])
    found = told["data"][name]
    return alike(found["nodes"] if ROUTED[name].by else found)


async def test_a_field_tells_what_its_route_tells(writer: Principal, made: dict[str, str]) -> None:
    empty = []
    for name, (given, path) in ALIKE.items():
        found = await read(writer, name, given, made)
        answer = await writer.http.get(put(path, made))
        assert answer.status_code == 200, (name, answer.text)
        route = alike(answer.json())
        wanted = route["items"] if ROUTED[name].by else route
        assert timeless(name, found) == timeless(name, wanted), name
        if not wanted or wanted == {"items": []}:
            empty.append(name)
    # What only upkeep, curators or nights make.
    assert set(empty) <= {
        "interventionPolicies", "intents", "learned", "learnedChanges", "midTermMemory",
        "toolStatistics", "dayPages",
    }  # fmt: skip


async def test_a_field_that_asks_takes_the_body_of_its_route(
    writer: Principal, made: dict[str, str]
) -> None:
    for name, (given, body, path, sent) in ASKING.items():
        found = await read(writer, name, f"{given}input: {body}", made)
        answer = await writer.http.post(put(path, made), json=sent)
        assert answer.status_code == 200, (name, answer.text)
        assert timeless(name, found) == timeless(name, alike(answer.json())), name
    rows = await read(writer, "queryTable", 'table: "{table}", input: {limit: 1}', made)
    assert len(rows["items"]) == 1


async def test_a_list_goes_on_where_its_cursor_stands(writer: Principal) -> None:
    for number in range(5):
        body = {"session": "s1", "key": f"k{number}", "value": number}
        assert (await writer.http.post("/v1/short-term-memory", json=body)).status_code == 201
    seen: list[str] = []
    after = None
    query = (
        "query Q($after: String) { shortMemories(first: 2, after: $after)"
        " { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } }"
    )
    while True:
        page = (await ask(writer, query, after=after))["data"]["shortMemories"]
        seen += [edge["node"]["id"] for edge in page["edges"]]
        assert page["pageInfo"]["hasPreviousPage"] is (after is not None)
        if not page["pageInfo"]["hasNextPage"]:
            break
        after = page["pageInfo"]["endCursor"]
        assert after == page["edges"][-1]["cursor"]
    listed = (await writer.http.get("/v1/short-term-memory")).json()["items"]
    assert seen == [item["id"] for item in listed]
    assert len(seen) == 5
    # A number that is a cursor is one here, too.
    changes = '{ learnedChanges(after: "%s") { nodes { version } } }'
    assert "errors" not in await ask(writer, changes % "3")
    (wrong,) = (await ask(writer, changes % "x"))["errors"]
    assert wrong["extensions"]["field"] == "after"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ('{ pools(type: "odd") { nodes { id } } }', "type"),
        ('{ pools(lifetime: "odd") { nodes { id } } }', "lifetime"),
        ('{ workingPart(task: "t", part: "odd") { untrusted } }', "part"),
        ('{ poolData(pool: "p", version: 0) { version } }', "version"),
        ('{ tierValue(key: "") { found } }', "key"),
        ('{ dayPages(day: "soon") { next } }', "day"),
        ('{ searchTiers(input: {query: ""}) { items { score } } }', "query"),
        ('{ conversation(conversation: "") { messages } }', "conversation"),
        ('{ pools(first: 101) { nodes { id } } }', "first"),
        ('{ pools(scopes: ["nobody/here"]) { nodes { id } } }', "scopes"),
    ],
)  # fmt: skip
async def test_what_is_refused_names_its_argument(
    writer: Principal, query: str, field: str
) -> None:
    (error,) = (await ask(writer, query))["errors"]
    told = error["extensions"]
    assert told.get("field", field) == field, error
    assert told["status"] in (404, 422), error


async def test_strangers_are_told_nothing(
    writer: Principal, made: dict[str, str], principal: MakePrincipal, tenant: str
) -> None:
    """Neither one of another scope, nor one of the same, where it is the agent's own."""
    elsewhere = await principal(f"{tenant}/elsewhere", name="elsewhere", role=Role.ADMIN)
    other = await principal("another-tenant", name="other", role=Role.ADMIN, kind="user")
    peer = await principal(writer.caller.home, name="peer", role=Role.WRITER)
    words = ("rye", "Kiln", "The heat", "oven is hot", "cellar", "Bake bread", "Ada")
    own = {"workingValue", "workingPart", "shortMemories", "conversationBuffer"}
    for name, (given, _) in ALIKE.items():
        asked = f"({put(given, made)})" if given else ""
        query = f"{{ {name}{asked} {whole(name)} }}"
        for who in (elsewhere, other, *([peer] if name in own else [])):
            answer = await who.http.post("/graphql", json={"query": query})
            assert not [word for word in words if word in answer.text], (name, answer.text)


async def test_a_field_asks_for_the_role_of_its_route(
    made: dict[str, str], writer: Principal, principal: MakePrincipal
) -> None:
    query = '{ recallOwn(input: {query: "heat"}) { way } }'
    reader = await principal(writer.caller.home, name="reads", role=Role.READER)
    (error,) = (await ask(reader, query))["errors"]
    assert error["extensions"]["status"] == 403
    assert made


@pytest.mark.parametrize(
    ("query", "costs"),
    [
        ('{ searchTiers(input: {query: "heat"}) { hits { id } } }', 500),
        ('{ searchContext(context: "c", input: {query: "heat"}) { items { id } } }', 500),
        ('{ tierContext(input: {query: "heat"}) { tokens } }', 1000),
        ('{ workingTask(task: "t") { items { name } } }', 90),
        ("{ pools(first: 100) { nodes { id } } }", 200),
    ],
)
def test_what_a_field_may_find_is_what_it_costs(query: str, costs: int) -> None:
    check(SCHEMA, parse(query), {}, Limits(cost=round(1.3 * costs)))
    with pytest.raises(QueryRefused, match="costs"):
        check(SCHEMA, parse(query), {}, Limits(cost=costs))
