// Holds the number: nothing changes.
CREATE CONSTRAINT declared_id IF NOT EXISTS FOR (n:Declared) REQUIRE n.id IS UNIQUE;
