"""The folder of uploads and exports: what is left behind goes, what waits stays."""

from __future__ import annotations

import os
from pathlib import Path

from app.jobs.spool import Spool


def test_an_upload_that_waits_for_its_import_is_no_leftover(tmp_path: Path) -> None:
    spool = Spool(tmp_path, limit=10)
    for job in ("waiting:1", "forgotten"):
        os.utime(spool.place(job), (0, 0))
    spool.place("recent")
    assert spool.expire(kept=["waiting:1"]) == 1
    assert {place.name for place in tmp_path.iterdir()} == {"waiting_1", "recent"}
