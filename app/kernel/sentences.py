"""What is wrong with a value, as a sentence that names its field, in place of a library's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

NAME = re.compile(r"[A-Za-z_]\w*|\d+")  # a step of a path; pydantic mixes in kinds of unions
MOMENT = "{field} is a moment with a time zone, such as 2026-03-02T09:00:00Z"
OBJECT, LIST, NUMBER = "{field} is an object", "{field} is a list", "{field} is a number"
DAY = "{field} is a day, such as 2026-03-02"
WHOLE, TRUTH = "{field} is a whole number", "{field} is true or false"

# By pydantic's name of the error; what stands in braces is the field, or comes with the error.
FORMS = {
    "missing": "{field} is missing",
    "extra_forbidden": "there is no field {field} here",
    "string_type": "{field} is a text",
    "string_too_short": "{field} has at least {min_length} characters",
    "string_too_long": "{field} has at most {max_length} characters",
    "string_pattern_mismatch": "{field} does not have the form {pattern}",
    "too_short": "{field} has at least {min_length} items",
    "too_long": "{field} has at most {max_length} items",
    "greater_than": "{field} is more than {gt}",
    "greater_than_equal": "{field} is at least {ge}",
    "less_than": "{field} is less than {lt}",
    "less_than_equal": "{field} is at most {le}",
    "finite_number": NUMBER,
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "int_type": WHOLE,
    "int_parsing": WHOLE,
    "int_parsing_size": WHOLE,
    "int_from_float": WHOLE,
    "bool_type": TRUTH,
    "bool_parsing": TRUTH,
    "literal_error": "{field} is one of {expected}",
    "enum": "{field} is one of {expected}",
    "dict_type": OBJECT,
    "mapping_type": OBJECT,
    "model_type": OBJECT,
    "model_attributes_type": OBJECT,
    "list_type": LIST,
    "tuple_type": LIST,
    "set_type": LIST,
    "datetime_type": MOMENT,
    "datetime_parsing": MOMENT,
    "datetime_from_date_parsing": MOMENT,
    "datetime_object_invalid": MOMENT,
    "timezone_aware": MOMENT,
    "date_type": DAY,
    "date_parsing": DAY,
    "date_from_datetime_parsing": DAY,
    "date_from_datetime_inexact": DAY,
    "json_invalid": "the body is no JSON",
}
NO_BLANKS = r"^\S+$"

# By the words of msgspec, which reads query parameters.
PARAMETERS = [
    (re.compile(r"Expected `int` (>=|<=) (\S+)"), "{field} is at {} {}"),
    (re.compile(r"Expected `float` (>=|<=) (\S+)"), "{field} is at {} {}"),
    (re.compile(r"Expected `str` of length (>=|<=) (\S+)"), "{field} has at {} {} characters"),
    (re.compile(r"Expected `array` of length (>=|<=) (\S+)"), "{field} has at {} {} items"),
    (re.compile(r"Expected `(?:int|int \| null)`"), WHOLE),
    (re.compile(r"Expected `(?:float|float \| null)`"), NUMBER),
    (re.compile(r"Expected `(?:bool|bool \| null)`"), TRUTH),
    (re.compile(r"Expected `(?:date|date \| null)`|Invalid RFC3339 encoded date(?!time)"), DAY),
    (re.compile(r"Expected `(?:datetime|datetime \| null)`|Invalid RFC3339"), MOMENT),
    (re.compile(r"Expected `(?:str|str \| null)`"), "{field} is a text"),
    (re.compile(r"Expected `array"), LIST),
    (re.compile(r"Expected `object"), OBJECT),
    (re.compile(r"Invalid (?:enum )?value (.+)"), "{field} is not one of what it takes: {}"),
]
LIMITS = {">=": "least", "<=": "most"}


class Wrong(NamedTuple):
    """A field by its path with dots between, "" for the whole, and what is wrong with it."""

    field: str
    detail: str


def of_value(error: Mapping[str, Any]) -> Wrong:
    """What pydantic's details of an error say."""
    steps = [str(part) for part in error["loc"] if NAME.fullmatch(str(part))]
    path, field = ".".join(steps), _named(steps)
    kind, said, given = str(error["type"]), str(error["msg"]), error.get("ctx") or {}
    if kind == "value_error":
        said = said.removeprefix("Value error, ")
        return Wrong(path, said if not steps or field in said else f"{field}: {said}")
    if kind == "string_too_short" and given.get("min_length") == 1:
        return Wrong(path, f"{field} is empty")
    if kind == "string_pattern_mismatch" and given.get("pattern") == NO_BLANKS:
        return Wrong(path, f"{field} has no blanks")
    form = FORMS.get(kind)
    return Wrong(path, form.format(field=field, **given) if form else f"{field}: {said}")


def of_parameter(name: str, said: str) -> Wrong:
    """What msgspec says of a parameter."""
    for pattern, form in PARAMETERS:
        if found := pattern.match(said):
            parts = [LIMITS.get(part, part) for part in found.groups()]
            return Wrong(name, form.format(*parts, field=name))
    return Wrong(name, said if name in said else f"{name}: {said}")


def _named(steps: Iterable[str]) -> str:
    """The last name of a path; with its number where it is an item of a list."""
    named = list(steps)
    number = named.pop() if len(named) > 1 and named[-1].isdigit() else None
    if not named:
        return "the body"
    return named[-1] if number is None else f"{named[-1]}.{number}"
