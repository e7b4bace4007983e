"""A fact to be told, with what its clause gives to the telling."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.facts.clause_words import (
    OWN_DE,
    Complement,
    Verbs,
    as_said,
    complement_of,
    spelled,
    verbs_of,
)

NUMERIC = frozenset(["number", "quantity", "money"])
UNKNOWN = Complement("")
SILENT = Verbs()


@dataclass(frozen=True, slots=True)
class Said:
    """A fact to be told. `kind` and `key` are those of its object; `several` tells that the
    subject is more than one, `past` that it was so, `done` is the participle of what is done to the
    subject and not by it. `clause` is what says the fact, with its `verbs` and the object as it is
    `given` there; all three are empty where nothing but the fact is known."""

    subject: str
    object: str
    kind: str = "entity"
    key: str = ""
    negated: bool = False
    past: bool = False
    several: bool = False
    done: str = ""
    clause: str = ""
    verbs: Verbs = SILENT
    given: Complement = UNKNOWN


def in_clause(said: Said, clause: str, language: str) -> Said:
    """The fact in the words of its clause: with articles, owners, and how an amount goes on."""
    subject, several = as_said(said.subject, clause, language)
    given = complement_of(said.object, clause, language)
    text = said.object
    if said.kind in ("entity", "text") and not text.startswith("I's "):
        text = given.text
    elif said.kind == "state":
        text = spelled(text, clause, language)
    elif said.kind in NUMERIC:
        text = f"{text} {given.tail}".rstrip()
    verbs = verbs_of(clause, language)
    if language == "de" and "ich" in verbs.words and said.subject not in ("I", "we"):
        given = _of_speaker(given, said.subject)
    return replace(
        said,
        subject=subject,
        several=several,
        object=text,
        clause=clause,
        verbs=verbs,
        given=given,
    )


def _of_speaker(given: Complement, speaker: str) -> Complement:
    """What the speaker calls his own, told of one who has a name: bei meiner Schwester is bei Noras
    Schwester."""
    *ahead, owner = given.lead.split() or [""]
    if not OWN_DE.fullmatch(owner) or speaker[-1:] in "sßxz":
        return given
    return replace(given, lead=" ".join([*ahead, f"{speaker}s"]))
