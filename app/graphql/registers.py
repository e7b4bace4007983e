"""The fields of `Query` that tell who and what there is in a scope besides memories."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from app.episodes.schemas import SessionOut
from app.errors import NotFound
from app.facts.schemas import PredicateOut
from app.graphql.cursors import by_id
from app.graphql.doors import Context, Read
from app.graphql.identity import IdentityOut
from app.graphql.listing import listed, number_of, scopes_of, sliced
from app.graphql.loading import Asked, Listing
from app.graphql.seen import Seen, within
from app.kernel.cypher import Q
from app.kernel.graph import Row
from app.notes.schemas import BadPatternOut, CoreBlockOut
from app.scopes.sessions import session_id
from app.search.whole import BODY, EACH_MOST
from app.skills.graph_schemas import AgentEntryOut, TeamOut
from app.tiers.slot_schemas import SlotsOut

PATTERNS = Listing(
    query=Q.blocks.list_patterns,
    show=lambda row: BadPatternOut.of(row["pattern"]),
    order=by_id("pattern", "id"),
)


async def who_am_i(context: Context, asked: Asked) -> Seen:
    """The principal behind the key."""
    return Seen(IdentityOut.of(context.caller), asked.moments)


async def session_row(context: Context, named: str, scopes: list[str]) -> Row:
    """A session by its id, or by the caller's own name of it; NotFound."""
    ids = [named, *(session_id(scope, named) for scope in scopes)]
    row = await context.doors.episode_rows.session(ids, scopes)
    if row is None:
        raise NotFound(f"there is no session {named}")
    return row


async def session(context: Context, asked: Asked) -> Seen:
    """A session's manifest."""
    row = await session_row(context, asked.args["id"], scopes_of(context, asked))
    return Seen(SessionOut.of(row), asked.moments)


async def agents(context: Context, asked: Asked) -> Any:
    """Agents whose home the key sees, by id."""
    rows = await context.doors.skills.coverage.agents(context.caller)
    return sliced(map(AgentEntryOut.of, rows), attrgetter("id"), asked)


async def teams(context: Context, asked: Asked) -> Any:
    """Teams that the key sees, by path."""
    rows = await context.doors.skills.coverage.teams(context.caller)
    return sliced((TeamOut(**row) for row in rows), attrgetter("scope"), asked)


async def predicates(context: Context, asked: Asked) -> Any:
    """The predicates that hold in a scope, by name."""
    caller = context.caller
    (scope,) = caller.among([asked.args.get("scope") or caller.home])
    registry = await context.doors.predicates.registry(scope)
    return sliced(map(PredicateOut.of, registry), attrgetter("name"), asked)


async def core_blocks(context: Context, asked: Asked) -> Any:
    """Core blocks of the scopes, the widest scope first."""
    scopes = scopes_of(context, asked)
    rows = await context.doors.graph.rows(Q.blocks.list_blocks, scopes=scopes)
    return within([CoreBlockOut.of(row["block"]) for row in rows], asked.moments)


async def slots(context: Context, asked: Asked) -> Seen:
    """The slots of the agent behind the key, in a scope; this is no use of them."""
    characters = number_of(asked, "characters", BODY, EACH_MOST)
    scope = asked.args.get("scope")
    opened = await context.doors.slotted.opened(context.caller, scope, characters)
    return Seen(SlotsOut.of(opened), asked.moments)


async def bad_patterns(context: Context, asked: Asked) -> Any:
    """Patterns of failure by id."""
    return await listed(context, PATTERNS, asked, scopes_of(context, asked))


REGISTERS: dict[str, Read] = {
    "whoAmI": who_am_i,
    "session": session,
    "agents": agents,
    "teams": teams,
    "predicates": predicates,
    "coreBlocks": core_blocks,
    "badPatterns": bad_patterns,
    "slots": slots,
}
