// A name or a kind that is told shorter or longer ends nothing any more: facts that a later value took
// the place of are settled again by a sweep.
MATCH (f:Fact)-[x:SUPERSEDED_BY]->(:Fact)
WHERE x.reason = 'later_value' AND x.retracted_at = datetime('9999-12-31T00:00:00Z')
WITH DISTINCT f
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
