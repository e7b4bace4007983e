// Where the settlement of a long belief key goes on from; one node a key.
CREATE CONSTRAINT key_state_id IF NOT EXISTS FOR (n:KeyState) REQUIRE n.id IS UNIQUE;
CREATE INDEX key_state_scope IF NOT EXISTS FOR (n:KeyState) ON (n.scope);
