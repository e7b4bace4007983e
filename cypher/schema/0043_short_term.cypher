// Short-term memory: by whose it is, by scope, and by when it runs out.
CREATE CONSTRAINT short_memory_id IF NOT EXISTS FOR (n:ShortMemory) REQUIRE n.id IS UNIQUE;
CREATE INDEX short_memory_scope_id IF NOT EXISTS FOR (n:ShortMemory) ON (n.scope, n.id);
CREATE INDEX short_memory_author IF NOT EXISTS FOR (n:ShortMemory) ON (n.tenant, n.author);
CREATE INDEX short_memory_expires IF NOT EXISTS FOR (n:ShortMemory) ON (n.expires_at);
