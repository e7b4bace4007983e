"""Base types of what goes over the wire."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import msgspec
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
)

from app.errors import InvalidInput
from app.kernel.sentences import of_value

FIRST_YEAR, LAST_YEAR = 2, 9998
# As every reader of JSON holds it, and the graph with room to add.
LARGEST = 2**53 - 1
NUMBER = re.compile(r"[+-]?[\d_]*(?:\.\d*)?\Z")  # of a text without blanks around it


def _written(given: Any) -> Any:
    """Refuses a bare number: read as seconds since 1970, 20260302 would be a day of that year."""
    number = isinstance(given, int | float) or (
        isinstance(given, str) and NUMBER.match(given.strip())
    )
    if number:
        raise ValueError("a moment is written in ISO 8601, such as 2026-03-02T09:00:00Z")
    return given


def _utc(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError("the year must lie between 2 and 9998")
    return moment.astimezone(UTC)


# An aware moment, kept in UTC; a naive one is refused.
Moment = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_utc)]
Title = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
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
        raise first_of(error) from None


def first_of(error: ValidationError) -> InvalidInput:
    """The first thing that is wrong with a body, naming its field."""
    wrong = of_value(error.errors(include_input=False)[0])
    return InvalidInput(wrong.detail, field=wrong.field or "input")


def each(given: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """An item of a batch, or what is wrong with it, so that one does not hold up the others."""
    try:
        return read(given)
    except ValidationError as error:
        return first_of(error)


def metadata_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what another program said beside a memory's text, as a field, where it was imported
    from one."""
    said = row.get("metadata")
    return {"metadata": msgspec.json.decode(said)} if said else {}
