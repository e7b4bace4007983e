"""Communities of what belongs together, and their summaries."""
