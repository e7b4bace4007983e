// A curator's word no longer covers what is said after it, and a correction takes out one stint of a
// value alone: what was settled by either before is settled again by a sweep.
MATCH (v:Review)-[:REVIEWS]->(f:Fact)
WHERE v.undone_at IS NULL AND v.verdict IN ['accept', 'interval', 'changed']
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;

MATCH (f:Fact)-[x:SUPERSEDED_BY]->(:Fact)
WHERE x.reason = 'corrected' AND x.retracted_at = datetime('9999-12-31T00:00:00Z')
WITH DISTINCT f
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
