"""Long-term contexts: entries with versions, weights and seals, snapshots, and grants."""
