"""Answers taken as they arrive are those that the driver reads part by part, with fewer waits."""

from __future__ import annotations

import asyncio
import importlib
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import QueryError
from app.kernel.arrivals import SOCKETS, fetching, take_what_has_arrived, whole_records
from app.kernel.cypher import Query
from app.wiring import Parts

END = b"\x00\x00"
SUMMARY = b"\x00\x03\xb1\x70\xa0" + END
MANY = 2500  # more than the driver asks for at once
LONG = 70_000  # characters: more than one chunk of the protocol


def record(values: bytes) -> bytes:
    said = b"\xb1\x71" + values
    return len(said).to_bytes(2) + said + END


def query(text: str, params: str = "") -> Query:
    named = frozenset(params.split())
    return Query("tests.arrivals", text, "", named, "read", "many", "no scope", frozenset())


@given(st.lists(st.binary(min_size=1, max_size=300)), st.integers(0, 2000), st.booleans())
def test_records_that_are_whole_are_told_from_what_is_not(
    values: list[bytes], cut: int, ends: bool
) -> None:
    records = [record(one) for one in values]
    data = b"".join(records)
    arrived = (data + SUMMARY * ends)[: len(data) + len(SUMMARY) * ends - cut]
    total, places = whole_records(arrived)
    whole = 0
    while whole < len(records) and sum(map(len, records[: whole + 1])) <= len(arrived):
        whole += 1
    assert total == sum(map(len, records[:whole]))
    assert [arrived[at : at + len(one)] for at, one in zip(places, values, strict=False)] == (
        values[:whole]
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        END + record(b"\x90"),  # a sign of life comes first
        SUMMARY,
        (6).to_bytes(2) + b"\xb1\x71\x92\x01\x02\x03" + (1).to_bytes(2) + b"\x04" + END,  # chunks
    ],
)
def test_what_is_no_whole_record_is_left_to_the_driver(data: bytes) -> None:
    assert whole_records(data) == (0, [])


async def test_an_answer_is_the_same_whatever_its_length(opened: Parts) -> None:
    ask = query(
        "UNWIND range(1, $most) AS i RETURN i, {half: i / 2.0, list: [i, null]} AS map, "
        "left($text, i % 9) AS text, datetime({epochSeconds: i}) AS at",
        "most text",
    )
    for most in (0, 1, 2, 99, MANY):
        rows = await opened.graph.rows(ask, most=most, text="Brücke über")
        assert [row["i"] for row in rows] == list(range(1, most + 1))
        for row in rows:
            assert row["map"] == {"half": row["i"] / 2, "list": [row["i"], None]}
            assert row["text"] == "Brücke über"[: row["i"] % 9]
            assert row["at"].timestamp() == row["i"]


async def test_a_record_of_several_chunks_comes_whole_between_others(opened: Parts) -> None:
    ask = query(
        "UNWIND range(1, 9) AS i RETURN i, CASE i % 3 WHEN 0 THEN $text ELSE 'x' END AS text",
        "text",
    )
    rows = await opened.graph.rows(ask, text="ä" * LONG)
    assert [(row["i"], len(row["text"])) for row in rows] == [
        (i, 1 if i % 3 else LONG) for i in range(1, 10)
    ]


async def test_an_answer_that_breaks_off_is_an_error_and_the_next_one_is_not(opened: Parts) -> None:
    breaks = query("UNWIND range(1, 50) AS i RETURN 100 / (40 - i) AS part")
    for _ in range(3):
        with pytest.raises(QueryError):
            await opened.graph.rows(breaks)
        assert await opened.graph.rows(query("RETURN 1 AS one")) == [{"one": 1}]


async def test_who_goes_away_in_the_middle_spoils_no_other_answer(opened: Parts) -> None:
    ask = query("UNWIND range(1, $most) AS i RETURN i", "most")
    gone = [asyncio.create_task(opened.graph.rows(ask, most=200_000)) for _ in range(4)]
    await asyncio.sleep(0)
    for task in gone[:2]:
        task.cancel()
    answers = await asyncio.gather(*gone, return_exceptions=True)
    for answer in answers[2:]:
        assert isinstance(answer, list)
        assert [row["i"] for row in answer] == list(range(1, 200_001))
    assert len(await opened.graph.rows(ask, most=77)) == 77


async def test_records_of_a_connection_that_is_gone_are_left_to_the_driver() -> None:
    reader, taken = asyncio.StreamReader(), []
    reader.feed_data(record(b"\x91\x01"))
    reader.set_exception(ConnectionResetError("gone"))

    async def handled(records: list[Any]) -> None:
        taken.append(records)

    async def one(self: Any) -> None:
        """Handle a message before them."""

    unpackable = SimpleNamespace(data=bytearray(9), used=0, p=0)
    unpacker = SimpleNamespace(unpackable=unpackable, unpack=lambda hooks: [1], reset=lambda: None)
    connection = SimpleNamespace(
        inbox=SimpleNamespace(_socket=SimpleNamespace(_reader=reader), _unpacker=unpacker),
        responses=[SimpleNamespace(hydration_hooks=None, on_records=handled)],
    )
    await fetching(one)(connection)
    assert taken == []
    with pytest.raises(ConnectionResetError):
        await reader.read(1)


async def test_a_record_that_cannot_be_read_is_left_to_the_driver() -> None:
    reader, data = asyncio.StreamReader(), record(b"\x91\x01")
    reader.feed_data(data)

    def unreadable(hooks: Any) -> Any:
        raise ValueError(hooks)

    async def one(self: Any) -> None:
        """Handle a message before it."""

    unpackable = SimpleNamespace(data=bytearray(9), used=0, p=0)
    unpacker = SimpleNamespace(unpackable=unpackable, unpack=unreadable, reset=lambda: None)
    connection = SimpleNamespace(
        inbox=SimpleNamespace(_socket=SimpleNamespace(_reader=reader), _unpacker=unpacker),
        responses=[SimpleNamespace(hydration_hooks=None, on_records=one)],
    )
    await fetching(one)(connection)
    assert await reader.readexactly(len(data)) == data


async def test_hardly_any_record_is_waited_for(
    opened: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert take_what_has_arrived(), "this driver has its functions elsewhere: they are not replaced"
    base = importlib.import_module(SOCKETS).AsyncBoltSocketBase
    waits, theirs = [], base._wait_for_io

    async def counted(self: Any, *arguments: Any) -> Any:
        waits.append(arguments[0])
        return await theirs(self, *arguments)

    ask = query("UNWIND range(1, 900) AS i RETURN i, 'a text as long as an id' AS text")
    await opened.graph.rows(ask)
    monkeypatch.setattr(base, "_wait_for_io", counted)
    assert len(await opened.graph.rows(ask)) == 900
    assert 0 < len(waits) < 90
