"""Generated passwords, in files that only their owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

OWNER_ONLY = 0o600


def read_or_create(path: Path) -> str:
    """The password in `path`; a new one is made where the file is missing."""
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24))
    path.chmod(OWNER_ONLY)
    return path.read_text(encoding="utf-8").strip()


def read_existing(path: Path) -> str:
    """The password in `path`; empty where there is none that we may read."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def write_private(path: Path, text: str) -> None:
    """Write a file that was never readable by others, and replace the old one at once."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, OWNER_ONLY)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
