// Facts of many claims keep the moments of all of them, for scopes that say different things in
// turns: those that were settled before are settled again by a sweep.
MATCH (f:Fact) WHERE f.evidence > 128 AND f.runs IS NOT NULL
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
