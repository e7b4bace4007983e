"""Suggestions for policies, out of how reviews were decided; nothing is ever applied."""
