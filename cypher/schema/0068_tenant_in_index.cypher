// Who reads all of a tenant is one term of the vector index, where each scope was one. The indexes are
// made anew at the next start, with the options of the settings; vectors stay where they are.
DROP INDEX memory_vector IF EXISTS;
DROP INDEX memory_vector_b IF EXISTS;
DROP INDEX memory_vector_c IF EXISTS;
MATCH (n:Searchable) WHERE n.tenant IS NULL
CALL (n) { SET n.tenant = split(n.scope, '/')[0] } IN TRANSACTIONS OF 1000 ROWS;
