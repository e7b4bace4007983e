"""Where Loci is, and by which key: from arguments, else from the command line's variables."""

from __future__ import annotations

import os
from dataclasses import dataclass

DEFAULT_URL = "http://127.0.0.1:8484"


@dataclass(frozen=True, slots=True)
class Place:
    """The address of the API and the key."""

    url: str
    key: str

    @classmethod
    def of(cls, url: str | None, key: str | None) -> Place:
        """What is given, else LOCI_API_URL and LOCI_API_KEY; ValueError without a usable key."""
        chosen = key or os.environ.get("LOCI_API_KEY", "")
        if not chosen or not chosen.isascii() or not chosen.isprintable():
            raise ValueError("Loci needs an API key: give `key`, or set LOCI_API_KEY")
        return cls((url or os.environ.get("LOCI_API_URL") or DEFAULT_URL).rstrip("/"), chosen)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        return {"Authorization": f"Bearer {self.key}"}
