"""Memory as tools, resources and prompts of the Model Context Protocol, over the same services."""
