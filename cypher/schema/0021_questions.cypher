// Questions that were asked, by scope and time; by principal, tenant and age where they have to go.
CREATE CONSTRAINT rag_query_id IF NOT EXISTS FOR (n:RagQuery) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT search_result_id IF NOT EXISTS FOR (n:HybridSearchResult) REQUIRE n.id IS UNIQUE;
CREATE INDEX rag_query_scope IF NOT EXISTS FOR (n:RagQuery) ON (n.scope, n.asked_at);
CREATE INDEX rag_query_principal IF NOT EXISTS FOR (n:RagQuery) ON (n.scope, n.principal);
CREATE INDEX rag_query_tenant IF NOT EXISTS FOR (n:RagQuery) ON (n.tenant);
CREATE INDEX rag_query_asked IF NOT EXISTS FOR (n:RagQuery) ON (n.asked_at);
CREATE INDEX search_result_scope IF NOT EXISTS FOR (n:HybridSearchResult) ON (n.scope, n.asked_at);
