"""Query parameters that several routes share; `scope` is a name that the framework keeps."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from litestar import Litestar
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import HeaderParameter, QueryParameter

from app.errors import InvalidInput
from app.kernel.caller import Caller
from app.kernel.scope import NAME
from app.kernel.wire import FIRST_YEAR, LAST_YEAR

Within = Annotated[
    list[str] | None,
    QueryParameter(name="scope", description="Scopes to read; all visible if unset."),
]
OneScope = Annotated[str, QueryParameter(name="scope", description="Scope path.")]
AsOf = Annotated[
    datetime | None, QueryParameter(name="as_of", description="What was so then; now if unset.")
]
KnownAt = Annotated[
    datetime | None,
    QueryParameter(name="known_at", description="As it was known then; now if unset."),
]
_PRINCIPAL = re.compile(rf"(?:agent|user):(?P<tenant>{NAME}):{NAME}\Z")
_NAME = re.compile(rf"{NAME}\Z")
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="Most items of a page.")]
IfMatch = Annotated[
    str | None,
    HeaderParameter(name="If-Match", description="The version that is changed; 412 if another."),
]


E = TypeVar("E", bound=StrEnum)


def one_of(words: type[E], given: str | None, field: str) -> E | None:
    """Return the word of that value, None for none; InvalidInput names the parameter, which the
    framework calls as the function's argument is called."""
    if given is None:
        return None
    if given not in set(words):
        raise InvalidInput(f"{field} is one of {', '.join(words)}", field=field)
    return words(given)


def principal_of(caller: Caller, agent: str, field: str) -> str:
    """Return the whole id of an agent of the caller's tenant; InvalidInput names the field."""
    if _NAME.match(agent):
        return f"agent:{caller.tenant}:{agent}"
    match = _PRINCIPAL.match(agent)
    if match is None or match["tenant"] != caller.tenant:
        raise InvalidInput(
            f"{field} names agent:{caller.tenant}:name, user:{caller.tenant}:name, or the name of "
            "an agent",
            field=field,
        )
    return agent


def declared(app: Litestar) -> dict[tuple[str, str], frozenset[str]]:
    """Collect the names of the query parameters of each documented route, by path and method."""
    names: dict[tuple[str, str], frozenset[str]] = {}
    for route in app.routes:
        item = (app.openapi_schema.paths or {}).get(route.path_format)
        for method in ("get", "post", "put", "patch", "delete"):
            operation = getattr(item, method, None)
            if operation is not None:
                names[route.path_format, method.upper()] = frozenset(
                    p.name
                    for p in operation.parameters or ()
                    if getattr(p, "param_in", "") == "query"
                )
    return names


async def refuse_unknown(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> None:
    """Refuse a query parameter that the route does not declare; InvalidInput, with its name.

    Ignored, a slip such as `?scop=` would read every scope, and `as_of` would answer of today.
    """
    if not connection.query_params:
        return
    route = (connection.scope["path_template"], str(connection.scope.get("method", "")))
    known = connection.app.state.parameters.get(route)
    if known is None:
        return  # a page for people, which is in no document
    for name in connection.query_params:
        if name not in known:
            listed = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise InvalidInput(
                f"this route has no parameter {name[:64]!r}; {listed}", field=name[:64]
            )


def aware(moment: datetime | None, field: str) -> datetime | None:
    """The moment in UTC; InvalidInput (`field`) for one without a time zone or too far off.

    In UTC, since to the database equal instants in different zones are not equal.
    """
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise InvalidInput(f"{field} needs a time zone, such as Z", field=field)
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise InvalidInput("the year must lie between 2 and 9998", field=field)
    return moment.astimezone(UTC)


def version_of(given: str | None) -> int | None:
    """Return the version that `If-Match` names, bare or quoted; InvalidInput where it is none."""
    if given is None or given.strip() == "*":
        return None
    bare = given.strip().removeprefix("W/").strip('"')
    if not bare.isdecimal() or len(bare) > 15:
        raise InvalidInput("If-Match is the version, such as 3", field="If-Match")
    return int(bare)
