"""Every kind that its slice declares: one page, no discovery.

Engines read this list: packages, erasure, checks of an erasure, `loci verify`. A whole stands
before its parts, which is the order in which packages are imported.
"""

from __future__ import annotations

from typing import Any

from app.contexts.kind import (
    CONTEXT,
    CONTEXT_ACCESS,
    CONTEXT_ENTRY,
    CONTEXT_ENTRY_VERSION,
    CONTEXT_SNAPSHOT,
    CONTEXT_SNAPSHOT_ENTRY,
)
from app.conversations.kind import CONVERSATION, MESSAGE
from app.escalations.model import ESCALATION
from app.goals.model import GOAL, GOAL_LINK
from app.interventions.model import INTERVENTION
from app.kernel.kind import Kind
from app.kernel.labelled import LabelledKind
from app.learning.kind import INTENT, LEARNED_CHANGE, LEARNED_ENTRY, SEGMENT, SEGMENT_USE
from app.notes.attested import BLOCK_EDIT, BLOCK_PROTECTION
from app.notes.drift import BLOCK_BASELINE
from app.notes.kind import BLOCK, NOTE, PATTERN
from app.notes.ratings import NOTE_RATING
from app.observations.model import OBSERVATION
from app.pools.kind import POOL, POOL_EVENT, POOL_TEXT, POOL_VERSION
from app.scopes.workspace import WORKSPACE_SETTINGS
from app.snapshots.model import DAY_PAGE, SNAPSHOT
from app.tables.kind import DATA_ROW, DATA_TABLE
from app.traces.kind import TOOL_CALL, TRACE, TRACE_LINK, TRACE_STEP
from app.transcripts.kind import (
    ENTITY_VERDICT,
    PREFERENCE,
    TRANSCRIPT,
    TRANSCRIPT_MESSAGE,
)
from app.webhooks.model import WEBHOOK, WEBHOOK_DELIVERY
from app.workitems.kind import WORK_ITEM, WORK_LINK

# Kinds whose nodes have a label of their own, in the order in which packages are imported.
LABELLED: tuple[LabelledKind[Any], ...] = (NOTE, BLOCK, PATTERN)
KINDS: tuple[Kind[Any], ...] = (
    WORKSPACE_SETTINGS,
    BLOCK_PROTECTION,
    BLOCK_EDIT,
    BLOCK_BASELINE,
    POOL,
    POOL_VERSION,
    POOL_EVENT,
    POOL_TEXT,
    WORK_ITEM,
    WORK_LINK,
    GOAL,
    GOAL_LINK,
    ESCALATION,
    OBSERVATION,
    INTERVENTION,
    SNAPSHOT,
    DAY_PAGE,
    NOTE_RATING,
    TRACE,
    TRACE_STEP,
    TOOL_CALL,
    TRACE_LINK,
    DATA_TABLE,
    DATA_ROW,
    CONVERSATION,
    MESSAGE,
    CONTEXT,
    CONTEXT_ENTRY,
    CONTEXT_ENTRY_VERSION,
    CONTEXT_SNAPSHOT,
    CONTEXT_SNAPSHOT_ENTRY,
    CONTEXT_ACCESS,
    INTENT,
    SEGMENT,
    SEGMENT_USE,
    LEARNED_ENTRY,
    LEARNED_CHANGE,
    WEBHOOK,
    WEBHOOK_DELIVERY,
    TRANSCRIPT,
    TRANSCRIPT_MESSAGE,
    PREFERENCE,
    ENTITY_VERDICT,
)
TOLD_TO_FEW = tuple(kind.name for kind in KINDS if kind.is_told_to_few)
BY_NAME = {kind.name: kind for kind in KINDS}
