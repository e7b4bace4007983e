"""Whether of two entries one may be kept for both."""

from __future__ import annotations

from typing import Any

from app.contexts.entries import Entry, packed, text_field
from app.contradiction.twins import are_twins
from app.sanitize.aside import READ, aside


async def are_one(one: Entry, other: Entry) -> bool:
    """Return whether two entries say the same: texts that are twins, with nothing else beside them
    that differs. How alike their vectors are plays no part."""
    if one.failed != other.failed:
        return False
    (said, rest), (says, others) = _parted(one.value), _parted(other.value)
    # As JSON, where 1 is neither 1.0 nor true.
    if packed(rest) != packed(others):
        return False
    if not (isinstance(said, str) and isinstance(says, str)):
        return packed(said) == packed(says)
    return await aside([said, says], lambda: are_twins(said, says), READ)


def _parted(content: Any) -> tuple[Any, dict[str, Any]]:
    """What of a content is read, all of it, and what stands beside that."""
    name = text_field(content)
    if name is None:
        return content, {}
    return content[name], {each: content[each] for each in content if each != name}
