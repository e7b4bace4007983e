"""Irregular forms that a stemmer cannot bring together: `went` is `go`, `ging` is `gehen`.

One word each between semicolons, the base first. Forms that are as common as another word (`fell`
of trees, `wound`, `lag`) are left to that word.
"""

from __future__ import annotations

_ENGLISH = """
arise arose arisen; awake awoke awoken; beat beaten; become became; begin began begun; bend bent;
bite bit bitten; blow blew blown; break broke broken; breed bred; bring brought; build built;
burn burnt; buy bought; catch caught; choose chose chosen; come came; creep crept; deal dealt;
dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten;
fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown;
forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen;
give gave given; go went gone goes; grow grew grown; hang hung; hear heard; hide hid hidden;
hold held; keep kept; know knew known; lay laid; lead led; learn learnt; leave left; lend lent;
light lit; lose lost; make made; mean meant; meet met; pay paid; prove proven; ride rode ridden;
ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold;
send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk;
sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent;
spin spun; stand stood; steal stole stolen; stick stuck; strike struck; swear swore sworn;
sweep swept; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn;
win won; withdraw withdrew withdrawn; write wrote written;
child children; foot feet; goose geese; man men; mouse mice; person people; tooth teeth;
woman women; wife wives; life lives; knife knives; leaf leaves; half halves; shelf shelves
"""

_GERMAN = """
beginnen begann begonnen; bieten bot geboten; binden band gebunden; bitten bat gebeten;
bleiben blieb geblieben; brechen bricht brach gebrochen; brennen brannte gebrannt;
bringen brachte gebracht; denken dachte gedacht; dürfen darf durfte; essen isst aß gegessen;
fahren fährt fuhr gefahren; fallen fällt fiel gefallen; fangen fängt fing gefangen;
finden fand gefunden; fliegen flog geflogen; fliehen floh geflohen; fließen floss geflossen;
geben gibt gab gegeben; gehen ging gegangen; gelten gilt galt gegolten; gewinnen gewann gewonnen;
greifen griff gegriffen; halten hält hielt gehalten; hängen hing gehangen; heben hob gehoben;
heißen hieß geheißen; helfen hilft half geholfen; kennen kannte gekannt; kommen kam gekommen;
laden lädt lud geladen; lassen lässt ließ gelassen; laufen läuft lief gelaufen;
leihen lieh geliehen; lesen liest las gelesen; liegen lag gelegen; lügen log gelogen;
messen misst maß gemessen; nehmen nimmt nahm genommen; nennen nannte genannt;
raten rät riet geraten; reißen riss gerissen; reiten ritt geritten; rennen rannte gerannt;
rufen rief gerufen; schaffen schuf geschaffen; scheinen schien geschienen;
schieben schob geschoben; schlafen schläft schlief geschlafen; schlagen schlägt schlug geschlagen;
schließen schloss geschlossen; schneiden schnitt geschnitten; schreiben schrieb geschrieben;
schwimmen schwamm geschwommen; sehen sieht sah gesehen; senden sandte gesandt; singen sang gesungen;
sinken sank gesunken; sitzen saß gesessen; sprechen spricht sprach gesprochen;
springen sprang gesprungen; stehen stand gestanden; stehlen stiehlt stahl gestohlen;
steigen stieg gestiegen; sterben stirbt starb gestorben; streiten stritt gestritten;
tragen trägt trug getragen; treffen trifft traf getroffen; treiben trieb getrieben;
treten tritt trat getreten; trinken trank getrunken; tun tut tat getan;
vergessen vergisst vergaß vergessen; verlieren verlor verloren; wachsen wächst wuchs gewachsen;
waschen wäscht wusch gewaschen; werfen wirft warf geworfen; wissen weiß wusste gewusst;
ziehen zog gezogen; zwingen zwang gezwungen
"""


def _bases(table: str) -> dict[str, str]:
    groups = [line.split() for line in table.split(";")]
    pairs = [(form.casefold(), base.casefold()) for base, *forms in groups for form in forms]
    return {form: base for form, base in pairs if form != base}  # a participle may be the base


def _parts(table: str) -> dict[str, tuple[str, ...]]:
    groups = [line.split() for line in table.split(";")]
    return {base: tuple(forms) for base, *forms in groups}


BASES = {"en": _bases(_ENGLISH), "de": _bases(_GERMAN)}
# The same the other way: the forms of a word by its base, as they are listed.
PARTS = {"en": _parts(_ENGLISH), "de": _parts(_GERMAN)}
