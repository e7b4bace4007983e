"""A skill as a client hands it in, and every text of it sanitised before it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.errors import LociError
from app.sanitize.aside import aside
from app.sanitize.labels import clean_tags
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


async def cleaned_aside(draft: SkillDraft, policy: SanitizePolicy) -> SkillDraft:
    """The same as `cleaned` with tags too, in a thread where the texts are long."""

    def work() -> SkillDraft:
        clean = cleaned(draft, cleaner(policy))
        return replace(clean, tags=clean_tags(clean.tags, policy))

    return await aside([draft.name, draft.description, *texts_of(draft.text)], work)


def texts_of(text: SkillText) -> list[Any]:
    """Everything that a version says."""
    return [text.body, dict(text.params), list(text.preconditions), list(text.postconditions)]


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


def cleaned_change(change: SkillChange, text: SkillText, policy: SanitizePolicy) -> SkillChange:
    """The change with every text sanitised, and the whole text that a version of it has."""
    clean = cleaner(policy)
    whole, said = cleaned_text(text, clean), change.description
    return replace(
        change,
        name=change.name and clean(change.name, "name"),
        description=None if said is None else clean(said, "description"),
        tags=None if change.tags is None else clean_tags(change.tags, policy),
        reason=clean(change.reason, "reason"),
        body=whole.body,
        params=whole.params,
        preconditions=whole.preconditions,
        postconditions=whole.postconditions,
    )
