"""Of two imports that would write one rejects file, the second is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.transfer import alone
from app.errors import Conflict

HOLDER = """
import sys
from pathlib import Path
from app.cli.transfer import alone
with alone(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_imports_at_once_and_one_after_a_kill(tmp_path: Path) -> None:
    place = tmp_path / "p.rejects.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Conflict, match="another import writes"), alone(place):
            pass
        with alone(tmp_path / "other.rejects.jsonl"):
            pass
        holder.kill()
    with alone(place), alone(tmp_path / "other.rejects.jsonl"):
        pass
