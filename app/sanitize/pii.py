"""Which personal data a text holds, class by class; pure and without I/O."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter

from app.sanitize.addresses import emails, ibans, networks
from app.sanitize.finds import Find, settle
from app.sanitize.numbers import cards, glued, national_ids, phones
from app.sanitize.secrets import secrets

_DIGIT = re.compile(r"\d")
_PLACEHOLDER = re.compile(r"\[(?:email|phone|iban|card|national_id|ip|secret|name)\]")
# Fewer digits than this and no number of a person, an account or a telephone can be there.
_FEWEST_DIGITS = 6
_NUMBER_DETECTORS: tuple[Callable[[str], Iterator[Find]], ...] = (
    cards,
    glued,
    national_ids,
    phones,
    ibans,
)


def find_pii(text: str, wanted: frozenset[str]) -> list[Find]:
    """Finds of the `wanted` classes (names apart), in order and free of overlaps."""
    finds = [find for find in _all(text) if find.kind in wanted]
    return settle(_outside_placeholders(text, finds)) if finds else finds


def _all(text: str) -> Iterator[Find]:
    found: list[Iterator[Find]] = [secrets(text, text.lower())]
    if "@" in text or "(at)" in text or "[at]" in text:
        found.append(emails(text))
    digits = _count_digits(text)
    if digits >= _FEWEST_DIGITS:
        found.extend(detector(text) for detector in _NUMBER_DETECTORS)
    if (digits >= 4 and text.count(".") > 2) or "::" in text or text.count(":") > 6:
        found.append(networks(text))
    return chain.from_iterable(found)


def _count_digits(text: str) -> int:
    """Digits in the text, not counted beyond the fewest that matter."""
    count = 0
    for _ in _DIGIT.finditer(text):
        count += 1
        if count >= _FEWEST_DIGITS:
            break
    return count


def _outside_placeholders(text: str, finds: list[Find]) -> list[Find]:
    """Finds that touch no placeholder: what an earlier pass has put there stays as it is."""
    taken = [match.span() for match in _PLACEHOLDER.finditer(text)]
    return [find for find in finds if not _touches(taken, find)] if taken else finds


def _touches(taken: list[tuple[int, int]], find: Find) -> bool:
    index = bisect_left(taken, find.end, key=itemgetter(0))
    return index > 0 and taken[index - 1][1] > find.start
