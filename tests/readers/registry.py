"""Every pure reader that sees what a user wrote, by a name."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

from app.consolidation.guards import Answer, Remembered, remembered
from app.consolidation.window import Window, Wording, question
from app.contradiction.compare import compare
from app.contradiction.reading import read as read_sentence
from app.contradiction.repetition import adds_nothing, says_the_same
from app.contradiction.twins import are_twins
from app.contradiction.within import says_within
from app.documents.chunking import cut
from app.documents.cleaning import clean_title
from app.documents.flow import tidy
from app.documents.markup import front_matter, parse_html, parse_markdown
from app.documents.model import Chunking
from app.documents.wrapping import unwrapped
from app.entities.model import Context
from app.entities.names import name_keys
from app.entities.names import words as words_of_names
from app.entities.resolve import resolve
from app.errors import LociError
from app.extraction.clauses import Sentence
from app.extraction.extract import extract
from app.extraction.language import language_of
from app.extraction.mentions import Rules
from app.extraction.model import Mention, Span, Utterance
from app.extraction.others import voices
from app.extraction.phrases import Reader as NounReader
from app.extraction.predicates import standard
from app.extraction.rules.roles import role_key
from app.extraction.segment import sentences, without_code
from app.extraction.typed import typed
from app.facts.dated import begun_at, lies_before
from app.facts.forms import first_word, indefinite
from app.facts.later import changing, held_words
from app.facts.later import read as read_later
from app.facts.sentences import around, spoken
from app.indexing.analysis import analyse, detect_language, query_terms, telling_terms
from app.indexing.dates import date_terms
from app.llm.wording import CURRENT
from app.pages import front_matter as pages_front
from app.pages import naming
from app.pages.diff import unified
from app.pages.excerpt import around_link, excerpt
from app.pages.mentions import find
from app.pages.prose import plain
from app.pages.rewriting import edited
from app.pages.wikilink import links
from app.portability.foreign.okf import marked, unmarked
from app.portability.foreign.stream import pieces as pieces_of
from app.portability.foreign.values import labels, moment, short, tagged
from app.rag.pieces import pieces
from app.retrieval.asking import covered
from app.retrieval.names import opening_keys, phrases, title_keys, words, written
from app.sanitize.counts import counted
from app.sanitize.disguise import meant
from app.sanitize.encoded import decoded
from app.sanitize.fold import fold
from app.sanitize.hidden import hidden, shown
from app.sanitize.markers import find_markers
from app.sanitize.normalise import normalise, visible
from app.sanitize.pii import find_pii
from app.sanitize.policy import SanitizePolicy
from app.sanitize.step import sanitize
from app.search.amounts import amounts
from app.search.at_hand import judged
from app.search.classes import query_class
from app.search.latest import asks_of_the_past
from app.search.people import people_in
from app.search.restating import restated
from app.skills.category import inferred
from app.skills.finding import words_held
from app.skills.knowledge import whole_name
from app.skills.learned import structure
from app.skills.links import candidate_names
from app.skills.versioning import slug_of
from app.values.parse import parse_value
from tests.readers.newer import NEWER

AT = datetime(2026, 5, 14, tzinfo=UTC)
PII = frozenset(
    [
        "email",
        "phone",
        "iban",
        "card",
        "national_id",
        "ip",
        "secret",
        "birth_date",
        "address",
        "passport",
        "health",
    ]
)
LIMIT = 16_000_000  # characters that readers of files take
Reader = Callable[[str], Any]


def _settled(reader: Reader) -> Reader:
    """A reader that may refuse a text."""

    def read(text: str) -> Any:
        with suppress(LociError):
            return reader(text)
        return None

    return read


def _entities(text: str) -> Any:
    """The entities of a text in which every eighth word is a name, and a part of a longer one."""
    mentions = []
    for place, word in enumerate(text.split()[::8]):
        span = Span(2 * place, 2 * place + 1)
        mentions.append(Mention(f"{word} {place}", "person", span))
        mentions.append(Mention(word, "unknown", span))
    return resolve(mentions, "t", Context(AT))


def _window(*texts: str) -> Window:
    turns = [{"id": f"e{n}", "content": t, "captured_at": AT} for n, t in enumerate(texts)]
    return Window.of(turns)


def _answer(text: str) -> Answer:
    labels = ("t1", "t2")
    said = ("A short turn was taken.", text)
    memories = [
        Remembered(text=t, kind="fact", turns=labels, relation="new", of=None) for t in said
    ]
    return Answer(memories=tuple(memories), claims=())


def _hit(text: str, day: int) -> dict[str, Any]:
    """A hit of one speaker, said on a day of its own."""
    return {
        "id": str(day), "scope": "t", "kind": "episode", "role": "user", "speaker": None,
        "author": "a", "title": None, "language": "en", "content": f"{day} b {text}",
        "terms": f"a b {day}", "captured_at": AT + timedelta(days=day),
    }  # fmt: skip


def _shaped(begun: str, text: str, language: str) -> Any:
    """What a whole sentence says of incidents, lessons, decisions and rules that begins so: the
    rest is looked through for its end."""
    said = f"{begun}{text}"
    return typed(Sentence(said, 0, language), NounReader(Utterance(said, AT)))


SPOKEN = datetime(2026, 6, 15, tzinfo=UTC)
LATER = held_words("Ann", "takes", "50 mg of sertraline")
READERS: dict[str, Reader] = {
    "extraction.extract": lambda t: extract(Utterance(t, AT)),
    "extraction.extract_de": lambda t: extract(Utterance(t, AT, "de")),
    "extraction.voices": lambda t: voices(Utterance(t, AT)),
    "extraction.mentions_en": lambda t: Rules().mentions(t, "en"),
    "extraction.mentions_de": lambda t: Rules().mentions(t, "de"),
    "extraction.typed_en": lambda t: _shaped("The outage was caused by ", t, "en"),
    "extraction.typed_said_en": lambda t: _shaped("From the review we learned that ", t, "en"),
    "extraction.typed_de": lambda t: _shaped("Der Ausfall wurde durch ", t, "de"),
    "extraction.typed_said_de": lambda t: _shaped("Wir haben beschlossen, ", t, "de"),
    "extraction.sentences": lambda t: list(sentences(t)),
    "facts.lies_before": lambda t: (lies_before(t, SPOKEN, SPOKEN, "en"), begun_at(t, SPOKEN)),
    "facts.later": lambda t: changing(LATER, read_later.__wrapped__(t, "en", "Ann")),
    "facts.later_de": lambda t: changing(LATER, read_later.__wrapped__(t, "de", "Ann")),
    "extraction.without_code": without_code,
    "extraction.language": language_of,
    "consolidation.question": lambda t: question(_window(t), standard(), Wording(CURRENT)),
    "consolidation.remembered": lambda t: remembered(_answer(t), _window("A short turn.", t)),
    "extraction.role_key": lambda t: role_key(t, "en"),
    "sanitize.sanitize": _settled(lambda t: sanitize(t, SanitizePolicy())),
    "sanitize.normalise": normalise,
    "sanitize.fold": fold,
    "sanitize.hidden": hidden,
    "sanitize.shown": shown,
    "sanitize.visible": visible,
    "sanitize.meant": meant,
    "sanitize.counted": counted,
    "sanitize.markers": find_markers,
    "sanitize.pii": lambda t: find_pii(t, PII),
    "sanitize.decoded": lambda t: list(decoded(t)),
    "contradiction.read_en": lambda t: read_sentence(t, "en"),
    "contradiction.read_de": lambda t: read_sentence(t, "de"),
    "contradiction.compare": lambda t: compare(t, t),
    "contradiction.are_twins": lambda t: are_twins(t, t.swapcase()),
    "contradiction.says_within": lambda t: says_within(t, f"{t} {t}"),
    "contradiction.says_the_same": lambda t: says_the_same(t, t, "en"),
    "contradiction.adds_nothing": lambda t: adds_nothing(t, t, "en"),
    "values.parse_value": parse_value,
    "retrieval.words": words,
    "retrieval.title_keys": title_keys,
    "retrieval.opening_keys": opening_keys,
    "retrieval.phrases": lambda t: sum(1 for _ in phrases(words(t))),
    "retrieval.covered": lambda t: covered(t, t),
    "retrieval.written": lambda t: written(t, "en"),
    "entities.name_keys": lambda t: name_keys(t, "unknown"),
    "entities.words": words_of_names,
    "entities.resolve": _settled(_entities),
    "indexing.language": detect_language,
    "indexing.analyse": analyse,
    "indexing.query_terms": query_terms,
    "indexing.telling_terms": telling_terms,
    "indexing.date_terms": date_terms,
    "pages.links": links,
    "pages.plain": plain,
    "pages.front_matter": _settled(pages_front.read),
    "pages.mentions": lambda t: list(find(t, ["Anna Berg", "a b"])),
    "pages.excerpt": lambda t: excerpt(t, len(t) // 2, len(t) // 2 + 5),
    "pages.around_link": lambda t: around_link(t, ["Anna Berg", "Page"]),
    "pages.edited": lambda t: edited(t, [(1, 2, "x"), (5, 9, "y")]),
    "pages.slug": lambda t: naming.slug(t, "0" * 36),
    "pages.ascii_slug": naming.ascii_slug,
    "pages.own_slug": lambda t: naming.own_slug(t, "0" * 36),
    "pages.title_key": naming.title_key,
    "pages.name_key": naming.name_key,
    "pages.without_suffix": naming.without_suffix,
    "pages.without_steps": naming.without_steps,
    "pages.diff": lambda t: unified(t, t[: len(t) // 2], ("a", "b")),
    "documents.cut": lambda t: cut(t, (), Chunking()),
    "documents.title": _settled(lambda t: clean_title(t, SanitizePolicy())),
    "documents.markdown": _settled(lambda t: parse_markdown(t, LIMIT)),
    "documents.html": _settled(lambda t: parse_html(t.encode(), LIMIT)),
    "documents.front_matter": front_matter,
    "documents.tidy": tidy,
    "documents.unwrapped": unwrapped,
    "rag.pieces": pieces,
    "facts.indefinite": lambda t: (first_word(t), indefinite(t.lower())),
    "facts.spoken": lambda t: spoken([around(t, len(t) // 2, len(t) // 2 + 5)]),
    "search.query_class": query_class,
    "search.people_in": people_in,
    "search.amounts": lambda t: list(amounts(t, "en")),
    "search.restated": lambda t: restated("the a b 1 of", [_hit(t, n) for n in range(8)]),
    "search.asks_of_the_past": asks_of_the_past,
    "search.judged": lambda t: judged("the a b", [{"id": "a", "title": "k", "content": t}], [0.5]),
    "foreign.pieces": _settled(lambda t: deque(pieces_of(BytesIO(t.encode())), 0)),
    "foreign.values": lambda t: (moment(t), short(t), tagged([t]), labels({t: t})),
    "foreign.marked": lambda t: unmarked(t, block=marked(t) is None),
    "skills.inferred": inferred,
    "skills.words_held": lambda t: words_held(t, t),
    "skills.whole_name": whole_name,
    "skills.structure": lambda t: structure(t, 0),
    "skills.candidate_names": candidate_names,
    "skills.slug_of": _settled(slug_of),
    **NEWER,
}
