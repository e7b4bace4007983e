"""The short texts around a capture pass the sanitising step as well: they are stored too."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from app.episodes.model import Capture
from app.errors import InvalidInput, LociError
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import Sanitized, sanitize

# A session or tag is found again by its exact name, so it is refused where a text would be cut.
# Numbers are left alone there: one session id in a thousand looks like a card or a telephone.
BARRED = frozenset({"marker", "email", "secret"})


def clean_labels(capture: Capture, policy: SanitizePolicy) -> Capture:
    """The capture with speaker, title, origin and model family sanitised.

    Raises InvalidInput, naming the field, where a session or tag holds an instruction marker, an
    address or a secret, or where a label is nothing else.
    """
    _require_plain(capture.session, "session", policy)
    for tag in capture.tags:
        _require_plain(tag, "tags", policy)
    return replace(
        capture,
        speaker=_cleaned(capture.speaker, "speaker", policy),
        title=_cleaned(capture.title, "title", policy),
        origin=_cleaned(capture.origin, "origin", policy) or "api",
        model_family=_cleaned(capture.model_family, "model_family", policy),
    )


def _require_plain(name: str, field: str, policy: SanitizePolicy) -> None:
    if BARRED & {found.kind for found in _label(name, field, policy).redactions}:
        raise InvalidInput(
            f"{field} holds an address, a secret or an instruction: use a name that says nothing",
            field=field,
        )


def _cleaned(label: str | None, field: str, policy: SanitizePolicy) -> str | None:
    return None if label is None else _label(label, field, policy).text


def _label(text: str, field: str, policy: SanitizePolicy) -> Sanitized:
    try:
        return _sanitized(text, policy)
    except LociError as error:
        error.field = field
        raise


@lru_cache(maxsize=8192)
def _sanitized(text: str, policy: SanitizePolicy) -> Sanitized:
    return sanitize(text, policy)
