"""Point 3: personal data and secrets in disguise are redacted in what is stored and recalled.

`cases()` were split in two halves before detectors were made for them; only one was looked at;
`-rP` shows how many of each are left in clear.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence

import pytest

from app.sanitize.normalise import normalise
from tests.conftest import Principal
from tests.security.disguises import cases, harmless


async def stored(who: Principal, texts: Sequence[str]) -> list[str]:
    """The contents that a reader gets of the texts that were captured, in their order."""
    ids = []
    for at in range(0, len(texts), 64):
        episodes = [{"content": text, "session": "s"} for text in texts[at : at + 64]]
        answer = await who.http.post("/v1/episodes:batch", json={"episodes": episodes})
        assert answer.status_code == 200, answer.text
        ids += [receipt.get("id") for receipt in answer.json()["receipts"]]
    held: dict[str, str] = {}
    page: dict[str, str | int] = {"limit": 200}
    while True:
        answer = await who.http.get("/v1/episodes", params=page)
        held |= {item["id"]: item["untrusted"]["content"] for item in answer.json()["items"]}
        if answer.json()["next"] is None:
            return [held[key] if key else "" for key in ids]
        page["cursor"] = answer.json()["next"]


@pytest.mark.parametrize("language", ["en", "de"])
async def test_disguised_data_is_redacted_in_what_is_stored(
    writer: Principal, language: str
) -> None:
    mine = [case for case in cases() if case.language == language]
    found = await stored(writer, [case.text for case in mine])
    for half in (0, 1):
        texts = [(case, text) for case, text in zip(mine, found, strict=True) if case.half == half]
        told = [(case.kind, case.shape) for case, text in texts if case.told(text)]
        sys.stdout.write(f"{language}, half {half}: {len(told)} of {len(texts)} left\n")
        assert len(texts) > 500
        assert len(told) <= 0.05 * len(texts), told


async def test_no_harmless_text_is_changed(writer: Principal) -> None:
    texts = harmless()
    found = await stored(writer, texts)
    wanted = [normalise(text).text for text in texts]
    changed = [pair for pair in zip(wanted, found, strict=True) if pair[0] != pair[1]]
    assert not changed, (len(changed), len(texts), changed)


async def test_what_is_recalled_holds_no_disguised_data(
    writer: Principal, drain: Callable[[], Awaitable[int]]
) -> None:
    mine = [case for case in cases() if case.kind == "email"]
    for at, case in enumerate(mine[:: len(mine) // 60]):
        content = f"{case.text}\nThe wombats of the zoo moved to house {at}."
        answer = await writer.http.post("/v1/episodes", json={"content": content, "session": "s"})
        assert answer.status_code in (200, 201)
    await drain()
    asked = {"query": "wombats zoo", "mode": "keyword", "form": "bundle", "limit": 50}
    answer = await writer.http.post("/v1/search", json=asked)
    assert answer.status_code == 200, answer.text
    told = [name for name in ("firma", "example", "stadt") for _ in answer.text.split(name)[1:]]
    assert answer.text.count("[email]") > 3
    assert len(told) <= 0.05 * answer.text.count("[email]"), told
