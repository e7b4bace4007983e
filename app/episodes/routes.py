"""Capture and reading back over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from app.access.parameters import Limit, Within, aware
from app.episodes.repository import EpisodeRepository
from app.episodes.schemas import (
    EpisodeBatchIn,
    EpisodeIn,
    EpisodeOut,
    EpisodesOut,
    ReceiptOut,
    ReceiptsOut,
    SessionOut,
)
from app.episodes.service import EpisodeService
from app.errors import InvalidInput
from app.jobs.foreground import PROMPT
from app.kernel import paging
from app.kernel.caller import Caller, Role
from app.kernel.clock import END, START

AIMS = ("indexed", "consolidated")
Wait = Annotated[
    str | None,
    QueryParameter(
        description="`indexed` waits until the vector is there, `consolidated` until what was said "
        "is known; 20 s at most."
    ),
]


class EpisodeController(Controller):
    """Episodes: what was said."""

    path = "/v1/episodes"
    tags = ("Episodes",)

    @post(
        "/",
        operation_id="captureEpisode",
        opt={"requires": Role.WRITER, PROMPT: True},
        status_code=HTTP_201_CREATED,
        responses={HTTP_200_OK: ResponseSpec(ReceiptOut, description="It was there already.")},
    )
    async def capture(
        self,
        data: JSONBody[EpisodeIn],
        caller: NamedDependency[Caller],
        capturing: NamedDependency[EpisodeService],
        wait: Wait = None,
    ) -> Response[ReceiptOut]:
        """Store one thing that was said; what is there already is left as it is, with 200."""
        receipt = await capturing.capture(caller, data.to_capture("http"))
        reached = await _waited(capturing, [receipt.id], wait)
        again = receipt.status == "duplicate"
        near = await capturing.near_duplicates(caller, [receipt.id]) if reached else {}
        shown = ReceiptOut.of(receipt, reached, near)
        return Response(shown, status_code=HTTP_200_OK if again else HTTP_201_CREATED)

    @get("/{episode_id:str}", operation_id="getEpisode", opt={"requires": Role.READER})
    async def read(
        self,
        episode_id: FromPath[str],
        caller: NamedDependency[Caller],
        capturing: NamedDependency[EpisodeService],
    ) -> EpisodeOut:
        """One episode with its provenance."""
        return EpisodeOut.of(await capturing.get(caller, episode_id))

    @get("/", operation_id="listEpisodes", opt={"requires": Role.READER})
    async def list_episodes(
        self,
        caller: NamedDependency[Caller],
        episode_rows: NamedDependency[EpisodeRepository],
        within: Within = None,
        session: FromQuery[str | None] = None,
        since: FromQuery[datetime | None] = None,
        until: FromQuery[datetime | None] = None,
        cursor: FromQuery[str | None] = None,
        flagged: Annotated[
            bool | None,
            QueryParameter(description="Only what is flagged as a possible attack, or only else."),
        ] = None,
        limit: Limit = 50,
    ) -> EpisodesOut:
        """Episodes in the order of their events, by session and time."""
        scopes = caller.among(within)
        after_at, after_id = paging.decode(cursor) if cursor else (START, "")
        page = {
            "after_at": after_at,
            "after_id": after_id,
            "since": aware(since, "since") or START,
            "until": aware(until, "until") or END,
            "flagged": flagged,
            "limit": limit + 1,
        }
        named = await episode_rows.session_named(session, scopes) if session else None
        of = named["session"]["id"] if named else None
        rows = await episode_rows.page(scopes, session=of, **page)
        shown = rows[:limit]
        more = len(rows) > limit
        return EpisodesOut(
            items=[EpisodeOut.of({"episode": row}) for row in shown],
            next=paging.encode(shown[-1]["captured_at"], shown[-1]["id"]) if more else None,
        )


@post(
    "/v1/episodes:batch",
    operation_id="captureEpisodes",
    tags=["Episodes"],
    opt={"requires": Role.WRITER, PROMPT: True},
    status_code=HTTP_200_OK,
)
async def capture_batch(
    data: JSONBody[EpisodeBatchIn],
    caller: NamedDependency[Caller],
    capturing: NamedDependency[EpisodeService],
    wait: Wait = None,
) -> ReceiptsOut:
    """Store at most 64 things that were said, in order; a bad one does not hold up the rest."""
    receipts = await capturing.capture_batch(caller, data.to_captures())
    ids = [receipt.id for receipt in receipts]
    reached = await _waited(capturing, ids, wait)
    near = await capturing.near_duplicates(caller, ids) if reached else {}
    return ReceiptsOut.of(receipts, reached, near)


@get(
    "/v1/sessions/{session:str}",
    operation_id="getSession",
    tags=["Sessions"],
    opt={"requires": Role.READER},
)
async def read_session(
    session: FromPath[str],
    caller: NamedDependency[Caller],
    episode_rows: NamedDependency[EpisodeRepository],
    within: Within = None,
) -> SessionOut:
    """A session's manifest, by its id or by your own name of it."""
    return SessionOut.of(await episode_rows.session_named(session, caller.among(within)))


async def _waited(episodes: EpisodeService, ids: list[str | None], wait: str | None) -> str | None:
    """What was waited for, where it came to be."""
    if wait is None:
        return None
    if wait not in AIMS:
        raise InvalidInput("wait takes only `indexed` and `consolidated`", field="wait")
    done = await episodes.wait([identifier for identifier in ids if identifier], wait)
    return wait if done else None
