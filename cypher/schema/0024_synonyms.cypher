// Which names wait to be compared, and which of a scope read alike; no name does either until
// `search.synonyms` is switched on.
CREATE INDEX name_alike IF NOT EXISTS FOR (n:Name) ON (n.alike_state, n.scope);
CREATE INDEX synonym_scope IF NOT EXISTS FOR ()-[s:SYNONYM]-() ON (s.scope);
