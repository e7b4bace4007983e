// The scoped text index. Terms are analysed by us (app/indexing/analysis.py), so the analyzer only
// splits at white space, and a scope, a facet or a moment is one exact token.
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (n:Searchable)
ON EACH [n.scope, n.facets, n.terms, n.about_terms, n.context_terms, n.captured_key, n.ingested_key, n.expired_key]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
CREATE INDEX searchable_embed_hash IF NOT EXISTS FOR (n:Searchable) ON (n.embed_hash);
CREATE INDEX searchable_memory IF NOT EXISTS FOR (n:Searchable) ON (n.memory_id);
DROP INDEX episode_index_state IF EXISTS;
CREATE INDEX episode_pending IF NOT EXISTS FOR (n:Episode) ON (n.index_state, n.ingested_at);
