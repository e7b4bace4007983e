"""Which personal data a text holds, class by class; pure and without I/O."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter

from app.sanitize.addresses import emails, ibans, networks
from app.sanitize.disguise import Meant, closed, evened, meant, rewritten
from app.sanitize.finds import Find, settle
from app.sanitize.health import health
from app.sanitize.numbers import cards, glued, national_ids, phones, says_phone
from app.sanitize.personal import addresses, birth_dates, documents
from app.sanitize.policy import PII_CLASSES
from app.sanitize.secrets import secrets

_DIGIT = re.compile(r"\d")
_PLACEHOLDER = re.compile(rf"\[(?:{'|'.join(PII_CLASSES)})\]")
# Fewer digits than this and no number of a person, an account or a telephone can be there.
_FEWEST_DIGITS = 6
_NUMBER_DETECTORS: tuple[Callable[[str], Iterator[Find]], ...] = (
    cards,
    glued,
    national_ids,
    phones,
    ibans,
)
_WORD_DETECTORS: tuple[Callable[[str, str], Iterator[Find]], ...] = (
    birth_dates,
    addresses,
    documents,
    health,
)


def find_pii(text: str, wanted: frozenset[str]) -> list[Find]:
    """Finds of the `wanted` classes (names apart), in order and free of overlaps."""
    view = meant(text)
    tight = closed(text)
    found = [_all(text), _disguised(text, view)]
    if tight is not None:
        found.append(_disguised(text, tight))
    finds = [find for find in chain.from_iterable(found) if find.kind in wanted]
    settled = settle(_outside_placeholders(text, finds)) if finds else finds
    told = [find for find in _told(text, view) if find.kind in wanted]
    return _beside(text, settled, told) if told else settled


def _told(text: str, view: Meant | None) -> Iterator[Find]:
    """What words tell of a person, in the text and, where that differs, in what it means."""
    yield from _worded(text, None)
    if view is not None:
        yield from _worded(view.text, view)
    even = evened(text, view)
    if even is not None:
        yield from _worded(even.text, even)


def _worded(said: str, view: Meant | None) -> Iterator[Find]:
    lowered = said.lower()
    for detector in _WORD_DETECTORS:
        for find in detector(said, lowered):
            yield find if view is None else Find(*view.span(find.start, find.end), find.kind)


def _beside(text: str, settled: list[Find], told: list[Find]) -> list[Find]:
    """Both in order. What words tell may be long, and never covers a number that is redacted."""
    taken = [(find.start, find.end) for find in settled]
    fresh = [
        find for find in settle(_outside_placeholders(text, told)) if not _touches(taken, find)
    ]
    return sorted([*settled, *fresh])


def _all(text: str) -> Iterator[Find]:
    found: list[Iterator[Find]] = [secrets(text, text.lower()), emails(text)]
    digits = _count_digits(text)
    if digits >= _FEWEST_DIGITS:
        found.extend(detector(text) for detector in _NUMBER_DETECTORS)
    if (digits >= 4 and text.count(".") > 2) or "::" in text or text.count(":") > 6:
        found.append(networks(text))
    return chain.from_iterable(found)


def _disguised(text: str, view: Meant | None) -> Iterator[Find]:
    """Finds in what the text means, where that differs, and in numbers parted in odd ways."""
    said = text if view is None else view.text
    finds = _parted(said) if view is None else chain(_all(said), _parted(said))
    for find in finds:
        yield find if view is None else Find(*view.span(find.start, find.end), find.kind)


# What parts the groups of a number where it is not a single blank.
_PARTING = re.compile(
    r"(?<=\d)[ \t\n./_|\u00b7\u2022-]{1,3}(?=[0-9A-Za-z+(])"
    r"|(?<=[A-Za-z])[ \t\n./_|\u00b7\u2022-]{1,3}(?=\d)"
)
_CARD_GROUPS = re.compile(r"\d{4}(?: \d{4}){2} \d{3,4}|\d{4} \d{6} \d{4,5}")
_FOURS = re.compile(
    r"(?<![\w.,-])(?<!\d )[A-Z0-9]{4}(?: [A-Z0-9]{4}){1,3}(?: [A-Z0-9]{1,3})?(?![\w-]| \d|[.,]\d)"
)
_FOUR_BEFORE, _FOUR_AFTER = re.compile(r"(?<!\d)\d{4} \Z"), re.compile(r" \d{4}(?!\d)")
# The detector of telephone numbers takes other gaps itself.
_ODDLY = re.compile(r"\d[ ./-]{0,2}[\t\n_|\u00b7\u2022]|\d {2}")
# What stands before the second part of an identifier, as in "MX-9-004417".
_HYPHENS = frozenset("-_/.")
_INTERNATIONAL = re.compile(r"\+|00[1-9]")


def _parted(text: str) -> Iterator[Find]:
    """Accounts, cards and telephone numbers parted by dots, tabs, strokes or a line break.

    A checksum, or how it begins, says what a number is; a card has to have the groups of one, too.
    """
    if _count_digits(text) < _FEWEST_DIGITS:
        return
    yield from _in_fours(text, None)
    yield from _broken_cards(text)
    view = rewritten(text, _PARTING, lambda _, match: " ")
    if view is None:
        return
    yield from _in_fours(text, view)
    for find in chain(ibans(view.text), national_ids(view.text)):
        start, end = view.span(find.start, find.end)
        if find.kind == "iban" or text.count("\n", start, end) < 2:
            yield Find(start, end, find.kind)
    for find in cards(view.text):
        start, end = view.span(find.start, find.end)
        if text.count("\n", start, end) < 2 and _is_alone(text, view.text, find, (start, end)):
            yield Find(start, end, "card")
    if not _ODDLY.search(text):
        return
    # What goes on after a whole telephone number is another one.
    whole = {find.start for find in phones(text)}
    for find in phones(view.text):
        start, end = view.span(find.start, find.end)
        fits = start not in whole and text[start - 1 : start] not in _HYPHENS
        fits = fits and _begins(view.text, find.start)
        if fits and text.count("\n", start, end) < 2:
            yield Find(start, end, "phone")


# One tab or line break within a card, and the digits before and behind it.
_BREAK = re.compile(r"(?<=[\d ])[\t\n](?=[\d ])")
_LEFT = re.compile(r"(?:\A|(?<=[^\w.,/|;\t-]))\d[\d ]{0,18}\Z")
_RIGHT = re.compile(r" ?\d(?: ?\d){0,17}(?![\w\t/|;-]| \d|[.,]\d)")
_SOLID = re.compile(r"\d{15,16}")
_WORD_BEFORE = re.compile(r"[^\W\d_]{2}[.,:;)\"'„“(]{0,2} [„“\"'(]?\Z")


def _broken_cards(text: str) -> Iterator[Find]:
    """Cards that one tab or line break cuts anywhere: in groups, or solid within a sentence."""
    for cut in _BREAK.finditer(text):
        left = _LEFT.search(text, max(0, cut.start() - 20), cut.start())
        right = _RIGHT.match(text, cut.end()) if left else None
        if left is None or right is None or not 15 <= len(left[0] + right[0]) <= 19:
            continue
        whole = left[0] + right[0]
        in_words = bool(_WORD_BEFORE.search(text, max(0, left.start() - 12), left.start()))
        shaped = _CARD_GROUPS.fullmatch(whole) or (in_words and _SOLID.fullmatch(whole))
        if shaped and any(find.end == len(whole) for find in cards(whole)):
            yield Find(left.start(), right.end(), "card")


def _in_fours(text: str, view: Meant | None) -> Iterator[Find]:
    """Person numbers whose groups are of four, as accounts and cards are printed, and which are no
    part of a longer row; `view` has blanks between the groups."""
    said = text if view is None else view.text
    joined = rewritten(said, _FOURS, lambda _, match: match.group().replace(" ", ""))
    if joined is None:
        return
    for find in national_ids(joined.text):
        start, end = joined.span(find.start, find.end)
        if view is not None:
            start, end = view.span(start, end)
        if text.count("\n", start, end) < 2:
            yield Find(start, end, find.kind)


def _begins(joined: str, start: int) -> bool:
    """Whether a number begins as international ones do or has the word for it before it."""
    return bool(_INTERNATIONAL.match(joined, start)) or says_phone(
        joined[max(0, start - 45) : start]
    )


def _is_alone(text: str, joined: str, find: Find, span: tuple[int, int]) -> bool:
    """Whether the groups are those of a card, and no row or column of numbers goes on with them."""
    if not _CARD_GROUPS.fullmatch(joined, find.start, find.end):
        return False
    start, end = span
    before = _FOUR_BEFORE.search(joined, max(0, find.start - 5), find.start)
    after = _FOUR_AFTER.match(joined, find.end)
    return not (before and text[start - 1] != " ") and not (after and text[end] != " ")


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
