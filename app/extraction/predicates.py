"""The registry of predicates: data that comes with the program, and a workspace's own edits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from app.errors import InvalidInput
from app.extraction.data import lexicon, predicate_rows, words
from app.values.model import Kind

NAME = re.compile(r"[^\W\d_][\w :/.%&+'-]{0,119}$")
# Where a label has its object: plain, or with what an amount, a noun or a date takes with it.
SLOT = re.compile(r"\{(?P<what>on|a|[|:][^}]*)?\}")
PLACES = frozenset(["place"])  # the range of a predicate whose values may lie in each other
HALF_LIFE = 365.0  # days, where a row says nothing (annex 3.a)
LONGEST = 40_000.0  # days
# Predicates that rules make from nouns and verbs: what follows the colon is open.
FUNCTIONAL_PREFIXES = ("attribute:", "measure:", "every:", "term:", "by:")
EVENT_PREFIX = "did:"  # what somebody did once, which stays true
MANY_PREFIXES = ("relation:", "tally:", "done_by:", EVENT_PREFIX)
HABIT = "does"  # of a verb that stands alone (`I smoke`), which is the value
FLAGS = ("functional",)
TEXTS = ("inverse", "label_en", "label_de")
LISTS = ("domain", "range")
WORDINGS = (
    "verbs_en",
    "verbs_de",
    "passive_en",
    "passive_de",
    "nouns_en",
    "nouns_de",
    "counts_en",
    "counts_de",
)
TYPES = words("sets", "types")


class InvalidPredicate(InvalidInput):
    """A row of the registry does not hold what it must; `field` names the part."""

    title = "Invalid predicate"


@dataclass(frozen=True, slots=True)
class Predicate:
    """What is known of one predicate.

    `functional`: one value at a time. `exclusive`: True where any two values exclude each other,
    else the values that do. `kind` is `entity` or a kind of value; `half_life` is in days.
    """

    name: str
    functional: bool = False
    exclusive: bool | frozenset[str] = False
    inverse: str | None = None
    domain: frozenset[str] = frozenset()
    range: frozenset[str] = frozenset()
    kind: Kind | None = None
    half_life: float = HALF_LIFE
    label_en: str = ""
    label_de: str = ""
    wording: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def excludes(self, one: str, other: str) -> bool:
        """Whether two different values (their keys) cannot hold at one time."""
        if isinstance(self.exclusive, bool):
            return self.exclusive and one != other
        return one != other and {one, other} <= self.exclusive


@dataclass(frozen=True, slots=True)
class Registry:
    """All predicates of a workspace. One that is not listed is many-valued, so that it never
    retires anything, save those that rules make for a single measured or defined value."""

    rows: Mapping[str, Predicate]

    def get(self, name: str) -> Predicate:
        """The predicate of that name; never fails."""
        known = self.rows.get(name)
        if known is not None:
            return known
        single = name.startswith(FUNCTIONAL_PREFIXES)
        label = name.partition(":")[2] or name.replace("_", " ")
        return Predicate(name, functional=single, label_en=label, label_de=label)

    def __iter__(self) -> Iterator[Predicate]:
        return iter(self.rows.values())

    def with_overrides(self, rows: Mapping[str, Mapping[str, Any]]) -> Registry:
        """A registry in which these rows change or add predicates; a row holds only what differs.

        InvalidPredicate: a name or a field is not as it must be; nothing is taken over.
        """
        merged = dict(self.rows)
        for name, row in rows.items():
            merged[name] = _checked(self.get(name), row)
        return Registry(merged)


@cache
def standard() -> Registry:
    """The registry that comes with the program."""
    bare = Registry({})
    return bare.with_overrides(predicate_rows())


def may_end(
    fits: Collection[str], predicate: str, *, as_value: bool = False, named: bool = True
) -> bool:
    """Return whether an end that leaves open what ended fits a held fact of the predicate.

    Of the names in `fits`, one that ends in a colon stands for all predicates that begin with it,
    and `*` for those that the registry does not have (whoever gives up peanuts may be allergic to
    them all the same) and that tell of no event. Those that begin with `~` are of facts of which
    the end's subject is the value (`as_value`). Where the end names nothing (`named`), it is none
    of what `*` stands for.
    """
    for name in fits:
        if name.startswith("~") != as_value:
            continue
        plain = name.removeprefix("~")
        open_ = predicate not in standard().rows and not predicate.startswith(EVENT_PREFIX)
        if plain == predicate or (plain == "*" and named and open_):
            return True
        if plain.endswith(":") and predicate.startswith(plain) and (named or not as_value):
            return True
    return False


def nouns_of(predicate: str) -> list[str]:
    """The nouns of the kinds of things that a predicate tells of: `job` and its like."""
    ends = lexicon()["ends"]
    return [
        noun
        for kind, names in ends["classes"].items()
        if predicate in names.split()
        for noun in ends.get(f"nouns_{kind}", "").split()
    ]


def _checked(known: Predicate, row: Mapping[str, Any]) -> Predicate:
    name = known.name
    if not NAME.match(name):
        raise InvalidPredicate(f"{name!r} is no name of a predicate", field=name)
    changed: dict[str, Any] = {}
    wording = dict(known.wording)
    for key, value in row.items():
        where = f"{name}.{key}"
        if key in WORDINGS:
            wording[key] = _strings(value, where)
        else:
            changed[key] = _field(key, value, where)
    return replace(known, wording=wording, **changed)


def _field(key: str, value: Any, where: str) -> Any:
    if key in FLAGS:
        return _flag(value, where)
    if key in TEXTS:
        return _text(value, where)
    if key in LISTS:
        return _types(value, where)
    if key == "exclusive":
        return value if isinstance(value, bool) else frozenset(_strings(value, where))
    if key == "kind":
        return _kind(value, where)
    if key == "half_life":
        return _days(value, where)
    raise InvalidPredicate(f"{where} is not a field of a predicate", field=where)


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidPredicate(f"{where} must be true or false", field=where)
    return value


def _text(value: Any, where: str) -> str | None:
    if value is not None and (not isinstance(value, str) or len(value) > 120):
        raise InvalidPredicate(f"{where} must be a text of at most 120 characters", field=where)
    return value


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple | set | frozenset):
        raise InvalidPredicate(f"{where} must be a list of texts", field=where)
    items: Iterable[Any] = value
    if not all(isinstance(item, str) and item.strip() for item in items):
        raise InvalidPredicate(f"{where} must be a list of texts", field=where)
    return tuple(value)


def _types(value: Any, where: str) -> frozenset[str]:
    types = frozenset(_strings(value, where))
    if unknown := types - TYPES:
        raise InvalidPredicate(f"{where}: no such type: {', '.join(sorted(unknown))}", field=where)
    return types


def _kind(value: Any, where: str) -> Kind | None:
    if value is None:
        return None
    try:
        return Kind(value)
    except ValueError:
        kinds = ", ".join(Kind)
        raise InvalidPredicate(f"{where} must be one of {kinds}", field=where) from None


def _days(value: Any, where: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= LONGEST:
        raise InvalidPredicate(f"{where} must be days above 0, up to {LONGEST:.0f}", field=where)
    return float(value)
