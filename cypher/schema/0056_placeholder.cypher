// Holds the number for a migration that comes from elsewhere.
CREATE INDEX snapshot_scope IF NOT EXISTS FOR (n:Snapshot) ON (n.scope);
