"""Kinds that declare themselves readable, over GraphQL: as over REST, and as little."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLObjectType

from app.graphql.declared import PARTS, READABLE, WHOLES, plain_fields, type_name
from app.graphql.inputs import camel, snake
from app.graphql.schema import build
from app.kernel.caller import Role
from app.kernel.kind import Kind
from app.kinds import BY_NAME
from tests.conftest import MakePrincipal, Principal

SCHEMA = build()
ROUTES = {
    "work_item": "work-items", "goal": "goals", "escalation": "escalations", "trace": "traces",
    "data_table": "tables",
}  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "work_item": {"title": "Paint the door", "tags": ["blue"]},
    "goal": {"title": "Open in Graz", "criteria": "The door is open."},
    "escalation": {"title": "Which supplier?", "due_at": "2027-03-02T12:00:00Z"},
    "trace": {"task": "Ship the pump"},
    "data_table": {"name": "customers", "columns": [{"name": "name", "type": "text"}]},
}
# What only one of the two tells: what follows from the moment, and what is told apart here.
REST_ALONE = {"next", "stale_at", "pending_at", "history", "duration_ms", "tool_calls", "entity",
              "rows", "bytes"}  # fmt: skip
WORDS_ALONE = {"session", "keys"}


async def ask(who: Principal, query: str) -> dict[str, Any]:
    answer = await who.http.post("/graphql", json={"query": query})
    told: dict[str, Any] = answer.json()
    return told


async def made(who: Principal, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await who.http.post(f"/v1/{path}", json=body)
    assert answer.status_code in (200, 201), answer.text
    told: dict[str, Any] = answer.json()
    return told


def selection(kind: Kind[Any]) -> str:
    """Everything that a value holds itself."""
    words = " ".join(camel(name) for name in kind.sanitised)
    untrusted = f" untrusted {{ {words} }}" if words else ""
    return "{ " + " ".join(camel(name) for name in plain_fields(kind)) + untrusted + " }"


@pytest.mark.parametrize("kind", READABLE, ids=lambda kind: kind.name)
def test_no_type_shows_what_a_declaration_hides(kind: Kind[Any]) -> None:
    shown = SCHEMA.type_map[type_name(kind)]
    assert isinstance(shown, GraphQLObjectType)
    fields = {snake(name) for name in shown.fields}
    assert kind.readable is not None
    assert not fields & {*kind.readable.hidden, *kind.sanitised, "writers", "history"}


def test_parts_hang_on_what_they_are_parts_of() -> None:
    assert {kind.name for kind in WHOLES} == ROUTES.keys()
    for part in PARTS:
        assert part.part_of is not None
        whole = SCHEMA.type_map[type_name(part.part_of)]
        assert isinstance(whole, GraphQLObjectType)
        assert camel(part.many) in whole.fields


@pytest.mark.parametrize("name", ROUTES)
async def test_a_value_is_what_rest_shows_of_it(
    writer: Principal, principal: MakePrincipal, tenant: str, name: str
) -> None:
    kind = BY_NAME[name]
    identifier = (await made(writer, ROUTES[name], BODIES[name]))["id"]
    answer = (await writer.http.get(f"/v1/{ROUTES[name]}/{identifier}")).json()
    rest = answer.get({"work_item": "item", "data_table": "table"}.get(name, name), answer)
    one, many = camel(name), camel(kind.many)
    query = f'{{ {one}(id: "{identifier}") {selection(kind)} {many} {{ nodes {{ id }} }} }}'
    told = await ask(writer, query)
    assert "errors" not in told, told
    shown = {snake(field): value for field, value in told["data"][one].items()}
    renamed = {"calls": "tool_calls"}
    for field in shown.keys() - {"untrusted"} & rest.keys():
        assert shown[field] == rest[renamed.get(field, field)], field
    words = {snake(field): value for field, value in shown["untrusted"].items()}
    for field in words.keys() & rest["untrusted"].keys():
        if field != "columns":  # a column says what it leaves out as well
            assert words[field] == rest["untrusted"][field], field
    assert rest.keys() - shown.keys() - REST_ALONE - {"tools", "name"} == set()
    assert rest["untrusted"].keys() - words.keys() - WORDS_ALONE == set()
    assert told["data"][many]["nodes"] == [{"id": identifier}]
    eye = await principal(f"{tenant}/dev", role=Role.READER, name="eye")
    assert (await ask(eye, query))["data"] == told["data"]
    stranger = await principal(f"{tenant}/other", name="stranger")
    refused = await ask(stranger, query)
    assert refused["data"][one] is None
    assert refused["data"][many]["nodes"] == []
    assert refused["errors"][0]["extensions"]["code"] == "NotFound"
    missing = await ask(stranger, query.replace(identifier, "f" * 32))
    assert missing["errors"][0]["message"] == refused["errors"][0]["message"].replace(
        identifier, "f" * 32
    )


async def test_scopes_narrow_a_list_and_pages_go_on(principal: MakePrincipal, tenant: str) -> None:
    deputies = [await principal(f"{tenant}/{place}", name=place) for place in ("dev", "ops")]
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    ids = []
    for place in ("dev", "dev", "dev", "ops"):
        body = {"title": "Open", "scope": f"{tenant}/{place}"}
        ids.append((await made(boss, "goals", body))["id"])
    shown = "{ nodes { id } pageInfo { endCursor hasNextPage } }"
    query = f'{{ goals(first: 2, scopes: ["{tenant}/dev"]%s) {shown} }}'
    page = (await ask(boss, query % ""))["data"]["goals"]
    assert page["pageInfo"]["hasNextPage"]
    after = page["pageInfo"]["endCursor"]
    rest = (await ask(boss, query % f', after: "{after}"'))["data"]["goals"]
    assert [one["id"] for one in (*page["nodes"], *rest["nodes"])] == sorted(ids[:3])
    hidden = await ask(deputies[1], query % "")
    assert hidden["errors"][0]["extensions"]["code"] == "NotFound"


async def test_parts_are_read_below_their_whole(writer: Principal) -> None:
    trace = (await made(writer, "traces", {"task": "Ship the pump"}))["id"]
    steps = {"steps": [{"thought": "It drips.", "action": "Look."}, {"thought": "A seal."}]}
    await made(writer, f"traces/{trace}/steps", steps)
    call = {"tool": "wrench", "arguments": {"turn": 3}, "status": "success", "step": 1}
    await made(writer, f"traces/{trace}/tool-calls", {"tool_calls": [call]})
    query = f"""{{ trace(id: "{trace}") {{
      traceSteps {{ nodes {{ number untrusted {{ thought action }} }} }}
      toolCalls(first: 1) {{ nodes {{ status step untrusted {{ tool arguments }} }} }} }} }}"""
    told = await ask(writer, query)
    assert "errors" not in told, told
    steps_told = sorted(told["data"]["trace"]["traceSteps"]["nodes"], key=lambda one: one["number"])
    assert steps_told == [
        {"number": 1, "untrusted": {"thought": "It drips.", "action": "Look."}},
        {"number": 2, "untrusted": {"thought": "A seal.", "action": None}},
    ]
    assert told["data"]["trace"]["toolCalls"]["nodes"] == [
        {"status": "success", "step": 1,
         "untrusted": {"tool": "wrench", "arguments": {"turn": 3}}},
    ]  # fmt: skip


async def test_a_link_to_what_is_out_of_sight_is_not_shown(
    writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    await principal(f"{tenant}/vault", name="keeper")
    boss = await principal(tenant, role=Role.ADMIN, name="boss", kind="user")
    for kind in ("goal", "work_item"):
        route, links = ROUTES[kind], "goalLinks" if kind == "goal" else "workLinks"
        whole = (await made(boss, route, {"title": "Open", "scope": f"{tenant}/dev"}))["id"]
        ids = []
        for place in ("dev", "vault"):
            note = {"content": f"The {kind} is {place}.", "scope": f"{tenant}/{place}"}
            ids.append((await made(boss, "notes", note))["id"])
            await made(boss, f"{route}/{whole}/links", {"memory": ids[-1]})
        query = f'{{ {camel(kind)}(id: "{whole}") {{ {links} {{ nodes {{ memory }} }} }} }}'
        for who, seen in ((boss, ids), (writer, ids[:1])):
            told = (await ask(who, query))["data"][camel(kind)][links]["nodes"]
            assert sorted(one["memory"] for one in told) == sorted(seen)
