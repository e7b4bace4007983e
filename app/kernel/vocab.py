"""The graph's vocabulary: every label, relationship type and index name, once.

A contract test compares it with what the queries and the schema use.
"""

from __future__ import annotations

from enum import StrEnum


class Label(StrEnum):
    """Node labels; docs/data-model.md describes each."""

    SCOPE = "Scope"
    AGENT = "Agent"
    USER = "User"
    PRINCIPAL = "Principal"  # umbrella over Agent and User
    API_KEY = "ApiKey"
    MEM_SESSION = "MemSession"
    EPISODE = "Episode"
    PASSAGE = "Passage"  # umbrella over the texts that are read and that claims rest on
    WINDOW = "Window"
    MEMORY = "Memory"  # umbrella over what is stored as memory
    SEARCHABLE = "Searchable"  # umbrella over what the two search indexes hold
    TAG = "Tag"
    PROVENANCE = "ProvenanceRecord"
    ENTITY = "Entity"
    CONCEPT = "Concept"  # kinds of entity with fields of their own
    DECISION = "Decision"
    INCIDENT = "Incident"
    LESSON = "Lesson"
    SOURCE = "Source"
    ALIAS = "Alias"
    MERGE_RECORD = "MergeRecord"
    AUDIT_EVENT = "AuditEvent"
    AUDIT_HEAD = "AuditHead"
    JOB = "Job"
    SCHEDULE = "Schedule"
    IDEMPOTENCY = "IdempotencyRecord"
    SCHEMA_VERSION = "SchemaVersion"
    VECTOR_SPACE = "VectorSpace"
    ERASURE_RECEIPT = "ErasureReceipt"
    TOMBSTONE = "Tombstone"
    LEARNING_ENTRY = "LearningEntry"
    PROMOTION = "Promotion"
    ATTESTATION = "Attestation"
    FEEDBACK = "Feedback"
    FACT = "Fact"
    REVIEW = "Review"
    KEY_STATE = "KeyState"  # where the settlement of a long belief key goes on from
    PREDICATE = "Predicate"
    CONSOLIDATION_CURSOR = "ConsolidationCursor"
    MODEL_READING = "ModelReading"
    MODEL_USAGE = "ModelUsage"
    NOTE = "Note"
    NOTE_VERSION = "NoteVersion"
    NOTE_SHELF = "NoteShelf"
    CORE_BLOCK = "CoreBlock"
    BAD_PATTERN = "BadPattern"
    KNOWLEDGE_BASE = "KnowledgeBase"
    DOCUMENT = "Document"
    CHUNK = "Chunk"
    PAGE = "Page"
    ARTICLE = "Article"
    PAGE_VERSION = "PageVersion"
    LINK_NAME = "LinkName"
    NAME = "Name"
    PASSAGE_GRAPH = "PassageGraph"
    COMMUNITY = "Community"
    COMMUNITY_CURSOR = "CommunityCursor"
    SKILL = "Skill"
    SKILL_VERSION = "SkillVersion"
    SKILL_USAGE = "SkillUsageRecord"
    SKILL_CONFLICT = "SkillConflict"
    SKILL_PROPOSAL = "SkillProposal"
    RAG_QUERY = "RagQuery"
    SEARCH_RESULT = "HybridSearchResult"
    WORKING_COPY = "WorkingCopy"
    SHORT_MEMORY = "ShortMemory"
    DECLARED = "Declared"  # umbrella over the kinds that their slices declare (app/kernel/kind.py)
    BLOCK_PROTECTION = "BlockProtection"
    BLOCK_BASELINE = "BlockBaseline"
    BLOCK_EDIT = "BlockEdit"
    WORKSPACE_SETTINGS = "WorkspaceSettings"
    MEMORY_POOL = "MemoryPool"
    POOL_VERSION = "PoolVersion"
    POOL_EVENT = "PoolEvent"
    POOL_TEXT = "PoolText"
    WORK_ITEM = "WorkItem"
    WORK_LINK = "WorkLink"
    FEED_EVENT = "FeedEvent"
    FEED_HEAD = "FeedHead"  # the last number of a tenant's feed events
    WEBHOOK = "Webhook"
    WEBHOOK_DELIVERY = "WebhookDelivery"
    GOAL = "Goal"
    GOAL_LINK = "GoalLink"
    ESCALATION = "Escalation"
    OBSERVATION = "Observation"
    INTERVENTION_POLICY = "InterventionPolicy"
    SNAPSHOT = "Snapshot"
    DAY_PAGE = "DayPage"
    NOTE_RATING = "NoteRating"
    REASONING_TRACE = "ReasoningTrace"
    REASONING_STEP = "ReasoningStep"
    TOOL_CALL = "ToolCall"
    TRACE_LINK = "TraceLink"
    DATA_TABLE = "DataTable"
    DATA_ROW = "DataRow"
    CONVERSATION = "Conversation"
    CONVERSATION_MESSAGE = "ConversationMessage"
    PERSISTENT_CONTEXT = "PersistentContext"
    CONTEXT_ENTRY = "ContextEntry"
    CONTEXT_ENTRY_VERSION = "ContextEntryVersion"
    CONTEXT_SNAPSHOT = "ContextSnapshot"
    CONTEXT_SNAPSHOT_ENTRY = "ContextSnapshotEntry"
    CONTEXT_ACCESS = "ContextAccess"
    TASK_SEGMENT = "TaskSegment"
    SEGMENT_USE = "SegmentUse"
    INTENT = "Intent"
    LEARNED_ENTRY = "LearnedEntry"
    LEARNED_CHANGE = "LearnedChange"
    TRANSCRIPT = "Transcript"
    TRANSCRIPT_MESSAGE = "TranscriptMessage"
    PREFERENCE = "Preference"
    ENTITY_VERDICT = "EntityVerdict"


class Rel(StrEnum):
    """Relationship types."""

    WITHIN = "WITHIN"  # Scope → its parent
    HOME = "HOME"  # Principal → its own Scope
    GRANTED = "GRANTED"  # Principal → Scope, with a role
    MEMBER_OF = "MEMBER_OF"  # Principal → team Scope
    KEY_OF = "KEY_OF"  # ApiKey → Principal
    IN_SESSION = "IN_SESSION"  # Episode → MemSession
    HAS_PROVENANCE = "HAS_PROVENANCE"  # Episode → ProvenanceRecord
    WINDOW_OF = "WINDOW_OF"  # Window → Episode
    TAGGED = "TAGGED"  # Episode → Tag
    MENTIONS = "MENTIONS"  # Episode → Entity, a place in the text
    NAMES = "NAMES"  # Alias → Entity that bears it
    RELATES_TO = "RELATES_TO"  # Entity → Entity, as a fact says
    SAME_AS = "SAME_AS"  # Entity → Entity: proposed or decided to be one
    MERGES = "MERGES"  # MergeRecord → both entities
    AUDIT = "AUDIT"  # AuditEvent → its target
    DERIVED_FROM = "DERIVED_FROM"  # what was made → what it was made from
    PROMOTED_TO = "PROMOTED_TO"  # Fact → its copy in a wider scope
    DEMOTED_FROM = "DEMOTED_FROM"  # a copy that lost its support → the Fact
    ATTESTS = "ATTESTS"  # Attestation → Fact
    DECIDES = "DECIDES"  # Promotion → Fact that it is about
    SUPPORTS = "SUPPORTS"  # Episode → Fact: one claim
    ABOUT = "ABOUT"  # Fact → Entity: one interval
    SUPERSEDED_BY = "SUPERSEDED_BY"  # Fact → the one that took its place
    CONTRADICTS = "CONTRADICTS"  # Fact → one that waits in quarantine
    MAY_CHANGE = "MAY_CHANGE"  # Fact → an older one that it may have ended
    REVIEWS = "REVIEWS"  # Review → Fact
    READ_BY = "READ_BY"  # Episode → ModelReading; Note, Fact → one that was shown them
    VERSION_OF = "VERSION_OF"  # NoteVersion → Note, PageVersion → Page whose text it was
    IN_BASE = "IN_BASE"  # Document → KnowledgeBase
    PART_OF = "PART_OF"  # Chunk → Document or Page, Declared → Declared that it goes with
    BEARS = "BEARS"  # Page → LinkName that it goes by
    LINKS = "LINKS"  # Page → LinkName that a link of its text names
    REFERENCES = "REFERENCES"  # Page → Page, Entity or Principal that its links mean
    GOES_BY = "GOES_BY"  # Passage → Name that it is about
    REFERS_TO = "REFERS_TO"  # Passage → Name that its text holds
    SYNONYM = "SYNONYM"  # Name that nobody goes by → Name that reads alike, of which somebody does
    IN_COMMUNITY = "IN_COMMUNITY"  # Entity or Community → the Community that it is in
    CENTRAL = "CENTRAL"  # Community → Entity at its heart
    CITES = "CITES"  # Community → Fact or Passage that its summary shows
    REQUIRES = "REQUIRES"  # Skill → Skill that it cannot do without
    ENHANCES = "ENHANCES"  # Skill → Skill that it makes better
    COMPOSES = "COMPOSES"  # Skill → Skill that is a part of it
    SUCCEEDS = "SUCCEEDS"  # Skill → Skill that goes before
    CO_USED = "CO_USED"  # Skill → Skill of a greater id, used in one task
    CLONED_FROM = "CLONED_FROM"  # Skill → Skill that it is a copy of
    HAS_SKILL = "HAS_SKILL"  # Principal → Skill
    CONCERNS = "CONCERNS"  # Skill → Entity that it is about
    USED = "USED"  # SkillUsageRecord → Skill
    HAS_FAILURE = "HAS_FAILURE"  # Skill → BadPattern
    TEACHES = "TEACHES"  # Note → Skill that a learning bears on
    INVOLVES = "INVOLVES"  # SkillConflict → Skill
    PROPOSES = "PROPOSES"  # SkillProposal → Skill that it became
    HAS_DATA_IN = "HAS_DATA_IN"  # Entity → DataRow that names it, or DataTable that it stands for
    RESULT_OF = "RESULT_OF"  # HybridSearchResult → RagQuery that it was a search of


class Index(StrEnum):
    """Names of the search indexes."""

    MEMORY_VECTOR = "memory_vector"
    MEMORY_TEXT = "memory_text"
    ENTITY_VECTOR = "entity_vector"
    NAME_VECTOR = "name_vector"
    PASSAGE_LONE = "passage_lone"


# Every property key that a query names. Those of whole maps (`SET e = row.episode`) that no query
# names are in docs/data-model.md only.
_PROPERTIES = """
confidence confirmations namespace reason rev standing superseded_at tier updated_at
actor args at attempts author body cancel_requested captured_at captured_key checksum
consolidation_state content content_hash content_type context_terms created_at created_with
dedup_key dimension embed_hash embedding error expired_at expired_key expires_at facets
fingerprint finished_at hash home id importance index_error index_rev index_state ingested_at
ingested_key is_pinned items key kind language last_access last_due_at last_outcome last_run_at
last_used_at lease lease_until live marker_ids memory_id metadata model model_family name needs
not_before origin origin_hash origin_seq outcome path payload pii place policy prefix progress
public_key rate_per_minute request result retired_at revoked_at role scope seq session speaker start
started_at state status subtree tags target task tenant terms title touched_at trust unsealed
version windows end applied_at
aliases attributes canonical_key canonical_name count curated decided_at decided_by evidence keys
left left_count marks mention_count stops predicate proposed_at recorded_at retracted_at right
right_count root changes type valid_from valid_to
assertion confidence consolidated consolidated_at consolidation_error definition follows
fact facts failed from_precision held holder leased_by mode negated note object_id object_key
object_kind object_text ongoing own predicate principal principals reached_at reason recorded_at
retracted_at rule rules said_at since since_precision standing statement subject subject_text
superseded tier to_precision undone_at undone_by until until_precision verdict voice voids
voids_name other entry_type restored_by
embed_hash_b embed_hash_c embedding_b embedding_c space spaces_beside space_state setting
"""
_PROPERTIES += """
flags judged_by judged_hash
counts hashes ids quoted receipt scopes survivors by
trust_at attesters copy demoted_at episode injected place recalled trust_bonus useful wording_state
"""  # lifecycle
_PROPERTIES += """
claims_due
"""  # packages
_PROPERTIES += """
accepted answer asked asked_at cached day dropped model_attempts model_due_at model_error
model_holder model_state tokens beside milliseconds prompt turn
"""  # what a language model reads
_PROPERTIES += """
cited cluster condense_all condensed_at
"""  # condensed notes
_PROPERTIES += """
alarmed_at block_hash block_kind closeness entered_at extracted first made_at rated_at rater
due sample sorted_by sorted_until stars taken_by unfollowed unjoined unsorted values working_mark
"""  # settings of scopes, tasks of turns, blocks that others attest and their baselines
_PROPERTIES += """
alike_rev alike_state called_at given how link_state link_targets linked linked_rev names owned
parts revision spans triples unbegun written
"""  # the retrieval graph
_PROPERTIES += """
bom chunks crlf formers headings links live_slug page passage_state pending slug texts updated_by
weight
"""  # pages
_PROPERTIES += """
fits heads newest qualifier reached rest runs settle_state settled_by terms undated
weighed
"""  # long belief keys
_PROPERTIES += """
lone lone_tokens thin
"""  # names that wait in their passages
_PROPERTIES += """
body_hash change_type description findings params postconditions preconditions skills sources
"""  # skills
_PROPERTIES += """
also base characters chunks heading_path job number origin size work
"""  # documents
_PROPERTIES += """
entities inner level moved regrouped_at score size told_at whole_at worded_at worded_by words_due_at
words_error words_key
"""  # communities
_PROPERTIES += """
active_from active_to category checked checked_at checked_by checks decayed_at depth detail
detected_at due_at effectiveness failure_count is_active parent paused_until seen_at severity
similarity skill skill_key success_count usage_count
"""  # skills
_PROPERTIES += """
gained_at ready ttl
"""  # short-term memory
_PROPERTIES += """
avg_score door floored fusion knowledge_base_ids ms quality results shown strategy without words
"""  # questions
_PROPERTIES += """
assignee changed_at due_at ends_at labels last_read_at lifetime lower memory_scope owner parent_id
linked_at people read_count readers refers whole time
agent duration_ms session_key tool
current_until workflow
idle_since stale_told_at pending_at priority processed_at resolver sensor
cells columns entity recorded_by row_id unlinked
agent conversation linked_at open_until people read_count readers refers waiting whole time
began_at number user words
"""  # declared kinds
_PROPERTIES += """
unnumbered
created_by ended_at lease numbered sealed
"""  # events
_PROPERTIES += """
access_count entry_type kept_at last_accessed_at memory_type own place promoted_from slot
access_count entry_type last_accessed_at memory_type own place promoted_from session_scope slot
snapshot_id
"""  # contexts
_PROPERTIES += """
about batch certainty closed_at cost ended_at in_force intent label rank recorded_at seconds session
turns used_at valid_from valid_to
"""  # the learning loop
_PROPERTIES += """
near_duplicate privacy repeats_due supersedes
"""
PROPERTIES = frozenset(_PROPERTIES.split())
