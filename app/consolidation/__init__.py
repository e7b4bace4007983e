"""From raw episodes to entities and facts: leases, the pass, its cursor."""
