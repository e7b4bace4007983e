// Kept for what comes before the learning loop.
CREATE CONSTRAINT declared_id IF NOT EXISTS FOR (n:Declared) REQUIRE n.id IS UNIQUE;
