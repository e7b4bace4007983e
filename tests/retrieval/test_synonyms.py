"""Names that read alike, as data in the graph: whatever comes and goes, they are those of what is
there; nothing else leads by them, and nothing of them outlives its ends."""

from __future__ import annotations

import random

import pytest

from app.embeddings.measured import Measured
from app.kernel.caller import Role
from app.kernel.cypher import Q
from app.retrieval.graphs import GraphCache
from app.retrieval.linking import LinkService
from app.retrieval.synonyms import COSINES, SynonymService
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.retrieval.test_linking import capture

NEAR = 0.6  # the test model's cosine is the share of words in common: two of three are 0.816
TITLES = ["Ada Maria Roth", "Long Mile Film", "Henry Vale VII", "New Orla City", "Otto Karl Brandt"]
TEXTS = [
    "The work was made by Ada Roth in a shed.",
    "They spoke of Long Mile and of Otto Brandt.",
    "Henry Vale VIII sold New Orla to Ada Roth.",
    "Ada Maria Roth and Otto Karl Brandt never met.",
    "Nothing here is named at all.",
]


class Namer:
    """Links and compares in one scope, as a worker does with synonyms switched on."""

    def __init__(self, opened: Parts, scope: str) -> None:
        self.opened = opened
        self.place = (scope, scope.partition("/")[0])
        self.linking = LinkService(opened.graph, compares=True)
        self.synonyms = SynonymService(opened.graph, Measured(opened.embedder, NEAR))

    async def bring(self) -> None:
        await self.linking.link(self.place)
        await self.synonyms.compare(self.place)

    async def pairs(self) -> dict[str, list[str]]:
        return await self.opened.walks.rows.synonyms(self.place[0])


def flat(pairs: dict[str, list[str]]) -> set[tuple[str, str]]:
    return {(key, other) for key, others in pairs.items() for other in others}


async def erase(admin: Principal, memory: str) -> None:
    answer = await admin.http.post("/v1/erasures", json={"memory": memory})
    assert answer.status_code < 300, answer.text


@pytest.mark.parametrize("seed", [3, 4])
async def test_whatever_comes_and_goes_names_stand_for_what_a_build_from_scratch_says(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str, seed: int
) -> None:
    chance = random.Random(seed)
    other = await principal(f"{tenant}/again", name="again")
    await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True})
    here, again = Namer(opened, tenant), Namer(opened, f"{tenant}/again")
    held: dict[str, tuple[str, str | None]] = {}
    pairs = [(text, title) for text in TEXTS for title in [*TITLES, None]]
    for text, title in chance.sample(pairs, 14):
        held[await capture(admin, text, title, tenant)] = (text, title)
        if chance.random() < 0.5:
            await here.bring()
        if chance.random() < 0.4:
            gone = chance.choice(sorted(held))
            await erase(admin, gone)
            del held[gone]
    await here.bring()
    for text, title in held.values():
        await capture(other, text, title, f"{tenant}/again")
    await again.bring()
    grown, scratch = flat(await here.pairs()), flat(await again.pairs())
    overlap = len(grown & scratch) / max(1, len(grown | scratch))
    assert overlap >= 0.95, f"overlap {overlap:.2f}: {sorted(grown ^ scratch)}"
    assert scratch, "some names read alike in these texts"
    assert not {"henry vale viii", "henry vale vii"} & {key for pair in scratch for key in pair}


async def test_a_walk_takes_them_where_it_is_told_to_and_none_outlives_its_ends(
    opened: Parts, admin: Principal, tenant: str
) -> None:
    await admin.http.put("/v1/scopes/rules", params={"scope": tenant}, json={"erasure": True})
    named = Namer(opened, tenant)
    film = await capture(admin, "It was made by Ada Roth.", "Long Mile Film", tenant)
    director = await capture(admin, "She lived by the lake.", "Ada Maria Roth", tenant)
    # Linked while nobody compares names, as it was before; then that is switched on.
    await opened.linking.link(named.place)
    assert tenant in await named.synonyms.rows.unbegun(1_000_000)
    await named.synonyms.compare(named.place)
    assert await named.pairs() == {}
    await named.synonyms.rows.begin(tenant)
    await named.synonyms.compare(named.place)
    assert await named.pairs() == {"ada roth": ["ada maria roth"]}
    assert tenant not in await named.synonyms.rows.unbegun(1_000_000)

    def cache(alike: bool) -> GraphCache:
        return GraphCache(opened.walks.rows, 1 << 30, 20.0, alike=alike)

    plain, wide = cache(False), cache(True)
    without = (await plain.graphs([tenant]))[0][tenant]
    within = (await wide.graphs([tenant]))[0][tenant]
    column = within.keys.index("ada maria roth")
    assert within.is_alike(within.at[film], column)
    assert not without.is_alike(without.at[film], without.keys.index("ada maria roth"))
    assert within.mentions.nnz == without.mentions.nnz + 1

    # A name that comes to be somebody's stands for itself; it is seen without a read of the rest.
    third = await capture(admin, "She is another one.", "Ada Roth", tenant)
    await named.bring()
    assert await named.pairs() == {}
    within = (await wide.graphs([tenant]))[0][tenant]
    assert not within.is_alike(within.at[film], within.keys.index("ada maria roth"))
    await erase(admin, third)
    await named.bring()
    assert await named.pairs() == {"ada roth": ["ada maria roth"]}
    within = (await wide.graphs([tenant]))[0][tenant]
    assert within.is_alike(within.at[film], within.keys.index("ada maria roth"))

    await erase(admin, director)
    assert await named.pairs() == {}
    left = await opened.graph.raw(
        "MATCH ()-[s:SYNONYM]->() WHERE s.scope = $scope RETURN count(s) AS edges", scope=tenant
    )
    assert left == [{"edges": 0}]
    await named.bring()
    await plain.aclose()
    await wide.aclose()


async def test_vectors_of_a_model_that_is_given_up_go_with_what_followed_from_them(
    opened: Parts, writer: Principal, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    named = Namer(opened, scope)
    await capture(writer, "It was made by Ada Roth.", None, scope)
    await capture(writer, "She lived by the lake.", "Ada Maria Roth", scope)
    await named.bring()
    assert await named.pairs() == {"ada roth": ["ada maria roth"]}
    await opened.graph.rows(Q.retrieval.forget_name_vectors)  # as `loci reembed` does
    assert await named.pairs() == {}
    left = await opened.graph.raw(
        "MATCH (n:Name) WHERE n.scope = $scope RETURN count(n.embedding) AS vectors", scope=scope
    )
    assert left == [{"vectors": 0}]
    await named.bring()
    assert await named.pairs() == {"ada roth": ["ada maria roth"]}


async def test_scopes_keep_their_names_apart_and_a_model_that_was_not_measured_compares_none(
    opened: Parts, admin: Principal, principal: MakePrincipal, tenant: str
) -> None:
    stranger = await principal(f"{tenant}/other", name="other")
    await capture(admin, "It was made by Ada Roth.", None, tenant)
    await capture(stranger, "She lived by the lake.", "Ada Maria Roth", f"{tenant}/other")
    for scope in (tenant, f"{tenant}/other"):
        await Namer(opened, scope).bring()
        assert await Namer(opened, scope).pairs() == {}
    assert Measured.of(opened.embedder, COSINES) is None
    assert all(0.9 < cosine < 1 for cosine in COSINES.values())
    idle = SynonymService(opened.graph, Measured.of(opened.embedder, COSINES))
    assert (await idle.due(), await idle.drain(), await idle.compare((tenant, tenant))) == (
        [], 0, 0,
    )  # fmt: skip


async def test_no_queue_of_names_hides_that_of_another_tenant(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """Scopes that wait are looked up by tenant: what one has hides nothing that another has."""
    busy = await principal(tenant, role=Role.WRITER, name="busy")
    calm = await principal(f"{tenant}-calm", role=Role.WRITER, name="calm")
    for number in range(6):
        await capture(busy, f"Ada Roth made lamp {number}.", None, tenant)
    await capture(calm, "Ben Vogt made a lamp.", None, calm.caller.tenant)
    places = {tenant, calm.caller.tenant}
    assert places <= {one.key for one in await opened.linking.rows.due()}
    assert places <= {one.key for one in await opened.linking.due()}
    await opened.linking.drain()
    assert not places & {one.key for one in await opened.linking.rows.due()}
