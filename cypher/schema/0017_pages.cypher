// Pages, their former texts, and the names at which links and pages meet.
CREATE CONSTRAINT page_id IF NOT EXISTS FOR (n:Page) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT page_version_id IF NOT EXISTS FOR (n:PageVersion) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT link_name_id IF NOT EXISTS FOR (n:LinkName) REQUIRE n.id IS UNIQUE;
CREATE INDEX page_scope IF NOT EXISTS FOR (n:Page) ON (n.scope, n.id);
CREATE INDEX page_scope_path IF NOT EXISTS FOR (n:Page) ON (n.scope, n.path);
CREATE INDEX link_name_touched IF NOT EXISTS FOR (n:LinkName) ON (n.touched_at);
CREATE INDEX page_passages IF NOT EXISTS FOR (n:Page) ON (n.passage_state, n.touched_at);
