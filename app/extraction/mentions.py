"""Names in a text, found by their shape and by the words beside them (seed 003's entity rules)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Protocol

from app.extraction.data import words
from app.extraction.model import Mention, Span
from app.extraction.openings import (
    ASKED,
    NAMES_TOO,
    asks,
    begins_sentence,
    beside_adjective,
    has_noun_behind,
    is_closed,
    is_first_name,
    is_german_name,
    is_known_name,
    is_mass,
    is_place,
    leaves_first,
    opens,
    orders,
    speaks_to,
    written,
)
from app.extraction.segment import VOWELLESS
from app.extraction.verbs import readings
from app.values.places import spots

NAME = r"[A-ZÄÖÜ][\w'’]*(?:[-&.+][A-Za-zÄÖÜäöü0-9][\w'’]*)*"
# What is shortened belongs to the name that it stands before: St. Gallen, J. K. Rowling.
SHORT = rf"(?:(?<![\w.])(?:{VOWELLESS}|[A-ZÄÖÜ])\.\s?(?:[A-ZÄÖÜ]\.\s?)*(?={NAME}))?"
WORD = rf"{SHORT}{NAME}"
RUN = re.compile(
    rf"{WORD}(?:\s(?:(?:of|de|van|la|le|du|da|del|&)\s)?(?:{WORD}|\d{{1,4}}(?!\d|[.,]\d)))*"
)
RUN_DE = re.compile(rf"{WORD}(?:\s(?:(?:of|&)\s)?(?:{WORD}|\d{{1,4}}(?!\d|[.,]\d)))*")
# A letter after such a word counts something and begins no name: plan B. Tom …
COUNTED = re.compile(
    r"(?i)\b(?:plan|option|type|class|group|vitamin|version|phase|part|level|grade|section|teil|"
    r"gruppe|typ|klasse|stufe|variante)\s$"
)
# I, I'll and don't are no names, and what stands before and behind them is not one name.
SPEECH = re.compile(r"(?:^|\s)(?:I(?:['’]\w+)?|\w+(?:n['’]t|['’](?:ll|ve|re|m|d)))(?=\s|$)")
OWNING = re.compile(r"['’]s\s")
COMMON_HEAD = re.compile(
    r"(?:erin|torin|istin|ntin|leiter|leiterin|chef|tool|team|projekt|pipeline|modul|prüfer|"
    r"berater|"
    r"bibliothek|gruppe|firma|unternehmen|stadt|kollege|kollegin|freund|maintainer|manager|tests?|"
    r"kontext|paper|kapitel|version|release|modell|repository|plattform|framework)$"
)
TITLED = re.compile(
    rf"\b(?:Herrn?|Frau|Mr|Mrs|Ms|Dr|Prof(?:essor(?:in)?)?)\.?\s(?:(?:Dr|"
    rf"Prof)\.\s)?(?P<name>{WORD}(?:\s{WORD}){{0,2}})"
)
CUES: tuple[tuple[str, str], ...] = (
    ("person", r"(?:client|user|partner|colleague|boss|contact|customer|manager|coordinator|"
     r"maintainer|"
     r"author|editor|professor|director|CEO|CFO|CTO|friend|brother|sister|wife|husband|Kunde|"
     r"Kundin|"
     r"Partnerin|Kollege|Kollegin|Chef|Chefin|Freund|Freundin|Bruder|Schwester|Leiter|Leiterin|"
     r"Ansprechpartnerin|Ansprechpartner|Managerin|Koordinatorin|Maintainer|Autorin|Autor)"),
    ("organization", r"(?:company|firm|agency|startup|vendor|supplier|Firma|Unternehmen|"
     r"Organisation|"
     r"Agentur|Lieferant|Verein|Bank)"),
    ("project", r"(?:project|Projekt|Projekts|Projektes|pipeline|Pipeline|repository|Repository|"
     r"module|Modul)"),
    ("place", r"(?:city|town|village|district|region|Stadt|Dorf|Distrikt|Region|Ort|"
     r"Gemeinde)(?:\sof|\svon)?"),
)  # fmt: skip
CUED = tuple(
    (
        kind,
        re.compile(
            rf"\b{cue}\s(?:[\"“„'](?P<quoted>[^\"”“'\n]{{2,60}})[\"”“']|"
            rf"(?P<name>{WORD}(?:\s{WORD}){{0,3}}))"
        ),
    )
    for kind, cue in CUES
)
PLACED = re.compile(
    r"\b(?:based|located|live[sd]?|living|born|headquartered|office|offices|moved|move|arrived|"
    r"grew up|"
    r"wohn\w*|leb\w*|geboren|ansässig|Sitz|Büro|umgezogen|gezogen)\s(?:is\s|are\s|ist\s|sind\s)?"
    rf"(?:in|to|from|nach|aus|von)\s(?P<name>{WORD}(?:\s{WORD})?)"
)
TOOLED = re.compile(
    r"(?i:\b(?:uses?|using|requires?|chose|switched to|migrated to|runs on|built (?:with|on)|"
    r"powered by|"
    r"written in|nutz(?:e|t|en)|verwende[nt]?|brauch(?:e|t|en)|setzt auf|läuft auf|based on))\s"
    rf"(?P<name>{WORD}(?:\s{WORD})?)"
)
DOMAIN = re.compile(
    r"(?<![\w@./-])(?P<name>[a-z0-9][a-z0-9-]{1,40}\.(?:com|org|net|io|ch|de|at|fr|it|co|ai|app|"
    r"cloud))"
    r"(?![\w./-])"
)
MADE = re.compile(
    r"\b(?:GmbH|AG|SE|KG|OHG|UG|Inc|LLC|Ltd|Corp|Corporation|Company|Bank|University|Universität|"
    r"Institute|Institut|Foundation|Stiftung|Verlag|Press|Studios?|Labs?|Group|Gruppe|Partners|"
    r"Association|Agency|Hospital|Klinik|Ministry|School|College|Werke?|Brewery|Brauerei|Orchard|"
    r"Cooperative|Network|Council|Society|Farms?|Holding|Industries|Technologies|Solutions|"
    r"Consulting|Records|Museum|Library|Church|Garden|Committee|Commission|Team|Club|Party|"
    r"Collective|Circle|Office|Department|Extension|Clinic|Center|Centre|Union|Trust|Fund)\.?$"
)
# After such a word there is no doubt that a name went before, whatever noun it looks like.
LEGAL = re.compile(r"\s(?:GmbH|AG|SE|KG|OHG|UG|Inc|LLC|Ltd)\.?$")
GEOGRAPHIC = re.compile(
    r"\b(?:River|Lake|Mount|Mountains?|Island|Islands|County|City|Street|Valley|Bay|Sea|Ocean|"
    r"Province|State|District|Straße|See|Fluss|Insel|Berg|Tal|Park)$"
)
# Sites that everybody links to; the name of one says nothing of who a text is about.
NO_SITE = frozenset(
    ["anthropic", "docker", "github", "google", "huggingface", "nodejs", "npmjs", "openai"]
)
SENTENCE_START = re.compile(r"(?:^|[.!?:;…\n]|[-*•]\s|[\"“„(])\s*$")
PIECE = re.compile(r"[\w-]+")
MOST_ALIKE = 50  # names that begin alike and are looked for again
COUNTED_BEFORE = 12  # characters, more than the longest of COUNTED
SUFFIXES_DE = re.compile(
    r"(?:ungs?|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|nis|nisse|tät|täten|ment|"
    r"mente|ismus|ling|linge|chen|lein|tum|ieren|anz|enz|ierung|erei|ität|plan|bericht|daten|"
    r"arbeit|"
    r"system|projekt|prozess|werk|zeit|woche|monat|jahr|tag|liste|buch|stück|punkt|seite|weise)$"
)


class Recogniser(Protocol):
    """Finds names; a statistical one may stand beside the rules."""

    def mentions(self, text: str, language: str) -> list[Mention]:
        """The names in the text, in order."""
        ...


class Rules:
    """The recogniser that needs no model."""

    def mentions(self, text: str, language: str) -> list[Mention]:
        """Names with a cue first, then capitalised runs; of overlapping ones the first counts."""
        found = [*_cued(text, language)]
        runs = _runs_en(text) if language == "en" else _runs_de(text)
        kinds: dict[str, str] = {}
        for mention in found:
            kinds.setdefault(mention.name, mention.type)
        return without_overlap([*found, *(_typed(m, kinds) for m in runs)])


def without_overlap(found: Iterable[Mention]) -> list[Mention]:
    """The mentions in order of place; what overlaps an earlier one of the list is left out."""
    kept: list[Mention] = []  # in order of place, none over another
    for mention in found:
        at = bisect_left(kept, mention.span.end, key=lambda m: m.span.start)
        if not at or kept[at - 1].span.end <= mention.span.start:
            kept.insert(at, mention)
    return kept


def _typed(mention: Mention, kinds: dict[str, str]) -> Mention:
    """The same name has one type in one text."""
    if mention.type != "unknown":
        return mention
    return Mention(mention.name, kinds.get(mention.name, "unknown"), mention.span)


def _cued(text: str, language: str) -> Iterator[Mention]:
    yield from (_mention(m, "person", language) for m in TITLED.finditer(text))
    for kind, pattern in CUED:
        for found in pattern.finditer(text):
            group = "quoted" if found["quoted"] else "name"
            if LEGAL.search(found[group]):  # a customer may be a firm
                yield _mention(found, "organization", language, group)
            elif group == "quoted" or _is_name(found[group], language):
                yield _mention(found, kind, language, group)
    for kind, pattern in (("place", PLACED), ("technology", TOOLED)):
        for found in pattern.finditer(text):
            if _is_name(found["name"], language):
                yield _mention(found, kind, language)
    for found in DOMAIN.finditer(text):
        if found["name"].rsplit(".", 1)[0] not in NO_SITE:
            yield _mention(found, "organization", language)


def _mention(found: re.Match[str], kind: str, language: str, group: str = "name") -> Mention:
    name, start = found[group], found.start(group)
    name = _trimmed(name)
    return Mention(name, kind, Span(start, start + len(name)))


def _trimmed(name: str) -> str:
    """Without a possessive and the stop of the sentence."""
    return LINK_AT_END.sub("", OWNERS_AT_END.sub("", name.rstrip(".,;:")))


OWNERS_AT_END = re.compile(r"['’]s?$")
LINK_AT_END = re.compile(r"\s(?:of|de|von|van|der|den|la|le|du|da|del|and|&)$")


def _is_name(name: str, language: str) -> bool:
    if len(name) < 2 or name.lower() in words("names", "none"):
        return False
    return language == "en" or SUFFIXES_DE.search(name.split()[-1].lower()) is None


def _runs_en(text: str) -> Iterator[Mention]:
    """Capitalised runs; at the start of a sentence a lone word must not be a common one."""
    for found in RUN.finditer(text):
        for run, at in _spoken_parts(*_counted(found[0], found.start(), text)):
            for name, start in _owned_parts(run, at):
                yield from _run_en(name, start, text)


def _counted(name: str, start: int, text: str) -> tuple[str, int]:
    """Without a letter that belongs to the word before."""
    letter = LETTER.match(name) if name[1:2] == "." else None
    if letter is None or COUNTED.search(text, max(0, start - COUNTED_BEFORE), start) is None:
        return name, start
    return name[letter.end() :], start + letter.end()


LETTER = re.compile(r"[A-ZÄÖÜ]\.\s?")


def _spoken_parts(name: str, start: int) -> Iterator[tuple[str, int]]:
    """What stands before, between and behind words such as I and don't, and a new sentence."""
    at = 0
    spoken = SPEECH.finditer(name) if any(sign in name for sign in "I'’") else ()
    cuts = [*spoken, *_sentences(name)]
    for cut in sorted(cuts, key=lambda found: found.start()):
        yield name[at : cut.start()], start + at
        at = cut.end() + 1
    if at < len(name):
        yield name[at:], start + at


def _sentences(name: str) -> list[re.Match[str]]:
    """Where a stop in a run ends a sentence: a word follows that begins one."""
    if "." not in name:
        return []
    openers = words("names", "openers")
    return [m for m in AFTER_STOP.finditer(name) if m["word"].lower() in openers]


AFTER_STOP = re.compile(r"\.\s(?P<word>\w+)")


def _owned_parts(name: str, start: int) -> Iterator[tuple[str, int]]:
    """`Bramble's Native Species` are two names."""
    at = 0
    for cut in OWNING.finditer(name) if "s " in name else ():
        yield name[at : cut.start()], start + at
        at = cut.end()
    yield name[at:], start + at


def _run_en(name: str, start: int, text: str) -> Iterator[Mention]:
    name, start = _without_openers(name, start, text)
    name, start = _without_opening(name, start, text, "en")
    name = _trimmed(name)
    if name and name[0].isupper() and _plausible(name, text, start):
        yield Mention(name, _type_of(name, text, start), Span(start, start + len(name)))


def _without_opening(name: str, start: int, text: str, language: str) -> tuple[str, int]:
    """Without the word that has a capital because it begins the sentence (`Call Anna Berg`, `Maybe
    Nora`, `Arbeitet Dirk hier?`, `Bye Jon!`)."""
    head, space, rest = name.partition(" ")
    if not space or not rest[0].isupper() or not begins_sentence(text, start):
        return name, start
    if not head.isalpha() or (_is_made(rest) and not is_closed(head.lower(), language)):
        return name, start
    if opens(head, rest, text, start + len(name), language):
        return rest, start + len(head) + 1
    return name, start


def _is_made(name: str) -> bool:
    """Whether a word of what the name is of ends it, so that all of it is likely one name."""
    return MADE.search(name) is not None or GEOGRAPHIC.search(name) is not None


def _without_openers(name: str, start: int, text: str) -> tuple[str, int]:
    openers = words("names", "openers")
    first, second, *_ = [*name.split(" ", 2), ""]
    if second and is_place(first, second):  # New York
        return name, start
    at, last = 0, ""
    while at < len(name):
        end = name.find(" ", at)
        head = name[at : end if end >= 0 else len(name)].lower()
        if head not in openers and re.sub(r"['’]\w*$", "", head) not in openers:
            break
        behind = name[at + len(head) + 1 : at + len(head) + 2]
        if head in NAMES_TOO and _is_called(last, behind, text, start + len(name)):
            break
        at, last = at + len(head) + 1, head
    return name[at:], start + at


def _is_called(last: str, behind: str, text: str, end: int) -> bool:
    """Whether such a word is a name here: it follows such a verb (`Could May swap?`), or a surname
    follows it and nobody is asked (`Will Holt said`). `behind` is the next letter of the run that
    ends at `end`."""
    if not behind:
        return last in words("sets", "modals")
    if last or not behind.isalpha() or ASKED.match(text, end):
        return False
    verb = VERB_NEXT.match(text, end)
    return verb is None or not orders(verb[1], "en")


VERB_NEXT = re.compile(r"\s([a-z]+)\b")


def _plausible(name: str, text: str, start: int) -> bool:
    lowered = name.lower()
    if len(name) < 2 or lowered in words("names", "none") or name.isdigit():
        return False
    if " " in name or not begins_sentence(text, start):
        return True
    end = start + len(name)
    if lowered in written(text):
        return False
    if is_first_name(name, "en"):
        if is_mass(lowered, "en"):  # Faith, Hope
            return PERSON_TELLS.match(text, end) is not None
        return TELLS.match(text, end) is not None or _does(text, end)
    if lowered.endswith(("ing", "ly")) or is_closed(lowered, "en") or is_mass(lowered, "en"):
        return False
    if orders(lowered, "en") and not _does(text, end, known=True):  # Buy stamps
        return False
    return TELLS.match(text, end) is not None


def _does(text: str, end: int, *, known: bool = False) -> bool:
    """Whether a verb follows of which the word before can be the subject, or who is named is
    spoken to: `Mark still owes`, `Drew, can you`. `known`: a verb that is listed."""
    if text.startswith(",", end):
        return True
    found = DOES.match(text, end)
    if found is None:
        return False
    word = found["verb"]
    if word in words("sets", "aux_en") | words("sets", "modals"):
        return True
    listed = any(f.lemma != word for f in readings(word, "en"))
    return listed or (not known and VERB_EN.search(word) is not None)


PERSON_TELLS = re.compile(r"\sand\s[A-Z]|\s(?:said|says|told|asked|called|thinks|wants|and I)\b")
VERB_EN = re.compile(r"(?:ed|[^s]s)$")
DOES = re.compile(
    r"\s(?:(?:still|always|never|just|also|already|even|once|often|only|now|[a-z]{3,20}ly)\s)?"
    r"(?P<verb>[a-z]+)(?:n['’]t)?\b"
)
TELLS = re.compile(
    r"['’]s\b|\s[a-z]+(?:ed|s)\b|\s(?:is|was|has|had|and|who|will|told|said|made|gave)\b|"
    r",\s(?:the|an?|my|our|his|her|their|who|whose|[A-Z]\w+\sand)\b"
)


def _type_of(name: str, text: str, start: int) -> str:
    """What the shape of the name or the word before it tells."""
    if MADE.search(name) and " " in name:
        return "organization"
    if GEOGRAPHIC.search(name) and " " in name:
        return "place"
    before = text[max(0, start - 16) : start]
    if re.search(r"\b(?:from|aus|nach|near)\s$", before):
        return "place"
    after = text[start + len(name) : start + len(name) + 24]
    if SPOKEN.match(after):
        return "person"
    if re.fullmatch(r"[A-ZÄÖÜ][a-zäöüß'’]+(?:[- ][A-ZÄÖÜ][a-zäöüß'’]+)", name) and " " in name:
        return "person" if not re.search(r"\b(?:the|der|die|das)\s$", before) else "unknown"
    return "unknown"


SPOKEN = re.compile(
    r"(?:['’]s\s(?:daily|brother|sister|wife|husband|mother|father|son|daughter|birthday|desk)|"
    r"\s(?:said|says|asked|told|thinks|wrote|writes|promised|walked|pulled|helped|mentioned|"
    r"prefers|"
    r"likes|lives|works|worked|spent|wants|wanted|decided|noticed|hat|sagte|meinte|schrieb|fragte|"
    r"arbeitet|wohnt|möchte|bevorzugt|nahm|verbrachte|erwähnte|half|schloss|und der Benutzer|"
    r"and the user)\b)"
)
NOUN_DE = re.compile(
    r"(?i)\b(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|kein\w*|mein\w*|dein\w*|"
    r"sein\w*|"
    r"ihr\w*|unser\w*|dies\w*|jed\w*|zum|zur|beim|im|am|vom|ins|ans|alle[nrms]?|viele[nrms]?|"
    r"einige[nrms]?|mehrere[nrms]?|zwei|drei|vier|fünf|sechs|keine[nrms]?|\d+|[a-zäöüß]+(?:e|en|"
    r"er|es|em|te|ten))\s$"
)


BARE_DE = re.compile(
    r"\b(?:von|mit|für|bei|an|in|nach|aus|und|mir|ihm|ihr|dass|hat|wie|durch|über)\s$"
)


def _runs_de(text: str) -> Iterator[Mention]:
    """German capitalises every noun: a name is a run of two, or one that no article goes with.
    A name found at one place is one wherever the text has it."""
    found = list(_surely_de(text))
    yield from found
    kinds = {m.name: m.type for m in found if " " not in m.name}
    places = _places(text, kinds)
    for name, kind in kinds.items():
        yield from (Mention(name, kind, Span(at, at + len(name))) for at in places[name])


def _places(text: str, names: Iterable[str]) -> dict[str, list[int]]:
    """Where names stand for themselves, with a genitive s or without: one pass for all."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if first := PIECE.match(name):
            alike[first[0]].append(name)
    found: dict[str, list[int]] = defaultdict(list)
    for piece in PIECE.finditer(text):
        at = piece.start()
        for start in {piece[0], piece[0].removesuffix("s")}:
            for name in alike.get(start, ())[:MOST_ALIKE]:
                if text.startswith(name, at) and ENDS.match(text, at + len(name)):
                    found[name].append(at)
    return found


ENDS = re.compile(r"s?(?![\w-])")


def _surely_de(text: str) -> Iterator[Mention]:
    for found in RUN_DE.finditer(text):
        run, at = next(_spoken_parts(*_counted(found[0], found.start(), text)), ("", 0))
        name, start = _without_opening(*_without_openers(run, at, text), text, "de")
        before = text[at:start].lower().split()[-1:]
        name, start = _without_common_head(name, start)
        name = _without_noun(_genitive(_trimmed(name), text), text, start)
        if not name or not name[0].isupper():
            continue
        if _german_name(name, text, start) or (
            before and _after_opening(before[0], name, text, start)
        ):
            yield Mention(name, _type_of(name, text, start), Span(start, start + len(name)))


def _after_opening(opening: str, name: str, text: str, start: int) -> bool:
    """Whether one word is a name behind the word that begins the sentence: in a question nothing
    else follows the verb without an article (`Hat Karl angerufen?`); behind an adverb it has the
    place of a first word (`Ausgerechnet Karl hat`)."""
    end = start + len(name)
    if not _may_be_german(name):
        return False
    if asks(opening) and ASKED.match(text, end):
        return True
    if speaks_to(opening, text, end):
        return True
    return leaves_first(opening) and is_german_name(name, text, start)


def _without_common_head(name: str, start: int) -> tuple[str, int]:
    """`Wirtschaftsprüferin Bek Halloran` is Bek Halloran."""
    head, space, rest = name.partition(" ")
    if space and (COMMON_HEAD.search(head.lower()) or head.lower() in words("nouns", "jobs_de")):
        return rest, start + len(head) + 1
    return name, start


def _without_noun(name: str, text: str, start: int) -> str:
    """`Sag Karl Bescheid` names Karl: behind a verb a noun without an article is none of his name,
    while `mit Karl Obst` has his surname."""
    first, space, rest = name.partition(" ")
    if not space or not has_noun_behind(first, rest):
        return name
    ahead = text[max(0, start - LONGEST_VERB) : start].lower().split()[-1:]
    return first if ahead and (orders(ahead[0], "de") or readings(ahead[0], "de")) else name


LONGEST_VERB = 30  # characters, of a word before a name


def _genitive(name: str, text: str) -> str:
    """`Saelas Stimme` names Saela; `Saelas` alone does where the text has the name without s."""
    head, space, rest = name.partition(" ")
    stem = head[:-1]
    if not head.endswith("s") or head.endswith(("ss", "us", "is")) or len(stem) < 3:
        return name
    if stem in written(text):
        return stem
    alone = " " not in rest and not rest.endswith("s") and (bool(SUFFIXES_DE.search(rest.lower())))
    return stem if space and alone else name


def _may_be_german(name: str) -> bool:
    """Whether one word has no shape of a common noun, or is a name for sure."""
    lowered = name.lower()
    if is_mass(lowered, "de"):
        return False
    listed = is_known_name(name, "de") or (lowered.endswith("chen") and spots(name))
    if listed and lowered not in words("names", "none"):
        return True
    if lowered in words("names", "none") or SUFFIXES_DE.search(lowered.split()[-1]):
        return False
    return not (COMMON_HEAD.search(lowered) or _german_compound(name))


def _german_name(name: str, text: str, start: int) -> bool:
    if LEGAL.search(name):
        return True
    parts = name.split()
    if len(parts) > 1 and SUFFIXES_DE.search(parts[-1].lower()):
        return False
    if len(parts) > 1 and not all(p.isdigit() for p in parts[1:]):
        return not any(
            SUFFIXES_DE.search(p.lower()) or COMMON_HEAD.search(p.lower()) for p in parts
        )
    if not _may_be_german(name):
        return False
    before = text[max(0, start - 24) : start]
    if SENTENCE_START.search(before):
        return is_german_name(name, text, start)
    if is_known_name(name, "de") and not beside_adjective(before):
        return True
    if NOUN_DE.search(before) and not before.rstrip().endswith(("von", "mit", "für", "bei", "an")):
        return any(c.isupper() for c in name[1:]) or any(c.isdigit() for c in name)
    return BARE_DE.search(before) is not None


def _german_compound(name: str) -> bool:
    """`Aerwyn-Zyklus`: a name that only qualifies a noun."""
    head, hyphen, last = name.rpartition("-")
    return (
        bool(hyphen)
        and last[:1].isupper()
        and (last.lower() == last[0].lower() + last[1:])
        and (len(last) > 4 or head.isupper())
    )
