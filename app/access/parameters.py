"""Query parameters that several routes share; `scope` is a name that the framework keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from litestar.params import QueryParameter

from app.errors import InvalidInput
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
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="Most items of a page.")]


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
