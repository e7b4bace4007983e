"""An episode as the rules take it, and what a model's kept answers add to what they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from pydantic import ValidationError

from app.consolidation.guards import Answer
from app.extraction.extract import extract
from app.extraction.model import Extracted, Utterance
from app.extraction.predicates import Registry
from app.extraction.proposed import Checked, Proposal, check, joined
from app.kernel.clock import FOREVER

log = structlog.get_logger()


def utterance_of(episode: Mapping[str, Any]) -> Utterance:
    """The text with what is known of it; nothing is left of a forgotten one."""
    return Utterance(
        text="" if episode["expired_at"] < FOREVER else episode["content"],
        captured_at=episode["captured_at"],
        language=episode.get("language"),
        speaker=episode.get("speaker"),
        role=episode["role"],
    )


def borne_out(
    answer: Mapping[str, Any], utterance: Utterance, registry: Registry, found: Extracted
) -> Checked:
    """Return what of a kept answer (`model`, the JSON `answer` and the label of the `turn`) holds
    against the text; nothing where it is of a form that is no longer read."""
    proposal = _proposal(answer["answer"], answer.get("turn"))
    if proposal is None:
        log.warning("model.answer_unreadable", model=answer["model"])
        return Checked()
    return check(proposal, answer["model"], utterance, registry, found)


def held_against(
    model: str, answer: str, episode: Mapping[str, Any], registry: Registry
) -> Checked:
    """Return what of a model's answer the text of an episode bears out, which goes by its `label`
    there."""
    utterance = utterance_of(episode)
    told = {"model": model, "answer": answer, "turn": episode["label"]}
    return borne_out(told, utterance, registry, extract(utterance, registry))


def _proposal(text: str, turn: str | None) -> Proposal | None:
    """The statements of an answer that are about one turn; before there were windows, all of it."""
    try:
        if turn is None:
            return Proposal.model_validate_json(text)
        claims = Answer.model_validate_json(text).claims
    except ValidationError:
        return None
    return Proposal(statements=tuple(claim for claim in claims if claim.turn == turn))


def with_proposals(
    episode: Mapping[str, Any], utterance: Utterance, registry: Registry, found: Extracted
) -> Extracted:
    """What rules found in an episode, and what the model's kept answers add to it."""
    for answer in episode.get("proposals") or ():
        found = joined(found, borne_out(answer, utterance, registry, found).statements)
    return found
