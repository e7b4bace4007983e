"""Lists at the root: by a query that goes on after a cursor, or out of a whole list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from app.errors import InvalidInput, NotFound
from app.graphql.connection import connected, joined
from app.graphql.doors import Context, Read
from app.graphql.loading import Asked, Listing, Lookup
from app.graphql.seen import Seen

LONGEST = 2_000  # characters of a question that is no field of an input


def one_of(lookup: Lookup) -> Read:
    """A thing by its id; NotFound as over HTTP."""

    async def read(context: Context, asked: Asked) -> Seen:
        key = asked.args["id"]
        found = await context.loading.one(lookup, key, asked.moments)
        if found is None:
            raise NotFound(f"there is no {lookup.kind} {key}")
        return Seen(found, asked.moments)

    return read


async def listed(context: Context, listing: Listing, asked: Asked, scopes: list[str]) -> Any:
    """A page of a list that its query cuts."""
    params = asked.values(listing.query, listing.order)
    rows = await context.doors.graph.rows(listing.query, scopes=scopes, **params)
    return connected(rows, listing, asked)


def sliced(values: Iterable[Any], key: Callable[[Any], str], asked: Asked) -> dict[str, Any]:
    """A page of a list that is there whole, by what is also the cursor."""
    after = asked.args.get("after") or ""
    rest = [(key(value), value) for value in sorted(values, key=key) if key(value) > after]
    return joined(rest[: asked.first], asked, more=len(rest) > asked.first)


def scopes_of(context: Context, asked: Asked) -> list[str]:
    """The scopes that were asked for, else all that the caller sees; NotFound for others."""
    return context.caller.among(asked.args.get("scopes"))


def given(asked: Asked, **more: Any) -> Asked:
    """The same with other arguments."""
    return Asked(asked.moments, {**asked.args, **more})


def text_of(asked: Asked, name: str) -> str:
    """A question of 1 to 2,000 characters; InvalidInput for any other."""
    text: str = asked.args[name].strip()
    if not 1 <= len(text) <= LONGEST:
        raise InvalidInput(f"{name} has 1 to {LONGEST} characters", field=name)
    return text


def number_of(asked: Asked, name: str, unset: int, most: int) -> int:
    """A number from 1 to `most`; InvalidInput for any other."""
    number = asked.args.get(name)
    if number is None:
        return unset
    if not 1 <= number <= most:
        raise InvalidInput(f"{name} is a number from 1 to {most}", field=name)
    return int(number)
