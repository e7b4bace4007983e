"""What follows from the entries of the log that are in force. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.learning.model import Intent, IntentState, LearnedEntry, LearningType, Segment


def segment_of(segment: Segment, entries: Iterable[LearnedEntry]) -> Segment:
    """Return a segment with the score and the intent that the last entries about it tell."""
    score = intent = None
    for entry in entries:
        if entry.type is LearningType.RESOLUTION_SCORED:
            score = entry.figures
        elif entry.type is LearningType.INTENT_CLASSIFIED:
            intent = entry.figures.intent
    return segment.model_copy(
        update={
            "score": score and score.score,
            "label": score and score.label,
            "certainty": score and score.certainty,
            "intent": intent,
        }
    )


def intent_of(intent: Intent, entries: Iterable[LearnedEntry]) -> Intent:
    """Return an intent in the state that the entries about it give it."""
    types = {entry.type for entry in entries}
    if LearningType.INTENT_DISCOVERED not in types:
        state = IntentState.WITHDRAWN
    elif LearningType.INTENT_CONFIRMED in types:
        state = IntentState.CONFIRMED
    else:
        state = IntentState.FOUND
    return intent.model_copy(update={"state": state})


@dataclass(slots=True)
class Group:
    """Segments of one intent, each with its similarity; `intent` is None for one that is found,
    by the words of `example`."""

    intent: str | None
    example: str
    members: dict[str, float] = field(default_factory=dict)


def grouped(
    waiting: Sequence[str],
    near: Mapping[str, Mapping[str, float]],
    known: Mapping[str, str],
    least: int,
) -> list[Group]:
    """Return the intents that segments go to, in the order given.

    One goes to the intent of the most similar segment that has one; where none has, it and those
    near it that wait are a new intent, if they are `least` together. `near` has the similarities of
    segments to others that are alike, `known` the intents of those that have one.
    """
    groups: dict[str, Group] = {}
    placed = dict(known)
    open_ones = set(waiting)
    for one in waiting:
        if one in placed:
            continue
        alike = {other: share for other, share in near.get(one, {}).items() if other != one}
        settled = sorted((-share, other) for other, share in alike.items() if other in placed)
        if settled:
            share, other = settled[0]
            place = placed[other]
            group = groups.setdefault(place, Group(place, one))
            group.members[one] = -share
            placed[one] = place
            continue
        fresh = {other: share for other, share in alike.items() if other in open_ones}
        if len(fresh) + 1 >= least:
            groups[one] = Group(None, one, {one: 1.0, **fresh})
            placed |= dict.fromkeys(groups[one].members, one)
    return list(groups.values())
