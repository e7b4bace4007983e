"""Neo4j Browser over the demo."""
