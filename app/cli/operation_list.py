"""The list of operations that `loci api` makes its commands from, as it was written."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

FILE = "operations.json"


def read() -> dict[str, dict[str, Any]]:
    """Return by group each operation by the name of its command."""
    text = files("app.cli").joinpath(FILE).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def dashed(name: str) -> str:
    """Return a name as the command line writes it: `getWorkingValue` is `get-working-value`."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return re.sub(r"[ _]+", "-", parted).lower()
