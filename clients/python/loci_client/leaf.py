"""What a user's own scope is called. The service has the same function, for imports."""

from __future__ import annotations

import hashlib
import re
import unicodedata

READ, SHOWN, HEX = 200, 40, 16  # characters that are looked at, shown, and tell apart
_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
_MADE = re.compile(rf"--[0-9a-f]{{{HEX}}}\Z")
_OTHER = re.compile(r"[^a-z0-9._]+")


def leaf_of(user: str) -> str:
    """Return the name of a user's leaf: `mia` of `mia`, `alice-example.com--` and 16 hexadecimal
    digits of its SHA-256 of `alice@example.com`.

    Two ids never share one: an id that is a name stays as it is, unless it ends as one that is
    made here. ValueError for an id that says nothing.
    """
    if _PLAIN.fullmatch(user) and not _MADE.search(user):
        return user
    if not user.strip():
        raise ValueError("a user's id says something")
    folded = unicodedata.normalize("NFKD", user[:READ].casefold())
    letters = "".join(letter for letter in folded if not unicodedata.combining(letter))
    shown = _OTHER.sub("-", letters).strip("._-")[:SHOWN].strip("._-")
    digest = hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{shown or 'user'}--{digest[:HEX]}"
