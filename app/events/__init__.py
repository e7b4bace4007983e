"""Server-sent events: what changes in the scopes that a key sees."""
