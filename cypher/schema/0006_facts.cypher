// Facts, the reviews of quarantined ones, and the keys that belief is settled by.
CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (n:Fact) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT review_id IF NOT EXISTS FOR (n:Review) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT predicate_id IF NOT EXISTS FOR (n:Predicate) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT cursor_scope IF NOT EXISTS FOR (n:ConsolidationCursor) REQUIRE n.scope IS UNIQUE;
CREATE INDEX fact_key IF NOT EXISTS FOR (n:Fact) ON (n.key);
CREATE INDEX fact_view IF NOT EXISTS FOR (n:Fact) ON (n.view_key);
CREATE INDEX fact_subject IF NOT EXISTS FOR (n:Fact) ON (n.subject);
CREATE INDEX fact_object IF NOT EXISTS FOR (n:Fact) ON (n.object_id);
CREATE INDEX fact_scope_status IF NOT EXISTS FOR (n:Fact) ON (n.scope, n.status);
CREATE INDEX review_fact IF NOT EXISTS FOR (n:Review) ON (n.fact);
CREATE INDEX episode_consolidation IF NOT EXISTS FOR (n:Episode) ON (n.scope, n.consolidation_state, n.ingested_at);
