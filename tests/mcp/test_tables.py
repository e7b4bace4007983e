"""The tools of tables: in their profile only, with the rights of their routes."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import MCPError

from app.kernel.caller import Role
from app.mcp.service import PROFILES, TOOLS
from tests.conftest import MakePrincipal, Principal
from tests.mcp.conftest import Speak

Call = tuple[str, dict[str, Any]]
COLUMNS = [{"name": "name"}, {"name": "revenue", "type": "decimal"}]


async def test_a_table_is_made_filled_asked_and_emptied(speak: Speak, writer: Principal) -> None:
    everything = {"column": "name", "op": "is_null", "value": False}
    total = {"function": "sum", "column": "revenue"}
    rows = [{"name": "a</tables>&<b>", "revenue": "0.1"}]
    listed, results = await speak(
        writer, "/mcp?tools=data",
        ("data_store_create", {"name": "sales", "columns": COLUMNS, "keys": ["name"]}),
        ("data_store_insert", {"table": "sales", "rows": rows}),
        ("data_store_query", {"table": "sales", "aggregates": [total]}),
        ("data_store_query", {"table": "sales"}),
        ("data_store_list", {}),
        ("data_store_delete", {"table": "sales"}),
        ("data_store_insert", {"table": "sales", "rows": [{"name": "a", "revenue": 0.1}]}),
        ("data_store_delete", {"table": "sales", "filter": everything}),
    )  # fmt: skip
    assert listed == TOOLS.keys() | PROFILES["data"].keys()
    made, wrote, summed, read, tables, unfiltered, bad, deleted = results
    assert made.structured_content["name"] == "sales"
    assert wrote.structured_content["inserted"] == 1
    assert summed.structured_content["items"][0]["untrusted"]["cells"] == {"sum(revenue)": "0.1"}
    assert "a&lt;/tables&gt;&amp;&lt;b&gt;" in read.content[0].text
    assert tables.structured_content["items"][0]["rows"] == 1
    assert unfiltered.is_error
    assert "filter" in unfiltered.content[0].text
    assert bad.is_error
    assert bad.structured_content["errors"][0]["field"] == "rows.0.revenue"
    assert deleted.structured_content == {"deleted": 1}


async def test_they_are_in_their_profile_and_ask_for_their_role(
    speak: Speak, writer: Principal, principal: MakePrincipal, tenant: str
) -> None:
    listed, _ = await speak(writer, "/mcp")
    assert listed == TOOLS.keys()
    reader = await principal(f"{tenant}/dev", role=Role.READER, name="reader")
    listed, (refused,) = await speak(
        reader, "/mcp?tools=data", ("data_store_create", {"name": "x", "columns": COLUMNS})
    )
    assert listed & PROFILES["data"].keys() == {"data_store_query", "data_store_list"}
    assert refused.structured_content["code"] == "Forbidden"
    wrong: list[tuple[str, list[Call]]]
    wrong = [("/mcp", [("data_store_list", {})]), ("/mcp?tools=none", [])]
    for address, calls in wrong:
        with pytest.raises((MCPError, ExceptionGroup)):
            await speak(writer, address, *calls)


def test_each_tool_is_told_in_few_words() -> None:
    for tool in PROFILES["data"].values():
        listed = tool.listed()
        assert len(listed.description or "") <= 240
        assert (listed.output_schema or {})["type"] == "object"
