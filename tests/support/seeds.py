"""The seed of what is drawn by chance: `TESTS_DRAWN`, a number or `today`, else always the same.

A checkout that passed passes tomorrow; whoever looks for more draws anew.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

_GIVEN = os.environ.get("TESTS_DRAWN") or "1"
SEED = int(datetime.now(UTC).strftime("%Y%m%d") if _GIVEN == "today" else _GIVEN)
