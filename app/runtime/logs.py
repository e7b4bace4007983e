"""The supervisor's own log: what it started, restarted and stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler

from app.runtime.config import RuntimeConfig, make_folder

log = logging.getLogger("loci.runtime")

LIMIT_BYTES = 5 * 1024 * 1024


@contextmanager
def log_to_file(config: RuntimeConfig) -> Iterator[None]:
    """Write the runtime's lines to `logs/supervisor.log`, in UTC, while the body runs."""
    make_folder(config.logs, "LOCI_HOME")
    handler = RotatingFileHandler(
        config.logs / "supervisor.log", maxBytes=LIMIT_BYTES, backupCount=1, encoding="utf-8"
    )
    formatter = logging.Formatter("%(asctime)sZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        handler.close()
