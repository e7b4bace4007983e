// What is mentioned together is read from what passages mention.
MATCH ()-[c:COOCCURS]->() CALL (c) { DELETE c } IN TRANSACTIONS OF 10000 ROWS;
// A name that one passage alone gives waits there. What an older version made of such names is taken
// back by the worker, scope by scope: `thin` is how far it is.
CREATE FULLTEXT INDEX passage_lone IF NOT EXISTS FOR (n:Passage) ON EACH [n.lone_tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
MATCH (c:ConsolidationCursor) SET c.thin = '';
// What "we" is, and what a phrase without a name means, follows from who speaks and where: what texts
// state is read again.
MATCH (p:Passage) WHERE p.consolidation_state = 'consolidated' AND EXISTS { (p)-[:SUPPORTS]->(:Fact) }
CALL (p) { SET p.consolidation_state = 'raw' } IN TRANSACTIONS OF 10000 ROWS;
