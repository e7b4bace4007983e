"""Which personal data a text holds, class by class; pure and without I/O."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter

from app.sanitize.addresses import emails, ibans, networks
from app.sanitize.disguise import meant
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
    finds = [find for find in chain(_all(text), _disguised(text)) if find.kind in wanted]
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


def _disguised(text: str) -> Iterator[Find]:
    """Finds in what the text means, where that differs, and in numbers parted in odd ways."""
    view = meant(text)
    said = text if view is None else view.text
    finds = _parted(said) if view is None else chain(_all(said), _parted(said))
    for find in finds:
        yield find if view is None else Find(*view.span(find.start, find.end), find.kind)


# What parts the groups of a number beside the blank and the hyphen. No character is added or taken.
_PARTING = re.compile(r"(?<=[0-9A-Za-z])[\t\n./_|\u00b7\u2022](?=[0-9A-Za-z+])")
_CARD_GROUPS = re.compile(r"\d{4}(?:\W\d{4}){3}|\d{4}\W\d{6}\W\d{5}|\d{12,19}")


def _parted(text: str) -> Iterator[Find]:
    """Accounts, cards and international telephone numbers parted by dots, tabs, strokes or a line.

    A checksum or the plus says what they are; a card has to have the groups of one, too.
    """
    if _count_digits(text) < _FEWEST_DIGITS:
        return
    joined = _PARTING.sub(" ", text)
    if joined == text:
        return
    for find in chain(ibans(joined), cards(joined)):
        number = slice(find.start, find.end)
        shaped = find.kind == "iban" or _CARD_GROUPS.fullmatch(joined[number])
        if shaped and text[number].count("\n") < 2:
            yield find
    if "+" in text:
        # What goes on after a whole number is another one.
        whole = {find.start for find in phones(text)}
        for find in phones(joined):
            number = slice(find.start, find.end)
            begins = joined[find.start] == "+" and find.start not in whole
            if begins and text[number].count("\n") < 2:
                yield find


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
