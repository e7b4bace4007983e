// Segments of tasks: by scope, by conversation, open ones by since when they are idle, and those of
// an intent.
CREATE CONSTRAINT task_segment_id IF NOT EXISTS FOR (n:TaskSegment) REQUIRE n.id IS UNIQUE;
CREATE INDEX task_segment_scope IF NOT EXISTS FOR (n:TaskSegment) ON (n.scope, n.id);
CREATE INDEX task_segment_idle IF NOT EXISTS FOR (n:TaskSegment) ON (n.idle_since, n.id);
CREATE INDEX task_segment_intent IF NOT EXISTS FOR (n:TaskSegment) ON (n.intent, n.id);
CREATE INDEX segment_use_whole IF NOT EXISTS FOR (n:SegmentUse) ON (n.whole, n.id);
CREATE INDEX segment_use_memory IF NOT EXISTS FOR (n:SegmentUse) ON (n.refers, n.id);
// Intents, the log by scope, by batch and by what it is about, and the changelog by version.
CREATE CONSTRAINT intent_id IF NOT EXISTS FOR (n:Intent) REQUIRE n.id IS UNIQUE;
CREATE INDEX intent_scope IF NOT EXISTS FOR (n:Intent) ON (n.scope, n.id);
CREATE CONSTRAINT learned_entry_id IF NOT EXISTS FOR (n:LearnedEntry) REQUIRE n.id IS UNIQUE;
CREATE INDEX learned_entry_scope IF NOT EXISTS FOR (n:LearnedEntry) ON (n.scope, n.recorded_at);
CREATE INDEX learned_entry_batch IF NOT EXISTS FOR (n:LearnedEntry) ON (n.batch, n.id);
CREATE INDEX learned_entry_about IF NOT EXISTS FOR (n:LearnedEntry) ON (n.refers, n.id);
CREATE INDEX learned_entry_type IF NOT EXISTS FOR (n:LearnedEntry) ON (n.scope, n.type, n.recorded_at);
CREATE CONSTRAINT learned_change_version IF NOT EXISTS
FOR (n:LearnedChange) REQUIRE (n.scope, n.version) IS UNIQUE;
