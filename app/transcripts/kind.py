"""What the engines need to know of transcripts and of what is noted beside other memories."""

from __future__ import annotations

from app.kernel.kind import Kind
from app.kernel.vocab import Label
from app.transcripts.model import EntityVerdict, Preference, Transcript, TranscriptMessage

TRANSCRIPT = Kind(
    "transcript",
    Transcript,
    Label.TRANSCRIPT,
    identity=("agent", "conversation"),
    sanitised=("conversation", "user", "metadata"),
    changed="changed_at",
    narrow=True,
)
TRANSCRIPT_MESSAGE = Kind(
    "transcript_message",
    TranscriptMessage,
    Label.TRANSCRIPT_MESSAGE,
    identity=("agent", "conversation", "key"),
    sanitised=("conversation", "words", "metadata"),
    part_of=TRANSCRIPT,
    changed="said_at",
)
PREFERENCE = Kind(
    "preference",
    Preference,
    Label.PREFERENCE,
    identity=("agent", "memory"),
    sanitised=("category", "context"),
    changed="noted_at",
)
ENTITY_VERDICT = Kind(
    "entity_verdict",
    EntityVerdict,
    Label.ENTITY_VERDICT,
    identity=("agent", "memory"),
    changed="given_at",
    narrow=True,
)
