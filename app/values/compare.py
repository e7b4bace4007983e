"""Whether two values are one, or cannot both be."""

from __future__ import annotations

from app.values.dates import when_of
from app.values.model import Kind, Value
from app.values.states import exclusive_states


def same_value(one: Value | None, other: Value | None) -> bool:
    """Whether both are one value, however written. Nothing is the same as nothing known."""
    return one is not None and other is not None and one.key == other.key


def incompatible(one: Value | None, other: Value | None) -> bool:
    """Whether both cannot be the value of one attribute at one time.

    Only values of one kind can exclude each other, and only in one unit's dimension; a bare number
    also excludes another amount of money or another year. A coarser date does not exclude a finer
    one inside it, nor a text another that adds words to it.
    """
    if one is None or other is None or one.key == other.key:
        return False
    if one.kind is not other.kind:
        return _bare_number_differs(one, other) or _bare_number_differs(other, one)
    if one.kind is Kind.DATE:
        return when_of(one.key).clashes(when_of(other.key))
    if one.kind is Kind.STATE:
        return exclusive_states(one.key.removeprefix("state:"), other.key.removeprefix("state:"))
    if one.kind is Kind.QUANTITY:
        return one.unit == other.unit
    if one.kind is Kind.MONEY:
        return _period(one) == _period(other)
    return one.kind is not Kind.TEXT or not _one_adds_to_the_other(one, other)


def _bare_number_differs(bare: Value, other: Value) -> bool:
    if bare.kind is not Kind.NUMBER or other.kind not in (Kind.MONEY, Kind.DATE):
        return False
    return other.number is not None and bare.number != other.number


def _period(money: Value) -> str:
    return (money.unit or "").partition("/")[2]


def _one_adds_to_the_other(one: Value, other: Value) -> bool:
    mine = set(one.key.removeprefix("text:").split())
    theirs = set(other.key.removeprefix("text:").split())
    return mine <= theirs or theirs <= mine
