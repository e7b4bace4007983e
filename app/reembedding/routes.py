"""Another embedding model for a scope, over HTTP."""

from __future__ import annotations

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED

from app.access.keys import asked_by
from app.access.parameters import OneScope
from app.jobs.access import ADMINISTERED
from app.jobs.runner import Runner
from app.kernel.caller import Caller, Role
from app.reembedding.schemas import (
    ComparisonIn,
    ComparisonOut,
    EmbeddingOut,
    ModelIn,
    MovedOut,
    PlaceIn,
)
from app.reembedding.service import ReembeddingService
from app.reembedding.tasks import CLEAR, FILL

ADMIN = {"requires": Role.ADMIN}


class EmbeddingController(Controller):
    """Which model a scope is searched with, and how it gets another without a pause."""

    path = "/v1/embedding"
    tags = ("Embedding",)

    @get("/", operation_id="getEmbedding", opt={"requires": Role.READER})
    async def status(
        self,
        path: OneScope,
        caller: NamedDependency[Caller],
        reembedding: NamedDependency[ReembeddingService],
    ) -> EmbeddingOut:
        """The models of a scope, and how far the one that is being prepared is."""
        return EmbeddingOut.of(await reembedding.status(caller, path))

    @post("/prepare", operation_id="prepareEmbedding", opt=ADMIN, status_code=HTTP_202_ACCEPTED)
    async def prepare(
        self,
        data: JSONBody[ModelIn],
        caller: NamedDependency[Caller],
        reembedding: NamedDependency[ReembeddingService],
        runner: NamedDependency[Runner],
    ) -> MovedOut:
        """Begin to fill vectors of another model, of what there is and of what is written."""
        place = await reembedding.prepare(caller, data.scope, data.model)
        by = asked_by(caller, Role.ADMIN)
        args = {"scope": place.scope, "space": place.choice.beside, "caller": by}
        where = {"tenant": caller.tenant, "scope": place.scope, "args": args}
        job = await runner.submit(FILL, **where, access=ADMINISTERED)
        return MovedOut.of(place, job.id)

    @post("/compare", operation_id="compareEmbeddings", opt=ADMIN, status_code=HTTP_200_OK)
    async def compare(
        self,
        data: JSONBody[ComparisonIn],
        caller: NamedDependency[Caller],
        reembedding: NamedDependency[ReembeddingService],
    ) -> ComparisonOut:
        """How far the answers of both models agree, before the switch."""
        found = await reembedding.compare(caller, data.scope, data.questions, data.k)
        return ComparisonOut(**found)

    @post("/switch", operation_id="switchEmbedding", opt=ADMIN, status_code=HTTP_200_OK)
    async def switch(
        self,
        data: JSONBody[PlaceIn],
        caller: NamedDependency[Caller],
        reembedding: NamedDependency[ReembeddingService],
    ) -> MovedOut:
        """Search with the prepared model from now on; the former one is kept filled."""
        return MovedOut.of(await reembedding.switch(caller, data.scope))

    @post("/rollback", operation_id="rollBackEmbedding", opt=ADMIN, status_code=HTTP_200_OK)
    async def roll_back(
        self,
        data: JSONBody[PlaceIn],
        caller: NamedDependency[Caller],
        reembedding: NamedDependency[ReembeddingService],
    ) -> MovedOut:
        """Search with the former model again."""
        return MovedOut.of(await reembedding.roll_back(caller, data.scope))

    @post("/finish", operation_id="finishEmbedding", opt=ADMIN, status_code=HTTP_202_ACCEPTED)
    async def finish(
        self,
        data: JSONBody[PlaceIn],
        caller: NamedDependency[Caller],
        reembedding: NamedDependency[ReembeddingService],
        runner: NamedDependency[Runner],
    ) -> MovedOut:
        """Give up the model that is not searched: a prepared one, or the former one."""
        space = await reembedding.finish(caller, data.scope)
        place = await reembedding.members(data.scope)
        args = {"scope": place.scope, "space": space.name, "caller": asked_by(caller, Role.ADMIN)}
        where = {"tenant": caller.tenant, "scope": place.scope, "args": args}
        job = await runner.submit(CLEAR, **where, access=ADMINISTERED)
        return MovedOut.of(place, job.id)
