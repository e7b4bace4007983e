"""Escalations: what somebody has to decide by a moment, and what becomes of it after that."""
