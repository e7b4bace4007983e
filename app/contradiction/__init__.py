"""Whether one free text contradicts another about the same thing, by structure alone."""
