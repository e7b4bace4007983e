"""The verbs as conversations; `Memory` and `AsyncMemory` carry them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar
from urllib.parse import quote

from loci_client.leaf import leaf_of
from loci_client.messages import Conversation, Messages, batches, spoken
from loci_client.model import Added, Bundle, Found, Receipt, Turn
from loci_client.problems import LociProblem, MessagesRefused, is_missing
from loci_client.talk import Ask, Retries, Talk, exchange, reading, writing

T = TypeVar("T")
RELEVANT = 0.5  # least relevance of what goes into a prompt unseen, unless told otherwise
Wait: TypeAlias = Literal["indexed", "consolidated"]
Kind: TypeAlias = Literal[
    "episode",
    "chunk",
    "fact",
    "note",
    "skill",
    "memory",
    "condensed",
    "trace",
    "work_item",
    "context_entry",
    "pool_text",
    "task_segment",
    "core_block",
    "short_term",
    "working",
]
Form: TypeAlias = Literal["both", "relevant_context"]
ScopeWeights = TypedDict(
    "ScopeWeights", {"user": float, "context": float, "global": float}, total=False
)
HalfLives = TypedDict(
    "HalfLives",
    {
        "knowledge": float,
        "methods": float,
        "project-state": float,
        "learnings": float,
        "other": float,
    },
    total=False,
)


class LegWeights(TypedDict, total=False):
    """How much each leg counts in the fusion."""

    keyword: float
    vector: float


class BlockWeights(TypedDict, total=False):
    """How hits are weighed for `relevant_context`, and how many characters the block may have;
    half-lives are days."""

    vector: float
    text: float
    graph: float
    scopes: ScopeWeights
    half_lives: HalfLives
    threshold: float
    characters: int


class Filters(TypedDict, total=False):
    """How to search: the fields of `POST /v1/search`, as its reference has them."""

    mode: Literal["auto", "hybrid", "keyword", "vector", "graph"]
    fusion: Literal["rrf", "weighted", "simple"]
    weights: LegWeights
    limit: int
    token_budget: int
    diversity: float | Literal["mmr"]
    scopes: Sequence[str]
    kinds: Sequence[Kind]
    session: str
    knowledge_base_ids: Sequence[str]
    roles: Sequence[Literal["user", "assistant", "tool"]]
    tags: Sequence[str]
    flagged: bool
    discarded: bool
    since: datetime
    until: datetime
    as_of: datetime
    known_at: datetime
    min_score: float
    fallback: bool
    rerank: bool | Literal["none", "features", "model"]
    outcomes: float
    hyde: bool


class BundleFilters(Filters, total=False):
    """The same, and how many characters of each hit the bundle shows; or that a block by scope
    stands in its place, without hits, and how it is weighed."""

    snippet: int
    form: Form
    context: BlockWeights


def relevant(least: float) -> BundleFilters:
    """Only what is at least so relevant; all for 0."""
    return {"min_score": least, "fallback": False} if least else {}


class TurnFilters(TypedDict, total=False):
    """What a turn recalls: fields of `POST /v1/turns`, as its reference has them."""

    query: str
    scopes: Sequence[str]
    token_budget: int
    limit: int
    snippet: int
    min_score: float
    fallback: bool
    begins: bool
    form: Form
    context: BlockWeights


class FactFilters(TypedDict, total=False):
    """Which facts: the parameters of `GET /v1/facts`, as its reference has them."""

    predicate: Sequence[str]
    as_of: datetime
    known_at: datetime


@dataclass(frozen=True, slots=True)
class Home:
    """Where a memory writes and reads unless a call says otherwise."""

    scope: str | None
    session: str
    retries: Retries

    def of(self, user: str | None) -> str | None:
        """The scope that is written to: a user's own lies below the memory's, by its leaf.

        ValueError for a user without a scope above, or whose id says nothing.
        """
        if user is None:
            return self.scope
        if self.scope is None:
            raise ValueError("a user's memories lie below a scope: give the memory one")
        return f"{self.scope}/user:{leaf_of(user)}"

    def seen(self, user: str | None) -> list[str] | None:
        """The scopes that are read: the memory's, and a user's own; None for all."""
        own = self.of(user)
        return None if self.scope is None else list(dict.fromkeys((self.scope, own or "")))

    def with_scope(self, user: str | None, talk: Callable[[], Talk[T]]) -> Talk[T]:
        """What comes of a conversation that writes; a user's scope that is not there is made first,
        called by the user's id."""
        try:
            return (yield from talk())
        except LociProblem as problem:
            if user is None or not is_missing(problem):
                raise
        yield from self._made(user)
        return (yield from talk())

    def _made(self, user: str) -> Talk[Any]:
        body = {"scope": self.of(user)}
        named = body if leaf_of(user) == user else {**body, "name": user}
        try:
            return (yield from exchange(writing("POST", "/v1/scopes", named), self.retries))
        except LociProblem as problem:
            if problem.field != "name":  # the scope's policy may not take it
                raise
        return (yield from exchange(writing("POST", "/v1/scopes", body), self.retries))

    def read(self, user: str | None, talk: Callable[[Sequence[str] | None], Talk[T]]) -> Talk[T]:
        """What comes of a conversation that reads the scopes of a user. Where his own is not there,
        it reads the memory's alone and makes nothing."""
        try:
            return (yield from talk(self.seen(user)))
        except LociProblem as problem:
            if user is None or not is_missing(problem):
                raise
        return (yield from talk(self.seen(None)))


@dataclass(frozen=True, slots=True)
class Adding:
    """Messages to add, and how."""

    messages: Messages
    user: str | None
    session: str | None
    tags: Sequence[str]
    wait: Wait | None = None


def add(home: Home, order: Adding) -> Talk[Added]:
    """Store messages; MessagesRefused where one of them was not, after the rest was."""
    talk = Conversation(order.session or home.session, home.of(order.user), order.user, order.tags)
    sent = spoken(order.messages, talk)

    def stored() -> Talk[Added]:
        receipts: list[Receipt] = []
        for batch in batches(sent.episodes):
            ask = writing("POST", "/v1/episodes:batch", {"episodes": batch}, wait=order.wait)
            told = yield from exchange(ask, home.retries)
            receipts += [Receipt.of(receipt) for receipt in told["receipts"]]
        return _checked(Added(tuple(receipts), sent.left_out), sent.places)

    return (yield from home.with_scope(order.user, stored))


def turn(home: Home, order: Adding, how: Mapping[str, Any]) -> Talk[Turn]:
    """Store the messages of a turn, and recall what helps with the reply."""
    talk = Conversation(order.session or home.session, None, order.user)
    sent = spoken(order.messages, talk)
    body = {
        "messages": [{n: v for n, v in one.items() if n != "session"} for one in sent.episodes],
        "session": talk.session,
        "scope": home.of(order.user),
        "tags": order.tags,
        "scopes": home.seen(order.user),
        **how,
    }

    def taken() -> Talk[Any]:
        return exchange(writing("POST", "/v1/turns", body), home.retries)

    told = yield from home.with_scope(order.user, taken)
    added = Added(tuple(Receipt.of(receipt) for receipt in told["receipts"]), sent.left_out)
    context = Bundle.of(told["recalled"]) if told["recalled"] else None
    return Turn(_checked(added, sent.places), context)


def search(home: Home, query: str, user: str | None, how: Mapping[str, Any]) -> Talk[Found]:
    """Find memories."""
    return Found.of((yield from _search(home, query, user, how)))


def context(home: Home, query: str, user: str | None, how: Mapping[str, Any]) -> Talk[Bundle]:
    """Find memories, as a text for a prompt."""
    return Bundle.of((yield from _search(home, query, user, {"form": "both", **how})))


def facts(
    home: Home, about: str | None, user: str | None, how: Mapping[str, Any]
) -> Talk[tuple[Any, Ask | None]]:
    """The first page of facts, and what to ask for the next one."""

    def listed(scopes: Sequence[str] | None) -> Talk[tuple[Any, Ask | None]]:
        return page(home, reading("GET", "/v1/facts", subject=about, scope=scopes, **how))

    return home.read(user, listed)


def page(home: Home, ask: Ask) -> Talk[tuple[Any, Ask | None]]:
    """One page of a list, and what to ask for the next one."""
    told = yield from exchange(ask, home.retries)
    return told, ask.after(told)


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What to forget: exactly one of a memory, what facts are about, and a user."""

    memory: str | None
    about: str | None
    user: str | None

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.memory, self.about, self.user)) != 1:
            raise ValueError("give exactly one of memory, about and user")


def forget(home: Home, what: Forgetting) -> Talk[int]:
    """Hide memories; how many that were."""
    if what.memory is not None:
        ask = writing("POST", f"/v1/memories/{quote(what.memory, safe='')}/forget")
        return int((yield from exchange(ask, home.retries))["changed"])
    body = {"name": what.about, "scope": home.scope}
    if what.user is not None:
        body = {"all_of_user": home.of(what.user)}
    try:
        told = yield from exchange(writing("POST", "/v1/facts:forget", body), home.retries)
    except LociProblem as problem:
        if what.user is None or not is_missing(problem):
            raise
        yield from page(home, reading("GET", "/v1/facts", scope=home.seen(None), limit=1))
        return 0  # the memory's scope is there, and nothing was added for this user
    return int(told["forgotten"])


def _search(home: Home, query: str, user: str | None, how: Mapping[str, Any]) -> Talk[Any]:
    def asked(scopes: Sequence[str] | None) -> Talk[Any]:
        ask = reading("POST", "/v1/search", {"query": query, "scopes": scopes, **how})
        return exchange(ask, home.retries)

    return home.read(user, asked)


def _checked(added: Added, places: Sequence[str]) -> Added:
    """What was added; MessagesRefused with the place of the first that was not."""
    for receipt, place in zip(added.receipts, places, strict=True):
        if receipt.status == "refused":
            # A scope is no field of the messages: it is told as the rest of the API tells it.
            named = receipt.field or ""
            raise MessagesRefused(added, named if named == "scope" else f"{place}{named}")
    return added
