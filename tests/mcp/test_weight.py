"""What tools cost a model: the tokens of their list, and memories that answer nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from app.mcp.schemas import RELEVANT
from bench.tool_tokens import DEFAULT, weights
from tests.mcp.conftest import Connect, World, text_of

GUIDE = (Path(__file__).resolve().parents[2] / "docs/guides/mcp.md").read_text()
SHOWN, LISTED, PROFILE, ONE = 4_500, 12_500, 2_500, 1_000  # most tokens
WEIGHTS = {one.profile: one for one in weights()}


def test_the_tools_that_every_client_has_weigh_little() -> None:
    assert WEIGHTS[DEFAULT].tools == 12
    assert WEIGHTS[DEFAULT].shown <= SHOWN
    assert WEIGHTS[DEFAULT].listed <= LISTED


@pytest.mark.parametrize("profile", WEIGHTS)
def test_a_profile_weighs_little(profile: str) -> None:
    weight = WEIGHTS[profile]
    assert profile == DEFAULT or weight.shown <= PROFILE
    assert weight.most <= ONE, weight.heaviest


def test_the_guide_says_what_they_weigh() -> None:
    """Within a tenth."""
    further = {name: one.shown for name, one in WEIGHTS.items() if name != DEFAULT}
    least, most = (choose(further, key=lambda name: further[name]) for choose in (min, max))
    told = {
        "The twelve weigh {} tokens": WEIGHTS[DEFAULT].shown,
        "with the schemas of results, weighs {}": WEIGHTS[DEFAULT].listed,
        "A profile adds {} (`" + least + "`)": further[least],
        "to {} (`" + most + "`) tokens": further[most],
    }
    for sentence, tokens in told.items():
        before, after = map(re.escape, sentence.split("{}"))
        found = re.search(f"{before}([0-9,]+){after}", GUIDE)
        assert found, sentence
        assert int(found[1].replace(",", "")) == pytest.approx(tokens, rel=0.1), sentence


async def test_of_an_unknown_subject_nothing_is_told(connect: Connect, world: World) -> None:
    """By the tool that every client has, unless it asks for what is near; by the prompt neither."""
    asked: dict[str, Any] = {"query": "Who conducts the opera in Oslo?"}
    async with connect(world.writer) as client:
        unknown = await client.call_tool("search", asked)
        near = await client.call_tool("search", {**asked, "min_score": None})
        known = await client.call_tool("search", {"query": "What colour is the greenhouse door?"})
        prompt = await client.get_prompt("recall", {"question": asked["query"]})
    assert unknown.structured_content["hits"] == []
    held = unknown.structured_content["floor"]
    assert held["held_back"] > 0
    assert held["best_held_back"] < RELEVANT
    said = text_of(unknown)
    assert said.startswith("Nothing is known of that.")
    assert f"{held['held_back']} " in said
    assert "greenhouse" not in said
    assert near.structured_content["hits"]
    assert "greenhouse" in text_of(known)
    asks = prompt.messages[0].content.text  # type: ignore[union-attr]
    assert "Nothing is known of that." in asks
    assert "greenhouse" not in asks
