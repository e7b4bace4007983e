"""Which sentences of an agent's answer are worth a note, and of which namespace, by rules. Pure.

English and German. Talk, questions and what the agent says of its next words are none. A cue
decides on the rest: what went wrong or was found out is a learning, where a piece of work stands
its state, how something is done a method; a plain statement is knowledge. The order of these
questions decides where a sentence has cues of several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.conversations.noise import is_useful
from app.extraction.segment import is_code_like, sentences, without_code
from app.notes.model import SHORTEST, Namespace
from app.values.wording import fold

SHORTEST_ANSWER = 50  # characters; a shorter answer is not looked at
LONGEST_TEXT = 8_000  # characters of a note
LONGEST_ANSWER = 20_000  # characters that are looked at
MOST = 24  # notes of one answer
CUES = 600  # characters of a sentence in which cues are looked for
NAMED = 4  # words of a statement about something that it names, at least
OPENING = 60  # characters in which a sentence shows that it is talk
SPACES = (Namespace.KNOWLEDGE, Namespace.METHODS, Namespace.PROJECT_STATE, Namespace.LEARNINGS)


@dataclass(frozen=True, slots=True)
class Sorted:
    """A sentence with the namespace that it belongs to."""

    namespace: Namespace
    text: str


def _words(cues: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_either(cues)})\b")


def _openings(cues: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_either(cues)})(?!\w)")


def _either(cues: str) -> str:
    """Cues as the alternatives of a pattern: a line may end behind any bar."""
    return re.sub(r" \|", "|", re.sub(r"\|\s+", "|", cues.strip()))


# What an agent says of itself and of the talk; matched at the beginning of a folded sentence.
_TALK = _openings(
    r"""
    i am (?:happy|glad|sorry|afraid|not sure|unsure) | i'?m (?:happy|glad|sorry|not sure) |
    i (?:will|would|can|could|shall|may|might|think|guess|hope|understand|see|am going to) |
    i'?(?:ll|d) | let me | let us | let's | here (?:is|are|'s) | here's | as you |
    if you (?:want|like|need|wish|prefer) | please | good (?:question|point|idea) | great | sure |
    of course | certainly | that depends | it depends | feel free | do you | would you | shall i |
    ich (?:kann|koennte|werde|wuerde|schaue|sehe|verstehe|hoffe|denke|glaube|weiss|bin mir|helfe|
    schicke|pruefe|freue|brauche|mache) |
    lass (?:mich|uns) | hier (?:ist|sind|kommt|kommen) | wenn du (?:willst|magst|moechtest) |
    bei bedarf | gerne | gern | klar | natuerlich | sag mir | sagen sie | gib mir | geben sie |
    das freut | freut mich | gute (?:frage|idee) | das kommt darauf an | es kommt darauf an |
    soll ich | moechtest du | viel (?:erfolg|spass|glueck) | melde dich |
    just (?:tell|let|say|ask) | tell me | let me know | no (?:worries|problem) | happy to |
    glad to |
    thanks | thank you | any (?:questions|time) | have a | enjoy | good luck | my pleasure |
    you're welcome | you are welcome | ok(?:ay)? | alright | right | yes | no, | noted |
    i'?m (?:going|not|here|on) | i am (?:going|here|on) | we can | we could | this (?:should|
    helps) |
    moment | einen moment | alles klar | danke | ok | okay | ja | nein | gut | super | prima |
    kein problem | bitte | sehr gerne | ich (?:habe verstanden|sehe|melde|passe|kuemmere|suche|
    lese) |
    wir koennen | wir koennten | lassen sie | sagt? mir | frag | schau(?:en)? wir
    """
)
_LEARNED = _words(
    r"""
    turned out | turns out | lessons? learned | lesson | mistakes? | root cause | in hindsight |
    next time | should have | should not have | shouldn't have | pitfalls? | gotchas? | avoid |
    beware | never | do not ever | failed because | fails because | broke because | broke when |
    breaks when | was caused by | were caused by | is caused by | came from |
    made (?:it|things|\w+ \w+) worse | did not work | didn't work | does not work | doesn't work |
    the (?:cause|reason|problem|culprit|bug|issue) (?:was|were) | we (?:learned|learnt) |
    i (?:learned|learnt) | learnt | stellte sich heraus | stellt sich heraus |
    hat sich herausgestellt | herausgestellt | gelernt | lehre | fehler (?:war|lag|bestand|kam) |
    lag daran | lag an | liegt daran | ursache | grund (?:war|dafuer) | naechste[sn]? mal |
    haetten? .{1,80} sollen | haetten? (?:wir|ich|man) | vermeide | vermeiden | nie | niemals |
    nie wieder | scheiterte | gescheitert | schlug fehl | fehlgeschlagen | nicht funktioniert |
    funktionierte nicht | funktioniert nicht | vorsicht | achtung | stolperfalle |
    the \w+ (?:cause|reason|problem|culprit|bug|issue) (?:was|were) | don't | do not |
    (?:and|,) (?:otherwise|or else) | or else | otherwise it | lost (?:an|a|two|three|many|some|
    all|our) |
    corrupted | crashed | broke | backfired | wasted | too late | by mistake | accidentally |
    (?:should|would|could) have (?:been )?\w+ | nobody had | we had not | unexpectedly |
    surprisingly |
    problem (?:war|lag|bestand) | schuld (?:war|daran|am|an) | (?:wir|ich|man|ihr) haetten? |
    mitgenommen | sonst | andernfalls | versehentlich | aus versehen | abgestuerzt | absturz |
    darf (?:man )?(?:\w+ ){0,6}nicht | nicht noch einmal | zu spaet | unerwartet | ueberraschend
    """
)
_STATE = _words(
    r"""
    currently | at the moment | right now | for now | in progress | work in progress | under way |
    underway | so far | not yet |
    still (?:open|missing|to do|pending|needs?|has|have|waiting|running|in) | is still |
    are still | pending | blocked | on hold | waiting for | done | finished | completed? |
    is ready | are ready | next steps? | remaining | remains? |
    to be (?:done|added|written|fixed|tested|reviewed|merged|deployed|decided) |
    (?:have|has|had|were|was|is|are) (?:now |already |been |just |all |both )*(?:merged|deployed|
    released|added|fixed|implemented|migrated|refactored|removed|updated|converted|moved|shipped|
    closed|started|postponed|delayed|renamed|replaced|tested|rolled out|upgraded|installed|
    resolved|scheduled) |
    i (?:merged|deployed|released|added|fixed|implemented|migrated|refactored|removed|updated|
    moved|created|renamed|replaced) |
    milestone | deadline | we are (?:currently |now |still )?\w{2,40}ing | behind schedule |
    derzeit | zurzeit | zur zeit | aktuell | momentan | im moment | gerade | inzwischen |
    mittlerweile | bisher | bislang | noch nicht | noch (?:offen|aus|zu|immer) | fehlt noch |
    fehlen noch | steht noch | stehen noch | steht (?:\w+ ){1,8}an | stehen (?:\w+ ){1,8}an |
    in arbeit | offen | fertig | erledigt | abgeschlossen | umgesetzt | blockiert | wartet auf |
    warten (?:\w+ ){0,3}auf | als naechstes | naechster schritt | naechste schritte | meilenstein |
    im verzug | verschiebt sich | verschoben |
    ich habe (?:\w+ ){1,12}(?:ergaenzt|behoben|eingebaut|umgesetzt|geaendert|angepasst|erstellt|
    geloescht|entfernt|aktualisiert|zusammengefuehrt|veroeffentlicht|umbenannt|ersetzt|verschoben|
    getestet) |
    (?:ist|sind|wurde|wurden) (?:\w+ ){0,6}(?:uebertragen|behoben|eingebaut|ausgerollt|
    veroeffentlicht|zusammengefuehrt|migriert|umgestellt|geliefert) |
    (?:has|have|had) not \w+ yet | (?:hasn't|haven't) \w+ | yet | by now | are left | remain |
    (?:began|started|ended|finished) (?:last|this|yesterday|today|on) | since (?:yesterday|today|
    monday) |
    (?:last|this|next) (?:week|month|sprint|quarter) | today | tomorrow | yesterday | phase (?:one|
    two|\d) |
    (?:on|by|until|since) (?:monday|tuesday|wednesday|thursday|friday) | \d+ percent (?:done|
    complete) |
    passes all | all tests (?:pass|are) | i(?:'ve| have) \w+ed | i (?:just )?(?:re)?\w+ed (?:the|a|
    an|all|both) |
    we(?:'ve| have) \w+ed | (?:wird|werden|wurde|wurden) [^,;]{0,80}(?:verlegt|verschoben|abgesagt|
    erstellt|gestartet|beendet|geaendert|geprueft|umgezogen|freigegeben|genehmigt|bestaetigt) |
    seit (?:heute|gestern|montag|letzter|dieser|vorgestern) | heute | gestern | morgen frueh |
    (?:diese|naechste|letzte|vorige)[nr]? (?:woche|monat) | prozent (?:durch|fertig|erledigt) |
    (?:ich|wir) habe?n? [^,;]{3,120}(?:ge\w{2,20}(?:t|en)|(?:ver|be|er|ueber|ent)\w{2,20}(?:t|en)|
    \w{2,20}iert) |
    zur (?:unterschrift|pruefung|freigabe|abnahme) | ausstehend | steht aus | stehen aus
    """
)
_STATE_OPENING = _openings(
    r"""
    next, | now, | todo | to do: | status | stand:
    """
)
_METHOD_OPENING = _openings(
    r"""
    use | run | add | set | create | open | click | press | install | start | stop | restart |
    write | check | make sure | ensure | keep | put | call | copy | move | delete | remove |
    replace | rename | split | sort | group | export | import | configure | enable | disable |
    store | save | load | test | measure | prefer | try | wrap | pin | pass | send | wait |
    choose | select | enter | back up | mount | build | deploy | verify | validate | compare |
    log in | sign in | read | clean | rinse | mix | heat | cut | turn | plug | hold |
    to [^,.]{3,120}, \w+ | in order to | first | then | finally | always |
    you (?:can|could|should|may|need to|have to|must) |
    the (?:best|easiest|safest|quickest|fastest) way |
    for \w+(?: [\w'-]+){0,8}, (?:use|run|split|set|add|prefer|choose|call|try|take|keep|write) |
    (?:if|when|whenever|before|after)(?: [\w'-]+){1,16}, (?:use|run|set|add|check|open|restart|
    stop|start|try|call|press|delete|remove|make|wait|take|keep|always) |
    um [^,.]{3,120}zu[^,.]{1,60}, \w+ | am besten | zuerst | zunaechst | danach | anschliessend |
    verwende | benutze | nutze | nimm | fuehre | starte | stoppe | oeffne | klicke | druecke |
    halte | setze | stelle | schreibe | pruefe | lege | lade | loesche | entferne | ersetze |
    kopiere | verschiebe | installiere | aktiviere | deaktiviere | waehle | gib | teile |
    sortiere | sichere | achte darauf | stell sicher | immer | du (?:kannst|musst|solltest) |
    sie (?:koennen|muessen|sollten) | man (?:kann|muss|sollte|nimmt) |
    (?:wenn|falls|sobald|bevor|nachdem)(?: [\w'-]+){1,16}, (?:verwende|benutze|nutze|nimm|fuehre|
    starte|stoppe|oeffne|klicke|druecke|setze|pruefe|lade|loesche|hilft|muss|sollte) |
    take | drop | give | make | find | look | type | pull | push | clone | fetch | commit | apply |
    update | upgrade | schedule | limit | cache | log | define | draw | convert | join | filter |
    cast |
    quote | escape | retry | monitor | document | rotate | separate | combine | mark | tag | begin |
    remember to | go to | a (?:good|quick|safe|simple|better|cheap) way | one way | the way to |
    (?:if|when|whenever|before|after|once|while|unless)[^,.]{3,120}, (?:take|make|keep|give|first|
    then|look|
    find|use|put|save|copy|create|back|enable|disable|you (?:can|should|must|need)) |
    erst [^,.]{3,120}, dann | zum \w{3,40}en \w{2,30} (?:du|sie|man) | trage | fuege | rufe |
    tippe |
    speichere | schalte | ziehe | drehe | binde | baue | notiere | melde dich an | gehe | mische |
    erhitze |
    schneide | ruehre | erstelle | vergleiche | miss | filtere | verbinde | trenne | beginne |
    plane |
    such | suche | schau | achte | denk daran | lass die | mach
    """
)
_METHOD = _words(
    r"""
    indem (?:man|du|sie) | instead of | step by step | (?:can|could) (?:be )?\w+ by \w+ing |
    by \w+ing the | is best done | works best | schritt fuer schritt | laesst sich am besten |
    bevor du | always | immer (?:zuerst|vor|mit) |
    way to \w+ [^,.]{1,80} is to | so that \w+ [^,.]{2,60} (?:keep|stay|remain|can) | am besten |
    \w{3,30}st du | empfiehlt sich | empfehlenswert
    """
)
# What makes a plain statement: a verb that tells how something is. Behind the other cues.
_STATES = _words(
    r"""
    is | are | was | were | has | have | had | runs? | uses? | prefers? | likes? | wants? |
    needs? | requires? | belongs? | costs? | contains? | lives? | works? | supports? | means? |
    stores? | returns? | expects? | provides? | holds? | lies? | stands? | starts? | ends? |
    opens? | closes? | consists? | depends? | allows? | owns? | manages? | reports? | speaks? |
    ist | sind | war | waren | hat | haben | hatte | hatten | laeuft | laufen | nutzt | nutzen |
    verwendet | verwenden | bevorzugt | bevorzugen | mag | moechte | will | braucht | brauchen |
    benoetigt | gehoert | gehoeren | kostet | kosten | enthaelt | enthalten | wohnt | arbeitet |
    arbeiten | unterstuetzt | bedeutet | heisst | speichert | liefert | liefern | erwartet |
    besteht | betraegt | liegt | liegen | steht | stehen | gilt | gelten | beginnt | endet |
    oeffnet | schliesst | leitet | spricht | beschaeftigt | verwaltet | besitzt
    """
)

# What a sentence opens with that names nothing by itself, and who speaks or is spoken to.
_UNNAMED = _openings(
    r"""
    it | this | that | these | those | there | he | she | they | so | also | and | but | or | das |
    dies | diese[rs]? | es | er | sie | da | dort | und | aber | oder | auch
    """
)
_SPEAKERS = _words(
    "i | me | we | us | you | ich | mir | mich | wir | uns | du | dir | dich | ihr | euch"
)
_NAME = re.compile(r"\s[^\W\d_a-zäöüß][^\W\d_]|\d")


def sorted_out(answer: str) -> list[Sorted]:
    """Return the sentences of an answer that are worth a note, in order, each once.

    Nothing of an answer that is too short, and at most `MOST`; code and tables are left out.
    """
    found: dict[str, Sorted] = {}
    for text in statements(answer):
        namespace = namespace_of(text)
        if namespace is not None and len(found) < MOST:
            found.setdefault(fold(text), Sorted(namespace, text))
    return list(found.values())


def statements(answer: str) -> Iterator[str]:
    """Yield the sentences of an answer that state something, as they may be a note's text."""
    if len(answer.strip()) < SHORTEST_ANSWER:
        return
    plain = without_code(answer[:LONGEST_ANSWER])
    for span in sentences(plain):
        text = " ".join(plain[span.start : span.end].replace("**", "").split())
        if SHORTEST <= len(text) <= LONGEST_TEXT and _is_statement(text):
            yield text


def namespace_of(sentence: str) -> Namespace | None:
    """Return the namespace of a sentence; None where it is talk, or tells nothing to be kept."""
    if not _is_statement(sentence):
        return None
    said = fold(sentence[:CUES])
    if _LEARNED.search(said):
        return Namespace.LEARNINGS
    if _METHOD_OPENING.match(said) and not _STATE_OPENING.match(said):
        return Namespace.METHODS
    if _STATE_OPENING.match(said) or _STATE.search(said):
        return Namespace.PROJECT_STATE
    if _METHOD.search(said):
        return Namespace.METHODS
    return Namespace.KNOWLEDGE if _tells(sentence, said) else None


def _tells(sentence: str, said: str) -> bool:
    """Whether a sentence tells how something is: with a verb that says so, or of something that
    it names, and by nobody who speaks."""
    if _STATES.search(said):
        return True
    if _UNNAMED.match(said) or _SPEAKERS.search(said):
        return False
    return len(said.split(None, NAMED)) >= NAMED and _NAME.search(sentence[:CUES]) is not None


def _is_statement(sentence: str) -> bool:
    """Whether a sentence is neither a question nor talk, an introduction, or code."""
    if sentence.endswith(("?", ":")) or len(sentence.split(None, 3)) < 3:
        return False
    if _TALK.match(fold(sentence[:OPENING])):
        return False
    return is_useful(sentence).keep and not is_code_like(sentence)
