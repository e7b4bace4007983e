// Tables: by scope, and by the entity that stands for one.
CREATE CONSTRAINT data_table_id IF NOT EXISTS FOR (n:DataTable) REQUIRE n.id IS UNIQUE;
CREATE INDEX data_table_scope IF NOT EXISTS FOR (n:DataTable) ON (n.scope, n.id);
CREATE INDEX data_table_entity IF NOT EXISTS FOR (n:DataTable) ON (n.entity);
// Rows: the present ones of a table, those of a moment, the versions of one row, former versions.
CREATE CONSTRAINT data_row_id IF NOT EXISTS FOR (n:DataRow) REQUIRE n.id IS UNIQUE;
CREATE INDEX data_row_scope IF NOT EXISTS FOR (n:DataRow) ON (n.scope, n.id);
CREATE INDEX data_row_live IF NOT EXISTS FOR (n:DataRow) ON (n.whole, n.live);
CREATE INDEX data_row_recorded IF NOT EXISTS FOR (n:DataRow) ON (n.whole, n.recorded_at);
CREATE INDEX data_row_row IF NOT EXISTS FOR (n:DataRow) ON (n.whole, n.row_id);
CREATE INDEX data_row_retracted IF NOT EXISTS FOR (n:DataRow) ON (n.whole, n.retracted_at);
// What is to be linked to what it names.
CREATE INDEX declared_unlinked IF NOT EXISTS FOR (n:Declared) ON (n.unlinked, n.id);
