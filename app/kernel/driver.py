"""The driver of Neo4j, loaded without pandas and pyarrow.

It loads both where they are installed, so that their values may be parameters. Ours never are, and
each process would start later and hold more memory. Who wants pandas imports it: the algorithms of
the graph do, in the worker.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def _not_installed(*names: str) -> Iterator[None]:
    """Let imports of some packages fail that nobody has imported yet, as they do without them."""
    modules: dict[str, Any] = sys.modules
    hidden = [name for name in names if name not in modules]
    modules.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            del modules[name]


with _not_installed("pandas", "pyarrow"):
    from neo4j import (
        READ_ACCESS,
        WRITE_ACCESS,
        AsyncDriver,
        AsyncGraphDatabase,
        AsyncManagedTransaction,
        AsyncResult,
        AsyncSession,
        Driver,
        GraphDatabase,
        NotificationMinimumSeverity,
        Query,
        unit_of_work,
    )
    from neo4j.exceptions import (
        AuthError,
        ClientError,
        ConfigurationError,
        ConstraintError,
        DriverError,
        Neo4jError,
        ServiceUnavailable,
        SessionExpired,
        TransientError,
    )
    from neo4j.time import DateTime

__all__ = [
    "READ_ACCESS",
    "WRITE_ACCESS",
    "AsyncDriver",
    "AsyncGraphDatabase",
    "AsyncManagedTransaction",
    "AsyncResult",
    "AsyncSession",
    "AuthError",
    "ClientError",
    "ConfigurationError",
    "ConstraintError",
    "DateTime",
    "Driver",
    "DriverError",
    "GraphDatabase",
    "Neo4jError",
    "NotificationMinimumSeverity",
    "Query",
    "ServiceUnavailable",
    "SessionExpired",
    "TransientError",
    "unit_of_work",
]
