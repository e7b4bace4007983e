"""The learning loop: segments of tasks, their scores, intents, and a log of it all."""
