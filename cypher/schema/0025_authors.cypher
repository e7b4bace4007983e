// What somebody wrote in a scope is found without reading everybody's notes.
CREATE INDEX note_scope_author IF NOT EXISTS FOR (n:Note) ON (n.scope, n.author);
