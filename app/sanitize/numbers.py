"""Payment cards, national ids and telephone numbers, told apart from dates, ids and amounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

import phonenumbers
from stdnum import luhn
from stdnum.at import vnr
from stdnum.ch import ssn as ahv
from stdnum.de import idnr
from stdnum.us import ssn

from app.sanitize.finds import Find

_REGIONS = ("DE", "AT", "CH", "GB", "US")
# Beyond so many look-ups in one text the shape of a number decides alone, so that a long list
# of numbers cannot hold a capture up.
_LOOKUPS = 400

_SERIES = re.compile(r"(?<![\w,])\d(?:[ \u00a0\u2011-]?\d){11,}(?![\w])")
_GROUP = re.compile(r"\d+")
_ISSUERS = (
    (re.compile(r"4"), {13, 16, 19}),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), {16}),
    (re.compile(r"3[47]|2131|1800"), {15}),
    (re.compile(r"30[0-5]|309|36|38|39"), {14, 15, 16, 17, 18, 19}),
    (re.compile(r"35(?:2[89]|[3-8])|6011|62|64[4-9]|65"), {16, 17, 18, 19}),
    (re.compile(r"50|5[6-9]|6"), {12, 13, 14, 15, 16, 17, 18, 19}),
)
_CARD_WORDS = re.compile(r"card|karte|credit|debit|visa|maestro|kredit", re.IGNORECASE)


def cards(text: str) -> Iterator[Find]:
    """Card numbers of 13 to 19 digits (12 beside the word card): issuer prefix and Luhn."""
    for series in _SERIES.finditer(text):
        groups = [(m.start(), m.end()) for m in _GROUP.finditer(text, *series.span())]
        yield from _cards_in(text, groups)


def _cards_in(text: str, groups: list[tuple[int, int]]) -> Iterator[Find]:
    index = 0
    while index < len(groups):
        last = _card_from(text, groups, index)
        if last is None:
            index += 1
            continue
        yield Find(groups[index][0], groups[last][1], "card")
        index = last + 1


def _card_from(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last group of the longest card that begins with group `first`."""
    if first and groups[first][1] - groups[first][0] < 3:
        return None
    digits, found = "", None
    for index in range(first, len(groups)):
        digits += text[slice(*groups[index])]
        if len(digits) > 19:
            break
        if len(digits) >= 12 and _is_card(text, groups[first][0], digits):
            found = index
    return found


def _is_card(text: str, start: int, digits: str) -> bool:
    if not any(len(digits) in sizes and issuer.match(digits) for issuer, sizes in _ISSUERS):
        return False
    if len(digits) == 12 and not _CARD_WORDS.search(text, max(0, start - 60), start):
        return False
    return luhn.is_valid(digits)


# A telephone number in the American form, with a card number glued to it.
_GLUED = re.compile(r"\(?[2-9]\d{2}\)?[ .-]{0,2}[2-9]\d{2}[ .-]\d{4}(?=(\d{13,19})(?!\d))")


def glued(text: str) -> Iterator[Find]:
    """A telephone number followed, without a gap, by a card number."""
    for match in _GLUED.finditer(text):
        if _is_card(text, match.end(), match.group(1)):
            yield Find(*match.span(), "phone")
            yield Find(*match.span(1), "card")


class _Checksum(Protocol):
    def is_valid(self, number: str) -> bool: ...


_US = re.compile(r"(?<![\w-])\d{3}([- ])\d{2}\1\d{4}(?![\w-])")
_US_BARE = re.compile(r"(?<![\w-])\d{9}(?![\w-])")
_US_WORDS = re.compile(r"\bssn\b|social security", re.IGNORECASE)
_TAX = re.compile(r"(?<![\w.+-])[1-9]\d(?:[ /]?\d{3}){3}(?![\w-])")
_PENSION = re.compile(r"(?<!\w)(\d{2}) ?(\d{2})(\d{2})(\d{2}) ?([A-Z]) ?(\d{2})(\d)(?!\w)")
_SWISS = re.compile(r"(?<!\w)756([. ]?)\d{4}\1\d{4}\1\d{2}(?!\w)")
_AUSTRIAN = re.compile(r"(?<![\w.+-])[1-9]\d{3}([ /-]?)\d{6}(?![\w-])")
_AUSTRIAN_WORDS = re.compile(r"svnr|sv-n|versicherungsn|e-?card|insurance n", re.IGNORECASE)
_NINO = re.compile(
    r"(?<!\w)(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?"
    r"\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)"
)


def national_ids(text: str) -> Iterator[Find]:
    """Person numbers of the US, Germany, Austria, Switzerland and the UK, checksums right."""
    yield from _checked(_US, text, ssn)
    yield from _beside(_US_BARE, _US_WORDS, text, ssn)
    yield from _checked(_TAX, text, idnr)
    yield from _checked(_SWISS, text, ahv)
    yield from _beside(_AUSTRIAN, _AUSTRIAN_WORDS, text, vnr)
    for match in _PENSION.finditer(text):
        if is_pension_number(match.group()):
            yield Find(*match.span(), "national_id")
    for match in _NINO.finditer(text):
        yield Find(*match.span(), "national_id")


def _checked(shape: re.Pattern[str], text: str, checksum: _Checksum) -> Iterator[Find]:
    for match in shape.finditer(text):
        if checksum.is_valid(match.group().replace(" ", "").replace("/", "")):
            yield Find(*match.span(), "national_id")


def _beside(
    shape: re.Pattern[str], words: re.Pattern[str], text: str, checksum: _Checksum
) -> Iterator[Find]:
    """Numbers whose shape says too little: only with one of `words` up to 40 characters before."""
    for find in _checked(shape, text, checksum):
        if words.search(text, max(0, find.start - 40), find.start):
            yield find


_PENSION_WEIGHTS = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)


def is_pension_number(number: str) -> bool:
    """Whether the check digit of a German Rentenversicherungsnummer is right.

    Weights 2 1 2 5 7 1 2 1 2 1 2 1 over the digits, the letter as two digits (A = 01), sum of
    the digit sums modulo 10 (VKVV section 4).
    """
    match = _PENSION.fullmatch(number)
    if match is None or not 1 <= int(match.group(3)) <= 12 or not _pension_day(match.group(2)):
        return False
    area, day, month, year, letter, serial, check = match.groups()
    digits = f"{area}{day}{month}{year}{ord(letter) - 64:02d}{serial}"
    products = (int(d) * w for d, w in zip(digits, _PENSION_WEIGHTS, strict=True))
    return sum(p // 10 + p % 10 for p in products) % 10 == int(check)


def _pension_day(day: str) -> bool:
    # 50 is added to the day of birth where two people would share a number.
    return 1 <= int(day) % 50 <= 31


# No quantifier here is possessive: Python before 3.11.5 matches those wrongly. What a lookahead has
# found once is not tried again shorter, so that the reference to it takes all groups or none.
_PHONE = re.compile(
    r"(?<![\w.,:/$€£#=+-])(?:\+|00[ .-]?(?=[1-9]))?(?:\(\+?\d{1,5}\)|\d{1,15}(?!\d))"
    r"(?=(?P<groups>(?:[ \u00a0./\u2011\u2013-]{0,3}\(\d{1,5}\)"
    r"|(?:[ \u00a0./\u2011\u2013-]{1,3}|(?<=\)))\d{1,15}){0,8}))(?P=groups)"
    r"(?:[ ]?(?:x|ext\.? ?|Durchwahl |DW )\d{1,6})?(?![\w%€$£]|[.,:]\d)"
)
_NANP = re.compile(r"(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}([-. ]))[2-9]\d{2}[-. ]\d{4}")
# One in a thousand of these begins with digits that some numbering plan knows.
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_DATE = re.compile(
    r"(?<!\d)(?:(?:1[89]|20|21)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|[12]\d|3[01])[-./ ](?:1[89]|20|21)\d\d"
    r"|(?:1[89]|20|21)\d\d\)?[ /–-]{1,3}\(?(?:1[89]|20|21)\d\d)(?!\d)"
)
_PHONE_BEFORE = re.compile(
    r"\b(?:(?:tele)?phone|telefon\w*|tel|call(?:ing|ed)?|mobile?|mobil\w*|cell|handy\w*|fax|desk"
    r"|dial|ring|reach(?:able)?|sms|whatsapp|signal|text(?:ing)?|hotline|landline|festnetz"
    r"|durchwahl|rufnummer\w*|ruf\w{0,3} an|angerufen|anrufen|erreich\w+|messages? to"
    r"|answering (?:at|on)|registered|contact)\b",
    re.IGNORECASE,
)
_PHONE_AFTER = re.compile(
    r"[ ,(-]{0,3}(?:office|fax|mobile?|cell|home|work|desk|anrufen|an\b|erreich)", re.IGNORECASE
)
_NOT_PHONE = re.compile(
    r"(?:\b(?:isbn|issn|order|invoice|ticket|case|ref(?:erence)?|id|no|nr|version|zip|plz"
    r"|account|konto\w*|rechnung\w*|bestell\w*|kunden\w*|vorgang\w*|artikel\w*|serial|tracking"
    r"|license|licence|eur|usd|chf|gbp|blz|tenant|iban)\b|number|nummer)[^\w\n]{0,3}"
    r"(?:is|ist|lautet|number|nummer)?[^\w\n]{0,3}$",
    re.IGNORECASE,
)


def phones(text: str) -> Iterator[Find]:
    """Telephone numbers: international ones, valid ones of `_REGIONS`, and what is named so."""
    lookups = 0
    for match in _PHONE.finditer(text):
        span, number = match.span(), match.group()
        digits = sum(map(str.isdigit, number))
        if not 7 <= digits <= 17 or _DATE.search(number) or _UUID.match(text, span[0]):
            continue
        lookups += 1
        if _is_phone(text, span, number, lookups <= _LOOKUPS):
            yield Find(*span, "phone")


def _is_phone(text: str, span: tuple[int, int], number: str, may_look_up: bool) -> bool:
    start, end = span
    before = text[max(0, start - 45) : start].rpartition("\n\n")[2]
    if _PHONE_AFTER.match(text, end) or _PHONE_BEFORE.search(before):
        return not _NOT_PHONE.search(before) or says_phone(before)
    if _NOT_PHONE.search(before):
        return False
    if _NANP.fullmatch(number):
        return True
    if number[0] not in "+0(":
        return False
    return _valid(number) if may_look_up else True


def says_phone(before: str) -> bool:
    """Whether the word nearest to the number is one for telephones ("Tel. Nr.")."""
    ends = [match.end() for match in _PHONE_BEFORE.finditer(before)]
    return bool(ends) and len(before) - ends[-1] < 16


@lru_cache(maxsize=4096)
def _valid(number: str) -> bool:
    """Whether the numbering plan of its country, or of one of `_REGIONS`, knows the number."""
    if number.startswith("00"):
        number = "+" + number[2:].lstrip(" .-")
    regions: tuple[str | None, ...] = (None,) if number.startswith("+") else _REGIONS
    return any(_valid_in(number, region) for region in regions)


def _valid_in(number: str, region: str | None) -> bool:
    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_valid_number(parsed)
