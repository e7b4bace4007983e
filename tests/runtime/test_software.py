"""What `make install` fetches for the tests, which are shut off from the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.runtime.machine import free_port
from tests.support.software import jar_folder

pytestmark = pytest.mark.one_python  # starts a process that looks for what was fetched


def completed(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """`make install`'s step with an empty home and no way out."""
    nowhere = {"LOCI_MAVEN_URL": f"http://127.0.0.1:{free_port()}/maven2", "HOME": str(folder)}
    kept = {k: v for k, v in os.environ.items() if k not in {"LOCI_CACHE", "NEO4J_URI"}}
    return subprocess.run(
        [sys.executable, "-m", "tests.support.software"],
        env={**kept, **nowhere, "LOCI_CACHE": str(folder / "cache"), **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_an_empty_cache_is_filled_or_the_reason_told(tmp_path: Path) -> None:
    done = completed(tmp_path, TESTS_PURE="")
    assert done.returncode == 1
    assert "could not be fetched from http://127.0.0.1" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_brings_a_neo4j_needs_none_of_ours(tmp_path: Path) -> None:
    done = completed(tmp_path, TESTS_PURE="", NEO4J_URI="bolt://127.0.0.1:1")
    assert (done.returncode, "could not be fetched" in done.stderr) == (0, True)


def test_what_is_there_needs_no_network(tmp_path: Path) -> None:
    done = completed(tmp_path, LOCI_CACHE=str(jar_folder()))
    assert (done.returncode, done.stderr) == (0, "")
