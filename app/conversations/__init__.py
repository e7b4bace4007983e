"""Conversations: the last messages of each, and what becomes of those that came before."""
