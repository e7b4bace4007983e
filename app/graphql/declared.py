"""The types, roots and lists of kinds that their slices declare readable, made from their structs.

A value shows the plain fields of its struct, and below `untrusted` what clients wrote. What is
neither, such as a history with its writers, is bookkeeping and not shown.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from app.errors import NotFound
from app.graphql.connection import FORM
from app.graphql.cursors import by_id
from app.graphql.doors import Context, Read
from app.graphql.inputs import camel
from app.graphql.listing import given, listed, scopes_of
from app.graphql.loading import Asked, Listing
from app.graphql.seen import Seen
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.kernel.kind import Kind
from app.kinds import KINDS

READABLE = tuple(kind for kind in KINDS if kind.readable is not None)
WHOLES = tuple(kind for kind in READABLE if kind.part_of is None)
PARTS = tuple(kind for kind in READABLE if kind.part_of is not None)
ARGUMENTS = "first: Int = 20, after: String"
PLAIN = {"string": "String", "integer": "Int", "number": "Float", "boolean": "Boolean"}


class Shown(dict[str, Any]):
    """A value as it is shown, by its fields."""

    @property
    def id(self) -> str:
        """The id by which its parts are found."""
        return str(self["id"])


def show(kind: Kind[Any], row: Row) -> Shown:
    """Return a value as it is shown, out of a row of the queries here."""
    value = kind.struct.of(row["row"])
    plain = {name: getattr(value, name) for name in plain_fields(kind)}
    words = value.model_dump(mode="json", include=set(kind.sanitised))
    return Shown(plain | ({"untrusted": words} if words else {}))


def plain_fields(kind: Kind[Any]) -> dict[str, str]:
    """Return the type of each field that is shown beside what clients wrote."""
    assert kind.readable is not None
    apart = {*kind.sanitised, *kind.readable.hidden}
    types = {name: kind_of for name, kind_of in _types(kind).items() if name not in apart}
    return {name: kind_of for name, kind_of in types.items() if "JSON" not in kind_of}


def type_name(kind: Kind[Any]) -> str:
    """Return the name of the type of a kind."""
    return "".join(part.capitalize() for part in kind.name.split("_"))


def definitions() -> str:
    """Return the types of these kinds and the fields of `Query` that read them, as schema text."""
    texts = [part for kind in READABLE for part in (_type(kind), FORM.format(node=type_name(kind)))]
    roots = "\n".join(line for kind in WHOLES for line in _roots(kind))
    return "\n".join([*texts, f"extend type Query {{\n{roots}\n}}\n"])


def _type(kind: Kind[Any]) -> str:
    name, types = type_name(kind), _types(kind)
    fields = [f"  {camel(field)}: {found}" for field, found in plain_fields(kind).items()]
    if kind.sanitised:
        fields.append(f"  untrusted: {name}Words!")
    fields += [
        f'  "Its {part.many.replace("_", " ")}, by id."\n'
        f"  {camel(part.many)}({ARGUMENTS}): {type_name(part)}Connection!"
        for part in PARTS
        if part.part_of is kind
    ]
    own = "\n".join(fields)
    words_of = kind.name.replace("_", " ")
    article = "An" if words_of[0] in "aeiou" else "A"
    told = f'"{article} {words_of}."\ntype {name} {{\n{own}\n}}\n'
    if not kind.sanitised:
        return told
    words = "\n".join(f"  {camel(field)}: {types[field].rstrip('!')}" for field in kind.sanitised)
    return f'{told}\n"What clients wrote of it."\ntype {name}Words {{\n{words}\n}}\n'


def _roots(kind: Kind[Any]) -> tuple[str, ...]:
    name, words = type_name(kind), kind.name.replace("_", " ")
    return (
        f'  "One {words} by its id."',
        f"  {camel(kind.name)}(id: ID!): {name}",
        f'  "The {kind.many.replace("_", " ")} of scopes, by id."',
        f"  {camel(kind.many)}({ARGUMENTS}, scopes: [String!]): {name}Connection",
    )


def _types(kind: Kind[Any]) -> dict[str, str]:
    """Return the GraphQL type of each field of a struct; what has no plain type is JSON."""
    schema = kind.struct.model_json_schema(mode="serialization")
    defined = schema.get("$defs", {})
    return {name: _named(name, found, defined) for name, found in schema["properties"].items()}


def _named(name: str, found: dict[str, Any], defined: dict[str, Any]) -> str:
    if "$ref" in found:
        return _named(name, defined[found["$ref"].rpartition("/")[2]], defined)
    parts = found.get("anyOf")
    if parts:
        known = [part for part in parts if part.get("type") != "null"]
        if len(known) != 1:
            return "JSON"
        inner = _named(name, known[0], defined)
        return inner if len(known) == len(parts) else inner.rstrip("!")
    if found.get("format") == "date-time":
        return "Time!"
    if name == "id":
        return "ID!"
    if found.get("type") == "array":
        inner = _named("", found.get("items", {}), defined)
        return f"[{inner}]!" if inner == "String!" else "JSON"
    plain = PLAIN.get(found.get("type", ""))
    return f"{plain}!" if plain else "JSON"


async def _one(kind: Kind[Any], context: Context, asked: Asked) -> Seen:
    key = asked.args["id"]
    rows = await context.doors.graph.rows(
        Q.graphql.declared, ids=[key], kind=kind.name, scopes=context.caller.visible
    )
    if not rows:
        raise NotFound(f"there is no {kind.name.replace('_', ' ')} {key}")
    return Seen(show(kind, rows[0]), asked.moments)


async def _page(kind: Kind[Any], context: Context, asked: Asked) -> Any:
    listing = Listing(
        query=Q.graphql.declared_in, show=partial(show, kind), order=by_id("row", "id")
    )
    return await listed(context, listing, given(asked, kind=kind.name), scopes_of(context, asked))


ROOTS: dict[str, Read] = {
    **{camel(kind.name): partial(_one, kind) for kind in WHOLES},
    **{camel(kind.many): partial(_page, kind) for kind in WHOLES},
}
BELOW: dict[str, Listing] = {
    f"{type_name(part.part_of)}.{camel(part.many)}": Listing(
        query=Q.graphql.declared_parts,
        show=partial(show, part),
        order=by_id("row", "id"),
        given={"kind": part.name},
    )
    for part in PARTS
    if part.part_of is not None
}
