// Short-term memory that was read often enough to be promoted; entries of contexts by what they are.
CREATE INDEX short_memory_ready IF NOT EXISTS FOR (n:ShortMemory) ON (n.ready, n.id);
CREATE INDEX context_entry_memory IF NOT EXISTS FOR (n:ContextEntry) ON (n.scope, n.memory_type, n.id);
