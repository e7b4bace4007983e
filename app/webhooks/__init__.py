"""Webhooks: events that the worker posts to an address, signed, in order, until they arrive."""
