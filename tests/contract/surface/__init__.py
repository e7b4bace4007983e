"""What others may rely on, a line each: routes, parameters, fields, types and record kinds.

`has` lines are never lost. `asks` lines (what one must send) are never gained by what there was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

TAKEN, GIVEN = 2, 2  # levels of fields that are looked at
METHODS = {"get", "post", "put", "patch", "delete"}
_BLOCK = re.compile(
    r"^(?:type|input|enum|interface|union|scalar) (\w+)[^\n]*?(?:\{\n(.*?)^\})?$", re.M | re.S
)
_FIELD = re.compile(r"^  (\w+)", re.M)


def of_http(document: Mapping[str, Any]) -> set[str]:
    """The surface of an OpenAPI document: what each operation takes and gives, whatever the
    schemas are called."""
    schemas = document["components"]["schemas"]
    return {
        line
        for path, item in document["paths"].items()
        if not path.startswith("/schema")
        for method, operation in item.items()
        if method in METHODS
        for line in _operation(f"{method.upper()} {path}", operation, schemas)
    }


def _operation(
    name: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]
) -> Iterator[str]:
    yield f"has {name}"
    for parameter in operation.get("parameters", ()):
        said = f"{name} {parameter['in']} {parameter['name']}"
        yield f"has {said}"
        if parameter.get("required"):
            yield f"asks {said}"
    for kind, held in operation.get("requestBody", {}).get("content", {}).items():
        if kind == "application/json":
            yield from _fields(f"{name} body", held["schema"], schemas, TAKEN, asks=True)
    for status, answer in operation.get("responses", {}).items():
        held = answer.get("content", {}).get("application/json")
        if status.startswith("2") and held:
            yield from _fields(f"{name} {status}", held["schema"], schemas, GIVEN)


def _fields(
    name: str, schema: Any, schemas: Mapping[str, Any], depth: int, *, asks: bool = False
) -> Iterator[str]:
    """The names of the fields of a schema, down to a depth; what one must send of the first."""
    held = _resolved(schema, schemas)
    for field, inner in held.get("properties", {}).items():
        yield f"has {name}.{field}"
        if depth > 1:
            yield from _fields(f"{name}.{field}", inner, schemas, depth - 1)
    if asks:
        yield from (f"asks {name}.{field}" for field in held.get("required", ()))


def _resolved(schema: Any, schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a schema comes to: of a reference, a list, or one that may be null, what is in it."""
    if "$ref" in schema:
        return _resolved(schemas[schema["$ref"].rsplit("/", 1)[-1]], schemas)
    if "items" in schema:
        return _resolved(schema["items"], schemas)
    for several in ("oneOf", "anyOf", "allOf"):
        if several in schema:
            parts = [_resolved(part, schemas) for part in schema[several]]
            fields = {k: v for part in parts for k, v in part.get("properties", {}).items()}
            return {"properties": fields}
    return dict(schema)


def of_graphql(printed: str) -> set[str]:
    """The surface of a printed GraphQL schema; descriptions left out."""
    plain = re.sub(r'""".*?"""', "", printed, flags=re.S)
    return {
        line
        for name, body in _BLOCK.findall(plain)
        for line in (f"has {name}", *(f"has {name}.{field}" for field in _FIELD.findall(body)))
    }


def of_records(schema: Mapping[str, Any]) -> set[str]:
    """The surface of the published schema of records: the fields of each kind."""
    return set(_fields("record", schema, schema["$defs"], GIVEN))


def lost(before: set[str], now: set[str]) -> list[str]:
    """What there was and is no more."""
    return sorted(line for line in before - now if line.startswith("has "))


def asked_anew(before: set[str], now: set[str]) -> list[str]:
    """What must be sent now with an operation that there was, and need not be before."""
    known = {line.removeprefix("has ") for line in before}
    return sorted(
        line
        for line in now - before
        if line.startswith("asks ") and " ".join(line.split(" ")[1:3]) in known
    )
