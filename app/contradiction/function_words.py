"""Words that carry the form of a statement, in English and German: data, folded (ä is ae)."""

from __future__ import annotations

from app.values.wording import word_set

NEGATORS = word_set(
    "not no never nobody none nothing nowhere neither nor without cannot noone nicht kein "
    "keine keinen keinem keiner keines nie niemals niemand niemanden niemandem nichts "
    "nirgends nirgendwo ohne keinerlei weder unmoeglich impossible"
)

# A negator that stands for a person or a thing: whoever or whatever the other text names.
NOBODY = word_set("nobody none nothing noone niemand niemanden niemandem nichts keiner")

COPULAS = word_set(
    "is are was were be been being am becomes became remains ist sind war waren sein bin "
    "bist wird werden wurde wurden worden bleibt bleiben"
)

HAVE = word_set("has have had having hat habe haben hast hatte hatten")

_ENGLISH = """
a an the this that these those some any of to in on at by for with from as and or so than then
there here it its itself he she they them their his her our we i you my your us me him who which
whose do does did done doing get gets got yet still already now currently again also just only even
really very quite rather anymore longer more much too about into onto over out up off
one ones other another each both own something someone somebody anything anyone
anybody everything indeed actually well however meanwhile nowadays recently finally
while where when being be
"""

_GERMAN = """
der die das des dem den ein eine einen einem einer eines dieser diese dieses diesem diesen und oder
als wie so dann da dort hier es er sie ihr ihre ihren ihrem ihrer ihres sein seine seinen seinem
seiner seines unser unsere unseren unserem unserer mein meine meinen meinem meiner dein deine wir
ich du uns mir mich dich dir ihm ihn ihnen man sich in im ins an am ans auf aus bei beim mit nach
von vom zu zum zur fuer um ueber unter vor hinter neben zwischen durch gegen bis seit ab
noch schon bereits jetzt nun aktuell derzeit momentan gerade wieder weiterhin immer mehr auch nur
sehr ganz gar eher gern gerne doch eigentlich erst einfach etwa rund jemand jemanden jemandem etwas
irgendwer alles es heutzutage inzwischen mittlerweile mal ja dass welche welcher welches
tut tun getan worden gibt geben endlich allerdings jedoch
"""

# What must or may be done: they carry the mood of a statement and none of its content.
DUTY = word_set(
    "should shall must ought soll sollen sollte sollten muss muessen darf duerfen duerften"
)

FUNCTION = frozenset(f"{_ENGLISH} {_GERMAN}".split()) | COPULAS | HAVE | DUTY

# Words that open a sentence and say nothing about its subject; English adverbs in -ly besides.
OPENERS = word_set(
    "update updated note hinweis info fyi reminder meanwhile however therefore thus hence "
    "moreover furthermore also besides afterwards later since ausserdem zudem daher "
    "deshalb darum also uebrigens inzwischen mittlerweile laut according reportedly "
    "correction korrektur berichtigung sorry entschuldigung neu new aktualisierung stand"
)

# Statements that are not held to be so now: each cue by what it makes of the statement.
MOODS: dict[str, frozenset[str]] = {
    "condition": word_set("if unless whether falls wenn sofern ob"),
    "wish": word_set(
        "wants want wish wishes hopes hope plans intends intend wanted hoping moechte "
        "moechten will wollen wollte wollten plant planen hofft hoffen wuenscht beabsichtigt "
        "ueberlegt considering"
    ),
    "perhaps": word_set(
        "maybe perhaps possibly probably might could would may likely vielleicht eventuell "
        "moeglicherweise wahrscheinlich vermutlich koennte koennten wuerde wuerden duerfte "
        "wohl angeblich allegedly seems scheint"
    ),
    "duty": DUTY,
    "former": word_set(
        "formerly previously former earlier frueher damals ehemals einst vormals frueherer "
        "fruehere ehemalige ehemaliger"
    ),
    "next": word_set("tomorrow soon gonna shall morgen demnaechst bald kuenftig"),
}
FUTURE = frozenset(["will", "won't", "wont", "'ll"])  # English only: German "will" is a wish

CORRECTING = word_set(
    "correction korrektur berichtigung actually eigentlich tatsaechlich richtigstellung "
    "geirrt mistaken wrong vertan verwechselt"
)

# Words that turn a statement around without denying a word of it.
REVERSING = word_set(
    "avoid avoids avoided avoiding forbid forbids forbidden prohibit prohibits prohibited ban "
    "banned refuse refuses prevent prevents except unless instead skip disable disabled stop "
    "vermeide vermeiden vermeidet verbiete verbieten verboten untersagt untersagen verweigern "
    "verhindern ausser statt anstatt unterlassen auslassen abschalten deaktivieren"
)

# Verbs of change: what they lead away from has been so and is so no longer.
CHANGES = word_set(
    "moved moves move moving switched switches switch changed changes change migrated "
    "migrate renamed rename raised increased reduced lowered cut postponed rescheduled "
    "shifted transferred upgraded downgraded converted relocated went grown dropped rose "
    "fell extended gezogen umgezogen zog zieht wechselt gewechselt wechselte umgestiegen "
    "umgestellt geaendert aendert aenderte migriert umbenannt erhoeht gesenkt reduziert "
    "verschoben verlegt verlaengert verkuerzt umgesiedelt versetzt gestiegen gefallen "
    "angehoben herabgesetzt vorverlegt geworden"
)

# Verbs whose subject has the amount or date that follows for as long as the statement holds.
STATIVE = (
    word_set(
        "costs cost weighs weigh lasts last takes take contains contain comprises employs "
        "employ earns earn pays pay starts start begins begin ends end opens open closes "
        "close meets meet totals total equals equal stands lies amounts consists needs need "
        "requires require holds hold measures measure seats covers cover expires expire "
        "retires arrives departs leaves runs rents charges consumes uses serves counts "
        "numbers averages betraegt betragen kostet kosten wiegt wiegen dauert dauern umfasst "
        "umfassen fasst fassen enthaelt enthalten beschaeftigt beschaeftigen verdient "
        "verdienen zahlt zahlen beginnt beginnen startet starten endet enden oeffnet oeffnen "
        "schliesst schliessen liegt liegen lag lagen laeuft laufen misst messen braucht "
        "brauchen benoetigt benoetigen besteht wohnt wohnen findet finden steht stehen "
        "verbraucht zaehlt belaeuft reicht gilt gelten faellt faellig trifft treffen heisst"
    )
    | COPULAS
    | HAVE
)

INDEFINITE = word_set(
    "a an some any another several many few someone somebody nobody there ein eine einen "
    "einem einer eines einige manche mehrere viele etliche jemand niemand"
)

STARTING = word_set("from since after starting ab seit von vom nach")
ENDING = word_set("until till by before to through bis vor spaetestens")
BOUNDS = word_set(
    "least most than over under up mindestens hoechstens maximal minimal ueber unter als "
    "more less fewer mehr weniger max min"
)

# Nouns whose number is part of a name: ticket 17 is another thing than ticket 18.
NUMBERED = word_set(
    "ticket issue bug task room phase stage step chapter page section invoice order line "
    "gate platform track house apartment flat number no nr episode season part lot "
    "question team group class grade lesson item case story sprint week day level "
    "milestone pr zimmer raum aufgabe schritt kapitel seite abschnitt rechnung bestellung "
    "auftrag linie gleis haus hausnummer wohnung nummer folge staffel teil frage gruppe "
    "klasse lektion punkt fall vorgang stufe etappe woche tag artikel paragraph "
    "teilprojekt meilenstein halle tor"
)

# Words before a name, which belong to it.
TITLES = word_set(
    "mr mrs ms dr prof herr herrn frau professor doktor project projekt firma company "
    "client kunde kundin customer team product produkt"
)

# What they qualify does not hold in full, so that its denial can stand beside it.
ALMOST = word_set(
    "almost nearly hardly barely partly partially rarely seldom sometimes fast beinahe "
    "kaum teilweise selten manchmal gelegentlich occasionally only nur"
)

ONLY_AFTER_NOT = word_set("only just nur merely bloss zuletzt")

REPLACING = (
    "instead of",
    "rather than",
    "in place of",
    "anstelle von",
    "anstatt",
    "statt",
    "anstelle",
)

# Verbs of moving house: where they lead is where one lives from then on.
MOVES = word_set("moved relocated moves gezogen umgezogen zog verlegt umgesiedelt")
LIVES = word_set(
    "lives live living resides based located is are wohnt wohne wohnen lebt lebe sitzt ist sind"
)
