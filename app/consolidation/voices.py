"""Who says "I" in a text: in a document nobody does, unless it names its speaker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.extraction.model import Extracted, Mention


def voiced(passage: Mapping[str, Any], found: Extracted) -> Extracted:
    """What was found, without what "I" says where it is not known who that is.

    A chunk of a document or page has somebody who handed it in, who need not be who wrote it.
    """
    if not passage.get("work") or passage.get("speaker"):
        return found
    return replace(
        found,
        mentions=tuple(m for m in found.mentions if not m.is_speaker),
        statements=tuple(
            s for s in found.statements if not any(map(_speaks, (s.subject, s.object, s.replaces)))
        ),
    )


def _speaks(end: object) -> bool:
    return isinstance(end, Mention) and end.is_speaker
