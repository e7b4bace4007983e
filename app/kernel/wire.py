"""Base types of what goes over the wire."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationError,
)

from app.errors import InvalidInput

FIRST_YEAR, LAST_YEAR = 2, 9998


def _utc(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError("the year must lie between 2 and 9998")
    return moment.astimezone(UTC)


# An aware moment, kept in UTC; a naive one is refused.
Moment = Annotated[AwareDatetime, AfterValidator(_utc)]
ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
TagName = Annotated[
    str,
    StringConstraints(
        min_length=1, max_length=64, strip_whitespace=True, to_lower=True, pattern=r"^\S+$"
    ),
]


class WireModel(BaseModel):
    """A request body: unknown fields are refused, so that a slip is not silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


M = TypeVar("M", bound=WireModel)


def model_of(model: type[M], given: Mapping[str, Any]) -> M:
    """A request body out of parts that came by another way; InvalidInput naming the first bad
    field."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        named = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(str(first["msg"]), field=named or "input") from None
