"""Working memory: what an agent has at hand for one task, kept by Valkey and gone by itself."""
