"""Point 8: no request of anybody's makes a server error, and none is answered with what a part of
the installation says."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
import pytest
import pytest_asyncio
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_required_argument,
    is_required_input_field,
)
from litestar import Litestar
from pydantic import ValidationError

from app.entities.schemas import EntityChangeIn
from app.errors import GdsUnavailable, GraphBusy, GraphUnavailable, InvalidInput, QueryError
from app.graphql.relations import LISTS
from app.kernel.body import DEEPEST, deeper
from app.kernel.wire import LARGEST
from app.wiring import Parts
from tests.agentmemory.conftest import bridged
from tests.conftest import Principal
from tests.security.doorways import ACCEPT, beside, client
from tests.security.queries import roots

__all__ = ["bridged"]

DEEP = ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 50_000 + "1" + "}" * 50_000]
JSON = {"content-type": "application/json"}
CURSOR_NAMES = ("cursor", "after")
NUMBERS = ["-1", str(2**31), str(2**63 - 1), str(2**63), "9" * 30, "9" * 5_000, "1e400", "nan"]


def cursor(*pair: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(pair).encode()).decode()


CURSORS = [
    cursor("0001-01-01T00:00:00+14:00", "a"),
    cursor("0001-01-01T00:00:00+00:00", "a"),
    cursor("9999-12-31T23:59:59.999999-14:00", "a"),
    cursor("9999-12-31T23:59:59+00:00", "a"),
    cursor("2020-01-01T00:00:00+00:00:30", "a"),
    cursor("2020-01-01T00:00:00+00:00", "\ud800"),
    cursor("2020-01-01T00:00:00+00:00", "a" * 1_000),
    cursor(10**30, "a"),
    cursor(1e308, "a"),
    base64.urlsafe_b64encode(b"[" * 20_000).decode(),
    "9" * 5_000,
    "\x00",
]


def arguments(given: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The arguments of a field, and the fields of those that are objects, with their types."""
    for key, one in given.items():
        kind = get_named_type(one.type)
        yield (key,), kind
        if isinstance(kind, GraphQLInputObjectType):
            for name, inner in kind.fields.items():
                yield (key, name), get_named_type(inner.type)


LARGE: dict[str, list[Any]] = {
    "Int": [-1, 0, 2**31 - 1, -(2**31), 2**31, 2**63],
    "Float": [-1.0, 1e308, -1e308, 2.0**63],
}
# Root fields of GraphQL with a cursor, and those with numbers.
LISTED = [name for name, asked in roots().items() if "after" in asked.args]
NUMBERED = [
    (name, ".".join(path), str(kind))
    for name, asked in roots().items()
    for path, kind in arguments(asked.args)
    if str(kind) in LARGE
]


async def operations(http: httpx.AsyncClient, app: Litestar) -> list[tuple[str, str, Any]]:
    """Method, path and description of every operation of the document, ids made up."""
    document = (await http.get("/schema/openapi.json")).json()
    found = []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete"):
                parts = ["x" if part.startswith("{") else part for part in path.split("/")]
                found.append((method.upper(), "/".join(parts), operation))
    return found


@pytest.mark.parametrize("body", ["-1", "{}", "[]", '{"jsonrpc": "1.0", "id": 1}'])
async def test_a_body_that_is_no_message_is_told_in_a_sentence(admin: Principal, body: str) -> None:
    headers = JSON | ACCEPT
    answer = await admin.http.post("/mcp", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "the body is no message of JSON-RPC 2.0"
    assert "pydantic" not in answer.text


async def test_deep_json_is_refused_by_every_door_of_agents(
    bridged: Litestar, admin: Principal
) -> None:
    async with client(bridged, admin) as http:
        for valid in beside(admin.caller.tenant):
            for body in DEEP:
                answer = await http.request(valid.method, valid.path, content=body, headers=JSON)
                assert 400 <= answer.status_code < 500, (valid, answer.text[:300])


async def test_deep_json_is_refused_by_every_operation(app: Litestar, admin: Principal) -> None:
    tried, wrong = 0, []
    for method, path, operation in await operations(admin.http, app):
        if "application/json" not in operation.get("requestBody", {}).get("content", {}):
            continue
        for body in DEEP:
            answer = await admin.http.request(method, path, content=body, headers=JSON)
            tried += 1
            if not 400 <= answer.status_code < 500:
                wrong.append((method, path, answer.status_code))
    assert tried > 150
    assert not wrong


@dataclass(frozen=True)
class World:
    """Who asks, and ids of his own by the names that paths give them."""

    who: Principal
    ids: dict[str, str]


@pytest_asyncio.fixture(loop_scope="session")
async def world(admin: Principal) -> World:
    async def made(path: str, body: dict[str, Any]) -> str:
        answer = await admin.http.post(path, json=body)
        assert answer.status_code < 300, answer.text
        told = answer.json()
        return str(told.get("document", told)["id"])

    page = await made("/v1/pages", {"title": "Bounds", "content": "One."})
    changed = await admin.http.patch(f"/v1/pages/{page}", json={"content": "Two."})
    assert changed.status_code == 200, changed.text
    base = await made("/v1/knowledge-bases", {"name": "Bounds"})
    paper = {"knowledge_base": "Bounds", "name": "a.md", "text": "# A\n\nb"}
    document = await made("/v1/documents", {**paper, "media": "text/markdown"})
    called = {"url": "https://8.8.8.8/in"}
    ids = {
        "page_id": page,
        "version": "1",
        "base_id": base,
        "document_id": document,
        "webhook": await made("/v1/webhooks", called),
        "pool": "default",
    }
    return World(admin, ids)


def reached(path: str, ids: dict[str, str], made_up: str = "x") -> str:
    """The path with the ids that there are, others made up."""
    parts = path.split("/")
    return "/".join(ids.get(p[1:-1], made_up) if p.startswith("{") else p for p in parts)


async def lists(world: World, app: Litestar) -> list[tuple[str, list[Any]]]:
    """The path and the parameters of every operation that reads."""
    document = (await world.who.http.get("/schema/openapi.json")).json()
    return [
        (path, item["get"].get("parameters", []))
        for path, item in document["paths"].items()
        if "get" in item
    ]


def whole(shape: Any) -> bool:
    """Whether a parameter is a number, by its type and not by its name."""
    text = json.dumps(shape)
    return '"integer"' in text or '"number"' in text


@pytest.mark.parametrize("kind", ["cursor", "number"])
async def test_no_cursor_and_no_number_breaks_a_list(
    app: Litestar, world: World, kind: str
) -> None:
    tried, wrong = 0, []
    for path, parameters in await lists(world, app):
        for parameter in parameters:
            name, number = parameter["name"], whole(parameter["schema"])
            asked = kind == "number" if number else kind == "cursor" and name in CURSOR_NAMES
            if not asked:
                continue
            for value in NUMBERS if number else CURSORS:
                ids = {**world.ids, name: value} if parameter["in"] == "path" else world.ids
                query = {name: value} if parameter["in"] == "query" else None
                answer = await world.who.http.get(reached(path, ids), params=query)
                tried += 1
                if answer.status_code >= 500:
                    wrong.append((path, name, value[:40], answer.status_code))
    assert tried > 100
    assert not wrong


@pytest.mark.parametrize(
    "path",
    [
        "/v1/documents/{document_id}/chunks?after=",
        "/v1/documents/{document_id}/text?start=",
        "/v1/documents/{document_id}/text?end=",
        "/v1/learned/changes?after=",
        "/v1/pages/{page_id}/diff?old=1&new=",
        "/v1/pages/{page_id}/versions/",
        "/v1/webhooks/{webhook}/deliveries?cursor=",
    ],
)
async def test_a_number_is_read_to_its_bound(world: World, path: str) -> None:
    there = path.format(**world.ids)
    most = await world.who.http.get(f"{there}{LARGEST}")
    assert most.status_code in (200, 404, 409, 425), most.text
    for beyond in (LARGEST + 1, 2**63, 10**30):
        answer = await world.who.http.get(f"{there}{beyond}")
        assert answer.status_code in (400, 422), (beyond, answer.text)


async def test_what_the_driver_cannot_hold_is_refused_as_input(opened: Parts) -> None:
    with pytest.raises(InvalidInput):
        await opened.graph.raw("RETURN $number AS number", number=2**63)
    assert await opened.graph.raw("RETURN $number AS number", number=1) == [{"number": 1}]


async def test_no_attribute_of_an_entity_loses_digits() -> None:
    for number in (LARGEST + 1, -(2**63) - 1, 10**400):
        with pytest.raises(ValidationError):
            EntityChangeIn(attributes={"height": number})
    assert EntityChangeIn(attributes={"height": LARGEST}).attributes == {"height": LARGEST}


@pytest.mark.parametrize("name", LISTED)
async def test_cursors_break_no_list_of_graphql(admin: Principal, name: str) -> None:
    """Every list that one asks by its root field; a hung one reads its cursor by such an order."""
    for value in CURSORS:
        await asked_of_graphql(admin, name, "after", "String", value)


@pytest.mark.parametrize("listing", LISTS)
def test_cursors_break_no_list_that_hangs_on_a_thing(listing: str) -> None:
    for value in CURSORS:
        with suppress(InvalidInput):
            LISTS[listing].order.read(value)


@pytest.mark.parametrize(("name", "argument", "kind"), NUMBERED)
async def test_numbers_break_no_field_of_graphql(
    admin: Principal, name: str, argument: str, kind: str
) -> None:
    for value in LARGE[kind]:
        await asked_of_graphql(admin, name, argument, kind, value)


async def asked_of_graphql(who: Principal, name: str, argument: str, kind: str, value: Any) -> None:
    """Ask one root field with one of its arguments by a variable; no error is the server's."""
    text = graphql_query(name, argument, kind)
    content = orjson.dumps({"query": text, "variables": {"v": value}})
    answer = await who.http.post("/graphql", content=content, headers=JSON)
    told = answer.json()
    statuses = [error["extensions"]["status"] for error in told.get("errors", [])]
    assert all(status < 500 for status in statuses), (text, str(value)[:40], answer.text)
    assert not any("required" in error["message"] for error in told.get("errors", [])), told


def graphql_query(name: str, argument: str, kind: str) -> str:
    """A query of one root field, what it requires made up, one argument from a variable."""
    asked, (outer, *inner) = roots()[name], argument.split(".")
    given = [
        f"{key}: {sample(one.type, inner if key == outer else [])}"
        for key, one in asked.args.items()
        if key == outer or is_required_argument(one)
    ]
    shown = "" if is_leaf_type(get_named_type(asked.type)) else "{ __typename }"
    if not inner:
        given = [one for one in given if not one.startswith(f"{outer}: ")] + [f"{outer}: $v"]
    return f"query Q($v: {kind}) {{ {name}({', '.join(given)}) {shown} }}"


def sample(kind: Any, asked: Sequence[str] = ()) -> str:
    """A literal that a type takes; of an object the fields that are asked are `$v`."""
    kind = get_nullable_type(kind)
    if isinstance(kind, GraphQLList):
        return f"[{sample(kind.of_type)}]"
    if isinstance(kind, GraphQLEnumType):
        return next(iter(kind.values))
    if isinstance(kind, GraphQLInputObjectType):
        needed = {k: f for k, f in kind.fields.items() if is_required_input_field(f)}
        inner = [f"{k}: {sample(f.type)}" for k, f in needed.items() if k not in asked]
        return "{" + ", ".join([*inner, *(f"{key}: $v" for key in asked)]) + "}"
    return {"Int": "1", "Float": "1.0", "Boolean": "true", "Time": '"2026-01-01T00:00:00Z"'}.get(
        kind.name, '"x"'
    )


def test_depth_is_told_to_the_level() -> None:
    deep: Any = 1
    for _ in range(DEEPEST):
        deep = [deep]
    assert not deeper(deep, DEEPEST)
    assert deeper({"a": deep}, DEEPEST)


async def test_a_body_as_deep_as_allowed_is_read(writer: Principal) -> None:
    body = {"content": "As deep as it goes.", "session": "s", "metadata": None}
    answer = await writer.http.post("/v1/episodes", json={**body, "x": [[1] * 200]})
    assert answer.status_code == 422  # an unknown field, named, and no word of depth
    assert "x" in {each["field"] for each in answer.json()["errors"]}


@pytest.mark.parametrize(
    "error", [QueryError, GraphUnavailable, GraphBusy, GdsUnavailable], ids=lambda e: e.__name__
)
def test_what_a_part_says_is_for_the_log(error: type[Any]) -> None:
    made = error("Neo4j refused a query: MATCH (n) long overflow at bolt://10.0.0.5")
    assert "bolt" not in made.told
    assert "Neo4j refused" not in made.told


async def test_a_query_that_the_database_refuses_is_told_in_a_sentence(
    opened: Parts, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The shipped repository with a number that the server itself refuses.
    page = opened.communities.rows.page

    async def beyond(scopes: Any, where: Any, skip: int, limit: int) -> Any:
        return await page(scopes, where, 2**63 - 1, limit)

    monkeypatch.setattr(opened.communities.rows, "page", beyond)
    answer = await admin.http.get("/v1/communities")
    assert answer.status_code == 500
    assert "overflow" not in answer.text
    assert "Neo4j" not in answer.text


async def test_many_searches_in_one_document_cost_more_than_the_limit(admin: Principal) -> None:
    fields = " ".join(
        f's{n}: search(input: {{query: "word {n}", first: 100}}) {{ hits {{ id }} }}'
        for n in range(20)
    )
    answer = await admin.http.post("/graphql", json={"query": f"{{ {fields} }}"})
    assert answer.json()["errors"][0]["extensions"]["code"] == "QueryRefused"
    few = " ".join(f's{n}: search(input: {{query: "a"}}) {{ hits {{ id }} }}' for n in range(5))
    assert (
        "errors" not in (await admin.http.post("/graphql", json={"query": f"{{ {few} }}"})).json()
    )
