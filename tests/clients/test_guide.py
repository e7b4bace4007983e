"""The programs of the client's guide, in a tenant that has just been made."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.wiring import Parts
from tests.clients.test_memory import worker
from tests.conftest import Principal

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guides" / "client.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)


@pytest.mark.parametrize("program", PROGRAMS)
async def test_a_program_of_the_guide_runs(
    address: str, admin: Principal, opened: Parts, program: str
) -> None:
    told = re.sub(r"\bdemo\b", admin.caller.tenant, program)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "clients" / "python"),
        "LOCI_API_URL": address,
        "LOCI_API_KEY": admin.key,
    }
    command = [sys.executable, "-W", "error", "-c", told]
    async with worker(opened, admin.caller.tenant):
        done = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr


def test_the_first_program_is_as_short_as_it_is_called() -> None:
    lines = [line for line in PROGRAMS[0].splitlines() if line.strip()]
    assert len(lines) <= 15
