"""What this machine has: memory, disk, ports."""

from __future__ import annotations

import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

import psutil

from app.errors import DiskFull, PortTaken

MB = 1024 * 1024
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
MIN_HOME_MB = 1024


@dataclass(frozen=True)
class Memory:
    """Neo4j's share of the machine, in MiB."""

    heap_mb: int
    pagecache_mb: int


def machine_mb() -> int:
    """Memory of the machine, or of the container where that is less, in MiB."""
    total = psutil.virtual_memory().total
    try:
        limit = int(CGROUP_LIMIT.read_text(encoding="ascii"))
    except (OSError, ValueError):
        limit = total
    return min(total, limit) // MB


def memory_for(total_mb: int) -> Memory:
    """A sixth for the heap (512 to 8192), an eighth for the page cache (256 to 16384).

    The rest is for the vector index, which Lucene maps outside both, and for everybody else.
    """
    heap = min(max(total_mb // 6, 512), 8192)
    return Memory(heap, min(max(total_mb // 8, 256), 16384))


def free_mb(folder: Path) -> int:
    """Free space of the disk that `folder` lies or will lie on, in MiB."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(there).free // MB


def need_disk(folder: Path, needed_mb: int, setting: str) -> None:
    """DiskFull where less than `needed_mb` MiB are free."""
    free = free_mb(folder)
    if free < needed_mb:
        raise DiskFull(
            f"Only {free} MiB are free where {folder} lies, and {needed_mb} MiB are needed: "
            f"free some, or point {setting} to another disk."
        )


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def holder_of(port: int) -> str:
    """`name (pid n)` of the process listening on a port; empty where we may not see it."""
    try:
        found = psutil.net_connections(kind="tcp")
    except psutil.AccessDenied:
        return ""
    for connection in found:
        address = connection.laddr or None
        listens = connection.status == psutil.CONN_LISTEN
        if listens and address and address[1] == port and connection.pid:
            return _named(connection.pid)
    return ""


def _named(pid: int) -> str:
    try:
        return f"{psutil.Process(pid).name()} (pid {pid})"
    except psutil.NoSuchProcess:
        return ""


def need_port(port: int, setting: str, purpose: str) -> None:
    """PortTaken, with the port, the setting and the process, where the port is in use."""
    if is_free(port):
        return
    holder = holder_of(port)
    raise PortTaken(
        f"Port {port}, which {purpose} needs, is taken{f' by {holder}' if holder else ''}: "
        f"stop that program, or set {setting} to another port.",
        field=setting,
    )
