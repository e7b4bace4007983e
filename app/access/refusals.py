"""That a known caller was refused is on record, through whatever door he came."""

from __future__ import annotations

from app.access.repository import AccessRepository
from app.errors import Forbidden, LociError, NotFound
from app.kernel import audit
from app.kernel.caller import Caller

# NotFound of these fields is a scope that was named and is not visible, or not there.
DENIED_BY = ("scope", "path")


class Refusals:
    """Writes audit events; holds no tenant state."""

    def __init__(self, rows: AccessRepository) -> None:
        self._rows = rows

    async def record(self, error: BaseException | None, caller: Caller, route: str) -> None:
        """Record a refusal; what is none, or is on record already, is left alone."""
        denied = isinstance(error, Forbidden) or (
            isinstance(error, NotFound) and error.field in DENIED_BY
        )
        if not denied or (isinstance(error, LociError) and error.audited):
            return
        code = error.code if isinstance(error, LociError) else "Forbidden"
        event = audit.refusal(caller, code, caller.home, route=route)
        await self._rows.write_audit(event, actor=caller.principal)
