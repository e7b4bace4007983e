"""The tools of single memories and sessions, which only the profile `episodes` lists."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from app.episodes.schemas import EpisodeBatchIn, ReceiptsOut, SessionOut
from app.kernel.caller import Caller, Role
from app.kernel.wire import ShortText, WireModel
from app.lifecycle.schemas import KeptOut
from app.mcp import telling
from app.mcp.schemas import Scopes
from app.mcp.services import Services
from app.mcp.tool import Told, Tool
from app.mcp.writing import TRANSPORT
from app.search.whole import AT_ONCE, BODY, EACH_MOST, TOTAL_MOST, VERBOSE, Caps, MemoriesOut
from app.search.whole import memories_of as read_many

GIVEN_MOST = 64  # ids as they are given, before those that repeat are left out


def _once(ids: tuple[str, ...]) -> tuple[str, ...]:
    """The ids without repetitions; ValueError for too many."""
    once = tuple(dict.fromkeys(ids))
    if len(once) > AT_ONCE:
        raise ValueError(f"ids are at most {AT_ONCE} at once")
    return once


Ids = Annotated[
    tuple[ShortText, ...],
    Field(min_length=1, max_length=GIVEN_MOST, description=f"Ids of memories, at most {AT_ONCE}."),
    AfterValidator(_once),
]


class BatchIn(EpisodeBatchIn):
    """Several things that were said, and whether to wait until they can be found."""

    wait: Literal["indexed", "consolidated"] | None = Field(
        None, description="As with `capture`; 20 s at most."
    )


class SessionNamedIn(WireModel):
    """Which session is looked at."""

    session: ShortText = Field(description="Its id, or your own name of it.")
    scopes: Scopes = None


class ReadMemoriesIn(WireModel):
    """Which memories are read, and how much of each."""

    ids: Ids
    verbose: bool = Field(False, description=f"Up to {VERBOSE:,} characters of each, not {BODY}.")
    full: bool = Field(False, description="The whole texts.")

    def to_caps(self) -> Caps:
        """Return how much is shown of each memory, and of all."""
        return Caps(EACH_MOST if self.full else VERBOSE if self.verbose else BODY, TOTAL_MOST)


class MemoryNamedIn(WireModel):
    """Which memory is meant."""

    id: ShortText = Field(description="Id of a memory of any kind, as other tools give it.")


async def batch(services: Services, caller: Caller, given: BatchIn) -> Told:
    """Store several things that were said, each for itself."""
    receipts = await services.episodes.capture_batch(caller, given.to_captures(TRANSPORT))
    ids = [receipt.id for receipt in receipts]
    stored = [id for id in ids if id]
    reached = None
    if given.wait and stored and await services.episodes.wait(stored, given.wait):
        reached = given.wait
    near = await services.episodes.near_duplicates(caller, ids) if reached else {}
    shown = ReceiptsOut.of(receipts, reached, near)
    says = f"{shown.accepted} stored, {shown.duplicates} were there, {shown.refused} refused."
    return Told(shown, says + telling.waited("They are", given.wait, reached))


async def manifest(services: Services, caller: Caller, given: SessionNamedIn) -> Told:
    """Tell what a session holds, without its texts."""
    scopes = caller.among(given.scopes)
    shown = SessionOut.of(await services.episode_rows.session_named(given.session, scopes))
    episodes = telling.counted(shown.episodes, "episode", "episodes")
    return Told(shown, telling.data(f"Session {shown.id} has {episodes}.", shown))


async def read(services: Services, caller: Caller, given: ReadMemoriesIn) -> Told:
    """Read several memories by id; one that is not there and one that is not seen are missing."""
    shown: MemoriesOut = await read_many(
        services.episode_rows, services.searches, caller, given.ids, given.to_caps()
    )
    says = f"{telling.counted(len(shown.items), 'memory', 'memories')}, {len(shown.missing)} not"
    return Told(shown, telling.data(f"{says} found.", shown))


def keeping(verb: str, done: str) -> Callable[[Services, Caller, MemoryNamedIn], Awaitable[Told]]:
    """What a tool does that only sets how one memory is kept."""

    async def keep(services: Services, caller: Caller, given: MemoryNamedIn) -> Told:
        shown = KeptOut.of(await services.forgetting.set(caller, given.id, verb))
        return Told(shown, f"Memory {shown.id} {done}{'' if shown.changed else ' already'}.")

    return keep


EPISODES = (
    Tool(
        name="batch_capture",
        title="Remember several things",
        description="Store up to 64 things that were said, in order, each as `capture` does; a bad "
        "one is refused by itself.",
        takes=BatchIn,
        gives=ReceiptsOut,
        run=batch,
        requires=Role.WRITER,
    ),
    Tool(
        name="read_memory",
        title="Read memories by id",
        description=f"Up to {AT_ONCE} memories by id in one call, cut to {BODY} characters each "
        "unless more is asked for.",
        takes=ReadMemoriesIn,
        gives=MemoriesOut,
        run=read,
    ),
    Tool(
        name="session_manifest",
        title="Look at a session",
        description="How much was said in a session, by whom and when, without the texts.",
        takes=SessionNamedIn,
        gives=SessionOut,
        run=manifest,
    ),
    Tool(
        name="pin",
        title="Pin a memory",
        description="Keep one memory from sweeps and decay; what is forgotten stays hidden.",
        takes=MemoryNamedIn,
        gives=KeptOut,
        run=keeping("pin", "is pinned"),
        requires=Role.WRITER,
    ),
    Tool(
        name="unpin",
        title="Unpin a memory",
        description="Let one memory fade again.",
        takes=MemoryNamedIn,
        gives=KeptOut,
        run=keeping("unpin", "is not pinned"),
        requires=Role.WRITER,
    ),
    Tool(
        name="unforget",
        title="Show a memory again",
        description="Show a memory again that `forget` has hidden.",
        takes=MemoryNamedIn,
        gives=KeptOut,
        run=keeping("unforget", "is shown"),
        requires=Role.WRITER,
    ),
)
