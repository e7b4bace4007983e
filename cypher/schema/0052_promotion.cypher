// Short-term memory that was read often enough to be promoted.
CREATE INDEX short_memory_ready IF NOT EXISTS FOR (n:ShortMemory) ON (n.ready, n.id);
