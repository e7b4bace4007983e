"""Rules for who leaves an employer: `I quit my job at X`, `Ich habe bei X gekündigt`."""

from __future__ import annotations

from collections.abc import Sequence

from app.extraction.drafts import Context, Draft
from app.extraction.objects import thing, until_stop
from app.extraction.phrases import is_name
from app.extraction.rules.copula import person
from app.extraction.tokens import Token

LEAVES = {"en": ("quit", "resign", "leave"), "de": ("kündigen",)}
LINKS = {"en": ("at", "from", "with"), "de": ("bei", "beim")}
OWN = frozenset(
    [
        *("my", "his", "her", "their", "mein", "meine", "meinen", "meinem", "meiner"),
        *("sein", "seine", "seinen", "seiner", "ihr", "ihre", "ihren", "ihrer"),
    ]
)
POST = frozenset(
    ["job", "position", "post", "role", "stelle", "arbeitsvertrag", "arbeitsstelle", "stellung"]
)


def left_job(context: Context) -> list[Draft]:
    """Nothing else may stand in the clause: who cancels a subscription at X goes on there."""
    frame, clause, language = context.frame, context.clause, context.language
    if frame.lemma not in LEAVES[language] or clause.ends or clause.denies:
        return []
    if frame.auxiliary not in (None, "", "have", "haben"):
        return []
    employer = _employer(frame.rest, language, named=frame.lemma == "leave")
    who = context.subject("works_for")
    if who is None or who.name == "we" or not employer:
        return []
    firm = thing(employer, "works_for", context)
    return (
        [Draft(person(who), "works_for", firm, "left_job", dated=True, ends=True)] if firm else []
    )


def _employer(words: Sequence[Token], language: str, *, named: bool) -> list[Token]:
    """The name behind the link; before it only the post may stand, and behind it nothing.
    `named`: the post must be there, as one leaves a place every evening."""
    link = next((i for i, t in enumerate(words) if t.lower in LINKS[language]), None)
    if link is None:
        return []
    before = [t.lower for t in words[:link] if t.lower not in OWN]
    if any(word not in POST for word in before) or (named and not before):
        return []
    name = until_stop(words[link + 1 :], language)
    return name if len(name) == len(words) - link - 1 and is_name(name, "en") else []
