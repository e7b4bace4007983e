"""Short texts beside a content: titles, names, tags. They are stored, so they are sanitised too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache

from app.errors import InvalidInput, LociError
from app.sanitize.policy import SanitizePolicy
from app.sanitize.privacy import Level
from app.sanitize.step import Sanitized, sanitize

# A session or tag is found again by its exact name, so it is refused where a text would be cut.
PolicyOf = Callable[[str], Awaitable[SanitizePolicy]]  # the policy of a scope
BARRED = frozenset({"marker", "email", "secret"})


def clean_label(label: str | None, field: str, policy: SanitizePolicy) -> str | None:
    """Return the label as it may be stored, none for none; what refuses it names the field."""
    return label and _checked(label, field, policy).text


def require_plain(name: str, field: str, policy: SanitizePolicy) -> None:
    """Refuse a name with an instruction marker, an address or a secret: InvalidInput (`field`).

    Numbers are left alone: one session id in a thousand looks like a card or a telephone.
    """
    if BARRED & {found.kind for found in _checked(name, field, policy).redactions}:
        raise InvalidInput(
            f"{field} holds an address, a secret or an instruction: use a name that says nothing",
            field=field,
        )


def clean_tags(
    tags: Iterable[str], policy: SanitizePolicy, *, strict: bool = True
) -> tuple[str, ...]:
    """Return the tags as they may be stored, each once; `strict` refuses as `require_plain` does,
    else what is found is cut from them."""
    kept = []
    for tag in tags:
        if strict:
            require_plain(tag, "tags", policy)
        kept.append("-".join(_checked(tag, "tags", policy).text.split()))
    return tuple(dict.fromkeys(kept))


def clean_word(text: str, policy: SanitizePolicy) -> str:
    """Return a short text as it may be stored; what was met lately is not looked at again, such as
    the names of an object. Raises as `sanitize` does."""
    return _sanitized(text, policy).text


def label_privacy(label: str, policy: SanitizePolicy) -> Level:
    """How private a label is that was cleaned under the policy."""
    return _sanitized(label, policy).privacy


def _checked(text: str, field: str, policy: SanitizePolicy) -> Sanitized:
    try:
        return _sanitized(text, policy)
    except LociError as error:
        error.field = field
        raise


@lru_cache(maxsize=8192)
def _sanitized(text: str, policy: SanitizePolicy) -> Sanitized:
    return sanitize(text, policy)
