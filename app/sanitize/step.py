"""The step itself: characters, then markers, then personal data, until nothing is left to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from app.errors import EmptyText, PiiRefused, ResidueOnly
from app.sanitize.markers import Hit, find_markers
from app.sanitize.names import find_names
from app.sanitize.normalise import normalise, reveal
from app.sanitize.pii import find_pii
from app.sanitize.policy import PLACEHOLDERS, Action, SanitizePolicy
from app.sanitize.privacy import Level, level_of
from app.sanitize.trace import Edit, Traced

SANITIZER_VERSION = "6"

# A cut can join two halves of a further marker, a placeholder can set a number free. A text that
# still changes after so many rounds was built to do so.
_ROUNDS = 6
_FEWEST_LEFT = 24


class Redaction(NamedTuple):
    """`[start, end)` in characters of the text as it came, and what was there."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Sanitized:
    """What may be stored, and what was done to get there.

    `text` is stored; `redactions` refer to the text as it came, a cut marker has the kind
    `marker`; `pii` counts finds by class, tagged ones included; `tags` names classes that were
    left in the text.
    """

    text: str
    marker_ids: tuple[str, ...] = ()
    marker_hits: int = 0
    pii: dict[str, int] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    changed: bool = False
    traced: Traced | None = field(default=None, compare=False, repr=False)

    @property
    def privacy(self) -> Level:
        """How private the text is, by the classes that were found in it."""
        return level_of(self.pii)

    def place(self, start: int) -> int:
        """Where in `text` the character stands that stood at `start` of the text as it came."""
        return self.traced.place(start) if self.traced is not None else start


@dataclass(slots=True)
class _Run:
    """One text on its way through the rounds."""

    traced: Traced
    policy: SanitizePolicy
    wanted: frozenset[str]
    whole: int = 0
    cut: int = 0
    marker_ids: set[str] = field(default_factory=set)
    marker_hits: int = 0
    redacted: Counter[str] = field(default_factory=Counter)
    tagged: Counter[str] = field(default_factory=Counter)
    redactions: list[Redaction] = field(default_factory=list)


def sanitize(text: str, policy: SanitizePolicy) -> Sanitized:
    """The text as it may be stored under `policy`; doing it twice is doing it once.

    Raises `EmptyText`, `ResidueOnly` where a marker fired and hardly anything is left,
    `PiiRefused` where the policy refuses a class that was found, and `DetectorUnavailable`
    where it asks for names and the detector is missing.
    """
    run = _Run(normalise(text), policy, policy.wanted())
    _require(run.traced.text)
    for _ in range(_ROUNDS):
        cut = _cut_markers(run)
        if not (_handle_pii(run) or cut):
            return _result(text, run)
    if not cut:
        return _result(text, run)
    raise ResidueOnly("text goes on yielding instruction markers as they are cut", field="text")


def _require(text: str) -> None:
    if not text or text.isspace():
        raise EmptyText(field="text")


def _cut_markers(run: _Run) -> bool:
    """Cut what markers give away; whether there was any."""
    text = run.traced.text
    hits = find_markers(text)
    if not hits:
        return False
    run.whole = run.whole or _alphanumerics(text)
    run.marker_ids.update(hit.id for hit in hits)
    run.marker_hits += len(hits)
    spans = _merged(hits)
    run.cut += sum(_alphanumerics(text[start:end]) for start, end in spans)
    _replace(run, [(Edit(*_widened(text, start, end)), "marker") for start, end in spans])
    left = _alphanumerics(run.traced.text)
    if left < _FEWEST_LEFT and run.cut * 2 > run.whole:
        raise ResidueOnly(field="text")
    _require(run.traced.text)
    return True


def _alphanumerics(text: str) -> int:
    return sum(map(str.isalnum, text))


def _merged(hits: Iterable[Hit]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end, _ in sorted(hits):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def _widened(text: str, start: int, end: int) -> tuple[int, int, str]:
    """The span with the white space that it leaves double, and what to put in its place."""
    at_start = start == 0 or text[start - 1] == "\n"
    at_end = end == len(text) or text[end] == "\n"
    while end < len(text) and text[end] in " \t":
        end += 1
    if at_start and at_end:
        return start, min(end + 1, len(text)), ""
    joined = not at_start and not at_end and not text[start - 1].isspace()
    return start, end, " " if joined else ""


def _handle_pii(run: _Run) -> bool:
    """Replace, tag or refuse what is personal; whether the text was changed."""
    text = run.traced.text
    finds = find_pii(text, run.wanted)
    if "name" in run.wanted:
        finds = find_names(text, finds)
    for find in finds:
        if run.policy.action(find.kind) is Action.REFUSE:
            raise PiiRefused(
                f"text holds data of the class {find.kind}, refused here", field="text"
            )
    tagged = [find for find in finds if run.policy.action(find.kind) is Action.TAG]
    run.tagged = Counter(find.kind for find in tagged)
    redacted = [find for find in finds if run.policy.action(find.kind) is Action.REDACT]
    run.redacted.update(find.kind for find in redacted)
    _replace(run, [(Edit(f.start, f.end, PLACEHOLDERS[f.kind]), f.kind) for f in redacted])
    return bool(redacted)


def _replace(run: _Run, edits: list[tuple[Edit, str]]) -> None:
    if edits:
        fresh = [Redaction(*run.traced.origin(edit.start, edit.end), kind) for edit, kind in edits]
        run.redactions = _without_covered(run.redactions, fresh)
        run.traced = reveal(run.traced.edit(edit for edit, _ in edits))


def _without_covered(old: list[Redaction], fresh: list[Redaction]) -> list[Redaction]:
    """Both in order; what a later cut swallowed is part of that cut."""
    kept: list[Redaction] = []
    for redaction in sorted(old + fresh, key=lambda r: (r.start, -r.end)):
        if not kept or redaction.end > kept[-1].end:
            kept.append(redaction)
    return kept


def _result(text: str, run: _Run) -> Sanitized:
    return Sanitized(
        text=run.traced.text,
        marker_ids=tuple(sorted(run.marker_ids)),
        marker_hits=run.marker_hits,
        pii=dict(sorted((run.redacted + run.tagged).items())),
        tags=tuple(sorted(f"pii:{kind}" for kind in run.tagged)),
        redactions=tuple(run.redactions),
        changed=run.traced.text != text,
        traced=run.traced,
    )
