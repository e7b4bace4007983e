"""What the rules about `be` have in common."""

from __future__ import annotations

from dataclasses import replace

from app.extraction.drafts import Context, Draft, Thing
from app.extraction.model import Mention
from app.extraction.objects import (
    contrast_words,
    thing,
)
from app.values.model import Value

BE = ("be", "sein")


def is_be(context: Context) -> bool:
    """Whether the clause has `be` as its only verb."""
    frame = context.frame
    return frame.lemma in BE and not frame.participle


def with_old(context: Context, draft: Draft, old: Thing | None) -> Draft:
    contrast = context.clause.contrast
    return replace(draft, old=old, was_error=contrast is not None and contrast.is_error)


UNIQUE = frozenset(["default", "main", "primary", "preferred", "favorite", "current", "only"])


def person(mention: Mention) -> Mention:
    """The same, known to be a person."""
    return replace(mention, type="person") if mention.type == "unknown" else mention


def old_thing(context: Context, predicate: str) -> Mention | Value | None:
    old = contrast_words(context.clause.contrast, context)
    return thing(old, predicate, context) if old else None
