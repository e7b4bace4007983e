// Facts keep the moments of all their claims, for scopes that say different things in turns, and
// whether any of these is dated: those that were settled before are settled again by a sweep.
MATCH (f:Fact) WHERE f.undated IS NULL
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
