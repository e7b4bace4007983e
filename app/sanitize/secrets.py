"""Keys, tokens and passwords: only shapes that hardly anything else has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.sanitize.finds import Find

# Each shape runs only where one of its cues is in the lower-cased text.
_SHAPES: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (("sk-",), re.compile(r"(?<![\w-])sk-[A-Za-z0-9_-]{20,200}")),
    (("_live_", "_test_"), re.compile(r"(?<!\w)[rps]k_(?:live|test)_[A-Za-z0-9]{16,200}")),
    (("gh",), re.compile(r"(?<!\w)gh[pousr]_[A-Za-z0-9]{30,255}")),
    (("github_pat_",), re.compile(r"(?<!\w)github_pat_\w{22,255}")),
    (("glpat-",), re.compile(r"(?<!\w)glpat-[\w-]{20,64}")),
    (("xox",), re.compile(r"(?<!\w)xox[abeoprs]-[\w-]{10,255}")),
    (("akia", "asia"), re.compile(r"(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)")),
    (("aiza",), re.compile(r"(?<!\w)AIza[\w-]{35}")),
    (("ya29.",), re.compile(r"(?<!\w)ya29\.[\w-]{20,2000}")),
    (("npm_", "hf_"), re.compile(r"(?<!\w)(?:npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{30,64})")),
    (("sg.",), re.compile(r"(?<!\w)SG\.[\w-]{16,32}\.[\w-]{32,64}")),
    (("eyj",), re.compile(r"(?<!\w)eyJ[\w-]{8,4000}\.eyJ[\w-]{2,8000}\.[\w-]{0,2000}")),
    (("loci_",), re.compile(r"(?<![A-Za-z0-9])loci_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")),
    (
        ("hooks.slack.com",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{10,200}"),
    ),
    (
        ("basic",),
        re.compile(
            r"(?i:authorization)[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?(?i:basic)[ \t]{1,4}"
            r"([A-Za-z0-9+/_-]{6,1000}={0,2})"
        ),
    ),
    (("bearer",), re.compile(r"(?i:bearer)[ \t]{1,4}([A-Za-z0-9._~+/-]{16,4000}={0,2})")),
    (("://",), re.compile(r"://[^/\s:@\[\]]{0,64}:([^/\s@\[\]]{1,128})@")),
    (
        ("passw", "pwd", "kennwort", "secret", "token", "api", "geheim", "credential", "psk"),
        re.compile(
            r"(?i:pass(?:word|wort|wd|phrase)|pwd|kennwort|psk|secret|token|api[ _-]?key"
            r"|api[ _-]?schlüssel|credential)s?[\"'`]?[ \t]{0,3}(?:=|:=|=>)[ \t]{0,3}"
            r"[\"'`]?([^\s\"'`,;&<>\[\]{}]{4,256})"
        ),
    ),
    (
        ("passw", "pwd", "kennwort", "secret", "token", "api", "pin", "geheim", "passphrase"),
        re.compile(
            r"(?i:pass(?:word|wort|wd|phrase)|pwd|kennwort|secret(?: key)?|token|api[ _-]?key"
            r"|api[ _-]?schlüssel)[\"'`]?[ \t]{0,2}(?i::|is|ist|lautet|now|jetzt|ist jetzt|is now)"
            r"[ \t]{1,3}[\"'`]?(?=[^\s\[\]]{0,60}[\d!#$%&*+@^_])(?=[^\s\[\]]{0,60}[A-Za-z])"
            r"([^\s\"'`,;<>\[\]{}()]{6,128}?)(?=[.!?]?(?:[\s\"'`,;<>\[\]{}()]|$))"
        ),
    ),
)
# Shapes that digests have, too: only with one of the words up to 60 characters before.
_NAMED: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"aws|secret|geheim|AKIA|ASIA", re.IGNORECASE),
        re.compile(
            r"(?<![\w/+=])(?=\S{0,39}[a-z])(?=\S{0,39}[A-Z])(?=\S{0,39}\d)"
            r"[A-Za-z0-9/+]{40}(?![\w/+=])"
        ),
    ),
    (
        re.compile(r"key|schlüssel|azure|storage|secret|geheim", re.IGNORECASE),
        re.compile(r"(?<![\w/+-])[A-Za-z0-9/+]{86}==(?![=\w])"),
    ),
)
_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")


def secrets(text: str, lowered: str) -> Iterator[Find]:
    """Secrets in `text`; `lowered` is its lower-case form, which the cues are looked up in."""
    for cues, shape in _SHAPES:
        if any(map(lowered.__contains__, cues)):
            for match in shape.finditer(text):
                yield Find(*match.span(shape.groups), "secret")
    for words, shape in _NAMED:
        if words.search(lowered):
            for match in shape.finditer(text):
                if words.search(text, max(0, match.start() - 60), match.start()):
                    yield Find(*match.span(), "secret")
    if "private key" in lowered:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[Find]:
    """PEM blocks, up to their end line or, where that is missing, to the end of the text."""
    position = 0
    while begin := _PEM.search(text, position):
        end = _PEM_END.search(text, begin.end())
        position = end.end() if end else len(text)
        yield Find(begin.start(), position, "secret")
