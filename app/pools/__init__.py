"""Memory pools: JSON that several agents share, with rights, versions, quotas and events."""
