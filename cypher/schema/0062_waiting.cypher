// What was not wholly read lifts nobody any more who waits: facts of which somebody said something
// that was not wholly read are settled again by a sweep.
MATCH (f:Fact)
WHERE f.settle_state IS NULL AND EXISTS { MATCH (:Passage)-[s:SUPPORTS]->(f) WHERE s.rest IS NOT NULL }
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
