"""A skill as a client hands it in, and every text of it sanitised before it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.errors import LociError
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.skills.vocabulary import Category, ChangeType, Status

LONGEST_BODY = 40_000  # characters


@dataclass(frozen=True, slots=True)
class SkillText:
    """What a version consists of: how it is done, with what, when, and to what end."""

    body: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    preconditions: tuple[str, ...] = ()
    postconditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillDraft:
    """A new skill; nothing of it is ever executed."""

    name: str
    description: str = ""
    text: SkillText = field(default_factory=SkillText)
    category: Category | None = None
    status: Status = Status.ACTIVE
    tags: tuple[str, ...] = ()
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class SkillChange:
    """What of a skill is set; None leaves a thing as it is."""

    name: str | None = None
    description: str | None = None
    body: str | None = None
    params: Mapping[str, Any] | None = None
    preconditions: tuple[str, ...] | None = None
    postconditions: tuple[str, ...] | None = None
    category: Category | None = None
    tags: tuple[str, ...] | None = None
    change_type: ChangeType = ChangeType.MINOR
    reason: str = ""


Clean = Callable[[str, str], str]


def cleaner(policy: SanitizePolicy) -> Clean:
    """Sanitises a text under a policy; what refuses it names the field."""

    def clean(text: str, name: str) -> str:
        if not text.strip():
            return ""
        try:
            return sanitize(text, policy).text
        except LociError as error:
            error.field = name
            raise

    return clean


def cleaned(draft: SkillDraft, clean: Clean) -> SkillDraft:
    """The draft with every text sanitised; raises what the policy refuses."""
    return replace(
        draft,
        name=clean(draft.name, "name"),
        description=clean(draft.description, "description"),
        text=cleaned_text(draft.text, clean),
    )


def cleaned_text(text: SkillText, clean: Clean) -> SkillText:
    """The same of what a version consists of."""
    return SkillText(
        body=clean(text.body, "body"),
        params=_bag(dict(text.params), clean),
        preconditions=tuple(clean(line, "preconditions") for line in text.preconditions),
        postconditions=tuple(clean(line, "postconditions") for line in text.postconditions),
    )


def _bag(value: Any, clean: Clean) -> Any:
    if isinstance(value, str):
        return clean(value, "params")
    if isinstance(value, dict):
        return {clean(str(key), "params"): _bag(inner, clean) for key, inner in value.items()}
    if isinstance(value, list):
        return [_bag(inner, clean) for inner in value]
    return value
