"""Reading the benchmark's files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.errors import InvalidInput


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file; raises InvalidInput (field `path`) that names a bad line."""
    if not path.is_file():
        raise InvalidInput(f"there is no benchmark file {path}", field="path")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise InvalidInput(f"{path}:{number} is no JSON", field="path") from error


def moment(text: str) -> datetime:
    """The benchmarks' times have no zone: read as UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
