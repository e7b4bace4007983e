"""Words that mean the same, the opposite or more than others: data, English and German.

Everyday vocabulary, written by hand. Words are folded (ä is ae) and looked up by their stem.
"""

from __future__ import annotations

from app.values.wording import word_set

SYNONYMS = """
man guy gentleman
woman lady
child kid
children kids
bike bicycle
road street
rock stone
sofa couch
big large
small little
jump leap
talk speak
begin start
end finish
buy purchase
company firm
boss supervisor
film movie
autumn fall
apartment flat
lawyer attorney
phone telephone
mobile cellphone
photo picture photograph
quick fast
close shut
sick ill
use utilise utilize
live reside
need require
help assist
choose select
allow permit
fix repair
answer reply
present gift
garbage trash rubbish
lift elevator
holiday vacation
staff personnel
unhappy dissatisfied
auto wagen pkw
firma unternehmen
besprechung meeting sitzung
chef vorgesetzter vorgesetzte
handy mobiltelefon smartphone
wohnung apartment
nutzen verwenden benutzen einsetzen
wohnen leben
arzt doktor mediziner
rechner computer pc
fahrrad rad
kaufen erwerben
arbeit job
ferien urlaub
rechtsanwalt anwalt
samstag sonnabend
sprechen reden
beginnen anfangen starten
enden aufhoeren
reparieren instandsetzen
senden schicken
bekommen erhalten kriegen
lehrer lehrkraft
bauen errichten
geschenk praesent
telefon fernsprecher
fahrstuhl aufzug lift
bewohner mieter
papa vater
mama mutter
oma grossmutter
opa grossvater
foto bild
moegen lieben
unterstuetzen supporten
pruefen kontrollieren
"""

# The first word holds of everything that the others name.
KINDS = """
person man woman boy girl child kid lady guy adult teenager baby player worker singer chef
person hiker climber surfer skater rider dancer musician student teacher swimmer
person athlete runner driver soldier cyclist biker bicyclist skateboarder toddler officer
people men women boys girls children kids adults players workers students friends
people fans tourists hikers cyclists
animal dog cat horse bird fish monkey elephant tiger lion panda kangaroo squirrel
animal rabbit cow sheep pet
child boy girl baby toddler
children boys girls
dog puppy poodle terrier bulldog dachshund retriever
cat kitten
instrument guitar piano flute violin drum trumpet keyboard cello harp
vehicle car truck bus van motorcycle motorbike lorry
bike motorbike
food meat bread rice pasta pizza fruit vegetable cheese meal soup salad
vegetable potato onion carrot tomato garlic zucchini cucumber broccoli pepper
fruit apple banana orange pear grape
meat beef pork chicken ham bacon
fish salmon tuna trout shrimp
drink beer wine tea coffee juice water milk
cut slice chop
move run walk jump
database postgresql mysql sqlite oracle
person mann frau junge maedchen kind erwachsener lehrer arzt kollege kunde mitarbeiter
tier hund katze pferd vogel fisch hase kaninchen hamster kuh schaf
hund pudel dackel schaeferhund welpe
instrument gitarre klavier geige floete trompete schlagzeug cello
fahrzeug auto lkw bus motorrad wagen transporter
fleisch rindfleisch schweinefleisch huhn speck schinken wurst
obst apfel birne banane orange traube kirsche
gemuese kartoffel zwiebel karotte tomate knoblauch gurke paprika
getraenk bier wein tee kaffee saft milch wasser
nuss erdnuss haselnuss walnuss mandel
alkohol bier wein schnaps sekt
"""

# Each line: words that exclude each other of one thing at one time. A slash parts the sides.
OPPOSITES = """
hot warm / cold cool freezing
big large huge tall / small little tiny short
long / short
old ancient / young new
fast quick / slow
full / empty
wet / dry
clean / dirty
light bright / dark
heavy / light lightweight
rich wealthy / poor
loud noisy / quiet silent
speaking talking singing shouting / silent
moving / immobile motionless
hard / soft
strong / weak
high / low
early / late
cheap inexpensive / expensive costly
easy simple / difficult hard complicated
happy glad cheerful / sad unhappy
good / bad
right correct / wrong incorrect false
safe / dangerous unsafe
inside indoors / outside outdoors
alive / dead
awake / asleep sleeping
present / absent
open / closed shut
opening / closing
locked / unlocked
available / unavailable
possible / impossible
visible / invisible
legal / illegal
public / private
mandatory compulsory / optional voluntary
satisfied content happy / dissatisfied unsatisfied unhappy
like love enjoy likes loves enjoys / hate dislike hates dislikes
accept accepts accepted / reject rejects rejected refuse refuses refused
agree agrees agreed / disagree disagrees disagreed
win wins won winning / lose loses lost losing
buy buys bought buying / sell sells sold selling
arrive arrives arrived arriving / depart departs departed leaving
start starts started starting begin begins / stop stops stopped stopping end ends
increase increases increased rising / decrease decreases decreased falling
allow allows allowed allowing permit / forbid forbids forbidden prohibit prohibited
remember remembers remembered / forget forgets forgot forgotten
succeed succeeded succeeds / fail failed fails
enable enables enabled / disable disables disabled
put-on wearing / taking-off
cleaning washing / dirtying soiling
filling / emptying
lifting raising picking-up / lowering dropping putting-down
pushing / pulling
ascending climbing-up / descending climbing-down
oldest eldest / youngest newest
first / last
biggest largest tallest / smallest shortest
morning / evening
day daytime / night
vegetarian vegan / carnivore
married / single unmarried divorced
employed / unemployed
male / female
upstairs / downstairs
front / back rear
northern / southern
eastern / western
heiss warm / kalt kuehl eiskalt
gross riesig hoch / klein winzig niedrig
lang / kurz
alt / jung neu
schnell / langsam
voll / leer
nass feucht / trocken
sauber / schmutzig dreckig
hell / dunkel
schwer / leicht
reich / arm
laut / leise still ruhig
hart / weich
stark / schwach
frueh / spaet
billig guenstig preiswert / teuer
einfach leicht / schwierig kompliziert schwer
gluecklich froh / traurig ungluecklich
gut / schlecht
richtig korrekt / falsch
sicher / gefaehrlich unsicher
drinnen / draussen
lebendig / tot
wach / schlafend
anwesend / abwesend
offen geoeffnet / geschlossen zu
moeglich / unmoeglich
sichtbar / unsichtbar
erlaubt gestattet / verboten untersagt
oeffentlich / privat geheim
freiwillig / verpflichtend pflicht
zufrieden / unzufrieden
mag liebt moegen lieben / hasst hassen verabscheut
akzeptiert angenommen / abgelehnt verweigert
gewonnen gewinnt / verloren verliert
kauft gekauft / verkauft
steigt gestiegen / sinkt gesunken faellt
beginnt / endet
aelteste aeltester / juengste juengster
erste erster / letzte letzter
groesste groesster / kleinste kleinster
morgens / abends
tagsueber / nachts
vegetarier vegetarierin veganer veganerin / fleischesser
verheiratet / ledig geschieden
rechts / links
oben / unten
vorne / hinten
gesund / krank
"""

COLOURS = word_set(
    "red blue green yellow black white brown grey gray pink purple orange violet "
    "turquoise beige rot blau gruen gelb schwarz weiss braun grau rosa lila tuerkis "
    "silber silbern"
)

FREQUENCIES = word_set(
    "hourly daily weekly biweekly fortnightly monthly quarterly yearly annually stuendlich "
    "taeglich woechentlich monatlich quartalsweise jaehrlich"
)

# Third person and participle of German strong verbs, by their infinitive's stem.
IRREGULAR = {
    form: base
    for base, forms in {
        "sprech": "spricht sprichst gesprochen sprach",
        "ess": "isst gegessen ass",
        "fahr": "faehrt faehrst gefahren fuhr",
        "lauf": "laeuft gelaufen lief",
        "schlaf": "schlaeft geschlafen schlief",
        "trag": "traegt getragen trug",
        "halt": "haelt gehalten hielt",
        "nehm": "nimmt genommen nahm",
        "les": "liest gelesen las",
        "seh": "sieht gesehen sah",
        "treff": "trifft getroffen traf",
        "helf": "hilft geholfen half",
        "wiss": "weiss gewusst wusste",
        "duerf": "darf duerfen durfte darfst",
        "koenn": "kann koennen konnte kannst koennt",
        "moeg": "mag moegen mochte magst",
        "muess": "muss muessen musste",
        "geh": "geht gehen gegangen ging",
        "trink": "trinkt trinken getrunken trank",
        "steh": "steht stehen gestanden stand",
        "lieg": "liegt liegen gelegen lag lagen",
        "heiss": "heisst heissen hiess geheissen",
        "leit": "leitet leiten geleitet leitete",
        "arbeit": "arbeitet arbeiten gearbeitet arbeitete",
        "speak": "speaks spoke spoken speaking",
        "eat": "eats ate eaten eating",
        "drive": "drives drove driven driving",
        "drink": "drinks drank drunk drinking",
        "know": "knows knew known",
        "take": "takes took taken taking",
        "give": "gives gave given giving",
        "write": "writes wrote written writing",
        "run": "runs ran running",
        "ride": "rides rode ridden riding",
        "sing": "sings sang sung singing",
        "man": "men",
        "woman": "women",
        "child": "children",
        "person": "persons people",
        "lie": "lying lies",
    }.items()
    for form in forms.split()
}
