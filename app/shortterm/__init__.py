"""Short-term memory: what an agent keeps of a session in the graph, with a time to live."""
