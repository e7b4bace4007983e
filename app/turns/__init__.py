"""Turns of a conversation: what was said goes in, what helps with the reply comes out."""
