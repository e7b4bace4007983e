"""E-mail addresses, network addresses and bank accounts."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from stdnum import iban

from app.sanitize.finds import Find

_LOCAL = string.ascii_letters + string.digits + ".!#$%&*+-/=?^_`{|}~äöüßéèáàóòíúçñÄÖÜ"
_EDGE = ".!#$%&*/=?^`{|}~-"
_DOMAIN = re.compile(
    r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-])|\[\d{1,3}(?:\.\d{1,3}){3}\]"
)
_REPOSITORY = re.compile(r":(?!//)[\w.~-]{0,100}/|:[\w.~-]{1,100}\.git\b")
_USER_INFO = re.compile(r"://(?:[^/\s@]*:)?$")
_WRITTEN_OUT = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}[ ]?[\[({](?i:at|ät)[\])}][ ]?[\w-]{1,63}"
    r"(?:[ ]?(?:\.|[\[({](?i:dot|punkt)[\])}])[ ]?[\w-]{1,63}){1,4}(?!\w)"
    # In words alone: the last of them has to be short, as the ends of addresses are.
    r"|(?<![\w.+-])[\w.+-]{1,64}(?: (?i:dot|punkt) [\w+-]{1,63}){0,3} (?i:at|ät) [\w-]{1,63}"
    r"(?:(?:\.| (?i:dot|punkt) )[\w-]{1,63}){0,2} (?i:dot|punkt) [a-z]{2,4}(?!\w)"
    # A name in two parts stands before an @ between blanks; a single word may be said at a place.
    r"|(?<![\w.+-])[^\W\d][\w.+-]{0,40}[._+][\w-]{3,40} @ ?[\w-]{1,63}"
    r"(?:\.[\w-]{1,63}){0,3}\.[a-z]{2,12}(?![\w-])"
)
# An address whose domain a blank breaks in two, and where such a domain may end. Words that end
# sentences, too, are no ends behind a blank alone.
_BROKEN = re.compile(
    r"(?<![\w.+-])(?P<local>[\w+-]{1,40}(?:[._+][\w+-]{1,40}){0,4})@"
    r"(?P<front>[^\W_][\w.-]{0,80}|\.)(?P<gap>[^\S\r]|\r?\n)(?P<back>[\w.-]{1,80})"
)
_ENDS = frozenset(
    (
        *(
            "com",
            "org",
            "net",
            "de",
            "ch",
            "at",
            "eu",
            "uk",
            "fr",
            "nl",
            "io",
            "info",
            "biz",
            "edu",
        ),
        *("gov", "dev", "app", "li", "lu", "it", "es", "be", "pl", "dk", "se", "us", "cz", "no"),
    )
)
_WORDS = frozenset(("at", "it", "es", "be", "no", "us", "info", "li"))
_CUES = ("(at)", "[at]", "{at}", "(ät)", "[ät]", "{ät}", " dot ", " punkt ", " @")


def emails(text: str) -> Iterator[Find]:
    """E-mail addresses; `git@host:path` and `ssh://git@host` are none."""
    at = text.find("@")
    while at >= 0:
        find = _email(text, at)
        if find:
            yield find
        at = text.find("@", at + 1)
    for match in _BROKEN.finditer(text) if "@" in text else ():
        end = _broken_end(match)
        if end:
            yield Find(match.start(), end, "email")
    lowered = text.lower()
    if any(map(lowered.__contains__, _CUES)):
        for match in _WRITTEN_OUT.finditer(text):
            yield Find(*match.span(), "email")


def _broken_end(match: re.Match[str]) -> int:
    """Where the address ends whose domain goes on behind a blank; 0 for none.

    A name of one word may be a command's or a user's at a machine: only an odd blank breaks its
    domain, for nobody types one.
    """
    local, front, gap, back = match.group("local", "front", "gap", "back")
    if gap in " \n" and not re.search(r"[._+]", local):
        return 0
    back = back.rstrip(".-")
    domain = _DOMAIN.fullmatch(front + back)
    whole = _DOMAIN.fullmatch(front)
    end = (front + back).rpartition(".")[2].lower()
    if domain is None or end not in _ENDS or (whole and front.rpartition(".")[2] in _ENDS):
        return 0
    if gap in " \n" and front.endswith(".") and back.lower() in _WORDS:
        return 0
    return match.start("back") + len(back)


def _email(text: str, at: int) -> Find | None:
    head = text[max(0, at - 64) : at]
    local = head[len(head.rstrip(_LOCAL)) :].lstrip(_EDGE)
    domain = _DOMAIN.match(text, at + 1)
    if not local or domain is None or ".." in local:
        return None
    start, end = at - len(local), domain.end()
    remote = local == "git" or _USER_INFO.search(text[max(0, start - 80) : start])
    if remote or "//" in local or _REPOSITORY.match(text, end):
        return None
    return Find(start, end, "email")


_V4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
_V6 = re.compile(
    r"(?<![\w:.])(?=[\da-fA-F]{0,4}:)[\da-fA-F:]{2,39}(?:(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])"
)
_VERSION = re.compile(
    r"(?:version|release|build|ver\.?|chapter|section|kapitel|abschnitt) ?v?$", re.I
)


def networks(text: str) -> Iterator[Find]:
    """IPv4 and IPv6 addresses; a version number of four parts is none."""
    for match in _V4.finditer(text):
        if _is_v4(match.group()) and not _VERSION.search(
            text[max(0, match.start() - 12) : match.start()]
        ):
            yield Find(*match.span(), "ip")
    if text.count(":") < 2:
        return
    for match in _V6.finditer(text):
        if match.group() != "::" and match.group().count(":") > 1 and _is_v6(match.group()):
            yield Find(*match.span(), "ip")


def _is_v4(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def _is_v6(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


# Blanks between the country and its checksum stand in capitals only: "in 20 2024" begins alike.
_IBAN = re.compile(
    r"(?<![\w])(?:[A-Za-z]{2}\d{2}|[A-Z][ \u00a0]?[A-Z][ \u00a0]?\d[ \u00a0]?\d)"
    r"(?:[ \u00a0-]?[A-Za-z0-9]){11,30}(?!\w)"
)
_IBAN_BREAK = re.compile(r"[ \u00a0-]")


def ibans(text: str) -> Iterator[Find]:
    """IBANs with a right checksum and the length of their country, in any grouping."""
    for match in _IBAN.finditer(text):
        end = _iban_end(match.group())
        if end:
            yield Find(match.start(), match.start() + end, "iban")


def _iban_end(candidate: str) -> int:
    """Where the account ends: words that follow it look like further groups of it. 0 for none."""
    ends = [len(candidate), *(m.start() for m in _IBAN_BREAK.finditer(candidate))]
    for end in sorted(set(ends), reverse=True):
        if end >= 15 and iban.is_valid(candidate[:end].replace("\u00a0", "").upper()):
            return end
    return 0
