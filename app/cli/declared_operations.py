"""The operations of the API as `loci api` offers them, made from the declared routes.

`python docs/generate.py` writes the list to a file, which is read where a command is
called: the routes themselves take two seconds to import. A test compares.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from app.cli.operation_list import dashed
from app.cli.reference import OWN_PATH, field_type, operations

# Paths of other interfaces to the same memory, and why no command asks them.
APART = {
    "/agent-memory/": "the protocol of other products, for their clients",
    "/api/v1/": "former addresses of operations that have a command",
}
# Operations whose body or answer is no JSON, and the command that does the same.
FILES = {
    "importPackage": "loci import",
    "downloadExport": "loci export",
    "uploadDocuments": "loci document add",
}
STREAM = "text/event-stream"
PLAIN = {"integer": "integer", "number": "number", "boolean": "boolean", "string": "text"}


def left_out(path: str, operation: str) -> str | None:
    """Return why an operation has no command here; None where it has one."""
    named = FILES.get(operation)
    if named is not None:
        return f"`{named}` does it"
    return next((why for begin, why in APART.items() if path.startswith(begin)), None)


def listed(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return by group the operations of an OpenAPI schema, by the name of their command."""
    groups: dict[str, dict[str, Any]] = {}
    for path, method, operation in operations(schema):
        name = str(operation["operationId"])
        if path.startswith(OWN_PATH) or left_out(path, name) is not None:
            continue
        group = groups.setdefault(dashed(operation["tags"][0]), {})
        group[dashed(name)] = _told(schema["components"]["schemas"], path, method, operation)
    return {group: dict(sorted(found.items())) for group, found in sorted(groups.items())}


def written(schema: dict[str, Any]) -> str:
    """Return the text of the file: a line for each operation."""
    groups = []
    for group, found in listed(schema).items():
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(told, ensure_ascii=False)}"
            for name, told in found.items()
        )
        groups.append(f" {json.dumps(group)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(groups) + "\n}\n"


def _told(
    kinds: dict[str, Any], path: str, method: str, operation: dict[str, Any]
) -> dict[str, Any]:
    parameters = operation.get("parameters", [])
    queried = [each for each in parameters if each["in"] == "query"]
    answers = [
        kind
        for code, found in operation["responses"].items()
        if code.startswith("2")
        for kind in found.get("content", {})
    ]
    return {
        "method": method,
        "path": path,
        "help": " ".join(str(operation.get("description", "")).split()),
        "arguments": [each["name"] for each in parameters if each["in"] == "path"],
        "matches": any(each["in"] == "header" for each in parameters),
        "streams": STREAM in answers,
        "sends": "requestBody" in operation,
        "options": [*(_parameter(each, kinds) for each in queried), *_fields(operation, kinds)],
    }


def _parameter(found: dict[str, Any], kinds: dict[str, Any]) -> dict[str, Any]:
    required = bool(found.get("required"))
    described = {**found["schema"], "description": found.get("description", "")}
    return _option("query", found["name"], described, kinds, required=required)


def _fields(operation: dict[str, Any], kinds: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = operation.get("requestBody", {}).get("content", {})
    body = _resolved(content.get("application/json", {}).get("schema", {}), kinds)
    required = body.get("required", ())
    for name, found in body.get("properties", {}).items():
        yield _option("body", name, found, kinds, required=name in required)


def _option(
    place: str, name: str, found: dict[str, Any], kinds: dict[str, Any], *, required: bool
) -> dict[str, Any]:
    alone = found.get("allOf", ())  # a type of ours, with a description of its own
    return {
        "name": name,
        "in": place,
        "type": _type(found, kinds),
        "shown": field_type(alone[0] if len(alone) == 1 else found, kinds),
        "help": " ".join(str(found.get("description", "")).split()),
        "required": required,
    }


def _type(found: dict[str, Any], kinds: dict[str, Any]) -> str:
    """Return how a text of the command line is read: as it is, as a number, as JSON, or as one of
    several texts; `any` is JSON of every kind, and a text where it is none."""
    found = _resolved(found, kinds)
    several = found.get("oneOf") or found.get("anyOf") or found.get("allOf")
    if several:
        kinds_of = {_type(part, kinds) for part in several if part.get("type") != "null"}
        return kinds_of.pop() if len(kinds_of) == 1 else "any"
    if "enum" in found:
        return "text"
    kind = found.get("type")
    if kind == "array":
        return "texts" if _type(found.get("items", {}), kinds) == "text" else "json"
    if kind == "object":
        return "json"
    return PLAIN.get(str(kind), "any")


def _resolved(found: dict[str, Any], kinds: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in found:
        found = kinds[str(found["$ref"]).rpartition("/")[2]]
    return found
