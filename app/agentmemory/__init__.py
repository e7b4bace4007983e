"""The protocol of Neo4j's agent-memory clients, as REST and as the bridge of its test kit."""
