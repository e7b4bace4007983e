"""What the threads of a Java process do, asked of its virtual machine.

By the attach protocol of HotSpot: a file of a certain name and SIGQUIT make it listen on a socket.
Neo4j closes its own output once it runs, so that SIGQUIT alone would be answered into nowhere.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from pathlib import Path

QUESTION = b"1\0threaddump\0\0\0\0"  # version, command, three arguments


def threads_of(pid: int, seconds: float = 5.0) -> bytes:
    """The stack of every thread, as text; OSError where there is no answer in time."""
    folder = Path(tempfile.gettempdir())
    door = folder / f".java_pid{pid}"
    asked = folder / f".attach_pid{pid}"
    end = time.monotonic() + seconds
    asked.touch(mode=0o600)
    try:
        os.kill(pid, signal.SIGQUIT)
        while not door.exists():
            if time.monotonic() > end:
                raise TimeoutError(f"process {pid} does not listen")
            time.sleep(0.1)
    finally:
        asked.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(max(1.0, end - time.monotonic()))
        line.connect(str(door))
        line.sendall(QUESTION)
        return b"".join(iter(lambda: line.recv(1 << 16), b""))
