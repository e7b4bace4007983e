// Vector spaces beside the first: which scopes chose one, and which texts have a vector there.
CREATE INDEX scope_space IF NOT EXISTS FOR (n:Scope) ON (n.space);
CREATE INDEX searchable_embed_hash_b IF NOT EXISTS FOR (n:Searchable) ON (n.embed_hash_b);
CREATE INDEX searchable_embed_hash_c IF NOT EXISTS FOR (n:Searchable) ON (n.embed_hash_c);
