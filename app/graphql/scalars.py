"""The two scalars: moments, and bags of values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

import msgspec
from graphql import GraphQLError, GraphQLScalarType
from pydantic import TypeAdapter, ValidationError

from app.kernel.sentences import of_value
from app.kernel.wire import Moment

_MOMENTS: TypeAdapter[datetime] = TypeAdapter(Moment)


def moment(value: object) -> datetime:
    """A moment in UTC; GraphQLError for a naive one, and for what is none."""
    if not isinstance(value, str):
        raise GraphQLError("a moment is a text such as 2026-01-31T12:00:00Z")
    try:
        return _MOMENTS.validate_python(value)
    except ValidationError as error:
        raise GraphQLError(of_value(error.errors()[0]).detail.replace("the body", "it")) from None


def plain(value: Any) -> Any:
    """What the HTTP routes would write: moments as ISO 8601, structures as objects."""
    return msgspec.to_builtins(value)


def attach(types: Mapping[str, Any]) -> None:
    """Let the scalars of a schema read and write values."""
    for name in ("Time", "JSON"):
        cast(GraphQLScalarType, types[name]).coerce_output_value = plain
    cast(GraphQLScalarType, types["Time"]).coerce_input_value = moment
