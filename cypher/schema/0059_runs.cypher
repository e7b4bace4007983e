// Facts keep the claims that decide between scopes that disagree: those that were settled before are
// settled again by a sweep, and read by their claims until then where scopes do.
MATCH (f:Fact) WHERE f.runs IS NULL
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
