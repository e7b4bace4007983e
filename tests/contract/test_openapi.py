"""The OpenAPI document: it builds, is served to anyone, and names every operation once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from app.kernel.caller import Role
from app.kernel.departures import READS

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def schema(app: Litestar) -> dict[str, Any]:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci"
    ) as client:
        answer = await client.get("/schema/openapi.json")
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def operations(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, item in schema["paths"].items()
        for method, operation in item.items()
        if method in METHODS and not path.startswith("/schema")
    ]


@pytest.mark.parametrize("page", ["/schema/swagger", "/schema/scalar"])
async def test_the_pages_are_served_without_a_key(app: Litestar, page: str) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://loci"
    ) as client:
        answer = await client.get(page)
    assert answer.status_code == 200
    assert "text/html" in answer.headers["content-type"]


def test_every_operation_has_an_id_of_its_own(schema: dict[str, Any]) -> None:
    ids = [operation.get("operationId") for _, _, operation in operations(schema)]
    assert None not in ids
    assert len(ids) == len(set(ids))
    assert {"captureEpisode", "captureEpisodes", "search", "getMemory"} <= set(ids)


def test_no_example_is_drawn_at_random(schema: dict[str, Any]) -> None:
    """An example that Litestar makes up differs by what the process ran before, and the document
    with it."""
    assert '"examples"' not in json.dumps(schema)


def test_every_operation_is_tagged_and_described(schema: dict[str, Any]) -> None:
    bare = [
        f"{method} {path}"
        for path, method, operation in operations(schema)
        if not operation.get("tags") or not operation.get("description")
    ]
    assert bare == []


def test_every_operation_documents_the_problem_shape(schema: dict[str, Any]) -> None:
    problems = schema["components"]["schemas"]["Problem"]["properties"]
    assert {"type", "title", "status", "detail", "code", "instance", "errors"} <= set(problems)
    bare = []
    for path, method, operation in operations(schema):
        answer = operation["responses"].get("default", {})
        if "application/problem+json" not in answer.get("content", {}):
            bare.append(f"{method} {path}")
    assert bare == []


def test_a_body_has_no_other_fields_than_those_that_the_document_names(
    schema: dict[str, Any],
) -> None:
    named = schema["components"]["schemas"]
    bodies = {name: shape for name, shape in named.items() if name.endswith("In")}
    assert len(bodies) > 50
    open_ones = [n for n, shape in bodies.items() if shape.get("additionalProperties") is not False]
    assert open_ones == []
    assert named["NoteIn"]["properties"]["tags"]["items"]["type"] == "string"


def test_answers_that_have_two_successes_name_both(schema: dict[str, Any]) -> None:
    known = {operation["operationId"]: operation for _, _, operation in operations(schema)}
    for name, codes in {
        "captureEpisode": {"200", "201"},
        "createScope": {"200", "201"},
        "createSkill": {"200", "201"},
        "deleteScope": {"200", "202"},
        "erase": {"200", "202"},
        "healthReady": {"200", "503"},
        "writeNote": {"200", "201"},
    }.items():
        assert codes <= known[name]["responses"].keys(), name


def test_every_whole_number_of_a_request_has_a_maximum(schema: dict[str, Any]) -> None:
    open_ones = []
    for path, method, operation in operations(schema):
        contents = operation.get("requestBody", {}).get("content", {}).values()
        given = [(each["name"], each["schema"]) for each in operation.get("parameters", [])]
        for name, shape in [*given, *(("body", each["schema"]) for each in contents)]:
            places = without_maximum(schema, shape, name, frozenset())
            open_ones += [f"{method} {path} {place}" for place in places]
    assert open_ones == []


def without_maximum(
    schema: dict[str, Any], shape: Any, at: str, above: frozenset[str]
) -> Iterator[str]:
    """Where in a shape a whole number of any size may stand."""
    if "$ref" in shape:
        name = shape["$ref"].rsplit("/", 1)[-1]
        if name not in above:
            named = schema["components"]["schemas"][name]
            yield from without_maximum(schema, named, at, above | {name})
        return
    bounded = {"maximum", "exclusiveMaximum", "enum", "const"} & shape.keys()
    if shape.get("type") == "integer" and not bounded:
        yield at
    for name, inner in shape.get("properties", {}).items():
        yield from without_maximum(schema, inner, f"{at}.{name}", above)
    ways = [] if bounded else [*shape.get("oneOf", []), *shape.get("anyOf", [])]
    for inner in (*ways, shape.get("items"), shape.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from without_maximum(schema, inner, at, above)


# What a reader may do by a POST that leaves something behind.
LEAVES = {"exportPackage", "refreshMemoryToken"}


def test_what_a_reader_asks_by_a_post_ends_with_its_client(app: Litestar) -> None:
    """A search that goes on for nobody takes the time of others."""
    handlers = {
        handler
        for route in app.routes
        for handler in getattr(route, "route_handlers", [])
        if "POST" in getattr(handler, "http_methods", ())
        and handler.opt.get("requires") is Role.READER
    }
    assert len(handlers) > 20
    found = {
        str(handler.operation_id or handler) for handler in handlers if not handler.opt.get(READS)
    }
    assert found == LEAVES
