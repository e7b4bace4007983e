// What an export reads by scope and id.
CREATE INDEX fact_scope_id IF NOT EXISTS FOR (n:Fact) ON (n.scope, n.id);
