// Who speaks in a scope: a given name is joined only with the name of one who does.
CREATE INDEX episode_scope_speaker IF NOT EXISTS FOR (n:Episode) ON (n.scope, n.speaker);
CREATE INDEX episode_scope_author IF NOT EXISTS FOR (n:Episode) ON (n.scope, n.author);
