// Settings of the agent's memory: those of a scope.
CREATE CONSTRAINT workspace_settings_id IF NOT EXISTS FOR (n:WorkspaceSettings) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT workspace_settings_scope IF NOT EXISTS
FOR (n:WorkspaceSettings) REQUIRE n.scope IS UNIQUE;
// Conversations that no task has followed, tasks by conversation, and who told how a skill did.
CREATE INDEX conversation_unfollowed IF NOT EXISTS FOR (n:Conversation) ON (n.unfollowed, n.id);
CREATE INDEX task_segment_session IF NOT EXISTS FOR (n:TaskSegment) ON (n.scope, n.session_key);
CREATE INDEX skill_usage_principal IF NOT EXISTS FOR (n:SkillUsageRecord) ON (n.principal, n.at);
// Core blocks that change only as others attest: protections and edits by scope and kind of block.
CREATE CONSTRAINT block_protection_id IF NOT EXISTS FOR (n:BlockProtection) REQUIRE n.id IS UNIQUE;
CREATE INDEX block_protection_scope IF NOT EXISTS FOR (n:BlockProtection) ON (n.scope, n.block_kind);
CREATE CONSTRAINT block_edit_id IF NOT EXISTS FOR (n:BlockEdit) REQUIRE n.id IS UNIQUE;
CREATE INDEX block_edit_scope IF NOT EXISTS FOR (n:BlockEdit) ON (n.scope, n.block_kind, n.id);
