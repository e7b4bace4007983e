"""Audit events: what changed or was refused, by whom, written in the change's own transaction.

Payloads hold ids, hashes and counts, never content, so that erasing a text leaves nothing here.
Events are chained later, by a job, so that writers never queue for one head.
"""

from __future__ import annotations

from typing import Any

import orjson

from app.kernel.caller import Caller
from app.kernel.clock import now
from app.kernel.ids import new_id


def event(caller: Caller, kind: str, scope: str, **payload: Any) -> dict[str, Any]:
    """Properties of one AuditEvent about a change."""
    return record(
        kind,
        tenant=caller.tenant,
        scope=scope,
        actor=caller.principal,
        request=caller.request,
        payload=payload,
    )


def refusal(caller: Caller, code: str, scope: str, **payload: Any) -> dict[str, Any]:
    """Properties of one AuditEvent about something that was not done."""
    return {**event(caller, "refused", scope, code=code, **payload), "outcome": "refused"}


def record(
    kind: str, *, tenant: str, scope: str, actor: str, request: str, payload: dict[str, Any]
) -> dict[str, Any]:
    """Properties of one AuditEvent; `unsealed` leaves it for the sealing job to find."""
    return {
        "id": new_id(),
        "tenant": tenant,
        "scope": scope,
        "kind": kind,
        "outcome": "done",
        "actor": actor,
        "request": request,
        "at": now(),
        "payload": orjson.dumps(payload, option=orjson.OPT_SORT_KEYS).decode(),
        "unsealed": True,
    }
