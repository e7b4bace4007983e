"""Who asks, as the schema tells it: no more than the key itself decides."""

from __future__ import annotations

from operator import attrgetter

import msgspec

from app.graphql.doors import Context
from app.graphql.listing import sliced
from app.graphql.loading import Asked
from app.kernel.caller import Caller


class IdentityOut(msgspec.Struct, frozen=True):
    """The principal of a key; `key` is the key's id, never its text."""

    principal: str
    kind: str
    name: str
    tenant: str
    home: str
    key: str

    @classmethod
    def of(cls, caller: Caller) -> IdentityOut:
        """The wire form of a caller."""
        return cls(**{name: getattr(caller, name) for name in cls.__struct_fields__})


class PlaceOut(msgspec.Struct, frozen=True):
    """A scope that a key sees, and what it may do there."""

    scope: str
    role: str


async def places(context: Context, asked: Asked) -> object:
    """The scopes that the caller sees, by path."""
    roles = context.caller.roles
    found = [PlaceOut(path, roles[path].label) for path in context.caller.visible]
    return sliced(found, attrgetter("scope"), asked)
