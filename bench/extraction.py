"""How much of what texts say is extracted, and how much of what is extracted is right."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.evals.jsonl import rows
from app.extraction.data import words
from app.extraction.extract import extract
from app.extraction.mentions import Recogniser, Rules
from app.extraction.model import Extracted, Mention, Mode, Statement, Utterance
from app.extraction.predicates import standard
from app.values.model import Value
from app.values.states import state_class
from app.values.wording import normal_text
from bench.updates import meeting, object_key, possible, same_name

Row = dict[str, Any]
SPOKEN = datetime(2026, 1, 15, tzinfo=UTC)  # for texts that carry no date
ENOUGH = 0.5  # share of a memory's content words that a statement must have
SMALL = words("sets", "small")


def evaluate(bench: Path, seed: Path, recogniser: Recogniser | None = None) -> dict[str, Any]:
    """All figures; shares are between 0 and 1."""
    finder = recogniser or Rules()
    return {
        "updates": updates(seed),
        "near_misses": near_misses(seed),
        "entities": entities(bench, finder),
        "memories": memories(bench),
        "encyclopedia": encyclopedia(bench, finder),
        "talk": talk(bench),
    }


def share(part: float, whole: float) -> float:
    """Part of whole to three digits; 0 of nothing is 0."""
    return round(part / whole, 3) if whole else 0.0


def figures(hits: int, found: int, wanted: int) -> dict[str, float]:
    """Precision, recall and their harmonic mean."""
    precision, recall = share(hits, found), share(hits, wanted)
    both = precision + recall
    return {
        "precision": precision,
        "recall": recall,
        "f1": round(2 * precision * recall / both, 3) if both else 0.0,
        "found": found,
        "wanted": wanted,
    }


# The demo seed ------------------------------------------------------------------------------


def episodes(seed: Path) -> dict[str, Row]:
    """The demo episodes by their id."""
    return {row["id"]: row for row in rows(seed / "episodes.jsonl")}


def read(episode: Row) -> Extracted:
    """What is extracted from an episode."""
    said = datetime.fromisoformat(episode["captured_at"])
    speaker, role = episode.get("speaker"), episode.get("role", "user")
    return extract(Utterance(episode["content"], said, None, speaker, role))


def of_words(found: Extracted, words: str, text: str) -> list[Statement]:
    """The statements whose clause lies in, or reaches into, the quoted words."""
    start = text.find(words)
    end = start + len(words)
    return [s for s in found.statements if s.span.start < end and start < s.span.end]


def updates(seed: Path) -> dict[str, Any]:
    """Of the updates of the demo: both sides found, meeting under one subject and predicate with
    the right object, and with the right day; by kind and language."""
    known = episodes(seed)
    marks: dict[str, Counter[str]] = {}
    missed = []
    for row in rows(seed / "gold" / "updates.jsonl"):
        right = judge(row, known)
        for group in ("all", row["kind"], row["language"]):
            marks.setdefault(group, Counter())["of"] += 1
            marks[group].update({name: int(ok) for name, ok in right.items()})
        if not right["told"] or not right["dated"]:
            missed.append(row["id"])
    return {"groups": {k: dict(v) for k, v in marks.items()}, "missed": missed}


def judge(row: Row, known: dict[str, Row]) -> dict[str, bool]:
    """What of one update is right."""
    old_episode, new_episode = known[row["old"]["episode"]], known[row["new"]["episode"]]
    old = of_words(read(old_episode), row["old"]["statement"], old_episode["content"])
    new = of_words(read(new_episode), row["new"]["statement"], new_episode["content"])
    pairs = meeting(old, new, standard())
    mode = [n for _, n in pairs if _mode_fits(n, row["kind"])]
    told = mode or possible(old, new, standard())
    return {
        "old_found": bool(old),
        "new_found": bool(new),
        "retired": bool(mode),
        "told": bool(told),
        "object": any(_object_fits(n, row["new"]["object"]) for n in new),
        "dated": any(_date_fits(n, row, new_episode) for n in mode),
    }


def _mode_fits(statement: Statement, kind: str) -> bool:
    if kind == "negation":
        return statement.mode in (Mode.END, Mode.DENY)
    if kind == "correction":
        return statement.mode is Mode.CORRECT
    return statement.mode in (Mode.ASSERT, Mode.END)


def _object_fits(statement: Statement, wanted: str) -> bool:
    if statement.mode in (Mode.END, Mode.DENY):
        return True  # judged by what it meets
    plain = normal_text(wanted)
    key = normal_text(object_key(statement.object).partition(":")[2])
    if plain in key or key in plain or _same_number(statement, wanted):
        return True
    return isinstance(statement.object, Value) and bool(state_class(wanted) == key)


def _same_number(statement: Statement, wanted: str) -> bool:
    digits = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", wanted)]
    key = object_key(statement.object)
    return any(re.search(rf"(?<!\d)0?{n:g}(?!\d)", statement.text + " " + key) for n in digits)


def _date_fits(statement: Statement, row: Row, episode: Row) -> bool:
    """A correction takes its day from what it corrects; else it is said, or is the day of the
    statement."""
    if row["kind"] == "correction":
        return True
    day = statement.since.at.date() if statement.since else None
    said = datetime.fromisoformat(episode["captured_at"]).date()
    return (day or said).isoformat() == str(row["valid_from"])


def near_misses(seed: Path) -> dict[str, Any]:
    """Of pairs that only look like an update: how many the later side would retire."""
    known = episodes(seed)
    wrong, count = [], 0
    for row in rows(seed / "gold" / "near_misses.jsonl"):
        count += 1
        first, second = known[row["first"]["episode"]], known[row["second"]["episode"]]
        old = of_words(read(first), row["first"]["statement"], first["content"])
        new = of_words(read(second), row["second"]["statement"], second["content"])
        if meeting(old, new, standard()):
            wrong.append(row["id"])
    return {"of": count, "wrong": wrong}


# Labelled texts -----------------------------------------------------------------------------


def entities(bench: Path, recogniser: Recogniser) -> dict[str, Any]:
    """Names by exact match, and of those with the right type; each language apart."""
    hits: Counter[str] = Counter()
    for row in rows(bench / "extraction_de_en" / "entity_extraction.jsonl"):
        language = row["lang"]
        wanted = {entity["name"]: entity["type"] for entity in row["entities"]}
        found = {m.name: m.type for m in recogniser.mentions(row["text"], language)}
        both = wanted.keys() & found.keys()
        hits[f"{language} hits"] += len(both)
        hits[f"{language} found"] += len(found)
        hits[f"{language} wanted"] += len(wanted)
        hits[f"{language} typed"] += sum(wanted[name] == found[name] for name in both)
    return {
        language: {
            **figures(
                hits[f"{language} hits"], hits[f"{language} found"], hits[f"{language} wanted"]
            ),
            "type_right": share(hits[f"{language} typed"], hits[f"{language} hits"]),
        }
        for language in ("en", "de")
    }


def memories(bench: Path) -> dict[str, Any]:
    """Memories of the labelled texts: one is found where a statement's words hold at least half
    of its content words (in German texts names and numbers only: the labels are English)."""
    result = {}
    for language in ("en", "de"):
        hits = found = wanted = right = 0
        for row in rows(bench / "extraction_de_en" / "memory_extraction.jsonl"):
            if row["lang"] != language:
                continue
            statements = extract(Utterance(row["text"], SPOKEN, language, "I")).statements
            gold = [content_words(memory["content"]) for memory in row["memories"]]
            said = [content_words(statement.text) for statement in statements]
            wanted, found = wanted + len(gold), found + len(said)
            hits += sum(any(_covers(g, s) for s in said) for g in gold)
            right += sum(any(_covers(g, s) for g in gold) for s in said)
        result[language] = {
            "recall": share(hits, wanted),
            "precision": share(right, found),
            "found": found,
            "wanted": wanted,
        }
    return result


def content_words(text: str) -> set[str]:
    """The words of a text without the small ones."""
    return {word for word in normal_text(text).split() if word not in SMALL}


def _covers(gold: set[str], said: set[str]) -> bool:
    shared = len(gold & said)
    return shared >= ENOUGH * min(len(gold), len(said)) and shared >= 2


def encyclopedia(bench: Path, recogniser: Recogniser) -> dict[str, Any]:
    """Entities and triples that a language model took from encyclopedia passages. A triple counts
    as found where a statement has its two ends, whatever the predicate is called."""
    folder = bench / "musique_train100"
    passages = {row["id"]: row for row in rows(folder / "corpus.jsonl")}
    hits = found = wanted = triple_hits = triples = statements_right = statements = 0
    for row in rows(folder / "openie.jsonl"):
        passage = passages.get(row["id"])
        if passage is None:
            continue
        result = extract(Utterance(passage["text"], SPOKEN, "en"), recogniser=recogniser)
        names = {normal_text(m.name) for m in recogniser.mentions(passage["text"], "en")}
        gold = {normal_text(e) for e in row["entities"] if not re.fullmatch(r"[\W\d]+", e)}
        hits, found, wanted = hits + len(names & gold), found + len(names), wanted + len(gold)
        ends = [(s.subject.name, _written(s.object)) for s in result.statements]
        triples += len(row["triples"])
        statements += len(ends)
        triple_hits += sum(any(_same_ends(t, e) for e in ends) for t in row["triples"])
        statements_right += sum(any(_same_ends(t, e) for t in row["triples"]) for e in ends)
    return {
        "entities": figures(hits, found, wanted),
        "triples": {
            "recall": share(triple_hits, triples),
            "precision": share(statements_right, statements),
            "found": statements,
            "wanted": triples,
        },
    }


def _written(thing: object) -> str:
    return thing.name if isinstance(thing, Mention) else str(getattr(thing, "text", ""))


def _same_ends(triple: list[str], ends: tuple[str, str]) -> bool:
    if len(triple) != 3 or not all(triple):
        return False
    return same_name(triple[0], ends[0]) and bool(content_words(triple[2]) & content_words(ends[1]))


def talk(bench: Path) -> dict[str, Any]:
    """On ordinary talk: how many turns give a statement, how many would retire one said before by
    the same speaker, and how fast it goes on one core."""
    turns = list(_turns(bench))
    started = time.perf_counter()
    read_ = [extract(turn) for turn in turns]
    took = time.perf_counter() - started
    giving = sum(bool(result.statements) for result in read_)
    return {
        "turns": len(turns),
        "turns_with_statements": share(giving, len(turns)),
        "statements": sum(len(result.statements) for result in read_),
        "turns_per_second": round(len(turns) / took, 1) if took else 0.0,
    }


def _turns(bench: Path) -> Iterator[Utterance]:
    for path in sorted((bench / "locomo").glob("*/turns.jsonl")):
        for row in rows(path):
            said = datetime.fromisoformat(row["session_datetime"]).replace(tzinfo=UTC)
            yield Utterance(row["text"] or "", said, "en", row["speaker"])
