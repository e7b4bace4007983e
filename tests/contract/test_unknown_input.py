"""What a route does not know is refused, with its name: no parameter and no field is ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest_asyncio
from graphql import GraphQLList, GraphQLNonNull, GraphQLOutputType, GraphQLScalarType
from litestar import Litestar
from litestar.routes import HTTPRoute

from app.graphql.schema import build
from app.kernel.caller import Role
from tests.conftest import MakePrincipal, Principal

METHODS = ("get", "post", "put", "patch", "delete")


@pytest_asyncio.fixture
async def admin(principal: MakePrincipal, tenant: str) -> Principal:
    return await principal(tenant, role=Role.ADMIN, name="admin", kind="user")


def operations(app: Litestar) -> list[tuple[str, str, dict[str, Any]]]:
    paths = app.openapi_schema.to_schema()["paths"]
    return [
        (path, method, item[method]) for path, item in paths.items() for method in METHODS
        if method in item
    ]  # fmt: skip


def _filled(path: str) -> str:
    """The path with something in each place; a version is a number."""
    return re.sub(r"{\w+}", "none", path.replace("{version}", "1"))


async def test_every_route_refuses_a_parameter_that_it_does_not_declare(
    app: Litestar, admin: Principal
) -> None:
    wrong = []
    for path, method, operation in operations(app):
        declared = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "query"}
        for name in {"scop", "as_of"} - declared:
            url = _filled(path)
            answer = await admin.http.request(method, url, params={name: "acme"})
            told = answer.json() if "json" in answer.headers.get("content-type", "") else {}
            fields = [error["field"] for error in told.get("errors", ())]
            if (answer.status_code, fields) != (422, [name]):
                wrong.append(f"{method} {path}?{name}: {answer.status_code} {answer.text[:80]}")
    assert not wrong, "\n".join(wrong)


async def test_every_body_names_a_field_that_it_does_not_declare(
    app: Litestar, admin: Principal
) -> None:
    wrong = []
    for path, method, operation in operations(app):
        if "application/json" not in operation.get("requestBody", {}).get("content", {}):
            continue
        url = _filled(path)
        params = _needed(operation, admin)
        answer = await admin.http.request(method, url, params=params, json={"zzz": 1})
        fields = [e["field"].rpartition(".")[2] for e in answer.json().get("errors", ())]
        if answer.status_code != 422 or "zzz" not in fields:
            wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


async def test_a_field_called_like_a_part_of_ours_is_named_as_any_other(
    app: Litestar, admin: Principal
) -> None:
    # The framework tells a bad body from a broken dependency by that name, and would answer 500.
    wrong, tried = [], 0
    params_of = {
        (path, method): _needed(operation, admin) for path, method, operation in operations(app)
    }
    for path, method, names in _handlers(app):
        for name in sorted(names & app.dependencies.keys()):
            params = params_of.get((path, method))
            if params is None:
                continue
            answer = await admin.http.request(method, _filled(path), params=params, json={name: 1})
            fields = [e["field"] for e in answer.json().get("errors", ())]
            tried += 1
            if answer.status_code != 422 or name not in fields:
                wrong.append(f"{method} {path} {name}: {answer.status_code} {fields}")
    assert tried > 50
    assert not wrong, "\n".join(wrong)


def _handlers(app: Litestar) -> Iterator[tuple[str, str, set[str]]]:
    """Handlers with a body whose fields are declared: path, method, and what they ask for."""
    for route in app.routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else []:
            taken = handler.parsed_fn_signature.parameters
            if "data" in taken and hasattr(taken["data"].annotation, "model_fields"):
                yield route.path_format, min(handler.http_methods).lower(), set(taken)


def _needed(operation: dict[str, Any], admin: Principal) -> dict[str, str]:
    needs = {p["name"] for p in operation.get("parameters", ()) if p.get("required")}
    return {"scope": admin.caller.home} if "scope" in needs else {}


async def test_an_unknown_field_of_a_body_is_named(admin: Principal) -> None:
    note = {"content": "The deploy host is Basel.", "as_of": "2026-01-01T00:00:00Z"}
    answer = await admin.http.post("/v1/notes", json=note)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "as_of")
    assert (await admin.http.get("/v1/notes")).json()["items"] == []


def _of(kind: GraphQLOutputType) -> GraphQLOutputType:
    while isinstance(kind, GraphQLNonNull | GraphQLList):
        kind = kind.of_type
    return kind


async def test_graphql_refuses_what_a_field_does_not_take(admin: Principal) -> None:
    """An argument, `asOf` where a field has none among them, a field of an input, a variable."""
    schema, wrong = build(), []
    query = schema.query_type
    assert query is not None
    for name, field in query.fields.items():
        leaf = "" if isinstance(_of(field.type), GraphQLScalarType) else " { __typename }"
        for argument in {"scop", "asOf"} - set(field.args):
            text = f'{{ {name}({argument}: "2026-01-01T00:00:00Z"){leaf} }}'
            told = (await admin.http.post("/graphql", json={"query": text})).json()
            if not any(f"Unknown argument '{argument}'" in e["message"] for e in told["errors"]):
                wrong.append(f"{name}({argument}): {told}")
    assert not wrong, "\n".join(wrong[:10])
    text = "mutation C($i: NoteInput!) { writeNote(input: $i) { status } }"
    note = {"content": "The deploy host is Basel.", "asOf": "2026-01-01T00:00:00Z"}
    answer = await admin.http.post("/graphql", json={"query": text, "variables": {"i": note}})
    assert "asOf" in answer.json()["errors"][0]["message"]
    assert (await admin.http.get("/v1/notes")).json()["items"] == []
