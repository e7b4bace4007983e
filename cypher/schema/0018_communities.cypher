// Communities of entities, finest and nested, and how far each scope's are.
CREATE CONSTRAINT community_id IF NOT EXISTS FOR (n:Community) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT community_cursor_scope IF NOT EXISTS FOR (n:CommunityCursor) REQUIRE n.scope IS UNIQUE;
CREATE INDEX community_scope_size IF NOT EXISTS FOR (n:Community) ON (n.scope, n.size);
