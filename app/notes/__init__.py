"""Free-text memories: notes with their versions, core blocks, and patterns of failure."""
