"""The thresholds of agent memory with the model that ships, in English, German and between both.

What is compared is relevance or calibrated similarity; the texts are those of `topics.jsonl`, which
were written blind.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from app.embeddings.e5 import E5Embedder
from app.embeddings.model import Role
from app.indexing.analysis import analyse, detect_language
from app.indexing.likeness import Likeness
from app.kernel.caller import Role as Rank
from app.mcp.schemas import RELEVANT as TOLD
from app.search.judging import Judge
from app.search.model import Nearness
from app.search.relevance import Asked
from app.settings import ConversationSettings, LearningSettings
from app.tiers.injection import RELEVANT
from app.tiers.schemas import LEAST as OF_TIERS
from app.wiring import Parts
from tests.conftest import MakePrincipal
from tests.similarity.test_thresholds import TOPICS
from tests.traces.test_threshold import FLOOR, TASKS

Shares = dict[tuple[bool, str], list[float]]  # values by whether they are related, and languages
SAID = [(topic["topic"], topic[name]) for topic in TOPICS for name in ("near", "fern")]
ASKED = [(topic["topic"], topic[name]) for topic in TOPICS for name in ("asked", "gefragt")]
STRAY = 0.02  # most of what is not related that may pass


def passing(found: Shares, least: float) -> dict[tuple[bool, str], float]:
    """The share of each group that reaches a threshold."""
    return {group: float(np.mean(np.array(values) >= least)) for group, values in found.items()}


def hold(found: Shares, least: float, within: float, across: float) -> None:
    """Of what is related so much passes, within one language and across two; of the rest hardly
    anything."""
    for (related, spoken), share in passing(found, least).items():
        one, other = spoken.split("-")
        bar = within if one == other else across
        assert share >= bar if related else share <= STRAY, (least, related, spoken, share)


@pytest.mark.parametrize(
    ("name", "least", "within", "across"),
    [
        ("recalled before a reply", ConversationSettings().relevance, 0.9, 0.6),
        ("put into a context for a task", RELEVANT, 0.9, 0.6),
        ("told by memory_recall", TOLD, 0.85, 0.4),
    ],
)
async def test_a_relevance_parts_what_answers_from_what_does_not(
    e5: E5Embedder, name: str, least: float, within: float, across: float
) -> None:
    said = [text for _, text in SAID]
    stored = await e5.embed(said, Role.DOCUMENT)
    memories = {
        text: {
            "terms": " ".join(analyse(text)),
            "about_terms": "",
            "language": detect_language(text),
        }
        for text in said
    }
    found: Shares = defaultdict(list)
    questions = [question for _, question in ASKED]
    for (topic, asked), vector in zip(ASKED, await e5.embed(questions, Role.QUERY), strict=True):
        near = {
            text: Nearness(float(np.dot(vector, each)), e5.info.name)
            for text, each in zip(said, stored, strict=True)
        }
        judge = Judge(Asked.of(asked), memories, near)
        for other, text in SAID:
            spoken = f"{detect_language(asked)}-{memories[text]['language']}"
            found[topic == other, spoken].append(judge.relevance(text))
    hold(found, least, within, across)


async def test_a_search_of_the_tiers_parts_likewise(e5: E5Embedder) -> None:
    likeness, found = Likeness(e5), defaultdict(list)
    said = [text for _, text in SAID]
    for topic, asked in ASKED:
        values = await likeness.answers(asked, said)
        for (other, text), value in zip(SAID, values, strict=True):
            spoken = f"{detect_language(asked)}-{detect_language(text)}"
            found[topic == other, spoken].append(value)
    hold(found, OF_TIERS, 0.45, 0.3)
    assert passing(found, OF_TIERS)[False, "en-en"] == 0.0


async def test_tasks_alike_become_one_intent_and_others_do_not(
    opened: Parts, principal: MakePrincipal, tenant: str
) -> None:
    """Twelve tasks of three kinds, each told twice in either language, over HTTP."""
    assert LearningSettings().intent_floor == FLOOR, "compared as tasks of traces are"
    boss = await principal(f"{tenant}/dev", role=Rank.ADMIN, name="finder")
    kinds = TASKS[0], TASKS[1], TASKS[4]
    for told, kind in product(range(4), kinds):
        made = await boss.http.post("/v1/segments", json={"task": kind[told]})
        ended = await boss.http.post(f"/v1/segments/{made.json()['id']}/end", json={})
        assert ended.is_success, ended.text
    await opened.indexing.drain()
    done = await boss.http.post("/v1/intents/find", json={"dry_run": False})
    assert done.is_success, done.text
    items = (await boss.http.get("/v1/segments", params={"limit": 50})).json()["items"]
    groups = defaultdict(set)
    for one in items:
        groups[one["intent"]].add(one["untrusted"]["task"])
    assert sorted(map(sorted, groups.values())) == sorted(sorted(kind) for kind in kinds)
