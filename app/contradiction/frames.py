"""Which statements have one value at a time: data, English and German, folded (ä is ae)."""

from __future__ import annotations

from app.values.wording import word_set

# Verbs with the prepositions that lead in their one value; an empty list: the value follows.
VERBS: dict[str, frozenset[str]] = {
    verb: frozenset(prepositions.split())
    for verbs, prepositions in {
        "lives live lived resides living wohnt wohne wohnen lebt lebe leben": "in at auf bei",
        "works work working employed arbeitet arbeite angestellt beschaeftigt": "at for bei fuer",
        "studies studying studiert studiere": "at in an",
        "based located headquartered hosted situated ansaessig": "in at on",
        "runs laeuft": "on auf unter",
        "reports": "to",
        "berichtet": "an",
        "named called heisst heisse heissen": "",
        "born geboren": "in",
        "stored saved gespeichert": "in on auf",
        "liegt liegen lagert": "in im auf bei",
        "befindet stehen steht": "in im auf bei",
        "findet": "in im bei auf",
        "held": "in at",
        "sits sitzt": "in at",
    }.items()
    for verb in verbs.split()
}

# A thing of which its owner has one: the noun, or the end of a German compound.
ROLES = word_set(
    "name boss chef leader lead manager ceo cto cfo director owner head president "
    "chairman mayor capital headquarters seat location address birthplace hometown "
    "residence husband wife spouse partner mother father dentist doctor landlord tutor "
    "supervisor assignee maintainer contact employer browser editor database host "
    "provider supplier bank insurer colour color deadline status type currency language "
    "timezone venue leiter leiterin projektleiter projektleiterin geschaeftsfuehrer "
    "geschaeftsfuehrerin chefin direktor direktorin inhaber inhaberin besitzer besitzerin "
    "vorsitzende vorsitzender praesident praesidentin hauptstadt sitz hauptsitz standort "
    "adresse geburtsort heimatort wohnort ehemann ehefrau mann frau mutter vater zahnarzt "
    "zahnaerztin hausarzt hausaerztin anwalt anwaeltin vermieter vermieterin "
    "ansprechpartner ansprechpartnerin arbeitgeber lieferant anbieter bank versicherung "
    "passwortmanager editor farbe waehrung sprache betreuer betreuerin steuerberater "
    "steuerberaterin buergermeister buergermeisterin trainer trainerin termin frist "
    "treffpunkt "
    "datenbank passwort kennwort benutzername email password username iban domain branch framework "
    "betriebssystem telefonnummer handynummer mailadresse url phone"
)
# Roles whose value may be any word, not a name alone.
PLAIN_ROLES = word_set(
    "email mail password username phone colour color iban address passwort kennwort benutzername "
    "telefonnummer handynummer farbe adresse mailadresse url domain"
)
ONLY = (
    "main", "primary", "default", "favourite", "favorite", "preferred", "official", "current",
    "lieblings", "haupt", "standard", "primaer", "bevorzugt", "offiziell", "stamm",
)  # fmt: skip

# Places that hold other places: being in one of them does not exclude a town inside it.
WIDE_PLACES = word_set(
    "germany austria switzerland france italy spain portugal england scotland ireland "
    "britain uk usa america canada mexico brazil china japan india russia poland sweden "
    "norway denmark finland netherlands belgium greece turkey europe asia africa "
    "australia bavaria california texas deutschland oesterreich schweiz frankreich "
    "italien spanien grossbritannien irland kanada mexiko brasilien russland polen "
    "schweden norwegen daenemark finnland niederlande belgien griechenland tuerkei europa "
    "asien afrika australien bayern hessen sachsen nrw tirol wuerttemberg niedersachsen "
    "thueringen brandenburg ausland abroad"
)

# A value that need not be the only one.
SHARED_SUBJECTS = word_set("both all alle beide everyone everybody")
