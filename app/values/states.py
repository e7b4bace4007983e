"""Words for states, by class, and which classes exclude each other."""

from __future__ import annotations

import re

from app.values.wording import fold

# Class: its words in English and German. Adjectives with endings are found by their stem below.
CLASSES: dict[str, str] = {
    "active": "active|running|live|up|online|in operation|in use|up and running|aktiv|laeuft|"
    "laufend|in betrieb|im einsatz|online verfuegbar|produktiv",
    "inactive": "inactive|idle|not running|down|offline|out of service|dormant|inaktiv|"
    "ausser betrieb|stillgelegt|nicht mehr aktiv|no longer active",
    "planned": "planned|upcoming|scheduled|not started|not yet started|to do|todo|geplant|"
    "noch nicht begonnen|noch nicht gestartet|vorgesehen|angesetzt",
    "in_progress": "in progress|ongoing|underway|under way|under construction|in the works|"
    "being worked on|in development|started|begun|in arbeit|in bearbeitung|im gange|in gang|"
    "begonnen|gestartet|angelaufen|im bau|in entwicklung",
    "paused": "paused|on hold|suspended|halted|frozen|stalled|pausiert|angehalten|auf eis|"
    "auf eis gelegt|ausgesetzt|unterbrochen|ruht|ruhend|gestoppt|stopped",
    "blocked": "blocked|stuck|blockiert|gesperrt",
    "completed": "completed|complete|done|finished|fertig|fertiggestellt|abgeschlossen|erledigt|"
    "beendet|vollendet|concluded|ended|over|vorbei|zu ende",
    "open": "open|opened|unresolved|outstanding|offen|geoeffnet|ungeloest|unerledigt|ausstehend|"
    "auf",
    "closed": "closed|shut|shut down|geschlossen|zu|dichtgemacht",
    "resolved": "resolved|fixed|solved|settled|behoben|geloest|gefixt|repariert|repaired|geklaert",
    "broken": "broken|defective|out of order|not working|kaputt|defekt|beschaedigt|damaged",
    "working": "working|functional|functioning|intact|funktionsfaehig|funktioniert|intakt|heil",
    "pending": "pending|awaiting approval|under review|waiting|undecided|anhaengig|in pruefung|"
    "steht aus|steht noch aus|stehen aus|stehen noch aus|noch nicht entschieden|unentschieden|"
    "in der schwebe",
    "approved": "approved|granted|accepted|authorized|authorised|confirmed|genehmigt|bewilligt|"
    "erteilt|angenommen|freigegeben|bestaetigt|zugesagt|abgenommen",
    "rejected": "rejected|denied|declined|refused|turned down|abgelehnt|verweigert|"
    "zurueckgewiesen|abgewiesen",
    "cancelled": "cancelled|canceled|called off|abandoned|dropped|scrapped|storniert|abgesagt|"
    "abgebrochen|aufgegeben|eingestellt|gestrichen|annulliert",
    "happening": "taking place|takes place|findet statt|finden statt",
    "enabled": "enabled|switched on|turned on|on|activated|aktiviert|eingeschaltet|angeschaltet|an",
    "disabled": "disabled|switched off|turned off|off|deactivated|deaktiviert|ausgeschaltet|"
    "abgeschaltet|aus",
    "released": "released|published|shipped|launched|deployed|veroeffentlicht|ausgeliefert|"
    "publiziert|erschienen|ausgerollt|eingefuehrt",
    "unreleased": "unreleased|unpublished|unveroeffentlicht|noch nicht erschienen",
    "draft": "draft|in draft|drafted|a draft|entwurf|im entwurf|ein entwurf",
    "final": "final|finalized|finalised|endgueltig|final freigegeben",
    "signed": "signed|unterschrieben|unterzeichnet|signiert",
    "unsigned": "unsigned|not signed|not yet signed|noch nicht unterschrieben|nicht unterzeichnet|"
    "ununterschrieben",
    "terminated": "terminated|revoked|withdrawn|expired|gekuendigt|widerrufen|abgelaufen|entzogen|"
    "zurueckgezogen|ausgelaufen",
    "valid": "valid|in force|in effect|effective|gueltig|in kraft|wirksam",
    "invalid": "invalid|void|no longer valid|ungueltig|nichtig|unwirksam",
    "booked": "booked|reserved|gebucht|reserviert",
    "available": "available|free|unoccupied|verfuegbar|frei|lieferbar|in stock|auf lager",
    "unavailable": "unavailable|occupied|taken|sold out|out of stock|vergriffen|ausverkauft|belegt|"
    "vergeben|nicht verfuegbar|besetzt|filled|ausgebucht|fully booked|nicht lieferbar",
    "rented": "rented|rented out|vermietet",
    "punctual": "on time|punctual|puenktlich|im zeitplan",
    "delayed": "delayed|late|behind schedule|verspaetet|in verzug|im verzug",
    "vacant": "steht leer|vacant|unfilled|unbesetzt|vakant|leer|empty|leerstehend",
    "full": "full|voll",
    "archived": "archived|archiviert",
    "deprecated": "deprecated|obsolete|retired|veraltet|ueberholt",
    "paid": "paid|bezahlt|beglichen|paid in full",
    "unpaid": "unpaid|overdue|unbezahlt|ueberfaellig|offen",
    "sold": "sold|verkauft",
    "delivered": "delivered|arrived|geliefert|zugestellt|angekommen|eingetroffen",
    "passed": "passed|passing|successful|bestanden|erfolgreich",
    "failed": "failed|failing|unsuccessful|gescheitert|fehlgeschlagen|durchgefallen|"
    "nicht bestanden|missglueckt",
    "mandatory": "mandatory|required|compulsory|verpflichtend|vorgeschrieben|erforderlich|pflicht|"
    "obligatorisch",
    "optional": "optional|voluntary|freiwillig",
    "allowed": "allowed|permitted|erlaubt|gestattet|zulaessig",
    "forbidden": "forbidden|prohibited|banned|not allowed|verboten|untersagt|unzulaessig",
    "public": "public|oeffentlich",
    "private": "private|confidential|privat|vertraulich|geheim|secret",
    "married": "married|verheiratet",
    "single": "single|unmarried|divorced|ledig|unverheiratet|geschieden|alleinstehend",
    "alive": "alive|living|am leben|lebendig",
    "dead": "dead|deceased|tot|verstorben|gestorben",
    "employed": "employed|beschaeftigt|angestellt|berufstaetig",
    "unemployed": "unemployed|out of work|arbeitslos|ohne arbeit",
    "healthy": "healthy|well|recovered|gesund|genesen",
    "ill": "ill|sick|krank|erkrankt|krankgeschrieben",
    "present": "present|anwesend|there",
    "absent": "absent|away|abwesend|on leave|on vacation|im urlaub|beurlaubt",
    "locked": "locked|abgeschlossen und verriegelt|verriegelt|versperrt",
    "unlocked": "unlocked|unverschlossen|entriegelt|entsperrt",
    "stable": "stable|stabil",
    "unstable": "unstable|instabil",
    "safe": "safe|secure|sicher",
    "unsafe": "unsafe|insecure|dangerous|unsicher|gefaehrlich",
    "vegetarian": "vegetarian|vegetarisch|vegetarier|vegetarierin",
    "vegan": "vegan|veganer|veganerin",
}

# Class: the classes that cannot hold of one thing at one time; read in both directions.
_EXCLUDES: dict[str, str] = {
    "active": "inactive planned paused completed closed archived cancelled disabled terminated "
    "deprecated broken",
    "in_progress": "inactive planned paused completed cancelled archived released rejected "
    "closed pending resolved",
    "planned": "completed inactive paused archived released",
    "paused": "completed resolved enabled",
    "blocked": "completed resolved unlocked",
    "happening": "cancelled",
    "completed": "open pending cancelled inactive draft failed",
    "open": "closed resolved completed archived cancelled approved rejected",
    "closed": "pending",
    "resolved": "pending broken",
    "broken": "working",
    "pending": "approved rejected completed cancelled signed released resolved",
    "approved": "rejected cancelled draft terminated",
    "rejected": "signed",
    "cancelled": "booked enabled delivered released",
    "enabled": "disabled inactive",
    "disabled": "working",
    "released": "unreleased draft",
    "draft": "final signed",
    "signed": "unsigned",
    "terminated": "valid",
    "valid": "invalid",
    "available": "unavailable booked sold",
    "unavailable": "vacant open",
    "vacant": "full booked rented",
    "punctual": "delayed",
    "deprecated": "planned",
    "paid": "unpaid open pending",
    "delivered": "pending planned",
    "passed": "failed pending",
    "mandatory": "optional forbidden",
    "allowed": "forbidden",
    "public": "private",
    "married": "single",
    "alive": "dead",
    "employed": "unemployed",
    "healthy": "ill",
    "present": "absent",
    "locked": "unlocked open",
    "stable": "unstable",
    "safe": "unsafe",
}

_LEAD = re.compile(
    r"^(?:(?:is|are|was|were|be|been|being|has|have|had|got|became|it|now|currently|already|still|"
    r"again|finally|fully|completely|officially|ist|sind|war|waren|wurde|wurden|wird|worden|hat|"
    r"jetzt|nun|bereits|schon|aktuell|derzeit|wieder|endlich|vollstaendig|offiziell|gerade|momentan"
    r"|noch|seit heute|es)\s+)+"
)
_TAIL = re.compile(r"\s+(?:now|again|already|worden|jetzt|currently|wieder)$")
_NOT = re.compile(
    r"^(?:not yet|not|no longer|isn't|aren't|nicht mehr|noch nicht|nicht|never|nie)\s+(?P<rest>.+)$"
)
_ENDINGS = ("e", "er", "en", "es", "em")  # of German adjectives


def _forms() -> dict[str, str]:
    """Each word's first class; a word in two classes belongs to the first for a bare mention."""
    found: dict[str, str] = {}
    for name, words in CLASSES.items():
        for word in words.split("|"):
            found.setdefault(word, name)
    return found


def _exclusions() -> dict[str, frozenset[str]]:
    pairs = [(name, other) for name, others in _EXCLUDES.items() for other in others.split()]
    both = pairs + [(other, name) for name, other in pairs]
    return {name: frozenset(o for n, o in both if n == name) for name in CLASSES}


FORMS = _forms()
EXCLUSIONS = _exclusions()


def state_class(word: str) -> str | None:
    """The class of a word or phrase for a state, with German endings, or None. Whole words only."""
    folded = fold(word).strip()
    if folded in FORMS:
        return FORMS[folded]
    for ending in _ENDINGS:
        stem = folded.removesuffix(ending)
        if stem != folded and len(stem) > 3 and stem in FORMS:
            return FORMS[stem]
    return None


def parse_state(text: str) -> str | None:
    """The class of the state that the whole text is, `not:` before it where denied, or None."""
    folded = _TAIL.sub("", _LEAD.sub("", fold(text).strip()))
    if (name := state_class(folded)) is not None:
        return name
    denied = _NOT.match(folded)
    name = state_class(denied["rest"]) if denied else None
    return None if name is None else f"not:{name}"


def exclusive_states(one: str, other: str) -> bool:
    """Whether two results of `parse_state` cannot hold at one time."""
    if one.startswith("not:") or other.startswith("not:"):
        return one != other and one.removeprefix("not:") == other.removeprefix("not:")
    return other in EXCLUSIONS[one]
