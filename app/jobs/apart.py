"""Upkeep goes through what all tenants have: one that fails must not keep it from the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from pydantic import ValidationError

from app.errors import LociError

log = structlog.get_logger()


@contextmanager
def apart(task: str, of: str) -> Iterator[None]:
    """Log what fails for good of the one with the id `of`, which the next run meets again, and go
    on. What may succeed later (a server that is away) is raised: the job comes again.
    """
    try:
        yield
    except LociError as error:
        if error.status >= 500:
            raise
        log.warning("upkeep.failed", task=task, of=of, reason=error.detail)
    except ValidationError as error:  # its text quotes what was stored
        log.warning(
            "upkeep.failed", task=task, of=of, reason=f"{error.error_count()} values do not fit"
        )
