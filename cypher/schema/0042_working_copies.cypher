// Copies of working memory: by whose and which task they are, by scope, and by when they run out.
CREATE CONSTRAINT working_copy_id IF NOT EXISTS FOR (n:WorkingCopy) REQUIRE n.id IS UNIQUE;
CREATE INDEX working_copy_scope_id IF NOT EXISTS FOR (n:WorkingCopy) ON (n.scope, n.id);
CREATE INDEX working_copy_author IF NOT EXISTS FOR (n:WorkingCopy) ON (n.tenant, n.author);
CREATE INDEX working_copy_expires IF NOT EXISTS FOR (n:WorkingCopy) ON (n.expires_at);
