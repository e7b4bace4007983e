"""Addresses of documented routes, with what names a thing in the place of their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bench.rights import Item
from tests.security.worlds import World

PARAMETER = re.compile(r"{(\w+)}")
# What stands in paths beside what names a thing; ids of a thing count first.
WORDS = {
    "agent": "", "principal": "", "memory": "", "entity": "", "target": "", "version": "1.0.0",
    "kind": "persona", "name": "works_for", "chore": "conflict-scan", "part": "keys",
}  # fmt: skip
# Parameters of queries that name a thing: by what it is called in paths.
NAMED = {
    "conversation_id": "talk", "id": "memory_id", "key": "tier_key", "subject": "entity_id",
    "about": "about",
}  # fmt: skip
# What goes by another word too, of which one has to be there: neither is required by itself.
EITHER = ("conversation_id",)
SAID = {
    "query": "harbour crane", "question": "harbour crane", "topic": "harbour crane",
    "description": "harbour crane", "task": "harbour crane", "q": "harbour crane", "unit": "task",
    "limit": 50, "k": 50,
}  # fmt: skip
# What is read elsewhere, or shows nothing that lies in a scope.
APART = {
    "/v1/events": "streams have tests of their own",
    "/v1/exports/{job_id}": "packages have trials of their own",
    "/agent-memory/v1/auth/api-keys/{key_id}/reveal": "no key is shown twice, to nobody",
    "/health/live": "of the process", "/health/ready": "of the process", "/metrics": "of operators",
}  # fmt: skip
Operation = dict[str, Any]


def names(template: str) -> list[str]:
    """The parameters of a path."""
    return PARAMETER.findall(template)


def operations(document: dict[str, Any], *, reads: bool) -> Iterator[tuple[str, str, Operation]]:
    """Path, method and description of every operation that reads, or that does not."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if (method == "get") == reads and method in ("get", "post", "put", "patch", "delete"):
                yield path, method.upper(), operation


def needed(template: str, operation: Operation) -> set[str]:
    """What a thing has to have for an address of it."""
    asked = {one["name"] for one in parameters(operation, required=True)}
    path = {name for name in names(template) if name not in WORDS}
    return path | {NAMED[name] for name in asked if name in NAMED}


def parameters(operation: Operation, *, required: bool) -> list[dict[str, Any]]:
    """The parameters of a query, those alone without which there is no answer, or all."""
    given = [one for one in operation.get("parameters", ()) if one["in"] == "query"]
    return [one for one in given if is_needed(one) or not required]


def is_needed(parameter: Operation) -> bool:
    """Whether there is no answer without a parameter."""
    return bool(parameter.get("required")) or parameter["name"] in EITHER


def things(world: World, template: str, operation: Operation) -> list[Item]:
    """The things that an address may name: those that have most of what it asks for, of a team
    where it has to name one."""
    need, have = needed(template, operation), set(names(template))
    found = [one for one in world.things if need <= one.ids.keys()]
    if "team" in {one["name"] for one in parameters(operation, required=True)}:
        found = [one for one in found if "/team:" in one.scope]
    most = max((len(have & one.ids.keys()) for one in found), default=0)
    return [one for one in found if len(have & one.ids.keys()) == most]


def secret(template: str, thing: Item) -> bool:
    """Whether a path names a thing by an id that the service gave. What a query names may be told
    to be missing."""
    return any(name in thing.ids and name not in thing.words for name in names(template))


def address(world: World, template: str, thing: Item) -> str:
    """The path of a thing."""
    return PARAMETER.sub(lambda found: named(world, template, found[1], thing), template)


def named(world: World, template: str, name: str, thing: Item) -> str:
    """What stands for one parameter of a path."""
    if name in thing.ids:
        return thing.ids[name]
    if name in ("agent", "principal"):
        return thing.owner
    if name in ("memory", "entity", "target"):
        kind = {"memory": "note", "entity": "entity", "target": "skill"}[name]
        return world.place(thing.scope).ids[kind][-1]
    if name == "version" and "/pages/" in template:
        return "1"
    if name == "kind" and "/links/" in template:
        return "requires"
    return WORDS[name]


def chosen(world: World, parameter: Operation, thing: Item) -> Any:
    """What stands for one parameter of a query as it is described: the first of some words, where
    it takes no others and would name a thing."""
    words = parameter["schema"].get("enum")
    if words and parameter["name"] in NAMED:
        return words[0]
    return sent(world, parameter["name"], thing)


def sent(world: World, name: str, thing: Item) -> Any:
    """What stands for one parameter of a query; None where it is left out."""
    if name in NAMED and NAMED[name] in thing.ids:
        return thing.ids[NAMED[name]]
    if name in ("scope", "scopes", "team"):
        return thing.scope
    if name in ("entity", "about", "subject", "source"):
        return world.place(thing.scope).ids["entity"][-1]
    if name in ("knowledge_base", "base"):
        return world.place(thing.scope).ids["base"][0]
    if name in ("agent", "owner", "assignee", "resolver"):
        return thing.owner
    if name in ("session", "session_id", "text", "contains"):
        return thing.key
    return SAID.get(name)
