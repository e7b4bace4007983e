"""Goals: what an agent is after, how far it has come, and whether it is still on its way."""
