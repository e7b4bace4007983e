"""Where a text lies, its path or its address, is data of its page or document alone: nothing that
is said and nothing that is believed has a place of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from neo4j import READ_ACCESS
from pydantic import BaseModel

from app.consolidation.schemas import RememberIn, StatementIn
from app.episodes.schemas import EpisodeIn, EpisodeOut
from app.facts.schemas import FactOut
from app.notes.schemas import NoteIn
from app.portability.derived_records import FactRecord
from app.portability.records import EpisodeRecord
from app.wiring import Parts
from tests.conftest import Principal

PLACES = {"path", "paths", "url", "urls", "uri", "href", "link", "file", "filename", "folder"}
TYPES: list[type[Any]] = [EpisodeIn, EpisodeOut, EpisodeRecord, FactOut, FactRecord, NoteIn]
TYPES += [RememberIn, StatementIn]
FOLDER = "quarry/deep"
SAID = (
    "MATCH (n:Episode|Chunk|Fact|Claim|Note|Entity|Window|Triple) WHERE n.scope = $scope "
    "RETURN labels(n) AS labels, n {.*, embedding: null} AS node"
)


def fields(wire: type[Any]) -> set[str]:
    """The names that a wire type has."""
    if issubclass(wire, BaseModel):
        return set(wire.model_fields)
    return {field.name for field in msgspec.structs.fields(wire)}


@pytest.mark.parametrize("wire", TYPES, ids=lambda wire: wire.__name__)
def test_no_wire_type_of_what_is_said_or_believed_has_a_place(wire: type[Any]) -> None:
    assert fields(wire) & PLACES == set()


async def test_what_a_folder_s_files_say_does_not_say_where_they_lie(
    opened: Parts, writer: Principal, tmp_path: Path
) -> None:
    caller, scope = writer.caller, writer.caller.home
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "Vega plan.md").write_text("Acme GmbH hired Anna Weber.\n")
    body = {"content": "Anna Weber leads the project Vega.", "session": "talk"}
    assert (await writer.http.post("/v1/episodes", json=body)).status_code == 201
    report = await opened.vaults.take_in(caller, tmp_path, scope, lambda _: None)
    assert report.stored == 1
    await opened.consolidation.consolidate(scope)
    async with opened.graph.driver.session(default_access_mode=READ_ACCESS) as session:
        found = [dict(row) async for row in await session.run(SAID, scope=scope)]
    kinds = {label for row in found for label in row["labels"]}
    assert {"Episode", "Chunk", "Fact", "Entity"} <= kinds
    for row in found:
        assert row["node"].keys() & PLACES == set(), row["labels"]
        assert FOLDER not in repr(row["node"]), row["labels"]
    (page,) = await opened.page_reads.named([scope], caller.tenant, "Vega plan")
    assert page["path"] == f"{FOLDER}/Vega plan.md"
