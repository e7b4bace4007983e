"""`python -m tests.contract.surface`: add to the lists what has come to be."""

from __future__ import annotations

import asyncio

from tests.contract.surface.lists import FILES, now, recorded


def main() -> None:
    """Write each list anew: what is in it stays, since others may rely on it."""
    for name, found in asyncio.run(now()).items():
        lines = sorted(recorded(name) | found)
        FILES[name].write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
