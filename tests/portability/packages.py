"""Small packages that tests write."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write_package(folder: Path, manifest: dict[str, Any] | None = None, **files: Any) -> Path:
    """A folder with `scopes=[…]`, `episodes=[…]` and so on; a string is a line as it stands."""
    folder.mkdir(parents=True, exist_ok=True)
    if manifest is not None:
        whole = {"format": "loci", "version": 1, **manifest}
        (folder / "manifest.json").write_text(json.dumps(whole))
    for name, records in files.items():
        (folder / f"{name}.jsonl").write_text("".join(_lines(records)), encoding="utf-8")
    return folder


def _lines(records: Iterable[Any]) -> Iterable[str]:
    for record in records:
        yield (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)) + "\n"


def turns(scope: str, count: int, session: str = "talk") -> list[dict[str, Any]]:
    """Episodes of one session that all differ."""
    return [
        {
            "scope": scope,
            "session": f"{session}-{number // 20}",
            "role": "user" if number % 2 else "assistant",
            "speaker": "Ada" if number % 2 else "Bruno",
            "content": f"Turn {number} of {session}: the kettle in room {number} whistles.",
            "captured_at": f"2026-03-01T09:{number // 60 % 60:02d}:{number % 60:02d}+00:00",
            "tags": ["kitchen"] if number % 3 == 0 else [],
        }
        for number in range(count)
    ]
