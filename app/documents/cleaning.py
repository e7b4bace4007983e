"""A parsed text as it may be stored: sanitised as a capture is, its headings moved along."""

from __future__ import annotations

from dataclasses import dataclass

from app.documents.flow import one_line
from app.documents.model import Heading, Parsed
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import Sanitized, sanitize


@dataclass(frozen=True, slots=True)
class Clean:
    """What is stored of a text; `title` is "" where the file names none that may be kept."""

    text: Sanitized
    headings: tuple[Heading, ...]
    title: str


def clean(parsed: Parsed, policy: SanitizePolicy) -> Clean:
    """The text under the policy of its scope; raises what the sanitising step raises."""
    done = sanitize(parsed.text, policy)
    headings = [_moved(heading, done, policy) for heading in parsed.headings]
    kept = tuple(heading for heading in headings if heading is not None)
    return Clean(done, kept, clean_title(parsed.title, policy))


def clean_title(title: str, policy: SanitizePolicy) -> str:
    """A title as it may be stored; "" for none."""
    return one_line(sanitize(title, policy).text) if title.strip() else ""


def _moved(heading: Heading, done: Sanitized, policy: SanitizePolicy) -> Heading | None:
    """The heading at its place in the clean text, in the words that are left of it there."""
    start = done.place(heading.start)
    if not done.changed:
        return heading
    line = one_line(done.text[start:].partition("\n")[0])
    if not line or start >= len(done.text):
        return None
    if line.startswith(heading.title):
        return Heading(start, heading.level, heading.title)
    title = clean_title(heading.title, policy)
    return Heading(start, heading.level, title) if title else None
