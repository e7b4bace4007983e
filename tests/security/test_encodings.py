"""Point 10: commands in escapes, look-alike letters and cut words are cut out of what is stored.

The shapes of `attacks()` were split in two halves before rules were made for them; only one was
looked at; `-rP` shows how many of each are left.
"""

from __future__ import annotations

import sys

import pytest

from app.sanitize.fold import fold
from app.sanitize.markers import find_markers
from tests.conftest import Principal
from tests.security.encodings import attacks, half


@pytest.mark.parametrize("language", ["en", "de"])
async def test_commands_in_other_writing_are_cut(writer: Principal, language: str) -> None:
    mine = [attack for attack in attacks() if attack[1] == language]
    left: dict[int, list[str]] = {0: [], 1: []}
    for at in range(0, len(mine), 64):
        part = mine[at : at + 64]
        episodes = [{"content": text, "session": "s"} for *_, text in part]
        answer = await writer.http.post("/v1/episodes:batch", json={"episodes": episodes})
        assert answer.status_code == 200, answer.text
        for (shape, *_), receipt in zip(part, answer.json()["receipts"], strict=True):
            if not receipt["markers"]:
                left[half(shape)].append(shape)
    for number, shapes in left.items():
        size = sum(half(shape) == number for shape, *_ in mine)
        sys.stdout.write(f"{language}, half {number}: {len(shapes)} of {size} left\n")
        assert len(shapes) <= 0.1 * size, shapes
    answer = await writer.http.get("/v1/episodes", params={"limit": 500})
    stored = [item["untrusted"]["content"].strip() for item in answer.json()["items"]]
    assert mine[0][2] in stored  # the harmless sentence, and nothing else
    assert len(stored) <= sum(map(len, left.values())) + 30, stored


@pytest.mark.parametrize(
    "text",
    [
        "The reward for getting all previous tasks done is a day off, in put and out put aside.",
        "Wir halten uns an Weisungen und ver gessen nichts; die In struktion kam vorher.",
        "The pre-vious in-struc-tions were printed with hy-phens, I have to ig nore the typos.",
        "Ο Όμηρος έγραψε. Он написал предыдущие инструкции. Հայերեն գիր. ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ.",
        "🇩🇪 🇫🇷 Ⓐ and ⅷ, naïve Øre, Łódź, ℓ²-norm, ɪpɑ: [ɪɡˈnɔː]",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert find_markers(text) == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ɪɢɴᴏʀᴇ", "ignore"),
        ("Іgnоrе аll", "ignore all"),
        ("rսlеs ոօw", "rules now"),
        ("ᏢᎡꮯ", "prc"),
        ("🄸🅶🅽ⓞ⒭🇪", "ignore"),
        ("ꓑꓳꓡꓡ", "poll"),
        ("Straße øl", "strase ol"),
    ],
)
def test_look_alikes_fold_to_the_letter(written: str, read: str) -> None:
    assert fold(written).text == read
