"""Dates of birth, postal addresses and numbers of identity documents, in English and German.

A date, a street or a number alone is nobody's: each counts only with the words that make it one.
Every pattern is bounded, and none is possessive (Python before 3.11.5 matches those wrongly).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.sanitize.finds import Find

_MONTH = (
    r"(?:jan(?:uary|uar)?|jänner|feb(?:ruary|ruar)?|feber|mar(?:ch)?|märz|apr(?:il)?|ma[yi]"
    r"|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?"
    r"|de[cz](?:ember)?)\.?"
)
_YEAR = r"(?:1[89]|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = (
    rf"(?:{_DAY}[./-] ?(?:0?[1-9]|1[0-2])[./-] ?(?:{_YEAR}|\d\d(?!\d))"
    rf"|(?:0?[1-9]|1[0-2])/{_DAY}/(?:{_YEAR}|\d\d(?!\d))"
    rf"|{_YEAR}-(?:0?[1-9]|1[0-2])-{_DAY}"
    rf"|{_DAY}(?:\.|st|nd|rd|th)? (?:of )?{_MONTH},?(?: {_YEAR})?"
    rf"|{_MONTH} {_DAY}(?:st|nd|rd|th)?(?!\d),?(?: {_YEAR})?)(?!\w)"
)
_FULL = (
    rf"(?:{_DAY}[./-] ?(?:0?[1-9]|1[0-2])[./-] ?{_YEAR}|(?:0?[1-9]|1[0-2])/{_DAY}/{_YEAR}"
    rf"|{_YEAR}-(?:0?[1-9]|1[0-2])-{_DAY}|{_DAY}(?:\.|st|nd|rd|th)? (?:of )?{_MONTH},? {_YEAR}"
    rf"|{_MONTH} {_DAY}(?:st|nd|rd|th)?,? {_YEAR})(?!\w)"
)
_BIRTHS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # The words before the date: a form's field, or a birthday, which may leave the year out.
        r"(?<!\w)(?:date of birth|birth ?date|d\.?o\.?b\.?|birthday|born|geburtsdatum|geb\.?[- ]?"
        r"datum|geburtstag|geburtsdaten|geboren|geb\.)(?!\w)[ \t]{0,2}[:=(]?[ \t]{0,2}"
        rf"(?:(?:is|was|falls|on|the|am|ist|war|der|den|le) ){{0,3}}({_DATE})",
        rf"(?<!\w)(?:was|were|am|is|been) born (?:in [^\W\d]{{1,30}}(?: [^\W\d]{{1,30}})?,? )?"
        rf"(?:on )?(?:the )?({_FULL})",
        # German verbs stand behind it.
        rf"(?<!\w)(?:am|den) ({_DATE})(?: in [^\W\d]{{1,30}}(?: [^\W\d]{{1,30}})?)? geboren(?!\w)",
        rf"(?<!\w)am ({_DATE}) (?:geburtstag|zur welt|auf die welt)(?!\w)",
    )
)
_BIRTH_CUES = ("birth", "born", "dob", "d.o.b", "geb", "zur welt", "auf die welt")
# What has a date of birth and is nobody.
_NOBODY = re.compile(
    r"(?:company|firm|project|product|feature|team|server|release|firma|projekts?|vereins?)(?:'s|s'"
    r")? {1,2}$",
    re.IGNORECASE,
)


def birth_dates(text: str, lowered: str) -> Iterator[Find]:
    """Dates of birth, as words say that they are; a birthday may have no year."""
    if any(map(lowered.__contains__, _BIRTH_CUES)):
        for pattern in _BIRTHS:
            for match in pattern.finditer(text):
                if not _NOBODY.search(text, max(0, match.start() - 24), match.start()):
                    yield Find(*match.span(1), "birth_date")


_WORD = r"[A-ZÄÖÜ][\wäöüß'’-]{0,24}"
_STREET_EN = (
    rf"\d{{1,5}}[a-zA-Z]?,? (?:{_WORD} ){{1,3}}(?:Street|St\.?|Avenue|Ave\.?|Road|Rd\.?|Lane|Ln\.?"
    r"|Drive|Dr\.?|Boulevard|Blvd\.?|Court|Ct\.?|Way|Terrace|Place|Square|Close|Crescent|Gardens"
    r"|Grove|Row|Hill|Mews|Parkway|Pkwy\.?|Circle|Highway|Hwy\.?)(?!\w)"
    r"(?:,? (?:Apt|Apartment|Unit|Suite|Flat)\.? ?\w{1,5})?"
)
_BOX_EN = r"P\. ?O\. ?Box \d{1,6}|PO Box \d{1,6}"
_TOWN_EN = (
    rf",? (?:{_WORD},? ){{1,3}}(?:[A-Z]{{2}} \d{{5}}(?:-\d{{4}})?"
    r"|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})(?!\w)"
)
_STREET_DE = (
    rf"(?:(?:Am|An der|An den|Auf der|Auf dem|Im|In der|Zum|Zur|Unter den|Alte[rn]?|Neue[rn]?"
    rf"|Große[rn]?|Kleine[rn]?) {_WORD}|[A-ZÄÖÜ][\wäöüß-]{{1,30}}(?:straße|strasse|str\.|weg|allee"
    r"|platz|gasse|ring|damm|ufer|steig|stieg|chaussee|promenade|graben|hof|markt)"
    rf"|{_WORD}(?:[ -](?:Straße|Strasse|Str\.|Weg|Allee|Platz|Gasse|Ring|Damm|Ufer)))"
    r" \d{1,4} ?[a-z]?(?![\w.]\w|\w)"
)
_BOX_DE = r"Postfach \d{1,2}(?: ?\d{2}){0,2}(?!\d)"
_TOWN_DE = rf",? (?:(?:D|A|CH)-)?\d{{4,5}} {_WORD}"
_HOME = (
    r"(?i:(?<!\w)(?:(?:i|we|you|he|she|they|who) (?:(?:now|still|currently|also) )?live[sd]?"
    r"|lives?|living|moved|moving|resides?|residing|stay(?:s|ing)?|(?:my|our|his|her|their|home"
    r"|postal|mailing|shipping|delivery|billing|private) (?:new |home )?address|house|flat"
    r"|apartment|letter|mail goes|wohn\w{0,4}|anschrift|\w{0,16}adresse|\w{0,10}anschrift|wohnung"
    r"|zuhause|gezogen|zieht?|umgezogen|schicken|senden)(?!\w)[^\n.!?;]{0,30}$"
    r"|(?<!\w)(?:send|ship|deliver|post|forward)(?!\w)[^\n.!?;]{0,40} to $)"
)
_ADDRESS_CASES = (
    (re.compile(rf"(?<![\w.,])(?:{_STREET_EN}|{_BOX_EN})"), re.compile(_TOWN_EN)),
    (re.compile(rf"(?<!\w)(?:{_STREET_DE}|{_BOX_DE})"), re.compile(_TOWN_DE)),
)
_NUMBER = re.compile(r"\d")
_LIVING = re.compile(_HOME)
_GOES_HOME = re.compile(r"[^\n.!?;]{0,20}\b(?:gezogen|umgezogen|zuhause|schicken|senden)\b", re.I)
_ADDRESS_CUES = (
    *("street", " st", "avenue", " ave", "road", " rd", "lane", " ln", "drive", " dr", "boulevard"),
    *("blvd", "court", " ct", " way", "terrace", "place", "square", "close", "crescent", "garden"),
    *("grove", " row", "hill", "mews", "parkway", "pkwy", "circle", "highway", "hwy", "box"),
    *("str", "weg", "allee", "platz", "gasse", "ring", "damm", "ufer", "stieg", "chaussee"),
    *("promenade", "graben", "hof", "markt", "postfach", "am ", "an ", "auf ", "im ", "in der "),
    *("zum ", "zur ", "unter den "),
)


def addresses(text: str, lowered: str) -> Iterator[Find]:
    """Postal addresses: a street with a number, and a town with its code or words of living."""
    if not _NUMBER.search(text) or not any(map(lowered.__contains__, _ADDRESS_CUES)):
        return
    for street, town in _ADDRESS_CASES:
        for match in street.finditer(text):
            start, end = match.span()
            whole = town.match(text, end)
            if whole or _is_home(text, start, end):
                yield Find(start, whole.end() if whole else end, "address")


def _is_home(text: str, start: int, end: int) -> bool:
    """Whether the words around a street say that somebody lives there or gets mail there."""
    before = text[max(0, start - 60) : start]
    return bool(_LIVING.search(before) or _GOES_HOME.match(text, end))


_CARD = (
    r"(?:passports?|reisep(?:ass|asses|ässe)|pass(?=-nr|nummer)|personalausweis(?:es)?|ausweis(?:es)?"
    r"|id[ -]?cards?|identity cards?|driver'?s?'? licen[sc]es?|driving licen[sc]es?"
    r"|führerschein(?:s|es)?|aufenthaltstitels?|residence permit|visa)"
)
_IS = (
    r"(?:[ \t-]{0,2}(?:number|num|no\.?|nr\.?|nummer|#))?"
    r"(?:[ \t]{0,2}(?:is|was|ist|lautet|war|has(?: the number)?|hat(?: die nummer)?|[:#=]))?"
)
_MARK = r"(?=[A-Z0-9]{0,11}\d[A-Z0-9]{0,10}\d)(?=[A-Z0-9]{0,11}\d{1,11})[A-Z0-9]{7,18}(?![\w-])"
# As it is printed in groups, of which each behind the first has a digit.
_GROUPED = (
    r"(?=(?:[ .\u2011-]?[A-Z0-9]){7,18}(?![\w-]))"
    r"[A-Z0-9]{1,6}(?:[ .\u2011-](?=[A-Z]{0,5}\d)[A-Z0-9]{1,6}){1,6}(?![\w-])"
)
_CALLED = (
    r"(?:[ \t-]{0,2}(?:number|num|no\.?|nr\.?|nummer|#)[:.]?"
    r"(?:[ \t]{1,2}(?:is|was|ist|lautet|war))?|[ \t]{0,2}[:#=])"
)
_DOCUMENTS = (
    re.compile(rf"(?<!\w)(?i:{_CARD})(?i:{_CALLED})[ \t]{{1,2}}({_GROUPED})"),
    re.compile(rf"(?<!\w)(?i:{_CARD})(?i:{_IS})[ \t]{{1,2}}({_MARK})"),
    re.compile(
        rf"(?<!\w)(?i:{_CARD})(?!\w)[^\n.!?;:\d]{{0,24}}(?i:number|nummer)(?i: is| ist| lautet)? "
        rf"({_MARK})"
    ),
    re.compile(
        r"(?<!\w)(?i:number|nummer) (?i:of|meines|seines|ihres|des) (?i:my |his |her |the )?"
        rf"(?i:{_CARD})(?i: is| ist| lautet|:) ({_MARK})"
    ),
    # The lines that machines read.
    re.compile(r"(?<![\w<])([PIACV][A-Z<][A-Z]{3}[A-Z]{1,20}<[A-Z<]{20,40})(?![\w<])"),
)
_DOCUMENT_CUES = (
    "pass",
    "ausweis",
    "card",
    "licen",
    "führerschein",
    "titel",
    "permit",
    "visa",
    "<<",
)


def documents(text: str, lowered: str) -> Iterator[Find]:
    """Numbers of passports, identity cards, driving licences, visas and permits, as named so."""
    if any(map(lowered.__contains__, _DOCUMENT_CUES)):
        for pattern in _DOCUMENTS:
            for match in pattern.finditer(text):
                yield Find(*match.span(1), "passport")
