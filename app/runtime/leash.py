"""Runs a command that must not outlive its parent: `leash.py PARENT_PID COMMAND [ARGUMENT …]`.

On Linux the kernel sends the command SIGTERM when the parent dies, however it dies. Run by its
path with `python -I -S`, so it may import nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    parent = int(arguments[0])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    # The parent may have died before the request reached the kernel.
    if os.getppid() != parent:
        sys.exit(1)
    os.execvp(arguments[1], arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
