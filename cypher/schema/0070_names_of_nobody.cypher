// Names that curators took from entities, and that nothing goes by any more, were left behind.
MATCH (a:Alias) WHERE NOT EXISTS { (a)-[:NAMES]->(:Entity) }
CALL (a) { DETACH DELETE a } IN TRANSACTIONS OF 10000 ROWS;
