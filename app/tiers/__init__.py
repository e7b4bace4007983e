"""One memory over its tiers: working, short-term and long-term memory, and what is shared."""
