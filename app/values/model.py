"""What the object of a statement is, apart from how it was written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Kinds of value; each is compared in its own way."""

    ENTITY = "entity"
    NUMBER = "number"
    QUANTITY = "quantity"
    MONEY = "money"
    DATE = "date"
    STATE = "state"
    BOOLEAN = "boolean"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Value:
    """A literal. Two literals of one kind are the same value exactly when their keys are equal.

    `key` is canonical: `number:100000`, `money:EUR:8000`, `quantity:m:3000`, `date:2026-05`,
    `state:completed`, `text:green tea`. `text` is how it was written.
    """

    kind: Kind
    key: str
    text: str
    number: float | None = None
    unit: str | None = None
