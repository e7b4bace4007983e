"""Keys, tokens and passwords: only shapes that hardly anything else has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.sanitize.assigned import CUES, assigned
from app.sanitize.finds import Find

# What keys of further services begin with.
_PREFIXES = (
    *("dckr_pat_", "xapp-", "pypi-ageichlwas5vcmc", "hvs.", "dop_v1_", "shpat_", "whsec_", "glsa_"),
    *("gsk_", "r8_", "ntn_", "lin_api_", "figd_", "sbp_", "age-secret-key-1", "dapi"),
)
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
    (
        ("authorization",),
        re.compile(
            r"(?i:authorization)[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?(?i:token|api-?key)[ \t]{1,4}"
            r"(?:token=)?[\"']?([\w.~+/-]{16,1000}={0,2})"
        ),
    ),
    (("bearer",), re.compile(r"(?i:bearer)[ \t]{1,4}([A-Za-z0-9._~+/-]{16,4000}={0,2})")),
    (("://",), re.compile(r"://[^/\s:@\[\]]{0,64}:([^/\s@\[\]]{1,128})@")),
    (
        ("curl", "wget"),
        re.compile(
            r"\b(?:curl|wget)\b[^\n|]{0,200}?[ \t]-(?:u|-user)[ =]{0,2}[\"']?[^\s:\"'/]{1,64}:"
            r"([^\s\"'@]{1,128})"
        ),
    ),
    (
        ("machine", "default"),
        re.compile(
            r"(?:\bmachine[ \t]{1,4}(?:[\w-]{1,63}\.[\w.-]{1,190}|localhost)|\bdefault)\s{1,8}"
            r"login[ \t]{1,4}\S{1,128}\s{1,8}password[ \t]{1,4}(\S{1,256})"
        ),
    ),
    (
        ("sig=", "-signature="),
        re.compile(r"(?:[?&;]sig|(?i:X-(?:Amz|Goog)-Signature))=([\w%+/-]{20,700}={0,2})"),
    ),
    (
        ("discord",),
        re.compile(r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{5,25}/[\w-]{20,200}"),
    ),
    ((":aa",), re.compile(r"(?<!\w)\d{8,10}:AA[\w-]{32,36}(?![\w-])")),
    (
        _PREFIXES,
        re.compile(rf"(?<![\w-])(?i:{'|'.join(map(re.escape, _PREFIXES))})[\w-]{{16,1000}}"),
    ),
)
# Shapes that digests have, too: only with one of the words up to 60 characters before.
_NAMED: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"aws|secret|geheim|AKIA|ASIA", re.IGNORECASE),
        re.compile(
            r"(?<![\w/+])(?=\S{0,39}[a-z])(?=\S{0,39}[A-Z])(?=\S{0,39}\d)"
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
    if any(map(lowered.__contains__, CUES)):
        yield from assigned(text)
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
