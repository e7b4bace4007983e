"""What a folder is called where agents keep a scope for each project."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

DIGITS = 16  # hex digits of the hash that name a context
MARK = ".git"  # what a project's root holds: a folder, or a file in a work tree


def root_of(folder: Path) -> Path:
    """Return the root of the project that a folder lies in: the nearest one upward that holds
    `.git`, else the folder itself; a real path, without links."""
    real = folder.resolve(strict=True)
    return next((one for one in (real, *real.parents) if (one / MARK).exists()), real)


def context_of(folder: Path) -> str:
    """Return the first hex digits of the SHA-256 of the real path of a folder's project."""
    return hashlib.sha256(os.fsencode(root_of(folder))).hexdigest()[:DIGITS]
