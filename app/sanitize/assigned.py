"""Secrets by the name that they are given: in settings, commands, requests, code and sentences.

A name is looked for once; what may follow it is matched where it ends, so that a text is read in
time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.sanitize.finds import Find

CUES = (
    "pass",
    "pwd",
    "kennwort",
    "psk",
    "secret",
    "token",
    "api",
    "credential",
    "key",
    "schlüssel",
)
# Keys are talked about more than other secrets, so what they are called tells less.
_NAME = re.compile(
    r"(?P<key>(?:secret|access|private|signing|encryption|master|auth|account|storage|shared"
    r"|webhook|geheim\w{0,2}|zugangs|private[rn]?)[ _.-]?(?:access[ _.-]?)?(?:key|schlüssel)"
    r"(?:[ _-]?base)?|(?<![a-z])pass(?![a-z]))"
    r"|(?P<rare>(?:psk|credential)s?)"
    r"|(?:pass(?:word|wort|wd|phrase)|pwd|kennwort|secret|token|api[ _-]?(?:key|schlüssel))s?",
    re.IGNORECASE,
)
# No secret, and where one is kept or read from.
_NOTHING = r"(?!(?i:null|none|undefined|true|false)\b)"
_ELSEWHERE = (
    r"(?!\$[({A-Za-z_]|(?:~|\.{1,2})?/(?:etc|home|run|var|usr|opt|root|tmp|mnt|srv|app|data"
    r"|secrets|Users)\b|[A-Z]:\\|(?i:os\.|process\.|env\.|getenv|secrets?\.|vault:|https?:|arn:))"
)
_INSIDE = r"[^\s\"'`,;<>\[\]{}()]"
# What is no word: it has a letter, and a digit or a sign. A sentence may end behind it.
_VALUE = (
    rf"(?={_INSIDE}{{0,60}}[\d!#$%&*+@^_])(?={_INSIDE}{{0,60}}[A-Za-z])"
    rf"({_INSIDE}{{6,128}}?)(?=[.!?]?(?:[\s\"'`,;<>\[\]{{}}()]|$))"
)
_DIGIT = rf"(?={_INSIDE}{{0,60}}\d)"
_OPEN = r"[\"'`]?"
_SIGN = r"[\"'`]?\]?[ \t]{0,3}(?:=>|:=|\?=|=)[ \t]{0,3}"
_SAID = (
    r"[\"'`]?[ \t]{0,2}(?: (?:for|of|to|on|für|vom|von|zum|zur|des|der|im)(?: [\w.-]{1,30}){1,4}?)?"
    r"(?::(?:[ \t]{1,16}|(?=[\"'`]))|\uff1a[ \t]{0,3}"
    r"|[ \t]{0,2}(?:is|ist|lautet|now|jetzt|ist jetzt|is now)[ \t]{1,3})"
)
_EQUALS = re.compile(
    rf"{_SIGN}{_NOTHING}(?:\"(?![{{<\[])([^\"\n]{{4,256}})\"|'(?![{{<\[])([^'\n]{{4,256}})'"
    rf"|{_OPEN}([^\s\"'`,;&<>\[\]{{}}]{{4,256}}))"
)
_KEY_EQUALS = re.compile(
    rf"{_SIGN}{_OPEN}{_ELSEWHERE}{_DIGIT}(?={_INSIDE}{{0,60}}[A-Za-z])([^\s\"'`,;&<>\[\]{{}}()]{{6,256}})"
)
_COLON = re.compile(_SAID + _OPEN + _VALUE)
_KEY_COLON = re.compile(rf"{_SAID}{_OPEN}{_ELSEWHERE}{_DIGIT}{_VALUE}")
# Further forms, for a name of any kind: an argument, a pair of name and value, an element of XML.
_FURTHER = tuple(
    re.compile(before + _ELSEWHERE + _DIGIT + _VALUE)
    for before in (
        r"[\"'][ \t]{0,2},[ \t]{0,3}[\"']",
        r"[\"']?,?\s{1,40}[\"']?value[\"']?[ \t]{0,2}(?:=>|[:=])[ \t]{0,3}[\"'`]?",
        r"[\w.-]{0,20}>(?=[^<]{0,200}</)",
    )
)
# What says that a value follows a blank: an option, a command that sets something, a sentence.
_SETS = re.compile(
    r"(?:(?<![\w-])--?|\b(?:ENV|ARG|setx|configure set|set -[a-z]{1,3})[ \t]{1,3})[\w.-]{0,60}\Z"
    r"|(?i:\b(?:with|using|mit)(?: the| my| your| dem| meinem| deinem| ihrem)? )\Z"
)
_BLANK = re.compile(rf"[ \t]{{1,3}}(?!-){_OPEN}{_ELSEWHERE}{_DIGIT}{_VALUE}")


def assigned(text: str) -> Iterator[Find]:
    """Secrets that stand behind a name for one."""
    for name in _NAME.finditer(text):
        found = _value(text, name)
        if found is not None:
            yield Find(*found.span(found.lastindex or 0), "secret")


def _value(text: str, name: re.Match[str]) -> re.Match[str] | None:
    end = name.end()
    # Tokens are counted more often than they are given away.
    weak = name["key"] is not None or name[0].lower() == "tokens"
    found = (_KEY_EQUALS if weak else _EQUALS).match(text, end)
    if found is None and name["rare"] is None:
        found = (_KEY_COLON if weak else _COLON).match(text, end)
    if found is None:
        found = next(filter(None, (form.match(text, end) for form in _FURTHER)), None)
    if found is None and text[end : end + 1] in (" ", "\t"):
        sets = _SETS.search(text, max(0, name.start() - 80), name.start())
        found = _BLANK.match(text, end) if sets else None
    return found
