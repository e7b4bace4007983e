"""Every portable kind, in the order in which they are imported: one page, no discovery."""

from __future__ import annotations

from app.portability.agents import AGENT
from app.portability.audits import AUDIT, CHAIN
from app.portability.episodes import EPISODE
from app.portability.kind import Kind
from app.portability.scopes import SCOPE
from app.portability.sessions import SESSION

# The chain comes first: whatever is sealed while a restore runs follows on what it restores.
KINDS: tuple[Kind, ...] = (CHAIN, SCOPE, AGENT, SESSION, EPISODE, AUDIT)
BY_NAME = {kind.name: kind for kind in KINDS}
BY_FILE = {kind.file: kind for kind in KINDS}
