// Facts keep what readers need of their claims: those that were settled before are settled again by
// a sweep, and read by their claims until then. The other two find what other scopes tell of a name.
CREATE INDEX fact_settling IF NOT EXISTS FOR (n:Fact) ON (n.settle_state);
CREATE INDEX fact_subject_predicate IF NOT EXISTS FOR (n:Fact) ON (n.subject, n.predicate);
CREATE INDEX entity_tenant_key IF NOT EXISTS FOR (n:Entity) ON (n.tenant, n.canonical_key);
MATCH (f:Fact) CALL (f) { SET f.settle_state = 'due' } IN TRANSACTIONS OF 10000 ROWS;
