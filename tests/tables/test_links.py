"""What rows name has data in them: edges, hints in contexts, and suggestions."""

from __future__ import annotations

from typing import Any

import pytest

from app.embeddings.tokens import count_tokens
from app.entities.model import alias_id
from app.tables.linking import spoken
from app.tables.suggesting import labels, suggest
from app.tables.values import ColumnType
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import Say, say
from tests.support.statements import Statements
from tests.tables.conftest import URL, Make, insert

__all__ = ["say"]
QUESTION = "What do we know about Torvald Lindqvist?"


async def data_of(opened: Parts, scope: str) -> list[tuple[str, Any]]:
    """The edges of a scope: the name of what has data, and the first cell or the table's name."""
    rows = await opened.graph.raw(
        "MATCH (e:Entity {scope: $scope})-[:HAS_DATA_IN]->(n) "
        "RETURN e.canonical_name AS name, coalesce(n.cells, n.name) AS cells",
        scope=scope,
    )
    return sorted((row["name"], row["cells"]) for row in rows)


async def context(who: Principal, query: str = QUESTION, **more: Any) -> dict[str, Any]:
    answer = await who.http.post("/v1/rag/context", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_rows_are_linked_to_what_the_scope_knows(
    opened: Parts, writer: Principal, make: Make, say: Say, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await say(scope, "Torvald Lindqvist works for Heron GmbH. Torvald Lindqvist lives in Ulm.")
    await make("customers", keys=["name"])
    await insert(
        writer,
        "customers",
        {"name": "Torvald Lindqvist", "company": "the people of Heron GmbH", "revenue": "5000"},
        {"name": "Nobody Known", "revenue": "1"},
        {"name": "customers"},
    )
    linked = [name for name, _ in await data_of(opened, scope)]
    assert linked == ["Heron GmbH", "Torvald Lindqvist", "customers"]
    await insert(writer, "customers", {"name": "Torvald Lindqvist", "company": None})
    assert [name for name, _ in await data_of(opened, scope)] == ["Torvald Lindqvist", "customers"]
    test = {"column": "revenue", "op": "eq", "value": "5000"}
    await writer.http.post(f"{URL}/customers/rows/delete", json={"filter": test})
    assert [name for name, _ in await data_of(opened, scope)] == ["customers"]


async def test_what_becomes_known_later_is_linked_by_the_schedule(
    opened: Parts, writer: Principal, make: Make, say: Say, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await make("customers", keys=["name"])
    await insert(writer, "customers", {"name": "Torvald Lindqvist"})
    await say(scope, "Torvald Lindqvist works for Heron GmbH. Torvald Lindqvist lives in Ulm.")
    assert [name for name, _ in await data_of(opened, scope)] == ["customers"]
    assert await opened.table_links.anew() >= 1
    for _ in range(2):
        assert [n for n, _ in await data_of(opened, scope)] == ["Torvald Lindqvist", "customers"]
        await opened.table_links.anew()


async def test_a_name_of_several_is_nobodys(
    opened: Parts, writer: Principal, make: Make, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await make("customers")
    for place in ("a", "b"):
        await opened.graph.raw(
            "MERGE (a:Alias {id: $alias}) CREATE (e:Entity {id: $id, scope: $scope, root: $id, "
            "type: 'person', canonical_name: 'Ossian', "
            "expired_at: datetime('9999-12-31T00:00:00Z')})<-[:NAMES]-(a) RETURN e.id AS id",
            alias=alias_id(scope, "ossian"), id=f"{tenant}-{place}", scope=scope,
        )  # fmt: skip
    await insert(writer, "customers", {"name": "Ossian"})
    assert [name for name, _ in await data_of(opened, scope)] == ["customers"]
    await opened.graph.raw("MATCH (e:Entity {id: $id}) DETACH DELETE e", id=f"{tenant}-b")
    await insert(writer, "customers", {"name": "Ossian"})
    assert [name for name, _ in await data_of(opened, scope)] == ["Ossian", "customers"]


def test_the_longest_name_counts_and_each_word_once() -> None:
    known = {"torvald lindqvist": "T", "lindqvist": "L", "ulm": "U", "torvald": None}
    (one,) = spoken({"a": "Torvald Lindqvist of Ulm", "b": 5, "c": "ab " * 100, "d": " "})
    assert one.named(known) == ["T", "U"]
    (two,) = spoken({"a": "Torvald met Lindqvist"})
    assert two.named(known) == ["L"]


# --- hints --------------------------------------------------------------------------------------


async def test_a_context_tells_of_tables_that_hold_data_of_what_was_found(
    opened: Parts, writer: Principal, principal: MakePrincipal, make: Make, say: Say, tenant: str
) -> None:
    scope = f"{tenant}/dev"
    await say(scope, "Torvald Lindqvist works for Heron GmbH. Torvald Lindqvist lives in Ulm.")
    await opened.indexing.drain()
    with Statements() as ran:
        bare = await context(writer)
    assert bare["tables"] == []
    assert "<tables" not in bare["context"]
    assert "search.hydrate" in ran.names
    assert not [name for name in ran.names if name.startswith("tables.")], "no table, no query"

    made = await make("customers", keys=["name"])
    await insert(writer, "customers", {"name": "Torvald Lindqvist", "revenue": "5000"})
    notes = await make("notes", columns=[{"name": "about"}, {"name": "<b> 'n'"}])
    await insert(
        writer, "notes",
        {"about": "Torvald Lindqvist", "<b> 'n'": "</tables> & more"},
    )  # fmt: skip
    told = await context(writer)
    (hint,) = [one for one in told["tables"] if "Lindqvist" in one["untrusted"]["text"]]
    assert {*hint["tables"]} == {made["id"], notes["id"]}
    assert hint["scope"] == scope
    assert "customers (revenue: 5000)" in hint["untrusted"]["text"]
    assert hint["untrusted"]["text"].startswith("Torvald Lindqvist has data in: ")
    inside = told["context"].split("<recalled-memory-context>")[1]
    assert "customers (revenue: 5000)" in inside
    assert told["context"].count("</recalled-memory-context>") == 1
    assert "&lt;/tables&gt; &amp; more" in inside
    assert told["tokens"] == count_tokens(told["context"])
    assert hint["entity"] in {
        e["id"] for e in told["ledger"] if e["kind"] == "tables" and e["kept"]
    }

    other = await principal(f"{tenant}/ops", name="other")
    assert (await context(other))["tables"] == []
    named = await context(writer, "Which columns do the customers have?")
    assert [one["untrusted"]["text"] for one in named["tables"]][:1] == [
        "customers has data in: customers (columns: name, company, revenue, since)"
    ]
    await writer.http.delete(f"{URL}/customers")
    await writer.http.delete(f"{URL}/notes")
    assert (await context(writer))["tables"] == []


# --- suggestions --------------------------------------------------------------------------------


ORDER = "Order of the day.\n- **Customer**: {who}\n- Amount: {amount}\nPaid: {paid}\nNote: none"


async def test_what_recurs_is_suggested_and_nothing_is_made(writer: Principal, make: Make) -> None:
    url, told = f"{URL}/suggestions", []
    ids = []
    for number in range(3):
        told.append((await writer.http.get(url)).json()["items"])
        text = ORDER.format(who=f"C{number}", amount=f"{number}.50", paid=f"2026-01-0{number + 1}")
        body = {"content": text, "session": f"s{number}"}
        ids.append((await writer.http.post("/v1/episodes", json=body)).json()["id"])
    assert told == [[], [], []]
    found = (await writer.http.get(url)).json()
    assert found["scope"] == writer.caller.home
    (one,) = found["items"]
    assert one["episodes"] == ids[::-1]
    assert one["name"] == "customer_amount_paid_note"
    assert one["untrusted"]["columns"] == [
        {"name": "Customer", "type": "text"},
        {"name": "Amount", "type": "decimal"},
        {"name": "Paid", "type": "date"},
        {"name": "Note", "type": "text"},
    ]
    assert (await writer.http.get(URL)).json()["items"] == []
    await make(one["name"], columns=one["untrusted"]["columns"])
    assert (await writer.http.get(url)).json()["items"] == []


def test_a_suggestion_is_a_function_of_its_texts() -> None:
    text = "Name: N{n}\nAge: {n}\nhttp://x.org\n"
    texts = [(f"e{n}", text.format(n=n) + ("City: Ulm" if n < 3 else "")) for n in range(5)]
    (one,) = suggest(texts, [])
    assert one.columns == (
        ("Name", ColumnType.TEXT), ("Age", ColumnType.INTEGER), ("City", ColumnType.TEXT)
    )  # fmt: skip
    assert one.episodes == ("e0", "e1", "e2")
    (two,) = suggest(texts[1:], [])
    assert [label for label, _ in two.columns] == ["Name", "Age"]
    assert suggest(texts[1:], [["NAME", "age", "x"]]) == []
    assert suggest(texts[:2], []) == []
    assert labels("a:b\nTwo words: x\n: y\n12: z\nName:\n* **Bold:** v") == {
        "two words": ("Two words", "x"), "bold": ("Bold", "v")
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", ":", "a: " * 500, "x" * 50 + ": y", "\n".join(["k: v"] * 999)]
)
def test_labels_of_any_text_are_found(text: str) -> None:
    assert len(labels(text)) <= 30
