"""The embedded runtime: real Neo4j, Valkey, API and worker as supervised child processes."""
