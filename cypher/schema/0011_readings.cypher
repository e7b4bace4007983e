// What a language model read, what it was asked in a day, and which episodes it has yet to read.
CREATE CONSTRAINT model_reading_id IF NOT EXISTS FOR (n:ModelReading) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT model_usage_id IF NOT EXISTS FOR (n:ModelUsage) REQUIRE n.id IS UNIQUE;
CREATE INDEX model_usage_day IF NOT EXISTS FOR (n:ModelUsage) ON (n.day, n.scope);
CREATE INDEX episode_model IF NOT EXISTS FOR (n:Episode) ON (n.scope, n.model_state, n.model_due_at);
