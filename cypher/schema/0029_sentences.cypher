// Facts are told as sentences: those that stand in the words of before are told anew by a sweep.
CREATE INDEX fact_wording IF NOT EXISTS FOR (n:Fact) ON (n.wording_state);
MATCH (f:Fact) CALL (f) { SET f.wording_state = 'pending' } IN TRANSACTIONS OF 10000 ROWS;
