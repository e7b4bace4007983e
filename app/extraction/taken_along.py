"""What limits a clause in words that a rule took along with those around them, unread.

Each is left over for the account of the clause: what a clause limits so may be told as a possible
change, and ends nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.extraction.cues import ADVERBS
from app.extraction.data import words
from app.extraction.drafts import Context, Draft
from app.extraction.model import Mention
from app.extraction.moments import Role
from app.extraction.objects import contrast_words
from app.extraction.phrases import OF, WITHIN, is_holder, is_many, normal_noun
from app.extraction.tokens import DETERMINERS
from app.values.model import Kind

AMOUNTS = (Kind.MONEY, Kind.QUANTITY, Kind.NUMBER)
# Before an amount or an hour: a part of it is left, or it is early or late for once.
REMAINING = frozenset(["noch", "still", "schon", "erst", "already"])
ONE_OF_MANY = frozenset(["a", "an", "one", "ein", "eine", "einer", "eines"])


def taken_along(drafts: Sequence[Draft], context: Context) -> Iterator[str]:
    """Yield the words by which the clause of some drafts is limited and that none of them holds."""
    yield from _behind_the_contrast(drafts, context)
    yield from _within_the_subject(drafts, context)
    yield from _somebody(drafts, context)
    yield from _remaining(drafts, context)
    yield from _has_been(drafts, context)


def _behind_the_contrast(drafts: Sequence[Draft], context: Context) -> Iterator[str]:
    """What stands behind the old value: `tea, not coffee after lunch`."""
    contrast = context.clause.contrast
    if contrast is None:
        return
    plain = ADVERBS.sub(lambda m: " " * len(m[0]), contrast.old)
    start = context.clause.start + contrast.start
    end = max((t.end for t in contrast_words(contrast, context)), default=start) - start
    for draft in drafts:
        if draft.old is not None:
            known = draft.old.name if isinstance(draft.old, Mention) else draft.old.text
            if known in contrast.old:
                end = max(end, contrast.old.index(known) + len(known))
    said = [word for word in plain[end:].split() if word.strip(".,;:!?").lower() not in DETERMINERS]
    if any(word[0].isalnum() for word in said):
        yield plain[end:]


def _within_the_subject(drafts: Sequence[Draft], context: Context) -> Iterator[str]:
    """What tells which of the speaker's own is meant: `my password for Netflix`."""
    subject = context.frame.subject
    if not any(draft.subject.is_speaker for draft in drafts):
        return
    links = OF[context.language]
    if len(subject) > 2 and is_holder(subject[1], context.language):
        links |= WITHIN  # my doctor in Graz
    cut = next((i for i, t in enumerate(subject) if i > 1 and t.lower in links), None)
    if cut is not None:
        yield " ".join(token.text for token in subject[cut:])


def _somebody(drafts: Sequence[Draft], context: Context) -> Iterator[str]:
    """Who may be somebody else in each sentence: `a friend of mine`, `eine Kollegin`, and of
    several that one has `my friend`, save where the clause tells of a change."""
    subject, clause = context.frame.subject, context.clause
    if len(subject) < 2 or clause.newer or clause.ends:
        return
    if any(draft.dated or draft.ends or draft.old for draft in drafts):
        return
    nouns = [normal_noun(t.text, context.language) for t in subject[1:]]
    if subject[0].lower in ONE_OF_MANY:
        kin = words("nouns", "kin")
        if any(noun in kin or is_many(noun) for noun in nouns) or any(
            is_holder(t, context.language) for t in subject[1:]
        ):
            yield subject[0].text
    elif any(map(is_many, nouns)):
        phrase = context.subject_phrase()
        if phrase is not None and phrase.owner is not None:
            yield subject[0].text


def _remaining(drafts: Sequence[Draft], context: Context) -> Iterator[str]:
    """The word that makes an amount a part of the whole, or an hour that of one day."""
    if context.clause.newer or any(draft.dated or draft.old for draft in drafts):
        return
    said = context.clause.text.lower().split()
    for draft in drafts:
        value = draft.object
        if isinstance(value, Mention):
            continue
        if value.kind not in AMOUNTS and not context.clause.clock:
            continue
        first = value.text.lower().split()[:1]
        for place, word in enumerate(said):
            is_all = said[place - 1 : place] == ["nur"]  # nur noch 750 Watt
            behind = said[place + 1 : place + 3]
            if word in REMAINING and not is_all and first and first[0] in behind:
                yield word


def _has_been(drafts: Sequence[Draft], context: Context) -> Iterator[str]:
    """The auxiliary by which a state is told as one that somebody knows, and not as one that he is
    in: `I have worked for Bosch`. Since when it is so tells that it is."""
    frame = context.frame
    if context.language != "en" or frame.auxiliary != "have" or not frame.past:
        return
    if frame.lemma == "have" or any(w.role is Role.SINCE for w in context.clause.when):
        return
    if all(not (d.dated or d.event or d.present or d.ends) for d in drafts):
        yield "have"
