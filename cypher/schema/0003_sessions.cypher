// Sessions of a scope in the order of their ids: the census counts them, lists page through them.
CREATE INDEX mem_session_scope_id IF NOT EXISTS FOR (n:MemSession) ON (n.scope, n.id);
DROP INDEX mem_session_scope IF EXISTS;
