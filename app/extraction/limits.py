"""Negations that reach only so far: `no coffee after four`, `not for the firmware`, `not always`.

Who denies something of one time, place or purpose says nothing of it as a whole.
"""

from __future__ import annotations

import re

from app.extraction.clauses import Clause
from app.extraction.model import Mention
from app.extraction.moments import Role
from app.values.model import Kind, Value

# The negation hits the degree and leaves the rest.
PARTIAL = re.compile(
    r"(?i)\b(?:every|always|often|frequently|constantly|necessarily|entirely|exclusively|"
    r"(?:that|so|very|too) (?:much|often)|much|many|all the time|all of|more than|longer than|"
    r"less than|jede[nrms]?|immer|oft|häufig|ständig|unbedingt|ausschließlich|"
    r"(?:so|sehr|zu) (?:viel|oft|häufig|gern|gerne)|viele?|mehr als|länger als|weniger als|"
    r"alone|fluently|perfectly|properly|directly|officially|permanently|regularly|voluntarily|"
    r"really|(?:full|part)[- ]time|dabei|(?:nicht|kein\w*) (?:\w+ )?(?:alleine?|gerne?|direkt|gut|"
    r"besonders|fließend|perfekt|richtig|wirklich|ganz|freiwillig|fest|dauerhaft|offiziell|"
    r"vollzeit|teilzeit|regelmäßig)|"
    r"an? (?:[\w-]+ ){1,2}(?:like|the way)(?= (?:the|my|your|most|some|all|any|every|others?)\b)|"
    r"wie (?:die|alle|viele|manche|jede[rs]?) ander\w*|in moderation|in maßen|"
    r"in (?:small|large|tiny|low|moderate) (?:amounts|doses|quantities|numbers)|"
    r"in (?:kleinen|großen|geringen) mengen)\b"
)
# The reason is denied, and not the thing: `I don't work here because of the money`.
NOT_FOR_THAT = re.compile(
    r"(?i)\b(?:because|due to|(?:just|only|merely) (?:for|to)|for the (?:money|fame|fun|view|sake)|"
    r"wegen|weil|aus [\w-]+gründen|um des)\b"
)
AT_TIMES = re.compile(
    r"(?i)\b(?:today|tonight|this (?:morning|afternoon|evening|week|month|time|year)|right now|"
    r"at (?:night|noon|work|home|school|lunch|dinner|breakfast)|"
    r"on (?:week(?:ends|days)|(?:mon|tues|wednes|thurs|fri|satur|sun)days|holiday|vacation)|"
    r"(?:before|after|until|till|past) (?:noon|midnight|lunch|dinner|breakfast|work|"
    r"\d{1,2}(?:[ap]m)?\b)|"
    r"heute|diese[nrsm]? (?:woche|monat|mal|jahr)|morgens|vormittags|mittags|nachmittags|abends|"
    r"nachts|tagsüber|werktags|wochentags|unterwegs|(?:mon|diens|donners|frei|sams|sonn)tags|"
    r"mittwochs|(?:nach|vor|bis|ab) (?:\d{1,2}\b|feierabend|mitternacht)|am (?:wochenende|abend|"
    r"morgen|mittag|nachmittag|vormittag)|zu ?hause|im urlaub)\b"
)
# A share of what an amount counts, or whom it is for.
SHARE = re.compile(
    r"(?i)\b(?:(?:for|in|at|within|für|im|in|bei|beim|unter|with|without|including|excluding|plus|"
    r"incl|excl|mit|ohne|inklusive|exklusive|inkl|exkl|zuzüglich|zzgl)\b\.?\s+"
    r"(?!(?:(?:the|an?|der|dem|den|diesem?)\s+)?(?:total|all|sum|future|summe|zukunft|average|"
    r"one|two|three|four|five|six|eins?|einer|zwei|drei|vier|fünf|sechs|\d+|"
    r"schnitt|durchschnitt|gesamt|month|year|week|day|hour|monat|jahr|woche|tag|stunde|moment|"
    r"quartal|quarter)\b)\S|(?:brutto|netto|gross|net|free|full|left|used|available|"
    r"frei|voll|belegt|übrig|verfügbar|on (?:sick |parental )?(?:leave|holiday|vacation))\b)"
)
# A price that differs by the day or is not what is asked just now.
AT_OTHER_TIMES = re.compile(
    r"(?i)\b(?:normally|usually|regularly|originally|on week(?:ends|days)|normalerweise|sonst|"
    r"üblicherweise|regulär|ursprünglich|am wochenende|an wochenenden|werktags|wochentags|"
    r"(?:in|during) (?:the )?(?:high|low|off|peak)[- ]season|in der (?:neben|haupt|vor)saison)\b"
)
BEYOND = re.compile(
    r"(?i)\b(?:for|with|without|in|at|on|during|after|before|except|outside|inside|für|mit|ohne|"
    r"im|in|bei|beim|am|an|auf|während|nach|vor|außer|zum|zur)\s+\S"
)
# What one does or likes as a whole; elsewhere the words behind belong to the thing itself.
HABITS = frozenset(
    [
        *("uses", "likes", "dislikes", "prefers", "eats", "drinks", "plays", "speaks", "supports"),
        *("wants", "drives", "learns", "writes_in", "sells", "has"),
    ]
)


def limited(clause: Clause, predicate: str, value: Mention | Value, *, known: bool) -> bool:
    """Whether a negation holds for a part only, so that it neither ends nor denies the whole.

    `known`: the registry has the predicate; of others, days and hours may belong to the thing.
    """
    if not (clause.ends or clause.denies):
        return False
    if PARTIAL.search(clause.text):
        return True
    if clause.denies and predicate not in HABITS and NOT_FOR_THAT.search(clause.text):
        return True
    if known and predicate != "status" and _timed(clause, value):
        return True
    return predicate in HABITS and _goes_beyond(clause, value)


BY_MEANS = re.compile(
    r"(?i)\b(?:(?:by|mit (?:dem|der)) (?:bus|train|car|bike|boat|plane|ferry|zug|auto|rad|fahrrad|"
    r"bahn|schiff|flugzeug|fähre)|so far|on top|extra|bisher|bislang|obendrauf)\b"
)


def shared(clause: Clause, value: Mention | Value) -> bool:
    """Whether an amount is that of a part: `12 employees in Graz`, `39 euros for students`."""
    if not isinstance(value, Value) or value.kind not in (Kind.MONEY, Kind.QUANTITY, Kind.NUMBER):
        return False
    if SHARE.match(clause.work.lstrip()):
        return True
    if BY_MEANS.search(clause.text):
        return True
    if value.kind is Kind.MONEY and AT_OTHER_TIMES.search(clause.text):
        return True
    at = clause.work.find(value.text)
    return at >= 0 and SHARE.match(clause.work[at + len(value.text) :].lstrip()) is not None


RECURRING = re.compile(
    r"(?i)\b(?:during the week|unter der woche|am wochenende|on week(?:ends|days)|"
    r"in (?:the )?(?:summer|winter|spring|autumn|fall)(?:s|time)?|im (?:sommer|winter|herbst|"
    r"frühling|frühjahr)|(?:part|half)[- ]time|half (?:of )?the (?:year|week|time)|teilzeit|"
    r"zeitweise|teilweise|testweise|probeweise|partly|partially|every \w+|each \w+|"
    r"jede[nrs]? \w+|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days|"
    r"(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|locally|lokal|on paper|auf dem papier|"
    r"in den (?:\w*ferien|prüfungswochen)|(?:on|for) business|for (?:work|fun|lunch|dinner)|"
    r"dienstlich|beruflich|geschäftlich|zum (?:spaß|essen|mittagessen)|in my (?:head|mind|dreams|"
    r"heart|next life)|in gedanken|im (?:traum|kopf|notfall|ausnahmefall|urlaub|homeoffice)|"
    r"in (?:an )?emergenc(?:y|ies)|next time|nächstes mal|beim nächsten mal|on holidays?|"
    r"(?:bei|in) (?:sonne|regen|schnee|hitze|kälte|rain|snow|(?:gutem|schlechtem|schönem|good|bad|"
    r"nice) (?:wetter|weather))|(?:for|bei|für) (?:\w+ ){0,2}(?:customers|clients|kunden)|"
    r"(?:on|auf|in|at|bei) (?:my|his|her|your|mein\w*|sein\w*|ihr\w*|dein\w*) (?:\w+ )?"
    r"(?:branch|machine|laptop|computer|pc|desk|fork|rechner|zweig|sandbox)|in the basement|"
    r"im keller)\b"
)
# What is no employer and no place to live in, where it is the last word.
ABSTRACT = frozenset(
    [
        *("peace", "money", "change", "justice", "fun", "licht", "leben", "frieden", "freiheit"),
        *("umwelt", "gesellschaft", "zukunft", "geld", "gerechtigkeit", "nähe", "umgebung"),
        *("gegend", "städten", "großstädten", "hotels", "angst", "gedanken"),
    ]
)
DIETS = frozenset(["state:vegan", "state:vegetarian"])
# What one is married to besides.
CALLINGS = frozenset(
    [
        *("job", "work", "career", "company", "idea", "sea", "music", "sport", "arbeit"),
        *("beruf", "firma", "karriere", "idee", "musik", "see"),
    ]
)
# Whom and where one takes, and not what one has: `I drive my kids to school`.
ERRAND = re.compile(
    r"(?i)\b(?:to(?! work)|into|home|at work|zur(?! arbeit)|zum|nach|ins|heim|"
    r"weg|strecke|umwege?|kilometer)\b"
)
LENT = frozenset(["drives", "commutes_by", "meets_in"])


def recurring(clause: Clause, value: Mention | Value) -> bool:
    """Whether one of several is told of, each at its time: `in summer I live in Nice`."""
    named = isinstance(value, Mention) or value.kind is Kind.TEXT or value.key in DIETS
    return named and RECURRING.search(clause.text) is not None


# What stands in for a while only, or for as long as something else lasts.
MEANWHILE = re.compile(
    r"(?i)\b(?:tonight|tomorrow|this (?:morning|afternoon|evening)|"
    r"heute (?:morgen|früh|vormittag|mittag|nachmittag|abend|nacht)|"
    r"(?:during|while|whilst|for the duration of) (?:the|my|our|his|her|their|\w+['’]s?) "
    r"(?:\w+ ){0,2}(?:leave|absence|holidays?|vacation|trip|stay|visit|renovations?|repairs?|"
    r"construction|works?|strike|migration|outage|maintenance|exams?|test|tests|trial|"
    r"freeze|pandemic|festival|sabbatical|move|rebuild|audit)|"
    r"from (?:mon|tues|wednes|thurs|fri|satur|sun)day (?:to|through|until) \w+day|"
    r"von (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag) bis \w+|"
    r"(?:at|over) (?:christmas|easter)|(?:an|zu|über) (?:weihnachten|ostern)|"
    r"während (?:der|des|meine[rs]|unsere[rs]|seine[rs]|ihre[rs]) \w+|"
    r"(?:until|till) (?:further notice|\w+ (?:is|are|comes|gets) "
    r"(?:back|well|done|over|fixed|ready)|"
    r"the end of(?! (?:(?:the |this |next )?(?:month|year|quarter|week)|(?-i:[A-Z])|\d)))|"
    r"bis (?:auf weiteres|\w+ (?:\w+ )?(?:wieder|zurück)|"
    r"zum (?:ende|abschluss|schluss)(?! des (?:monats|jahres|quartals)))"
    r")(?!\w)"
)
FOR_A_WHILE = re.compile(
    r"(?i)\b(?:(?:for|over) (?:the (?:next|coming) )?(?:an?|one|two|three|four|five|six|\d+|"
    r"few|a few|several|some|a couple of) (?:days?|nights?|weeks?|months?|weekends?)|"
    r"(?:for|over) the (?:next |coming )?(?:week(?:end)?|month|summer|winter|semester|holidays)|"
    r"für (?:ein|eine|einen|zwei|drei|vier|fünf|sechs|\d+|ein paar|einige|die nächsten \w+) "
    r"(?:tage?|nacht|nächte|wochen?|monate?|wochenenden?)|"
    r"(?:übers?|für (?:das|die|den)) (?:nächste[ns]? )?(?:wochenende|sommer|winter|semester|"
    r"feiertage|ferien)|"
    r"diesen (?:sommer|winter|herbst|frühling)|this (?:summer|winter|autumn|fall|spring))\b"
)
RENTED = re.compile(
    r"(?i)\b(?:today|heute|rental|rented|hire(?:d)?|borrowed|loan(?:er)?|courtesy|replacement|"
    r"(?:leih|miet|ersatz|werkstatt)wagen|geliehen\w*|gemietet\w*)\b"
)


def for_a_while(clause: Clause, predicate: str, value: Mention | Value) -> bool:
    """Whether what holds for a while only is told, beside what else holds: a rented car, a deputy
    during a leave, where one stays for two weeks."""
    dated = isinstance(value, Value) and value.kind is Kind.DATE
    if clause.ends or clause.denies or dated or predicate == "status":
        return False
    named = isinstance(value, Mention) or value.kind is Kind.TEXT
    if MEANWHILE.search(clause.text) or (named and FOR_A_WHILE.search(clause.text)):
        return True
    if predicate == "drives" and ERRAND.search(clause.text):
        return True
    return predicate in LENT and RENTED.search(clause.text) is not None


def figurative(predicate: str, value: Mention | Value) -> bool:
    """Whether the words are no such thing: married to a job, at work in bad weather."""
    name = value.name if isinstance(value, Mention) else value.text
    words = name.split()
    if predicate == "married_to":
        return bool(words) and words[-1].lower() in CALLINGS
    if predicate in ("works_for", "lives_in") and words and words[-1].lower() in ABSTRACT:
        return True
    described = len(words) > 1 and words[0].islower() and words[0].endswith(("em", "en"))
    return predicate in ("works_for", "lives_in", "studies_at", "runs_on") and described


def _timed(clause: Clause, value: Mention | Value) -> bool:
    if isinstance(value, Value) and value.kind is Kind.DATE:
        return False
    roles = (Role.AT, Role.TEMPORARY, Role.PURPOSE)
    return AT_TIMES.search(clause.text) is not None or any(w.role in roles for w in clause.when)


def _goes_beyond(clause: Clause, value: Mention | Value) -> bool:
    """Whether more stands behind the thing, or before all, than the thing and who denies it."""
    if isinstance(value, Value) and value.kind is not Kind.TEXT:
        return False
    if BEYOND.match(clause.work.lstrip()):
        return True
    if isinstance(value, Mention):
        end = value.span.end - clause.start
    else:
        end = clause.work.lower().find(value.text.lower()) + len(value.text)
    return BEYOND.search(clause.work, max(end, 0)) is not None
