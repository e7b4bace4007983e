// Kinds that their slices declare: found by id, by scope and kind, and page by page by a check.
CREATE CONSTRAINT declared_id IF NOT EXISTS FOR (n:Declared) REQUIRE n.id IS UNIQUE;
CREATE INDEX declared_scope_kind_id IF NOT EXISTS FOR (n:Declared) ON (n.scope, n.kind, n.id);
CREATE INDEX declared_scope_id IF NOT EXISTS FOR (n:Declared) ON (n.scope, n.id);
CREATE INDEX declared_whole IF NOT EXISTS FOR (n:Declared) ON (n.whole);
// Pools: by scope, and by when something of them runs out; their events in order and by age.
CREATE CONSTRAINT memory_pool_id IF NOT EXISTS FOR (n:MemoryPool) REQUIRE n.id IS UNIQUE;
CREATE INDEX memory_pool_scope IF NOT EXISTS FOR (n:MemoryPool) ON (n.scope, n.id);
CREATE INDEX memory_pool_due IF NOT EXISTS FOR (n:MemoryPool) ON (n.due_at, n.id);
CREATE INDEX pool_version_whole IF NOT EXISTS FOR (n:PoolVersion) ON (n.whole, n.version);
CREATE INDEX pool_event_whole IF NOT EXISTS FOR (n:PoolEvent) ON (n.whole, n.seq);
CREATE INDEX pool_event_time IF NOT EXISTS FOR (n:PoolEvent) ON (n.time);
