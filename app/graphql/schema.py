"""The schema: types by `schema.graphql`, resolvers by the tables of what is read and changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from graphql import (
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    build_schema,
    get_named_type,
    is_leaf_type,
)

from app.errors import Forbidden
from app.facts.service import Moments
from app.graphql import declared, routed, scalars
from app.graphql.changes import CHANGES, Change
from app.graphql.connection import connected, definitions
from app.graphql.doors import Context, Read
from app.graphql.identity import places
from app.graphql.inputs import snake
from app.graphql.loading import Asked, Listing, Lookup
from app.graphql.reads import READS, told
from app.graphql.records import ROLES
from app.graphql.relations import (
    BESIDE,
    FACT,
    LINKS,
    LISTS,
    MANY,
    NAMED,
    PARTS,
    WHOLE,
    IdsOf,
    Link,
    Links,
)
from app.graphql.seen import Seen, member, shifted, within
from app.kernel.caller import Role
from app.search.model import FOUND

Resolver = Callable[..., Any]
Info = GraphQLResolveInfo[Context]


def build() -> GraphQLSchema:
    """The executable schema; made once a process."""
    text = files("app.graphql").joinpath("schema.graphql").read_text(encoding="utf-8")
    kinds = f"\nextend enum MemoryKind {{ {' '.join(FOUND)} }}\n" if FOUND else ""
    made = definitions() + kinds + declared.definitions() + routed.definitions()
    schema = build_schema(text + made)
    scalars.attach(schema.type_map)
    for name, kind in schema.type_map.items():
        if name.startswith("__"):
            continue
        if isinstance(kind, GraphQLObjectType):
            _resolve_all(kind)
        elif isinstance(kind, GraphQLInputObjectType):
            for field_name, given in kind.fields.items():
                given.out_name = snake(field_name)
    return schema


def _resolve_all(kind: GraphQLObjectType) -> None:
    for name, field in kind.fields.items():
        for argument, given in field.args.items():
            given.out_name = snake(argument)
        field.resolve = _resolver(kind.name, name, field)


def _resolver(kind: str, name: str, field: GraphQLField) -> Resolver:
    if kind == "Query":
        return _reading(READS[name], ROLES.get(name) or routed.ROLES.get(name, Role.READER))
    if kind == "Mutation":
        return _changing(CHANGES[name])
    place = f"{kind}.{name}"
    if place in LISTS:
        return _listing(LISTS[place])
    if place == "Community.parts":
        return _parts
    if place == "Identity.scopes":
        return _places
    if place in LINKS:
        return _link(LINKS[place])
    if place in MANY:
        return _links(MANY[place])
    if place in BESIDE:
        return _beside(BESIDE[place])
    if place in WHOLE:
        return _whole(WHOLE[place], NAMED.get(place, snake(name)), field)
    return _member(NAMED.get(place, snake(name)), field)


def _member(name: str, field: GraphQLField) -> Resolver:
    """What the value itself holds; below a structure the moments stay the same."""
    leaf = is_leaf_type(get_named_type(field.type))

    def resolve(source: Any, _info: Info) -> Any:
        if not isinstance(source, Seen):
            return member(source, name)
        found = member(source.value, name)
        return found if leaf else within(found, source.moments)

    return resolve


def _reading(read: Read, role: Role) -> Resolver:
    async def resolve(_source: None, info: Info, **args: Any) -> Any:
        _require(info.context, role)
        return await read(info.context, Asked(shifted(info.context.moments, args), args))

    return resolve


def _changing(change: Change) -> Resolver:
    async def resolve(_source: None, info: Info, **args: Any) -> Any:
        context = info.context
        _require(context, change.role)
        done = await change.make(context, Asked(context.moments, args))
        return Seen(done, Moments.of(None, None))  # what was changed shows from now on

    return resolve


def _require(context: Context, role: Role) -> None:
    if not context.caller.holds(role):
        raise Forbidden(f"this key needs the role {role.label}")


def _listing(listing: Listing) -> Resolver:
    async def resolve(source: Seen, info: Info, **args: Any) -> Any:
        asked = Asked(shifted(source.moments, args), args)
        rows = await info.context.loading.listed(listing, source.value.id, asked)
        return connected(rows, listing, asked)

    return resolve


async def _parts(source: Seen, info: Info, **args: Any) -> Any:
    asked = Asked(source.moments, args)
    context = info.context
    rows = await context.loading.listed(PARTS, source.value.id, asked)
    return await told(context, rows, asked)


async def _places(source: Seen, info: Info, **args: Any) -> Any:
    return await places(info.context, Asked(source.moments, args))


def _link(link: Link) -> Resolver:
    async def found(key: str, source: Seen, info: Info) -> Any:
        one = await info.context.loading.one(link.to, key, source.moments)
        return within(one, source.moments)

    def resolve(source: Seen, info: Info) -> Awaitable[Any] | None:
        key = link.id_of(source.value)
        return None if key is None else found(key, source, info)

    return resolve


def _links(links: Links) -> Resolver:
    async def resolve(source: Seen, info: Info) -> Any:
        return await _several(links.to, list(links.ids_of(source.value)), source, info)

    return resolve


def _whole(lookup: Lookup, name: str, field: GraphQLField) -> Resolver:
    leaf = is_leaf_type(get_named_type(field.type))

    async def resolve(source: Seen, info: Info) -> Any:
        one = await info.context.loading.one(lookup, source.value.id, source.moments)
        found = member(one or source.value, name)
        return found if leaf else within(found, source.moments)

    return resolve


def _beside(ids_of: IdsOf) -> Resolver:
    async def resolve(source: Seen, info: Info) -> Any:
        one = await info.context.loading.one(FACT, source.value.id, source.moments)
        return await _several(FACT, list(ids_of(one)) if one else [], source, info)

    return resolve


async def _several(lookup: Lookup, keys: list[str], source: Seen, info: Info) -> Any:
    found = await info.context.loading.many(lookup, keys, source.moments)
    return [Seen(one, source.moments) for one in found if one is not None]
