"""German or English, sentence by sentence: people mix them."""

from __future__ import annotations

import re

GERMAN = frozenset(
    "der die das den dem des ein eine einen einem einer eines und oder aber ich du er wir ihr sie "
    "es ist sind war waren bin hat habe haben hatte wird wurde werden nicht kein keine keinen mehr "
    "mit von vom zum zur bei beim für auf aus nach seit bis über unter im am um zu als wie auch "
    "noch schon nur jetzt heute mein meine meinen unser unsere unseren dein sein ihre sich dass "
    "wenn weil wo was wer sehr gern dort hier dann bitte danke ja nein doch mag heißt beträgt "
    "ab statt sondern nun meiner meinem unserem unserer uns mir mich dir dich ihm ihn ihnen".split()
)
ENGLISH = frozenset(
    "the a an and or but i you he she we they it is are was were am has have had been be will "
    "would not no my our your his her their its with from for of on at to by as also still "
    "only now today this that these those there here then please thanks yes very who what when "
    "where which if because than into about over any more since until do does did don't doesn't "
    "me us him them i'm we're it's that's i've isn't aren't".split()
)
WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")


def language_of(sentence: str, hint: str | None = None) -> str:
    """`de` or `en`; without evidence in the sentence the hint decides, and else English."""
    words = [word.lower().replace("’", "'") for word in WORD.findall(sentence)]
    german = sum(word in GERMAN for word in words)
    english = sum(word in ENGLISH for word in words)
    if german == english:
        german += any(c in "äöüß" for c in sentence.lower())
    if german == english:
        return "de" if hint is not None and hint.lower().startswith("de") else "en"
    return "de" if german > english else "en"
