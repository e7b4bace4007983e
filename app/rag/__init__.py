"""Graph retrieval over communities, contexts for prompts, and answers that cite."""
