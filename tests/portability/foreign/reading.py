"""What a file of another program becomes, without a graph."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from app.portability.chunks import chunks
from app.portability.foreign.convert import Foreign, converted
from app.portability.kind import Reject, Rules
from app.portability.prepare import prepare_chunk
from app.portability.progress import Mark

EXPORTS = Path(__file__).parent / "exports"
SCOPE = "mill/river"
RULES = Rules(run="r", moment=datetime(2026, 1, 1, tzinfo=UTC))
Lines = dict[str, list[Any]]


def became(
    path: Path, format: str | None = None, mapping: Path | None = None
) -> tuple[Lines, dict[str, Any]]:
    """The lines of each kind, and what the reading tells."""
    with converted(Foreign(path, SCOPE, format, mapping)) as package:
        lines = {
            file.kind.name: [orjson.loads(line) for line in file.path.read_bytes().splitlines()]
            for file in package.files
        }
        assert package.told is not None
        return lines, package.told


def checked(
    path: Path, format: str | None = None, *, users: bool = False
) -> tuple[int, list[Reject]]:
    """How many lines an import would take, and what it would refuse, as of the file."""
    with converted(Foreign(path, SCOPE, format, users=users)) as package:
        taken, rejects = 0, []
        assert package.where is not None
        for file in package.files:
            with file.path.open("rb") as source:
                for chunk in chunks(source, file, Mark()):
                    done = prepare_chunk(chunk, RULES, {})
                    taken += len(done.rows)
                    rejects += [package.where(reject) for reject in done.rejects]
        return taken, rejects
