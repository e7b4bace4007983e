// Texts of pools are found by search: by their pool; pools that have texts by scope, and those whose
// texts are due. Pools from before get theirs by a sweep.
CREATE INDEX pool_text_whole IF NOT EXISTS FOR (n:PoolText) ON (n.whole);
CREATE INDEX pool_text_scope IF NOT EXISTS FOR (n:PoolText) ON (n.scope, n.id);
CREATE INDEX memory_pool_texts IF NOT EXISTS FOR (n:MemoryPool) ON (n.scope, n.texts);
CREATE INDEX memory_pool_texts_due IF NOT EXISTS FOR (n:MemoryPool) ON (n.texts_due, n.id);
MATCH (p:MemoryPool) WHERE p.texts IS NULL
CALL (p) { SET p.texts_due = true } IN TRANSACTIONS OF 1000 ROWS;
