"""Free-text memories: written notes, condensed notes, core blocks, bad patterns."""
