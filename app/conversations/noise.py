"""What in a conversation is talk and no statement, in English and German: by lists. Pure.

A piece of a text is noise where each of its words is a courtesy, an interjection, or a word that
says nothing by itself. What holds a number, a name or any other word stays, so that a statement is
rather kept than lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.indexing.stop_words import STOP_WORDS
from app.values.wording import fold

_ENGLISH = """
it ok okay okey k kk thanks thank thx ty tysm cheers ta please pls welcome anytime
yes yeah yep yup yea aye nope nah sure certainly absolutely definitely indeed exactly right correct
true fine good great super perfect excellent awesome amazing wonderful brilliant fantastic lovely
nice cool neat sweet wow best better enough well glad happy fun funny interesting impressive
hi hello hey hiya howdy greetings morning afternoon evening night day today tomorrow weekend week
bye goodbye ciao later soon see ya cya care
haha hahaha hehe lol rofl lmao omg hm hmm hmmm mhm uh um er ah oh ooh aha oops ouch phew yay whoa
sorry apologies apologize apologise pardon excuse mistake bad fault worries worry problem prob
understood understand understands gotcha noted acknowledged roger copy know knew idea guess
think thinking thought wait moment sec second minute hold hang let lets
help helps helped helpful helping need needed needs works work worked sounds sound looks look like
appreciate appreciated grateful million ton lot lots much many kind kindly really truly quite pretty
continue proceed go going ahead carry next ready start done finished
anything something everything nothing else thing things way going how's
say tell said question questions ask answer answers reply response quick fast
try make makes sense point got one ones back new
actually basically anyway anyways btw maybe perhaps probably honestly literally totally
dear friend mate buddy man dude guys folks everyone everybody all team
up ya u r im ill id youre thats whats shall will cannot
"""

_GERMAN = """
okay oki jo joa jup jep jap jawohl nein nee nö ne naja genau richtig stimmt klar logisch sicher
natürlich selbstverständlich gerne gern gut gute guten guter gutes besten bestens toll prima super
perfekt klasse spitze wunderbar fantastisch großartig ausgezeichnet hervorragend schön schöne
schönen schönes fein nett cool krass geil wow hammer wahnsinn echt wirklich witzig lustig
interessant danke dank dankeschön dankesehr vielen vielmals herzlichen herzlich lieben liebe lieber
tausend
merci bitte bitteschön bittesehr hilfe hilft geholfen helfen schnelle schnell antwort
hallo hi hey moin servus grüezi grüß gruß grüße gott tag morgen abend mittag nacht wochenende woche
woch feierabend tschüss tschüs tschau ciao wiedersehen wiederhören bald später lg vg mfg
verstehe verstanden versteh kapiert kapiere aha ach achso soso oh ah äh ähm hm hmm mhm naja tja ups
haha hehe lol je oje ohje mist schade
entschuldige entschuldigung entschuldigen sorry verzeihung tut leid pardon fehler
problem problematisch schlimm macht mache mach gemacht machs passt passen passend
moment sekunde minute augenblick warte wart warten kurz gleich sofort
weiter fertig los okidoki erledigt erledige bescheid geschehen freude
klingt hört sieht finde find denke denk glaube meine meinst meinen sagst sag sagen frage fragen weiß
wissen ahnung idee keine gefällt freut freue mich
geht gehts laufen läuft schatz bester beste liebes zusammen leute alle freund
melde meld jederzeit sonst übrigens eigentlich halt eben mal schon wohl vielleicht bestimmt
erstmal nochmal nochmals wars brauche braucht gebraucht genauso dazu davon darüber dafür daran
weiß' alles ebenfalls ebenso auch gleichfalls ok'
"""

_PARTS = "s m re ll ve d t don isn doesn didn won wouldn couldn aren wasn gibt gib"
NOISE = frozenset(map(fold, f"{_ENGLISH} {_GERMAN} {_PARTS}".split())) | frozenset(
    map(fold, STOP_WORDS)
)
# What stands before a name that is only spoken to.
_ADDRESSED = re.compile(
    r"\b(?P<word>(?i:thanks|thank you|thx|cheers|sorry|hi|hello|hey|bye|morning|afternoon|evening|"
    r"danke|dank|dir|hallo|moin|servus|tschüss|morgen|tag|abend|ihnen)),?\s+"
    r"(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau)\.?\s+)?"
    r"[^\W\d_a-zäöüß][^\W\d_]+(?:\s[^\W\d_a-zäöüß][^\W\d_]+)?(?=\s*(?:[,.!?…]|$))"
)
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?…;])\s+|\n+")
_CLAUSE = re.compile(r"(?<=[,:–—])\s+")
_FILLER = re.compile(
    r"^(?:by the way|btw|you know|i mean|well|anyway|ach ja|ach|ähm?|uhm?|um|hm+|tja|naja|na ja|"
    r"übrigens)\b[,:]?\s+",
    re.IGNORECASE,
)
# What answers a question by itself: yes and no with their like, and words that count.
_ANSWERS = """
yes yeah yep yup yea aye no nope nah not never none neither both right correct true exactly indeed
ja jo joa jup jep jap jawohl nein nee nö ne doch nicht nie niemals genau richtig stimmt keiner keine
keins kein beide beides weder
"""
# What agrees to, or leaves open, what is asked with yes and no in mind.
_AGREEMENTS = """
ok okay okey okey okidoki oki k sure certainly absolutely definitely please maybe perhaps probably
klar logisch sicher natürlich selbstverständlich gern gerne bitte passt mach macht machs vielleicht
wohl bestimmt
"""
_WH = """
who whom whose what when where why how which wer wen wem wessen was wann wo woher wohin warum wieso
weshalb wie wieviel wozu womit woran welche welcher welches welchen welchem
"""
_CONFIRMS = "right correct true richtig stimmt korrekt oder wahr gell isn yes no ja nein"
ANSWERS, AGREEMENTS, WH, CONFIRMS = (
    frozenset(map(fold, words.split())) for words in (_ANSWERS, _AGREEMENTS, _WH, _CONFIRMS)
)
# "I do.", "It wasn't.": an answer without its verb.
_ELLIPSIS = re.compile(
    r"\b(?:i|you|we|they|he|she|it|that|there)\s+(?:do|does|did|am|are|is|was|were|have|has|had|can|"
    r"could|will|would|should|must|may|might)(?:n['’]t)?\s*[.!…]*$",
    re.IGNORECASE,
)
ASKED_MOST = 2_000  # characters at the end of a message that are looked at for its question
LONGEST = 20_000  # characters that are looked at; what is longer is no mere courtesy


OPENING = 3  # words of a question among which its question word is
ANSWER = "it answers a question"


@dataclass(frozen=True, slots=True)
class Use:
    """Whether a message is worth keeping, and why."""

    keep: bool
    reason: str


def is_useful(text: str, asked: str | None = None) -> Use:
    """Return whether a message says anything but courtesies: by itself, or as the answer to the
    message of somebody else that came before, `asked`."""
    if len(text) > LONGEST or any(not _noise(piece) for piece in _sentences(text)):
        return Use(True, "it states something")
    if asked is not None and _answers(text, asked):
        return Use(True, ANSWER)
    return Use(False, "it is only talk")


def _answers(text: str, asked: str) -> bool:
    """Whether words that state nothing by themselves answer what was asked."""
    question = _question(asked[-ASKED_MOST:])
    if question is None or _asks(text):
        return False
    words = {fold(word) for word in _WORD.findall(text)}
    if words & ANSWERS or _ELLIPSIS.search(text.strip()):
        return True
    opening = {fold(word) for word in _WORD.findall(question)[:OPENING]}
    return bool(words & AGREEMENTS) and not opening & WH


def _question(asked: str) -> str | None:
    """The question that a message ends with, unless it asks nothing; one that asks whether the
    statement before holds stands for it."""
    pieces = list(_sentences(asked))
    last = next((piece for piece in reversed(pieces) if _telling(piece)), None)
    if last is None or not _asks(pieces[-1]):
        return None
    if _asks(last):
        return last
    confirmed = CONFIRMS & {fold(word) for word in _WORD.findall(pieces[-1])}
    return last if confirmed else None


def _asks(piece: str) -> bool:
    """Whether a question mark ends a text, whatever other marks stand behind it."""
    for letter in reversed(piece):
        if letter == "?" or letter.isalnum():
            return letter == "?"
    return False


def _telling(piece: str) -> bool:
    return not _noise(piece)


def rewritten(text: str) -> str:
    """Return the text without its courtesies and fillers; all of it where nothing else is left."""
    if len(text) > LONGEST:
        return text
    kept = [_plain(piece) for piece in _sentences(text) if not _noise(piece)]
    return " ".join(piece for piece in kept if piece) or text


def _sentences(text: str) -> Iterator[str]:
    for piece in _SENTENCE.split(text.strip()):
        if piece.strip():
            yield piece.strip()


def _plain(sentence: str) -> str:
    """A sentence without the clauses of courtesy and the fillers that it begins with."""
    clauses = _CLAUSE.split(sentence)
    while len(clauses) > 1 and _noise(clauses[0]) and clauses[0].endswith(","):
        clauses.pop(0)
    rest = " ".join(clauses)
    while (found := _FILLER.match(rest)) and found.end() < len(rest):
        rest = rest[found.end() :]
    return rest if rest == sentence else rest[:1].upper() + rest[1:]


def _noise(piece: str) -> bool:
    """Whether each word is one that says nothing by itself; a name that is spoken to is none."""
    bare = _ADDRESSED.sub(lambda found: found["word"], piece)
    return all(fold(word) in NOISE for word in _WORD.findall(bare))
