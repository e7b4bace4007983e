// Contexts: by scope, and an agent's own; entries by key while they are in use.
CREATE CONSTRAINT persistent_context_id IF NOT EXISTS FOR (n:PersistentContext) REQUIRE n.id IS UNIQUE;
CREATE INDEX persistent_context_scope IF NOT EXISTS FOR (n:PersistentContext) ON (n.scope, n.id);
CREATE CONSTRAINT context_entry_id IF NOT EXISTS FOR (n:ContextEntry) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT context_entry_slot IF NOT EXISTS FOR (n:ContextEntry) REQUIRE n.slot IS UNIQUE;
CREATE INDEX context_entry_whole IF NOT EXISTS FOR (n:ContextEntry) ON (n.whole, n.id);
CREATE INDEX context_entry_version_whole IF NOT EXISTS FOR (n:ContextEntryVersion) ON (n.refers, n.version);
CREATE INDEX context_snapshot_whole IF NOT EXISTS FOR (n:ContextSnapshot) ON (n.whole, n.id);
CREATE INDEX context_snapshot_entry_place IF NOT EXISTS FOR (n:ContextSnapshotEntry) ON (n.snapshot_id, n.place);
CREATE INDEX context_access_whole IF NOT EXISTS FOR (n:ContextAccess) ON (n.whole, n.id);
