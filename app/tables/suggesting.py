"""Which tables would hold what recurs: labels that several episodes give values to. Pure.

A label is what stands before a colon at the beginning of a line, `Revenue: 5000`. Labels of at
least `LEAST` episodes count; what of them an episode has is one record. Two or more labels that
stand together in as many episodes make a suggestion, unless a table of the scope has such columns
or a suggestion has them with further ones. Nobody makes a table of it but who asks for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.tables.values import ColumnType, stored

LEAST = 3  # episodes in which labels recur
LOOKED = 300  # newest episodes of a scope
MOST = 5  # suggestions
MOST_LABELS = 30  # of one episode
LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+)?\**([^\W\d_][\w ./-]{0,39}?)\**[ \t]*:\**[ \t]+(\S.{0,199})$", re.M
)
WHOLE = re.compile(r"[+-]?\d{1,15}\Z", re.ASCII)
NAME = re.compile(r"[^a-z0-9]+")


Labels = Mapping[str, tuple[str, str]]  # as they are written, with their values


@dataclass(frozen=True, slots=True)
class Suggested:
    """A table that does not exist: a name for it, its columns, and the episodes that speak for it,
    newest first."""

    name: str
    columns: tuple[tuple[str, ColumnType], ...]
    episodes: tuple[str, ...]


def suggest(texts: Sequence[tuple[str, str]], tables: Iterable[Iterable[str]]) -> list[Suggested]:
    """Return the tables that some episodes (ids and texts) suggest, the best borne out first.

    `tables` are the columns of those that there are.
    """
    records = {episode: labels(text) for episode, text in texts}
    counts = Counter(key for record in records.values() for key in record)
    often = {key for key, count in counts.items() if count >= LEAST}
    sets = {frozenset(record.keys() & often) for record in records.values()}
    known = [{column.casefold() for column in columns} for columns in tables]
    found = [
        _suggested(keys, episodes, records)
        for keys in sets
        if len(keys) > 1
        and not any(keys <= columns for columns in known)
        and len(episodes := [e for e, record in records.items() if keys <= record.keys()]) >= LEAST
    ]
    found.sort(key=lambda one: (-len(one.columns), -len(one.episodes), one.name))
    kept: list[Suggested] = []
    for one in found:
        if not any(_within(one, other) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: (-len(one.episodes), -len(one.columns), one.name))[:MOST]


def labels(text: str) -> dict[str, tuple[str, str]]:
    """Return the labels of a text as it writes them, with their values, by label in lower case."""
    found: dict[str, tuple[str, str]] = {}
    for match in LINE.finditer(text):
        label = " ".join(match[1].split())
        if len(found) < MOST_LABELS:
            found.setdefault(label.casefold(), (label, match[2].strip()))
    return found


def kind_of(values: Iterable[str]) -> ColumnType:
    """Return the type that all values of a column have; text where there is none."""
    given = list(values)
    for kind in (ColumnType.DECIMAL, ColumnType.DATE, ColumnType.MOMENT):
        if all(_fits(value, kind) for value in given):
            return ColumnType.INTEGER if all(map(WHOLE.match, given)) else kind
    return ColumnType.TEXT


def _fits(value: str, kind: ColumnType) -> bool:
    try:
        stored(value, kind)
    except ValueError:
        return False
    return True


def _suggested(
    keys: frozenset[str], episodes: Sequence[str], records: Mapping[str, Labels]
) -> Suggested:
    newest = records[episodes[0]]
    order = [key for key in newest if key in keys]
    columns = tuple(
        (newest[key][0], kind_of(records[episode][key][1] for episode in episodes)) for key in order
    )
    name = NAME.sub("_", "_".join(order).lower()).strip("_")[:63].strip("_")
    return Suggested(name if name[:1].isalpha() else "records", columns, tuple(episodes))


def _within(one: Suggested, other: Suggested) -> bool:
    names = {label.casefold() for label, _ in one.columns}
    return names <= {label.casefold() for label, _ in other.columns}
