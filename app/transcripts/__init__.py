"""Conversations as they were said, whole and in order, and what is noted beside other memories."""
