"""Every door by which one reads, and what may be asked there about a thing of the world."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson

from app.mcp.service import ALONE
from bench.doors import asking, tools
from bench.rights import Item
from tests.security import addresses, queries
from tests.security.worlds import World

GAP = re.compile(r"{(\w+)}")
# Parameters of queries that may name what is another's: each makes a door of its own.
PARAMETERS = {
    "scope", "scopes", "team", "agent", "owner", "assignee", "session", "session_id", "text",
    "contains", "query", "q", "task", "about", "subject", "entity", "knowledge_base", "base",
}  # fmt: skip
WIDE = {"agent", "owner", "assignee", "session", "session_id", "text", "contains", "about"}
RESOURCES = ("memory", "page", "entity", "skill")
PROMPTS: dict[str, dict[str, Any]] = {"recall": {"question": "crane {key}"}, "review": {}}
# Routes that read by POST, beside those of `bench.doors`.
FURTHER = (
    ("/api/v1/ai/rag/query", {"query": "harbour report cranes"}),
    ("/api/v1/ai/rag/search", {"query": "harbour report cranes"}),
    ("/v1/search", {"query": "harbour report cranes", "scopes": ["{scope}"]}),
    ("/v1/rag/retrieve", {"query": "harbour report cranes", "scopes": ["{scope}"]}),
    ("/v1/rag/context", {"query": "harbour report cranes", "scopes": ["{scope}"]}),
    ("/v1/rag/ask", {"query": "Who counts the cranes of the harbour?", "scopes": ["{scope}"]}),
)


@dataclass(frozen=True)
class Call:
    """One request. It is `secret` where it names something by an id that the service gave: then it
    has to fail for those who may not see that."""

    method: str
    path: str
    params: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    secret: bool = False

    @property
    def asked(self) -> str:
        """Everything that it says."""
        return f"{self.path} {self.params} {orjson.dumps(self.body).decode()}"


@dataclass(frozen=True)
class Door:
    """One way of asking, and the things that one may ask for there."""

    name: str
    things: list[Item]
    call: Callable[[Item], Call]
    named: bool  # whether it is asked for one thing, and not for a list or a count
    wide: bool = False  # whether a list is asked for what may be of any kind


def doors(world: World) -> dict[str, Door]:
    """Every door of the world by its name."""
    every = (_routes(world), _posts(world), _fields(world), _tools(world), _resources(world))
    return {door.name: door for some in every for door in some}


def _routes(world: World) -> Iterator[Door]:
    """Each documented GET, plainly and by each parameter that may name somebody else's place."""
    for template, _, operation in addresses.operations(world.documented, reads=True):
        if template in addresses.APART:
            continue
        things = addresses.things(world, template, operation)
        named = bool(addresses.needed(template, operation))
        yield Door(template, things, partial(_get, world, template, operation, ""), named)
        for one in addresses.parameters(operation, required=False):
            if one["name"] in PARAMETERS and not addresses.is_needed(one):
                call = partial(_get, world, template, operation, one["name"])
                wide = one["name"] in WIDE
                yield Door(f"{template}?{one['name']}", things, call, named, wide)


def _get(world: World, template: str, operation: dict[str, Any], by: str, thing: Item) -> Call:
    params = {
        one["name"]: addresses.chosen(world, one, thing)
        for one in addresses.parameters(operation, required=False)
        if addresses.is_needed(one) or one["name"] == by
    }
    if "key" in params:
        params["session_id"] = thing.key
    path = addresses.address(world, template, thing)
    return Call("GET", path, params, None, addresses.secret(template, thing))


class _Gaps(dict[str, str]):
    """Ids of a thing that has them all: a gap for each."""

    def get(self, name: str, _: Any = None) -> str:
        return f"{{{name}}}"

    def __getitem__(self, name: str) -> str:
        return f"{{{name}}}"

    def __contains__(self, _: object) -> bool:
        return True


BLANK = Item("any", "{marker}", "{key}", "{scope}", "{owner}", _Gaps())


def _posts(world: World) -> Iterator[Door]:
    """What reads by POST; the same path with another body is another door."""
    for path, body in (*asking("{key}", BLANK), *FURTHER):
        if path != "/graphql":  # each of its fields is a door
            given = orjson.dumps(body).decode().replace('"', "")
            yield _door(world, f"POST {path} {given}", Call("POST", path, body=body))


def _tools(world: World) -> Iterator[Door]:
    for profile, name, given in tools("{key}", BLANK):
        label = f"tool {name}" + (" contains" if "contains" in given else "")
        label += f" of {profile}" if profile in ALONE else ""
        asked = _protocol("tools/call", {"name": name, "arguments": given}, profile)
        yield _door(world, label, asked)
    for prompt, given in PROMPTS.items():
        asked = _protocol("prompts/get", {"name": prompt, "arguments": given})
        yield _door(world, f"prompt {prompt}", asked)


def _resources(world: World) -> Iterator[Door]:
    for kind in RESOURCES:
        params = {"uri": f"loci://{kind}/{{{kind}_id}}"}
        yield _door(world, f"resource {kind}", _protocol("resources/read", params))


def _protocol(method: str, params: dict[str, Any], profile: str = "") -> Call:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return Call("POST", "/mcp", {"tools": profile}, body)


def _door(world: World, name: str, call: Call) -> Door:
    """The door of a call with gaps: for things that have every id that it needs."""
    need = set(GAP.findall(call.asked)) - {"key", "scope", "owner"}
    things = [one for one in world.things if need <= one.ids.keys()]
    return Door(name, things, partial(_filled, world, call, need), bool(need), wide=True)


def _filled(world: World, call: Call, need: set[str], thing: Item) -> Call:
    ids = {**thing.ids, "key": thing.key, "owner": thing.owner}
    ids["scope"] = world.place(thing.scope).path
    secret = any(name not in thing.words for name in need)
    path = GAP.sub(lambda gap: ids[gap[1]], call.path)
    return Call(call.method, path, call.params, _put(call.body, ids), secret)


def _put(value: Any, ids: dict[str, str]) -> Any:
    """A value with every gap filled."""
    if isinstance(value, str):
        return GAP.sub(lambda gap: ids[gap[1]], value)
    if isinstance(value, list):
        return [_put(one, ids) for one in value]
    if isinstance(value, dict):
        return {name: _put(one, ids) for name, one in value.items()}
    return value


def _fields(world: World) -> Iterator[Door]:
    """Each root field of GraphQL, of all scopes and of one, and each relation by one of them."""
    asked: set[str] = set()
    for name in queries.roots():
        parameter = queries.wanted(name)
        things = [one for one in world.things if parameter is None or parameter in one.ids]
        hung = [one for one in queries.hung(name) if one not in asked]
        asked |= {*hung}
        scoped = ["?scopes"] if "scopes" in queries.roots()[name].args else []
        for only in ("", *scoped, *hung):
            label = f"graphql {name} {only}".strip()
            call = partial(_query, world, name, only, parameter)
            yield Door(label, things, call, parameter is not None, wide=True)


def _query(world: World, name: str, only: str, parameter: str | None, thing: Item) -> Call:
    place = thing.scope if name in queries.ROUTED else world.place(thing.scope).path
    scope = place if only == "?scopes" else None
    query = queries.query(name, thing, scope, "" if only == "?scopes" else only)
    secret = parameter is not None and parameter not in thing.words
    return Call("POST", "/graphql", body={"query": query}, secret=secret)
