from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from app.errors import DiskFull, PortTaken
from app.runtime.machine import (
    Memory,
    free_port,
    holder_of,
    is_free,
    machine_mb,
    memory_for,
    need_disk,
    need_port,
)


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (2048, Memory(512, 256)),
        (8192, Memory(1365, 1024)),
        (24576, Memory(4096, 3072)),
        (262144, Memory(8192, 16384)),
    ],
)
def test_memory_follows_the_machine_between_two_bounds(total: int, expected: Memory) -> None:
    assert memory_for(total) == expected


def test_this_machine_has_memory() -> None:
    assert machine_mb() > 500


def test_a_taken_port_is_told_with_setting_and_process() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not is_free(port)
        assert f"(pid {os.getpid()})" in holder_of(port)
        with pytest.raises(
            PortTaken, match=rf"{port}.*Neo4j needs.*pid {os.getpid()}.*LOCI_X"
        ) as e:
            need_port(port, "LOCI_X", "Neo4j")
    assert e.value.field == "LOCI_X"


def test_a_free_port_is_free() -> None:
    port = free_port()
    need_port(port, "LOCI_X", "Neo4j")
    assert holder_of(port) == ""


def test_a_folder_that_is_not_there_yet_counts_as_its_parent(tmp_path: Path) -> None:
    need_disk(tmp_path / "a" / "b", 1, "LOCI_HOME")
    with pytest.raises(DiskFull, match="point LOCI_HOME to another disk"):
        need_disk(tmp_path / "a" / "b", 10**12, "LOCI_HOME")
