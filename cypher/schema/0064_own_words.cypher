// Facts are told in the words of their clause: those that stand in other words are told anew by a sweep.
MATCH (f:Fact) WHERE f.wording_state IS NULL CALL (f) { SET f.wording_state = 'pending' } IN TRANSACTIONS OF 10000 ROWS;
