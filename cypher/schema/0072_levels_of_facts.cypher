// Facts keep how private they are: as the most private of all texts that say them, which a search
// would have to read.
MATCH (e:Passage)-[:SUPPORTS]->(f:Fact) WHERE e.privacy > 0
WITH f, max(e.privacy) AS level
CALL (f, level) { SET f.privacy = level } IN TRANSACTIONS OF 10000 ROWS;
