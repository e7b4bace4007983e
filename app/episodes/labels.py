"""The short texts around a capture pass the sanitising step as well: they are stored too."""

from __future__ import annotations

from dataclasses import replace

from app.episodes.model import Capture
from app.sanitize.labels import clean_label, clean_tags, label_privacy, require_plain
from app.sanitize.normalise import visible
from app.sanitize.policy import SanitizePolicy
from app.sanitize.privacy import highest


def clean_labels(capture: Capture, policy: SanitizePolicy) -> Capture:
    """The capture with speaker, title, origin, model family and tags sanitised.

    Raises InvalidInput, naming the field, where a session or tag holds an instruction marker, an
    address or a secret, or where a label is nothing else.
    """
    require_plain(capture.session, "session", policy)
    named = [label for label in (capture.speaker, capture.title) if label]
    return replace(
        capture,
        session=visible(capture.session),
        tags=clean_tags(capture.tags, policy),
        speaker=clean_label(capture.speaker, "speaker", policy),
        title=clean_label(capture.title, "title", policy),
        origin=clean_label(capture.origin, "origin", policy) or "api",
        model_family=clean_label(capture.model_family, "model_family", policy),
        privacy=highest(capture.privacy, *(label_privacy(label, policy) for label in named)),
    )
