"""Events that the audit trail does not hold, written in the transaction of what they tell.

They are kept for a day and are no record: what belief came to, how jobs ended. A payload holds ids
and counts, never content.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import orjson

from app.kernel.ids import new_id


def told(
    kind: str,
    scope: str,
    target: str,
    at: datetime,
    *,
    actor: str = "loci",
    readers: Iterable[str] | None = None,
    **payload: Any,
) -> dict[str, Any]:
    """Return the properties of an event about `target`; with `readers`, principals who alone may
    see it."""
    return {
        "id": new_id(),
        "tenant": scope.partition("/")[0],
        "scope": scope,
        "kind": kind,
        "target": target,
        "actor": actor,
        "at": at,
        "payload": orjson.dumps(payload, option=orjson.OPT_SORT_KEYS).decode(),
        "readers": None if readers is None else sorted(readers),
        "unnumbered": True,
    }
