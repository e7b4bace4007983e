"""Ids of sessions: one for each name in a scope, whichever tier keeps something of it."""

from __future__ import annotations

from app.kernel.ids import digest
from app.sanitize.normalise import visible


def session_id(scope: str, key: str) -> str:
    """The id of the session that goes by `key` in `scope`."""
    return digest("session", scope, visible(key))[:32]
