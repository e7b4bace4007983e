"""What is given to a field, held against the same models as the bodies of the HTTP routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from app.errors import InvalidInput
from app.kernel.wire import WireModel

M = TypeVar("M", bound=WireModel)
# What the services call otherwise than the schema does.
ARGUMENTS = {"limit": "first", "cursor": "after", "scope": "scopes"}


def model_of(model: type[M], given: Mapping[str, Any]) -> M:
    """The body of an HTTP route out of an input; InvalidInput naming the first bad field."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        named = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(str(first["msg"]), field=named or "input") from None


def camel(name: str) -> str:
    """A name as the schema writes it; parts between dots on their own."""
    return ".".join(_camel(part) for part in name.split("."))


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def snake(name: str) -> str:
    """A name of the schema as Python writes it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
