// Questions that are kept in words are found by that, each night and where a scope keeps no words any
// longer: every question of the installation was read for it.
CREATE INDEX rag_query_worded IF NOT EXISTS FOR (n:RagQuery) ON (n.worded);
MATCH (q:RagQuery) WHERE q.words IS NOT NULL AND q.worded IS NULL
CALL (q) { SET q.worded = true } IN TRANSACTIONS OF 10000 ROWS;
