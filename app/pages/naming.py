"""What a page goes by: slug, title key, and the names under which links find it. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from app.kernel.ids import digest

_NOT_SLUG = re.compile(r"[^a-z0-9\s-]")
_BLANKS = re.compile(r"\s+")
_STEPS = re.compile(r"\A/?(?:\.{1,2}/)*")
_DEEPEST = 8  # folders of a path by which a page can be named
MARKDOWN = (".md", ".markdown")
_OWN = 8  # characters of a page's id that tell its slug from another's


def ascii_slug(title: str) -> str:
    """Lower case, without all but letters a to z, digits, blanks and hyphens; each run of blanks
    is one hyphen (seed 000's rule). Empty for a title without any of them."""
    return _BLANKS.sub("-", _NOT_SLUG.sub("", title.strip().lower()))


def slug(title: str, page: str) -> str:
    """Return the same with the letters and digits of every script, so that it tells titles apart
    that are not English; the end of the page's id for a title without any."""
    lowered = unicodedata.normalize("NFC", title).strip().lower()
    return _BLANKS.sub("-", "".join(filter(_in_slug, lowered))) or page[-_OWN:]


def own_slug(title: str, page: str, number: int = 1) -> str:
    """Return the slug of a page where another one has the slug of the title; `number` tells it
    apart where other pages have those before."""
    own = f"{slug(title, page)}-{page[-_OWN:]}"
    return own if number == 1 else f"{own}-{number}"


def _in_slug(sign: str) -> bool:
    # Marks are the vowels of some scripts.
    kept = sign.isalnum() or sign.isspace() or sign == "-"
    return kept or unicodedata.category(sign).startswith("M")


def is_slug_of(name: str, title: str) -> bool:
    """Whether a name is the slug of a title, or another way of writing it: punctuation does not
    count, but letters that a slug has no place for do, and a name with a folder is none."""
    wanted = ascii_slug(title)
    if not wanted or title_key(name) == wanted:
        return bool(wanted)
    return "/" not in name and ascii_slug(name) == wanted and _letters(name) == _letters(title)


def title_key(title: str) -> str:
    """What makes two titles the same: NFC, blanks and case do not count."""
    return " ".join(unicodedata.normalize("NFC", title).split()).casefold()


def name_key(text: str) -> str:
    """One value for all texts that could name the same page, by title or by slug."""
    folded = title_key(text)
    return ascii_slug(folded) or folded


def name_id(tenant: str, text: str) -> str:
    """The id of the node at which pages of that name and links to it meet.

    Not readable: a name of one scope tells nothing to another.
    """
    return digest("link-name", tenant, name_key(text))[:32]


def without_suffix(text: str) -> str:
    """The text without `.md` or `.markdown` at its end."""
    lowered = text.lower()
    ending = next((e for e in MARKDOWN if lowered.endswith(e)), "")
    return text[: len(text) - len(ending)] if ending else text


def without_steps(text: str) -> str:
    """The text without what leads a path from where it stands or from the top: `./`, `../`, `/`."""
    return _STEPS.sub("", text)


def path_names(path: str | None) -> tuple[str, ...]:
    """By which a file can be named: `c`, `b/c`, `a/b/c` for `a/b/c.md`; nothing without a path."""
    if not path:
        return ()
    parts = [part for part in without_suffix(path).split("/") if part]
    depths = range(1, min(len(parts), _DEEPEST) + 1)
    return tuple(dict.fromkeys(["/".join(parts[-d:]) for d in depths] + ["/".join(parts)]))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, title_key(text)))


def distinct(titles: Iterable[str], *, but: str = "") -> tuple[str, ...]:
    """Titles in order, each once by its key, without the one that `but` is."""
    seen = {title_key(but)} if but else set()
    kept = []
    for title in titles:
        key = title_key(title)
        if key and key not in seen:
            seen.add(key)
            kept.append(title)
    return tuple(kept)
