// Questions count at the scopes that they were put to, and are read by tenant and time.
CREATE INDEX rag_query_tenant_time IF NOT EXISTS FOR (n:RagQuery) ON (n.tenant, n.asked_at);
CREATE INDEX search_result_tenant_time IF NOT EXISTS FOR (n:HybridSearchResult) ON (n.tenant, n.asked_at);
DROP INDEX search_result_scope IF EXISTS;
MATCH (q:RagQuery|HybridSearchResult) WHERE q.scopes IS NULL
CALL (q) { SET q.scopes = [q.scope] } IN TRANSACTIONS OF 10000 ROWS;
