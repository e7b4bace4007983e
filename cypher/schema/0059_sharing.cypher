// Values that may both be so end each other no more: facts of such predicates are settled again by a
// sweep, and read by their claims until then.
MATCH (f:Fact) WHERE f.predicate STARTS WITH 'attribute:' OR f.predicate IN ['lives_in', 'located_in', 'headquarters_in', 'born_in']
CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
