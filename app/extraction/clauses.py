"""From a sentence to the clauses that assert something, with what colours each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.extraction.data import words
from app.extraction.moments import Role, When, times
from app.extraction.verbs import readings

# What a whole sentence or the rest of it does not assert.
END_MARK = re.compile(r"[.!…]+[\"'”“»)\]\s]*$")
TAG = re.compile(
    r"(?i),\s*(?:oder(?:\s(?:nicht|etwa|habe|irre|täusche)[^?]*)?|nicht wahr|nicht|gell|ja|right|"
    r"isn't (?:it|he|she)|doesn't (?:it|he|she)|don't (?:they|we|you)|aren't (?:they|we)|correct|"
    r"no|or (?:did|do|am|was|have) I[^?]*|stimmt's|richtig|or not)\s*\?\s*$"
)
OWN_VIEW = re.compile(
    r"(?i)(?:,\s*(?:I (?:believe|think|guess|suppose|would say|reckon|assume)|if I remember "
    r"(?:correctly|right|rightly)|as far as I know|afaik|glaube ich|denke ich|meine ich|soweit ich "
    r"weiß|soviel ich weiß|würde ich sagen|nehme ich an|wenn ich mich (?:richtig|recht) erinnere)"
    r"\s*[.!]?\s*$)|(?:^\s*(?:and |but |und |aber )?(?:I (?:believe|think|guess|suppose)(?: that)?|"
    r"ich (?:glaube|denke|meine),(?: dass)?)\s+)"
)
IRONY = re.compile(
    r"(?i)\b(?:scherz|im scherz|spaß beiseite|just kidding|kidding|joking|as a joke|haha+|lol|"
    r"rofl|ironisch|ironically|sarcas\w+|sarkas\w+|yeah,? right|as if|wer's glaubt|na klar,|"
    r"ja klar,|träum weiter|in your dreams|schön wär)|(?:[;:]-?[)P]|😉|😜|🙃|/s)\s*[.!]?\s*$"
)
HEDGE = re.compile(
    r"(?i)\b(?:maybe|perhaps|possibly|probably|presumably|supposedly|allegedly|apparently|"
    r"reportedly|rumou?r\w*|might|could|would|should|'d|(?-i:may)(?=\s+[a-z])|shall|imagine|"
    r"suppose|"
    r"wish(?:es|ed)?|hop(?:e|es|ed|ing)|hypothetical\w*|in theory|dream\w*|pretend\w*|if only|"
    r"according to|vielleicht|eventuell|womöglich|möglicherweise|wahrscheinlich|vermutlich|"
    r"angeblich|anscheinend|offenbar|scheinbar|wohl|könnten?|könntest|würden?|würdest|wäre[nt]?|"
    r"hätten?|hättest|sollten?|sollen|soll|dürften?|möchten?|gerücht\w*|laut|theoretisch|"
    r"hoffentlich|"
    r"hoff(?:e|t|en)|wünsch(?:e|te|ten)|angenommen|unless|whether|ob|als ob|as though|"
    r"seems?|seemed|scheint|plan(?:s|ned|ning)?\s+to|intends?|going to|gonna|thinking (?:about|of)|"
    r"consider(?:s|ing)?|überleg\w*|erwäg\w*|wants? to|wanted to|need(?:s|ed)? to|have to|has to|"
    r"muss|müssen|musst|must|try(?:ing)? to|used to|früher|almost|nearly|fast nie|beinahe)\b"
)
CONDITION = re.compile(
    r"(?i)(?<![\w'])(?:if|falls|wenn|sofern|in case|solange|when|"
    r"once(?!\s(?:an?|per|every|in)\b)|sobald)\b"
)
LEADING_CONDITION = re.compile(
    r"(?i)^\s*(?:(?:and|but|und|aber|so|also|even|selbst|only|nur)\s+)?(?:if|falls|wenn|sofern|"
    r"solange|in case|assuming|provided|suppose|angenommen|gesetzt|when|once|sobald|sollten?|"
    r"würden?|hätten?|wären?|unless|had|were|should)\b"
)
REPORTED = re.compile(
    r"(?i)\b(?:says?|said|thinks?|thought|believes?|believed|claims?|claimed|tells?|told|writes?|"
    r"wrote|reckons?|heard|hears?|asked|asks?|wonders?|wondered|assumes?|suggests?|suggested|"
    r"suspects?|insists?|swears?|feels like|denies|denied|mentions?|mentioned|"
    r"sagt|sagte|meint|meinte|glaubt|glaubte|denkt|dachte|behauptet|behauptete|erzählt|erzählte|"
    r"schreibt|schrieb|fragt|fragte|gefragt|hört|gehört\s*,|vermutet|findet|fand|findet,|"
    r"schwört|erwähnt|erwähnte|wollte wissen)\b"
    r"(?=\s*(?:,|that\b|whether\b|if\b|what\b|how\b|me\b|us\b|mir\b|uns\b|\"|„|“|he\b|she\b|it\b|"
    r"they\b|we\b|our\b|my\b|the\b|his\b|her\b|their\b|there\b|er\b|sie\b|es\b|dass\b|ob\b|"
    r"übrigens|"
    r"[A-ZÄÖÜ]\w+\s+(?:\w+\s+)?(?:is|are|was|has|had|will|lives?|works?|ist|hat|war|wird|wohnt|"
    r"lebt)))"
)
CORRECTION = re.compile(
    r"(?i)\b(?:actually|in (?:actual )?fact|correction|corrected|I (?:have|need|want) to correct|"
    r"(?:I|we) (?:was|were) wrong|my mistake|I misspoke|to be precise|I meant|eigentlich|in "
    r"wirklichkeit|in wahrheit|korrektur|korrigier\w*|berichtig\w*|richtig (?:ist|wäre|muss es)|"
    r"stimmt nicht|mein fehler|ich habe mich (?:geirrt|vertan|versprochen)|richtiggestellt|"
    r"genau genommen|tatsächlich|sorry, (?:it|that)|nein,|no,|falsch)\b"
)
CORRECT_TOPIC = re.compile(
    r"(?i)\b(?:correct|correction (?:to|on|of|for)|korrigiere|korrigieren|korrektur (?:zu[mr]?|der|"
    r"des))\s+(?P<topic>(?:the|my|our|an?|die|der|das|den|dem|mein\w*|unser\w*)?\s*[^,:;.]+)$"
)
ONCE = re.compile(
    r"(?i)\b(?:only this once|just this once|this time|for once|ausnahmsweise|diesmal|nur heute|"
    r"today only|dieses mal|temporarily|vorübergehend|"
    r"(?:stay\w*|be|am|is|are|['’]m|['’]re|visit\w*|here)\b.{0,40}\bfor (?:one|two|three|four|"
    r"five|\d+|a few) "
    r"(?:nights?|days?|hours?|minutes?)|für (?:eine|einen|zwei|drei|vier|\d+|ein paar) "
    r"(?:nächte|nacht|tage?|stunden?))\b"
)
NOT_ONLY = re.compile(r"(?i)\b(?:not only|not just|nicht nur|nicht bloß)\b")
NEWER = re.compile(
    r"(?i)\b(?:now|from now on|jetzt|nun|inzwischen|mittlerweile|neuerdings|ab sofort|von nun an|"
    r"nowadays|these days|künftig|with immediate effect|finally|endlich|as of|"
    r"effective immediately|going forward|ab jetzt|fortan|seitdem|meanwhile|by now)\b"
)
ADDITIVE = re.compile(
    r"(?i)\b(?:also|as well(?: as)?|too|additionally|in addition|another|besides|auch|ebenfalls|"
    r"ebenso|zusätzlich|außerdem|zudem|des weiteren|darüber hinaus|second|zweite[rsnm]?|"
    r"dritte[rsnm]?|weitere[rsnm]?|a further|sometimes|manchmal|gelegentlich|occasionally)\b"
)
QUALIFIED = re.compile(
    r"(?i)^\s*(?:mit|with|without|ohne)\s+"
    r"(?!(?:the|der|dem|den|einer?m?|an?)?\s*(?:new|neue[nrms]?)\b)"
    r"|\b(?:sogar|even|(?<!went )(?<!goes )(?<!gone )(?<!go )up to|bis zu|at most|"
    r"höchstens|mindestens|at least)\b"
)
WITH_NEW = re.compile(
    r"(?i)^\s*(?:thanks to|with|mit|dank)\s+(?:the|der|dem|den|our|unsere[rmn]?)?\s*"
    r"(?:new|neue[nrms]?)"
    r"\s+(?:[a-zäöü]\w+|[A-ZÄÖÜ]\w+(?=\s+[a-zäöü]))(?:\s+[a-z]+(?=\s+the\b))?"
)
ADVERBS = re.compile(
    r"(?i)(?<![\w-])(?:also|as well|too|now|from now on|still|just|currently|presently|already|"
    r"really|actually|always|usually|normally|generally|mainly|mostly|definitely|finally|"
    r"recently|lately|"
    r"these days|nowadays|by the way|at the moment|at present|for now|for the time being|anyway|"
    r"of course|in fact|honestly|basically|officially|personally|simply|certainly|obviously|"
    r"exactly|precisely|exclusively|only|primarily|effective immediately|with immediate effect|"
    r"going forward|meanwhile|by now|strongly|absolutely|truly|very much|a lot|all the time|"
    r"auch|ebenfalls|zusätzlich|außerdem|noch immer|immer noch|noch|schon|jetzt|nun|inzwischen|"
    r"mittlerweile|aktuell|derzeit|zurzeit|zur zeit|momentan|im moment|gerade|übrigens|eigentlich|"
    r"tatsächlich|ja|doch|halt|eben|einfach|immer|meistens|bereits|weiterhin|nach wie vor|endlich|"
    r"leider|zum glück|natürlich|sogar|bei uns|neuerdings|ab sofort|von nun an|ab jetzt|künftig|"
    r"fortan|seitdem|offiziell|genau|ausschließlich|hauptsächlich|vor allem|total|wirklich|sehr|"
    r"gern|gerne|am liebsten|nur|erst|einmalig|in wirklichkeit|in wahrheit|nämlich|eh|"
    r"hier|seit version [\d.]+|since version [\d.]+|in open terrain|im freien|at last|"
    r"all|both|beide|alle)\b(?!-)"
)
KEEP_ADVERB = re.compile(r"(?i)\b(?:all|alle|both|beide)\b")
EVENT_SINCE = re.compile(
    r"(?i)\b(?:since|seit|after|nach)\s+(?:the|our|dem|der|den|unsere[rmn]?)\s+"
    r"(?:(?:last|new|latest|letzten|neuen|jüngsten)\s+)?[^\W\d_]\w+(?=\s|,|$)"
)
AGAIN = re.compile(r"(?i)\b(?:again|wieder|erneut)\b")

END_EN = re.compile(r"(?i)\b(?:no longer|not any longer|never again|not any ?more)\b")
TAIL_EN = re.compile(r"(?i)\b(?:any ?more|any longer)\b")
END_DE = re.compile(r"(?i)\b(?:nicht mehr|nicht länger|nie wieder|nie mehr)\b")
NOT_EN = re.compile(r"(?i)\b(?:not|never)\b|n['’]t\b")
DID_NOT = re.compile(r"(?i)\bdid(?:\s+not|n['’]t)\b")
DO_NOT = re.compile(r"(?i)\b(?:do|does|did)(?:\s+not|n['’]t)\b")
NOT_YET = re.compile(r"(?i)\b(?:not yet|noch nicht|noch kein\w*)\b")
NOT_DE = re.compile(r"(?i)\b(?:nicht|niemals|nie)\b")
NONE_DE = re.compile(r"(?i)\bkein(?:e[nrms]?)?\b")
NO_EN = re.compile(r"(?i)(?:(?<=have)|(?<=has)|(?<=eat)|(?<=need)|(?<=needs)|(?<=sell))\s+no\b")
MORE_DE = re.compile(r"(?i)\bmehr\b")
STOPPED_EN = re.compile(
    r"(?i)\b(?:have |has |had |['’]ve |['’]s )?(?:stopped|quit|ceased|given up|"
    r"gave up)\s+(?=[a-z]+ing\b)"
)

# The old value named beside the new one.
INSTEAD = re.compile(
    r"(?i),?\s*\b(?:instead of|in place of|rather than|anstelle (?:von|der|des)|anstatt|statt|"
    r"replacing)\s+(?P<old>[^,;]+)"
)
NO_LONGER_TAIL = re.compile(
    r"(?i)(?:,\s*(?:and|und|but|aber)?|\s(?:and|und|but|aber))\s*(?:no longer|not any ?more|nicht "
    r"mehr|nicht länger)\s+(?P<old>[^,;]+)$"
)
NOT_TAIL = re.compile(
    r"(?i),\s*(?:and|und|but|aber)?\s*(?:not|nicht|keine?[nrms]?)\s+(?P<old>[^,;]+?)\s*"
    r"(?:any ?more)?$"
)
NOT_BUT = re.compile(
    r"(?i)\b(?P<cue>not|n['’]t|nicht|nicht mehr|no longer|keine?[nrms]?)\s+(?!only\b|just\b|"
    r"merely\b|nur\b|bloß\b|mehr nur\b)(?P<old>[^,;]+?),?\s+(?:but(?: rather)?|sondern)\s+"
)
PREFERENCE = re.compile(r"(?i)\b(?:prefer\w*|bevorzug\w*|lieber)\b")
FILLER = re.compile(
    r"(?i)^\s*(?:(?:and|but|so|then|und|aber|also|dann|denn|damit|hence|therefore|deshalb|daher|"
    r"somit|erst|that|dass|note that|remember that|remember|please note|oh|ach)\b[,:]?\s+|"
    r"(?:yes|no|ok(?:ay)?|well|right|ja|nein|gut|doch|danke|thanks|thank you|sorry|btw|hello|hi|"
    r"hey|hallo|exactly|genau|stimmt|sure|fyi|great|good|schön|super|klar|understood|verstanden)"
    r"\s*,\s+)+"
)
SUBORDINATE = re.compile(
    r"(?i)^\s*(?:because|weil|which|who|whose|that|dass|wer|was|ob|whether|while|während|although|"
    r"though|obwohl|since\s+(?:i|we|you|he|she|it|they)\b|damit\s+(?:ich|wir|sie|er|es|du|man)\b|"
    r"so that|where|when|wo|wie|how|why|warum|what|if|falls|wenn|sofern|bevor|nachdem|"
    r"(?:before|after)\s+(?:i|we|you|he|she|it|they)\b|"
    r"bis\s+(?:ich|wir|sie|er|es|du|man)\b|until\s+(?:i|we|you|he|she|it|they)\b|as\s+(?:i|we|you|"
    r"he|she|it|they)\b|unless|sobald|solange|please|bitte|let|lass\w*|just|zumal|whereas|indem|"
    r"der|die|das|dem|den|deren|dessen)\b"
)
RELATIVE_DE = re.compile(
    r"(?i)^\s*(?:in|mit|auf|von|für|an|bei|zu|aus)?\s*(?:der|die|das|dem|den|deren|dessen)\b"
)
SPLIT = re.compile(r",\s+|(?<=[^\W\d_])\s-+\s(?=[^\W\d_])|:\s+|\s+\((?=[^)]*\))")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
AUX = {
    "en": words("sets", "aux_en"),
    "de": words("sets", "aux_de"),
}


@dataclass(frozen=True, slots=True)
class Contrast:
    """The value that a clause names as the old one, and whether that one was an error."""

    old: str
    start: int
    is_error: bool
    explicit_end: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a sentence. `work` is `text` with blanks where adverbials were taken out, so
    that positions stay; both start at `start` of the whole text."""

    text: str
    work: str
    start: int
    language: str
    sure: float = 1.0
    correcting: bool = False
    additive: bool = False
    newer: bool = False
    qualified: bool = False
    temporary: bool = False
    again: bool = False
    ends: bool = False
    denies: bool = False
    past: bool = False  # "did not", of which the verb itself does not tell
    topic: str | None = None
    topic_at: int = 0
    when: tuple[When, ...] = ()
    contrast: Contrast | None = None
    inherits: bool = field(default=False)  # no subject of its own: that of the clause before


def announces_correction(sentence: str) -> bool:
    """Whether the sentence only says that something was wrong; the next one says what is right."""
    return len(sentence) <= MOST_CUE and CORRECTION.search(sentence) is not None


def clauses(
    sentence: str, start: int, language: str, spoken: datetime, *, corrects: bool = False
) -> Iterator[Clause]:
    """The clauses that assert something; questions, conditions, hearsay and jests give none.
    `corrects`: the sentence before announced a correction."""
    sure, text = _judged(sentence)
    if text is None:
        return
    correcting, topic, topic_at, hidden = corrects, None, 0, False
    since: tuple[When, ...] = ()
    for segment_start, segment, after in _segments(text, language):
        if after == ":":  # what stands before a colon announces what follows
            correcting |= CORRECTION.search(segment) is not None
            hidden |= IRONY.search(segment) is not None
            if found := CORRECT_TOPIC.search(segment):
                topic, topic_at = found["topic"], start + segment_start + found.start("topic")
            if not _has_verb(segment, language) or correcting:
                continue
        if hidden:
            return
        if after == "," and REPORTING.search(segment):
            return
        if after == "," and CUE.match(segment):
            correcting = True
            continue
        if _asserts(segment):
            clause = Clause(segment, segment, start + segment_start, language, sure)
            clause = replace(clause, correcting=correcting, topic=topic, topic_at=topic_at)
            for coloured in _coloured(clause, spoken):
                if not coloured.when and JOINED.match(segment):
                    coloured = replace(coloured, when=since)
                since = tuple(w for w in coloured.when if w.role is Role.SINCE)
                yield coloured
        elif REPORTED.search(segment) or LEADING_CONDITION.match(segment):
            return


def _judged(sentence: str) -> tuple[float, str | None]:
    """How sure the speaker is, and the sentence without the words that say so."""
    sure = 1.0
    text = sentence
    if found := END_MARK.search(text):
        text = text[: found.start()] + " " * len(found[0])
    tag = TAG.search(text)
    if tag is not None:
        text, sure = text[: tag.start()] + " " * len(tag[0]), 0.6
    elif text.rstrip("\"'”“» ").endswith("?"):
        return 0.0, None
    announced = ":" in text and IRONY.search(text.partition(":")[0]) is not None
    if IRONY.search(text) and not announced:
        return 0.0, None
    view = OWN_VIEW.search(text)
    if view is not None:
        text = text[: view.start()] + " " * len(view[0]) + text[view.end() :]
        sure = 0.6
    if LEADING_CONDITION.match(text):
        return 0.0, None
    return sure, text


def _asserts(segment: str) -> bool:
    if CONDITION.search(segment) or REPORTED.search(segment) or ONCE.search(segment):
        return False
    if SUBORDINATE.match(segment) and not RELATIVE_DE.match(segment):
        return False
    return HEDGE.search(segment) is None


def _has_verb(segment: str, language: str) -> bool:
    for found in WORD.finditer(segment):
        word = found[0].lower()
        if word in AUX[language] or "'" in word or "’" in word:
            return True
        if any(not f.participle or f.past for f in readings(word, language)):
            if language == "de" and found[0][0].isupper() and found.start() > 0:
                continue
            return True
    return False


def _segments(text: str, language: str) -> Iterator[tuple[int, str, str]]:
    """Parts between commas and colons; a part without a verb stays with the one before it."""
    cuts = [(m.start(), m.end(), m[0].strip()) for m in SPLIT.finditer(text)]
    cuts = [*cuts, (len(text), len(text), "")]
    start, has_verb = 0, False
    for position, (end, resume, sign) in enumerate(cuts):
        follows = text[resume : cuts[position + 1][0]] if position + 1 < len(cuts) else ""
        has_verb = has_verb or _has_verb(text[start:end], language)
        turns = has_verb or TURN.match(follows) is not None
        if sign != ":" and sign and not (turns and _starts_clause(follows, language)):
            continue
        yield start, text[start:end], sign
        start, has_verb = resume, False


MOST_CUE = 60  # characters of a sentence that only announces a correction
CONTRASTING = re.compile(
    r"(?i)^\s*(?:and |und |but |aber )?(?:not|nicht|keine?[nrms]?|no longer|sondern|instead|statt|"
    r"rather|anstatt)\b"
)


CUE = re.compile(
    r"(?i)\s*(?:to be (?:precise|exact|accurate)|correction|korrektur|genau genommen|"
    r"um genau zu sein|sorry|I was wrong|my mistake|mein fehler|ich habe mich (?:geirrt|vertan)|"
    r"actually|in fact|"
    r"stimmt nicht|falsch|wrong)\s*$"
)
REPORTING = re.compile(
    r"(?i)\b(?:says?|said|thinks?|thought|believes?|claims?|claimed|writes?|wrote|heard|asked|"
    r"sagt|sagte|meint|meinte|glaubt|denkt|dachte|behauptet|behauptete|erzählt|erzählte|schreibt|"
    r"schrieb|fragt|fragte|gefragt|gehört|vermutet|schwört|erwähnt|heißt es)(?:\sübrigens)?\s*$"
)
TURN = re.compile(r"(?i)\s*(?:but|aber|doch|und|and)\s")


def _starts_clause(part: str, language: str) -> bool:
    if CONTRASTING.match(part) and not re.search(r"(?i)^\s*(?:but|aber) ", part):
        return False
    return _has_verb(part, language) or SUBORDINATE.match(part) is not None


JOINED = re.compile(r"(?i)\s*(?:and|und)\s")
JOINT = re.compile(r"\s(?:and|und|but|aber)\s")


def _coloured(clause: Clause, spoken: datetime) -> Iterator[Clause]:
    since: tuple[When, ...] = ()
    for part in _coordinated(clause):
        coloured = _flags(part)
        coloured = _timed(coloured, spoken)
        if not coloured.when:  # from July 1 A takes the calls, and B is the lead
            coloured = replace(coloured, when=since)
        since = tuple(w for w in coloured.when if w.role is Role.SINCE)
        coloured = _contrasted(coloured)
        yield _negated(coloured)


def _coordinated(clause: Clause) -> Iterator[Clause]:
    """Parts joined by `and` where each has a verb; a part that begins with one inherits."""
    text, language = clause.text, clause.language
    start, inherits = 0, False
    for joint in JOINT.finditer(text):
        rest = text[joint.end() :]
        words = [w[0] for w in WORD.finditer(rest)][:8]
        if not words or not _has_verb(text[start : joint.start()], language):
            continue
        leads = _is_finite(words[0], language)
        later = any(_is_finite(w, language) for w in words[1:6])
        if not leads and not (later and _subject_like(rest, language)):
            continue
        yield _part(clause, start, joint.start(), inherits)
        start, inherits = joint.end(), leads
    yield _part(clause, start, len(text), inherits)


def _part(clause: Clause, start: int, end: int, inherits: bool) -> Clause:
    text = clause.text[start:end]
    return replace(clause, text=text, work=text, start=clause.start + start, inherits=inherits)


def _is_finite(word: str, language: str) -> bool:
    if word[0].isupper():
        return False
    lowered = word.lower()
    if lowered in AUX[language]:
        return True
    return any(not f.participle or f.past for f in readings(lowered, language))


SUBJECT_START = re.compile(
    r"(?:(?i:the|my|our|his|her|their|its|this|i|we|he|she|they|it|ich|wir|er|sie|es|die|der|das|"
    r"mein\w*|unser\w*|ihr\w*|sein\w*|from|as of|ab|seit)\b|[A-ZÄÖÜ])"
)


def _subject_like(rest: str, language: str) -> bool:
    return SUBJECT_START.match(rest) is not None


def _flags(clause: Clause) -> Clause:
    text = clause.text
    filler = FILLER.match(text)
    work = " " * filler.end() + text[filler.end() :] if filler else text
    new = WITH_NEW.match(work)
    if new is not None:
        work = " " * new.end() + work[new.end() :]
    return replace(
        clause,
        work=work,
        correcting=clause.correcting or CORRECTION.search(text) is not None,
        additive=ADDITIVE.search(_core_text(clause)) is not None
        or NOT_ONLY.search(text) is not None,
        newer=new is not None or NEWER.search(text) is not None,
        qualified=new is None and QUALIFIED.search(work) is not None,
        again=AGAIN.search(text) is not None,
    )


def _core_text(clause: Clause) -> str:
    return clause.text[: _end_of_core(clause)] if "," in clause.text else clause.text


def _timed(clause: Clause, spoken: datetime) -> Clause:
    found, work = times(clause.work, spoken)
    if (event := EVENT_SINCE.search(work)) is not None:
        work = _blank(work, *event.span())
        clause = replace(clause, newer=True)
    temporary = any(when.role is Role.TEMPORARY for when in found)
    return replace(clause, when=tuple(found), work=work, temporary=temporary)


def _contrasted(clause: Clause) -> Clause:
    """Take out "instead of X", ", not X", "not X but", and keep X."""
    text, work = clause.text, clause.work
    is_change = clause.newer or any(w.role is Role.SINCE for w in clause.when)
    for pattern, error, ends in (
        (INSTEAD, False, False),
        (NO_LONGER_TAIL, False, True),
        (NOT_BUT, True, False),
        (NOT_TAIL, True, False),
    ):
        found = pattern.search(text)
        if found is None or not text[: found.start()].strip():
            continue
        if pattern is INSTEAD and PREFERENCE.search(text):
            return replace(clause, work=_blank(work, found.start(), found.end()))
        if pattern is NOT_BUT and re.search(r"(?i)mehr|longer", found["cue"]):
            error = False
        contrast = Contrast(
            found["old"], found.start("old"), error and not is_change, ends or not error
        )
        work = _blank(work, found.start(), found.end())
        kept = tuple(w for w in clause.when if not found.start() <= w.start < found.end())
        return replace(clause, work=work, contrast=contrast, when=kept)
    return clause


def _negated(clause: Clause) -> Clause:
    cut = _end_of_core(clause)
    work, tail = clause.work[:cut], clause.work[cut:]
    clause = _negated_core(replace(clause, work=work))
    return replace(clause, work=clause.work + tail)


def _end_of_core(clause: Clause) -> int:
    """Where the first comma after the verb stands: what is denied beyond it is another matter."""
    for comma in re.finditer(",", clause.work):
        if _has_verb(clause.work[: comma.start()], clause.language):
            rest = clause.work[comma.end() :]
            return comma.start() if rest.strip() else len(clause.work)
    return len(clause.work)


def _negated_core(clause: Clause) -> Clause:
    work = clause.work
    ends = denies = False
    past = DID_NOT.search(work) is not None
    if (found := NOT_YET.search(work)) is not None:
        denies, work = True, _blank(work, *found.span())
    for pattern in (END_EN, END_DE, STOPPED_EN):
        if (found := pattern.search(work)) is not None:
            ends, work = True, _blank(work, *found.span())
    work, negated = _blank_all(work, (DO_NOT, NOT_EN, NOT_DE, NONE_DE, NO_EN))
    if negated:
        tail = TAIL_EN.search(work) or (MORE_DE.search(work) if clause.language == "de" else None)
        if tail is not None:
            ends, work = True, _blank(work, *tail.span())
        denies = not ends
    if NOT_ONLY.search(clause.text):
        ends = denies = False
    work = AGAIN.sub(lambda m: " " * len(m[0]), work)
    work = ADVERBS.sub(lambda m: m[0] if KEEP_ADVERB.match(m[0]) else " " * len(m[0]), work)
    return replace(clause, work=work, ends=ends, denies=denies and not ends, past=past)


def _blank_all(work: str, patterns: tuple[re.Pattern[str], ...]) -> tuple[str, bool]:
    hit = False
    for pattern in patterns:
        replaced = pattern.sub(lambda m: " " * len(m[0]), work)
        hit = hit or replaced != work
        work = replaced
    return work, hit


def _blank(work: str, start: int, end: int) -> str:
    return work[:start] + " " * (end - start) + work[end:]
