"""Every kind that its slice declares: one page, no discovery.

Engines read this list: packages, erasure, checks of an erasure, `loci verify`. A whole stands
before its parts, which is the order in which packages are imported.
"""

from __future__ import annotations

from typing import Any

from app.contexts.kind import (
    ACCESS,
    CONTEXT,
    ENTRY,
    ENTRY_VERSION,
    SNAPSHOT,
    SNAPSHOT_ENTRY,
)
from app.kernel.kind import Kind
from app.pools.kind import POOL, POOL_EVENT, POOL_VERSION
from app.workitems.kind import WORK_ITEM, WORK_LINK

KINDS: tuple[Kind[Any], ...] = (
    POOL,
    POOL_VERSION,
    POOL_EVENT,
    WORK_ITEM,
    WORK_LINK,
    CONTEXT,
    ENTRY,
    ENTRY_VERSION,
    SNAPSHOT,
    SNAPSHOT_ENTRY,
    ACCESS,
)
BY_NAME = {kind.name: kind for kind in KINDS}
