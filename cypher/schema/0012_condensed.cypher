// Notes that are made of facts: what was written since a pass, and the notes about one entity.
CREATE INDEX entity_scope_touched IF NOT EXISTS FOR (n:Entity) ON (n.scope, n.touched_at);
CREATE INDEX note_subject IF NOT EXISTS FOR (n:Note) ON (n.subject);
