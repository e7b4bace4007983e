"""The driver is loaded without what only the algorithms of the graph need."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASKED = """
import sys
import app.asgi, app.worker
print([name for name in ("pandas", "pyarrow") if name in sys.modules])
import app.communities.gds
import pandas, pyarrow
print(pandas.DataFrame({"n": [1]}).n.sum())
"""


@pytest.mark.one_python  # starts processes
def test_a_start_loads_no_frames_and_who_wants_them_has_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKED], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.splitlines() == ["[]", "1"], done.stderr
