// The passages of a scope, the newest first: what is said of a thing that very many of them mention.
CREATE INDEX passage_scope_time IF NOT EXISTS FOR (n:Passage) ON (n.scope, n.captured_at);
