"""A language model of one's choice: asked for structured answers, within a budget."""
