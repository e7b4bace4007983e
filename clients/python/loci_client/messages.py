"""From messages, as agents hold them, to the episodes that Loci stores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from loci_client.talk import written

Message: TypeAlias = Mapping[str, Any]
Messages: TypeAlias = str | Sequence[Message]
MOST, LARGEST = 64, 900_000  # messages, and bytes, of one request
# Loci refuses them, since a memory must not become an instruction.
INSTRUCTIONS = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where messages belong: a session in a scope, and who says what the role `user` says."""

    session: str
    scope: str | None = None
    user: str | None = None
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Spoken:
    """Messages that are sent, with the places that they had among all, and those left out."""

    episodes: tuple[dict[str, Any], ...]
    places: tuple[str, ...]  # what a problem's field begins with
    left_out: tuple[int, ...] = ()


def spoken(given: Messages, talk: Conversation) -> Spoken:
    """What is sent of the messages.

    Left out are instructions, and messages without text, such as bare calls of tools.
    """
    if isinstance(given, str):
        return Spoken((_episode({"role": "user", "content": given}, given, talk),), ("",))
    texts = [text_of(message.get("content")) for message in given]
    kept = [
        place
        for place, message in enumerate(given)
        if texts[place] and message.get("role") not in INSTRUCTIONS
    ]
    return Spoken(
        tuple(_episode(given[place], texts[place], talk) for place in kept),
        tuple(f"messages.{place}." for place in kept),
        tuple(place for place in range(len(given)) if place not in set(kept)),
    )


def text_of(content: Any) -> str:
    """The text of a message's content, which may be given in parts; empty where there is none."""
    if isinstance(content, str):
        return content if content.strip() else ""
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip())


def batches(episodes: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The episodes in order, in as many requests as they take."""
    batch: list[dict[str, Any]] = []
    size = 0
    for episode in episodes:
        own = len(json.dumps(episode))
        if batch and (len(batch) == MOST or size + own > LARGEST):
            yield batch
            batch, size = [], 0
        batch.append(episode)
        size += own
    if batch:
        yield batch


def _episode(message: Message, text: str, talk: Conversation) -> dict[str, Any]:
    role = message.get("role", "user")
    return written(
        {
            "content": text,
            "role": role,
            "session": talk.session,
            "scope": talk.scope,
            "speaker": message.get("name") or (talk.user if role == "user" else None),
            "captured_at": message.get("captured_at"),
            "tags": talk.tags or None,
        }
    )
