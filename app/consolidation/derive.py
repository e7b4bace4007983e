"""What an episode yields: entities, facts and claims as rows; pure, given what the graph knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from app.entities.following import Touched, touched_by
from app.entities.given_name_rule import first_word
from app.entities.lone import opening_words, own_keys, unpack
from app.entities.model import Context, Resolved, place_of
from app.entities.resolve import resolve
from app.extraction.model import Extracted, Mention, Mode, Statement
from app.extraction.predicates import Predicate
from app.facts.claim import Authority, Tier
from app.facts.record import OPEN_END, Source, Thing, Triple, Wording, claim_row, fact_row, unique
from app.facts.rendering import done, is_bare, sentence
from app.facts.repository import Batch, Terms
from app.facts.said import Said, in_clause
from app.kernel.graph import Row
from app.scopes.rules import ScopeRules

TIERS = {"user": Tier.USER, "tool": Tier.TOOL, "assistant": Tier.AGENT}
LEAST_CONFIDENCE = 0.4  # below it a statement is left in its episode


@dataclass(frozen=True, slots=True)
class Reading:
    """One episode with what was found in it."""

    episode: Mapping[str, Any]
    extracted: Extracted

    @property
    def mentions(self) -> list[Mention]:
        """Every mention that needs an entity, each once, in the order of the text."""
        found = list(self.extracted.mentions)
        for statement in self.extracted.statements:
            ends = (statement.subject, statement.object, statement.replaces)
            found += [end for end in ends if isinstance(end, Mention)]
        return sorted(set(found), key=lambda m: (m.span.start, m.span.end, m.name, m.type))


@dataclass(slots=True)
class Derived:
    """Rows of one transaction over several episodes."""

    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)
    locks: set[str] = field(default_factory=set)
    told: set[tuple[str, str]] = field(default_factory=set)  # episodes and facts with a claim

    def batch(self) -> Batch:
        """The facts and claims, for `FactRepository.put`."""
        return Batch(
            facts=unique(self.facts.values()),
            claims=unique(self.claims.values()),
            locks=sorted(self.locks),
        )


@dataclass(frozen=True, slots=True)
class Setting:
    """What holds for all episodes of one pass over a scope."""

    scope: str
    tenant: str
    rules: ScopeRules
    terms: Terms
    at: datetime


def context_of(reading: Reading, setting: Setting) -> Context:
    """What resolution may use of one episode beside its text."""
    episode = reading.episode
    source = str(episode.get("work") or episode.get("session") or episode["id"])
    place = place_of(source, episode.get("title"))
    return Context(at=setting.at, speaker=speaker_of(episode), place=place)


def speaker_of(episode: Mapping[str, Any]) -> str | None:
    """Who says "I"."""
    return episode.get("speaker") or author_name(episode)


def author_name(episode: Mapping[str, Any]) -> str | None:
    """The name of who said it, out of the id of the principal."""
    author = str(episode.get("author") or "")
    return author.rpartition(":")[2] or None


def resolved(readings: Iterable[Reading], setting: Setting) -> list[list[Resolved]]:
    """The entities of the mentions of some episodes of one scope, each by itself."""
    return [resolve(r.mentions, setting.scope, context_of(r, setting)) for r in readings]


def entity_rows(answers: Iterable[Sequence[Resolved]]) -> list[dict[str, Any]]:
    """The rows of `entities.upsert`, one for each entity of each episode."""
    return [answer.row for found in answers for answer in found if answer.row is not None]


def derive(
    readings: Sequence[Reading],
    setting: Setting,
    answers: Sequence[Sequence[Resolved]],
    roots: Mapping[str, str],
) -> Derived:
    """The rows of some episodes of one scope; `answers` are those of `resolved`, `roots` the roots
    of their entities."""
    derived = Derived()
    for reading, found in zip(readings, answers, strict=True):
        _add(derived, reading, found, setting, roots)
    return derived


def reasons(reading: Reading, answers: Iterable[Resolved]) -> set[str]:
    """The keys of the names for which an episode is a reason of its own to be things: it says
    something of them, or they are its title, who speaks, or what it links to."""
    episode, extracted = reading.episode, reading.extracted
    ends = {
        end
        for said in extracted.statements
        if said.confidence >= LEAST_CONFIDENCE
        for end in (said.subject, said.object, said.replaces)
        if isinstance(end, Mention)
    }
    own = own_keys(episode.get("title"), episode.get("speaker"), episode.get("link_targets"))
    return {a.key for a in answers if a.mention in ends or a.key in own}


def touched_by_pass(
    readings: Sequence[Reading], answers: Iterable[Sequence[Resolved]], gained: Iterable[Row]
) -> Touched:
    """What the rules for names have to look at after some episodes: what they name, as a thing or
    waiting, and what waited there before."""
    words = {answer.key.split()[0] for found in answers for answer in found}
    before = (entry["key"] for r in readings for entry in unpack(r.episode.get("lone")))
    words |= opening_words(before)
    speakers = {speaker_of(reading.episode) for reading in readings}
    words |= {first_word(speaker) for speaker in speakers if speaker}
    return touched_by(gained, words)


def _add(
    derived: Derived,
    reading: Reading,
    answers: Sequence[Resolved],
    setting: Setting,
    roots: Mapping[str, str],
) -> None:
    episode = reading.episode
    things = {answer.mention: _thing(answer, roots) for answer in answers}
    for statement in reading.extracted.statements:
        if statement.confidence >= LEAST_CONFIDENCE:
            _claim(derived, statement, things, episode, setting)


def _thing(answer: Resolved, roots: Mapping[str, str]) -> Thing:
    identity = answer.entity_id
    return Thing(
        kind="entity",
        key=f"entity:{identity}",
        text=answer.mention.name,
        id=identity,
        root=roots.get(identity, identity),
        name=answer.key,
    )


def _claim(
    derived: Derived,
    statement: Statement,
    things: Mapping[Mention, Thing],
    episode: Mapping[str, Any],
    setting: Setting,
) -> None:
    subject = things[statement.subject]
    value = _end(statement.object, things)
    replaced = _end(statement.replaces, things) if statement.replaces is not None else None
    if subject.id is None or value == subject or replaced == value:
        return
    source = _source(statement, episode, setting)
    negated = statement.mode in (Mode.END, Mode.DENY)
    if statement.fits and not negated:
        return  # only an end may leave open what it is of
    if statement.fits:
        triple = Triple(
            setting.scope, setting.tenant, subject, OPEN_END, value, negated, fits=statement.fits
        )
        _put(derived, triple, statement, source, setting, None)
        return
    triple = _triple(setting, subject, statement, value, negated)
    _put(derived, triple, statement, source, setting, replaced)
    single = setting.terms.single(statement.predicate, value.key)
    if replaced is not None and not single and statement.mode in (Mode.ASSERT, Mode.CORRECT):
        # Of several values the old one has a key of its own: it ends, or was never so, there.
        old = _triple(setting, subject, statement, replaced, negated=True)
        _put(derived, old, _ended(statement), source, setting, None)


def _put(
    derived: Derived,
    triple: Triple,
    statement: Statement,
    source: Source,
    setting: Setting,
    replaced: Thing | None,
) -> None:
    predicate = setting.terms.registry.get(triple.predicate)
    key = triple.belief_key(setting.terms.single(triple.predicate, triple.object.key))
    told = render(triple, predicate, source.language, statement.text)
    wording = Wording(told, source.language)
    fact = fact_row(triple, key, wording, source)
    if statement.model and (source.episode, fact["id"]) in derived.told:
        return  # the rules read the same in this episode: a proposal adds no weight to it
    claim = claim_row(triple, statement, source, replaced)
    derived.told.add((source.episode, fact["id"]))
    derived.facts.setdefault(fact["id"], fact)
    derived.claims.setdefault(claim["id"], claim)
    derived.locks.add(triple.subject.root or triple.subject.id or "")
    derived.locks.add(triple.subject.id or "")
    if triple.object.root:  # an end of what it is the value of looks at this fact as well
        derived.locks.add(triple.object.root)


def _triple(
    setting: Setting, subject: Thing, statement: Statement, value: Thing, negated: bool
) -> Triple:
    return Triple(
        setting.scope,
        setting.tenant,
        subject,
        statement.predicate,
        value,
        negated,
        qualifier=statement.qualifier,
    )


def _ended(statement: Statement) -> Statement:
    """The old value of a change, or of a correction, as a statement of its own."""
    return Statement(
        subject=statement.subject,
        predicate=statement.predicate,
        object=statement.replaces or statement.object,
        mode=Mode.END if statement.mode is Mode.ASSERT else Mode.DENY,
        span=statement.span,
        text=statement.text,
        confidence=statement.confidence,
        rule=statement.rule,
        since=statement.since,
        ongoing=statement.ongoing,
        model=statement.model,
        rest=statement.rest,
        qualifier=statement.qualifier,
    )


def _end(end: Mention | Any, things: Mapping[Mention, Thing]) -> Thing:
    if isinstance(end, Mention):
        return things[end]
    return Thing(kind=end.kind.value, key=end.key, text=end.text)


def _source(statement: Statement, episode: Mapping[str, Any], setting: Setting) -> Source:
    held = authority(episode, setting.rules, own=statement.subject.is_speaker)
    return Source(
        episode=episode["id"],
        said_at=episode["captured_at"],
        recorded_at=setting.at,
        authority=inferred(held) if statement.model else held,
        language=episode.get("language") or "en",
    )


def authority(episode: Mapping[str, Any], rules: ScopeRules, *, own: bool) -> Authority:
    """Who stands behind what an episode says (seed 003's order of provenance).

    Only a user's key hands in a user's own words: what an agent hands in as those of a user is a
    quotation, whatever the role says.
    """
    external = episode.get("origin") in rules.external_origins
    tier = Tier.EXTERNAL if external else TIERS.get(str(episode.get("role")), Tier.EXTERNAL)
    author, speaker = str(episode["author"]), episode.get("speaker")
    if tier is Tier.USER and not author.startswith("user:"):
        tier = Tier.QUOTED
    relayed = tier is Tier.QUOTED and speaker
    return Authority(
        tier=tier,
        principal=author,
        trust=float(episode.get("trust") or 0.0),
        own=own and not external,
        voice=f"{author}|{str(speaker).casefold()}" if relayed else "",
    )


def inferred(held: Authority) -> Authority:
    """Of what a model reads out of somebody's words: an agent's at most, and nobody's own."""
    return replace(held, tier=min(held.tier, Tier.AGENT), own=False, voice="")


def render(triple: Triple, predicate: Predicate, language: str, clause: str) -> str:
    """A fact as one sentence, made from its parts and the articles that its clause gives them."""
    if triple.predicate == OPEN_END or is_bare(triple.predicate):
        return as_told(triple.subject.text, clause)
    value = triple.object
    plain = Said(
        triple.subject.text,
        value.text,
        value.kind,
        value.key,
        negated=triple.negated,
        done=done(triple.predicate, clause, language),
    )
    told = sentence(in_clause(plain, clause, language), predicate, language)
    more = shown(triple.qualifier)
    return f"{told} ({more})" if more.casefold() not in told.casefold() else told


def as_told(subject: str, clause: str) -> str:
    """An end that leaves open what ended, in its own words, with whom they are about."""
    return clause if subject.casefold() in clause.casefold() else f"{subject}: {clause}"


def shown(qualifier: str) -> str:
    """What a value is qualified by, for readers: the key after its kind."""
    return qualifier.rpartition(":")[2] or qualifier
