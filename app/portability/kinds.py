"""Every portable kind, in the order in which they are imported: one page, no discovery."""

from __future__ import annotations

from app.kinds import KINDS as DECLARED
from app.kinds import LABELLED
from app.portability.agents import AGENT
from app.portability.audits import AUDIT, CHAIN
from app.portability.cursors import CURSOR
from app.portability.declared import portable
from app.portability.documents import CHUNK, DOCUMENT, KNOWLEDGE_BASE
from app.portability.entities import COMPANY, ENTITY, MERGE
from app.portability.episodes import EPISODE
from app.portability.facts import FACT, LINK
from app.portability.graves import LEARNING, RECEIPT, TOMBSTONE
from app.portability.kind import Kind
from app.portability.labelled import labelled
from app.portability.notes import NOTE
from app.portability.origins import ORIGIN
from app.portability.pages import PAGE
from app.portability.predicates import PREDICATE
from app.portability.promotions import ATTESTATION, PROMOTION
from app.portability.readings import READING
from app.portability.scopes import SCOPE
from app.portability.sessions import SESSION
from app.portability.short_lived import SHORT_MEMORY, WORKING_COPY
from app.portability.skills import (
    SKILL,
    SKILL_CONFLICT,
    SKILL_LINK,
    SKILL_PROPOSAL,
    SKILL_USAGE,
)

# The chain comes first: whatever is sealed while a restore runs follows on what it restores. The
# cursors come before the episodes, so that nobody consolidates what is about to be restored, and
# tombstones before everything that must not come back.
KINDS: tuple[Kind, ...] = (
    CHAIN,
    SCOPE,
    AGENT,
    SESSION,
    PREDICATE,
    RECEIPT,
    TOMBSTONE,
    CURSOR,
    PAGE,
    EPISODE,
    KNOWLEDGE_BASE,
    DOCUMENT,
    CHUNK,
    ENTITY,
    COMPANY,
    MERGE,
    FACT,
    READING,
    LINK,
    ATTESTATION,
    PROMOTION,
    *labelled(LABELLED, {NOTE.name: NOTE}),
    ORIGIN,
    SKILL,
    SKILL_LINK,
    SKILL_USAGE,
    SKILL_CONFLICT,
    SKILL_PROPOSAL,
    *(portable(kind) for kind in DECLARED if kind.exported),
    SHORT_MEMORY,
    WORKING_COPY,
    LEARNING,
    AUDIT,
)
BY_NAME = {kind.name: kind for kind in KINDS}
BY_FILE = {kind.file: kind for kind in KINDS}
