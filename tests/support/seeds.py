"""The seed of what is drawn anew each day: by `TESTS_SEED`, or the date (UTC) as a number."""

from __future__ import annotations

import os
from datetime import UTC, datetime

SEED = int(os.environ.get("TESTS_SEED") or datetime.now(UTC).strftime("%Y%m%d"))
