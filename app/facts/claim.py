"""What was claimed, by whom, and with what authority: the only input of belief."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum

from app.extraction.model import Mode, Moment
from app.facts.sharing import Sharing, is_worded, may_share, of_two_kinds
from app.kernel.clock import FOREVER


class Tier(IntEnum):
    """Where a claim comes from, in the order of seed 003; a lower one never retires a higher.

    Numbers are what the graph and packages hold; a later one may have its place in between.
    """

    EXTERNAL = 0
    AGENT = 1
    TOOL = 2
    USER = 3
    CURATOR = 4  # a decision of the review, not of a source
    QUOTED = 5  # a user's words that an agent hands in: above tools, below the user's own

    @property
    def rank(self) -> float:
        """The place in the order."""
        return 2.5 if self is Tier.QUOTED else float(self.value)

    def __lt__(self, other: int) -> bool:
        return self.rank < Tier(other).rank

    def __gt__(self, other: int) -> bool:
        return self.rank > Tier(other).rank

    def __le__(self, other: int) -> bool:
        return self.rank <= Tier(other).rank

    def __ge__(self, other: int) -> bool:
        return self.rank >= Tier(other).rank


SPOKEN = frozenset({Tier.USER, Tier.QUOTED})  # of somebody, who alone takes them back


@dataclass(frozen=True, slots=True)
class Authority:
    """Who stands behind a claim.

    `principal` handed it in and counts once in a quorum; `voice` is who is known to speak through
    it, where an agent hands in the words of several. `own` marks a speaker's words about himself;
    `trust` is between 0 and 1.
    """

    tier: Tier
    principal: str
    trust: float
    own: bool = False
    voice: str = ""

    @property
    def speaker(self) -> str:
        """Who alone may take back what was said."""
        return self.voice or self.principal


@dataclass(frozen=True, slots=True)
class Claim:
    """What one span of one source says of one fact; never changed.

    `value` is the key of the object, the same for a fact and its negation. `start` and `end` are
    what the source itself says of the interval; `said_at` is when it was said. `ongoing` tells
    that it held at that moment; None where a change is told with its date. `voids` is the value
    that a correction names as the error. `partial` tells that words of its clause were not read: it
    ends and replaces nothing. `accepted` is when a curator said that it is right, if one did.
    """

    id: str
    fact: str
    value: str
    mode: Mode
    said_at: datetime
    authority: Authority
    start: Moment | None = None
    end: Moment | None = None
    ongoing: bool | None = True
    confidence: float = 0.8
    voids: str | None = None
    partial: bool = False
    accepted: datetime | None = None

    @property
    def negative(self) -> bool:
        """Whether it says that something is not, or no longer, so."""
        return self.mode in (Mode.END, Mode.DENY)


@dataclass(frozen=True, slots=True)
class Rules:
    """How claims of one belief key may change each other.

    `functional`: at most one value at a time. `members`: users who may write to the scope may
    revise each other (a policy of a workspace; off by default). `quorum`: distinct principals
    that together outweigh a user who stands alone. `sharing`: how two values may both be so;
    `mixed`: words and amounts may end each other; `names`: what values are called, by value;
    `apart`: pairs of which a curator said that one took the place of the other.
    """

    functional: bool
    members: bool = False
    quorum: int = 2
    sharing: Sharing = Sharing.NONE
    mixed: bool = field(default=False, compare=False)
    apart: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False)
    names: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def terms(self) -> str:
        """The rules as a word: what was settled by them serves under no others."""
        return f"{int(self.functional)}{int(self.members)}{self.quorum}{self.sharing}"

    def may_share(self, one: str, other: str) -> bool:
        """Whether two values may both be so, as a district and its city."""
        if not self.functional or one == other or {(one, other), (other, one)} & self.apart:
            return False
        if not self.mixed and of_two_kinds(one, other):
            return True
        if not self.sharing or (self.sharing is not Sharing.PLACES and not is_worded(one)):
            return False
        first, second = self.names.get(one), self.names.get(other)
        return first is None or second is None or may_share(self.sharing, first, second)

    def with_members(self, members: bool) -> Rules:
        """The same rules with or without trust among members."""
        return replace(self, members=members)


@dataclass(frozen=True, slots=True)
class Reviews:
    """What curators decided; each holds facts of the key at hand.

    A verdict is on what was said by the moment when it was `decided`, and on all that is said of a
    fact without such a moment.
    """

    accepted: Collection[str] = ()
    rejected: Collection[str] = ()
    doubted: Collection[str] = ()  # by the user who alone says so, till a curator decides
    intervals: Mapping[str, tuple[datetime, datetime]] = field(default_factory=dict)
    changed: Collection[tuple[str, str]] = ()  # older and newer fact: the newer took its place
    both: Collection[tuple[str, str]] = ()  # older and newer fact that hold side by side
    ended: Mapping[str, datetime] = field(default_factory=dict)  # when a later text ended a fact
    decided: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def read(self) -> frozenset[str]:
        """Facts whose claims count as wholly read, since a curator has read them."""
        return frozenset(newer for _, newer in self.changed)

    def since(self, fact: str) -> datetime:
        """When the verdict on a fact fell: what is said later goes on from it."""
        return self.decided.get(fact, FOREVER)

    @property
    def disbelieved(self) -> frozenset[str]:
        """Facts whose claims count for nothing."""
        return frozenset((*self.rejected, *self.doubted))
