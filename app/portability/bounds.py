"""How much a scope takes in of what agents keep for a while: as it does of what they write."""

from __future__ import annotations

from dataclasses import dataclass

from app.scopes.service import ScopeService
from app.scopes.tuning import installed
from app.shortterm.model import Limits as ShortLimits
from app.working.model import Limits as WorkingLimits


@dataclass(frozen=True, slots=True)
class Bounds:
    """What holds in one scope: its own settings, else those of the installation."""

    short: ShortLimits
    working: WorkingLimits


async def bounds_of(scopes: ScopeService, scope: str) -> Bounds:
    """Return the bounds of a scope."""
    installation = scopes.settings.installation
    return Bounds(
        await scopes.limits(installed(ShortLimits, installation), scope),
        await scopes.limits(installed(WorkingLimits, installation), scope),
    )
