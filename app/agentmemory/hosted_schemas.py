"""What the bridge takes for the hosted operations, the fifth volume of the specification: the
fields of their REST, in small letters and with the ids of their paths."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from pydantic import Field

from app.agentmemory.bridge_schemas import Description, Id, Limit, Name, Share, Text, Words
from app.agentmemory.rest_schemas import MOST_AT_ONCE, MessageIn
from app.kernel.wire import WireModel

Flat: TypeAlias = dict[str, Any]


class NewConversationIn(WireModel):
    """A conversation to be begun."""

    user_id: Name | None = None
    metadata: dict[str, Any] | None = None


class ConversationsIn(WireModel):
    """How many conversations are wanted."""

    limit: Limit | None = None


class ConversationIn(WireModel):
    """A conversation, by its id or by a name of the client's."""

    conversation_id: Name


class ObservationsIn(ConversationIn):
    """Observations of a conversation."""

    limit: Limit | None = None


class BulkIn(ConversationIn):
    """Messages of a conversation in their order, kept all or none."""

    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=MOST_AT_ONCE)]


class EntitiesIn(WireModel):
    """Which entities are wanted."""

    type: Name | None = None
    limit: Limit | None = None


class EntityIn(WireModel):
    """An entity by id."""

    entity_id: Id


class EntityChangeIn(EntityIn):
    """What of an entity is set; what is left out stays."""

    name: Name | None = None
    description: Description | None = None


class EntityFeedbackIn(EntityIn):
    """What the caller says of an entity."""

    user_score: Share | None = None
    confirmed: bool | None = None


class MergeEntitiesIn(WireModel):
    """Two entities that are one."""

    source_id: Id
    target_id: Id


class RecordStepIn(ConversationIn):
    """A step of what was thought in a conversation."""

    reasoning: Words
    action_taken: Words = ""
    result: Text | None = None


class StepIn(WireModel):
    """A step by id."""

    step_id: Id


def flat(value: msgspec.Struct) -> Flat:
    """Return an answer of the REST with the names that the bridge has for its fields."""
    return {name: _flat(getattr(value, name)) for name in value.__struct_fields__}


def _flat(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return flat(value)
    if isinstance(value, list):
        return [_flat(one) for one in value]
    return value
