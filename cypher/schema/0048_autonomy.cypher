// Goals: by scope, by the goal above, and by since when they make no progress.
CREATE CONSTRAINT goal_id IF NOT EXISTS FOR (n:Goal) REQUIRE n.id IS UNIQUE;
CREATE INDEX goal_scope IF NOT EXISTS FOR (n:Goal) ON (n.scope, n.id);
CREATE INDEX goal_idle IF NOT EXISTS FOR (n:Goal) ON (n.idle_since, n.id);
CREATE INDEX goal_scope_idle IF NOT EXISTS FOR (n:Goal) ON (n.scope, n.idle_since);
CREATE INDEX goal_link_whole IF NOT EXISTS FOR (n:GoalLink) ON (n.whole, n.id);
// Escalations: by scope, and by when their level is raised.
CREATE CONSTRAINT escalation_id IF NOT EXISTS FOR (n:Escalation) REQUIRE n.id IS UNIQUE;
CREATE INDEX escalation_scope IF NOT EXISTS FOR (n:Escalation) ON (n.scope, n.id);
CREATE INDEX escalation_pending IF NOT EXISTS FOR (n:Escalation) ON (n.pending_at, n.id);
// Observations: by scope, by sensor, and by when they are deleted.
CREATE CONSTRAINT observation_id IF NOT EXISTS FOR (n:Observation) REQUIRE n.id IS UNIQUE;
CREATE INDEX observation_scope IF NOT EXISTS FOR (n:Observation) ON (n.scope, n.id);
CREATE INDEX observation_sensor IF NOT EXISTS FOR (n:Observation) ON (n.scope, n.sensor, n.number);
CREATE INDEX observation_expires IF NOT EXISTS FOR (n:Observation) ON (n.expires_at);
CREATE INDEX observation_processed IF NOT EXISTS FOR (n:Observation) ON (n.processed_at);
// Suggestions: by scope. What they are made of: decisions by scope and time.
CREATE CONSTRAINT intervention_id IF NOT EXISTS FOR (n:InterventionPolicy) REQUIRE n.id IS UNIQUE;
CREATE INDEX intervention_scope IF NOT EXISTS FOR (n:InterventionPolicy) ON (n.scope, n.id);
CREATE INDEX review_scope_at IF NOT EXISTS FOR (n:Review) ON (n.scope, n.at);
CREATE INDEX merge_record_decided IF NOT EXISTS FOR (n:MergeRecord) ON (n.scope, n.decided_at);
CREATE INDEX skill_proposal_decided IF NOT EXISTS FOR (n:SkillProposal) ON (n.scope, n.decided_at);
// What sensors and snapshots ask of notes.
CREATE INDEX note_scope_standing IF NOT EXISTS FOR (n:Note) ON (n.scope, n.standing);
CREATE CONSTRAINT snapshot_id IF NOT EXISTS FOR (n:Snapshot) REQUIRE n.id IS UNIQUE;
CREATE INDEX snapshot_scope IF NOT EXISTS FOR (n:Snapshot) ON (n.scope);
