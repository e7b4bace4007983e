"""What a script sees of a command that did not do everything: exit code 1, and 0 otherwise."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from app.wiring import Parts
from tests.clients.conftest import serving
from tests.conftest import Principal
from tests.lifecycle.test_kills import ROOT, environment
from tests.portability.packages import turns, write_package

WAIT = 120.0  # seconds for a command, on a machine that has other work


async def loci(opened: Parts, *arguments: str) -> tuple[int | None, str]:
    """Exit code of a command, and all that it says."""
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.cli.main", *arguments,
        cwd=ROOT,
        env=environment(opened),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(WAIT):
        said, _ = await started.communicate()
    return started.returncode, said.decode()


async def test_an_import_with_a_rejected_record(opened: Parts, tenant: str, tmp_path: Path) -> None:
    lines: list[Any] = turns(f"{tenant}/dev", 3)
    whole = write_package(tmp_path / "whole", episodes=lines)
    code, said = await loci(opened, "import", str(whole), "--json")
    assert code == 0, said
    broken = write_package(tmp_path / "broken", episodes=["{broken", *lines])
    code, said = await loci(opened, "import", str(broken), "--json")
    assert code == 1, said
    assert '"rejected": 1' in said


async def test_documents_of_which_one_cannot_be_read(
    opened: Parts, admin: Principal, tmp_path: Path, app: Any
) -> None:
    made = await admin.http.post("/v1/knowledge-bases", json={"name": "manuals"})
    assert made.status_code == 201, made.text
    good, bad = tmp_path / "good.txt", tmp_path / "bad.pdf"
    good.write_text("The gauge of the northern sluice is read at six.", encoding="utf-8")
    bad.write_bytes(b"this is no PDF at all")

    async def work() -> None:
        """Do what is queued for this tenant, as a worker would."""
        while True:
            jobs = await admin.http.get("/v1/jobs", params={"status": "queued"})
            for job in jobs.json()["items"]:
                await opened.runner.run(opened, job["id"])
            await asyncio.sleep(0.1)

    async with serving(app) as address:
        working = asyncio.create_task(work())
        where = ("--base", made.json()["id"], "--url", address, "--key", admin.key)
        try:
            code, said = await loci(opened, "document", "add", str(good), *where)
            assert code == 0, said
            code, said = await loci(opened, "document", "add", str(good), str(bad), *where)
        finally:
            working.cancel()
    assert code == 1, said
    assert "failed" in said
