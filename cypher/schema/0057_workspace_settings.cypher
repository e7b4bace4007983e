// Settings of the agent's memory: those of a scope.
CREATE CONSTRAINT workspace_settings_id IF NOT EXISTS FOR (n:WorkspaceSettings) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT workspace_settings_scope IF NOT EXISTS
FOR (n:WorkspaceSettings) REQUIRE n.scope IS UNIQUE;
// Conversations that no task has followed, tasks by conversation, and who told how a skill did.
CREATE INDEX conversation_unfollowed IF NOT EXISTS FOR (n:Conversation) ON (n.unfollowed, n.id);
CREATE INDEX task_segment_session IF NOT EXISTS FOR (n:TaskSegment) ON (n.scope, n.session_key);
CREATE INDEX skill_usage_principal IF NOT EXISTS FOR (n:SkillUsageRecord) ON (n.principal, n.at);
