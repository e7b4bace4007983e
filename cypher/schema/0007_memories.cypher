// Free-text memories, the blocks that every prompt has, and what went wrong before. Whatever waits
// for its vector is found by the umbrella label from now on.
CREATE CONSTRAINT note_version_id IF NOT EXISTS FOR (n:NoteVersion) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT note_shelf_id IF NOT EXISTS FOR (n:NoteShelf) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT core_block_id IF NOT EXISTS FOR (n:CoreBlock) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT bad_pattern_id IF NOT EXISTS FOR (n:BadPattern) REQUIRE n.id IS UNIQUE;
CREATE INDEX note_scope_id IF NOT EXISTS FOR (n:Note) ON (n.scope, n.id);
CREATE INDEX note_hash IF NOT EXISTS FOR (n:Note) ON (n.scope, n.content_hash);
CREATE INDEX core_block_scope IF NOT EXISTS FOR (n:CoreBlock) ON (n.scope, n.kind);
CREATE INDEX bad_pattern_scope IF NOT EXISTS FOR (n:BadPattern) ON (n.scope, n.id);
CREATE INDEX memory_pending IF NOT EXISTS FOR (n:Memory) ON (n.index_state, n.ingested_at);
DROP INDEX episode_pending IF EXISTS;
