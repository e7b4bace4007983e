"""Eine Beraterin und ihre Mandanten: namespaces, what goes into a prompt, and tables, in German.

Reinhild advises two clients; what she learns of one must not turn up at the other, and what she
learns for herself goes with her.
"""

from __future__ import annotations

from typing import Any

from tests.scenarios.stories.house import House, Person, eventually

WERFT, HOF = "sandkuhl/werft", "sandkuhl/obsthof"


async def told(house: House) -> None:
    boss = await house.tenant("sandkuhl")
    await boss.post("/v1/scopes", {"scope": HOF})
    reinhild = await house.hire(boss, f"{WERFT}/user:reinhild", "reinhild", kind="user")
    await boss.post(f"/v1/principals/{reinhild.id}/grants", {"scope": WERFT, "role": "writer"})
    partner = await house.hire(boss, HOF, "partner", kind="user")
    await _what_she_writes_down(reinhild)
    await _what_changes(reinhild)
    await _before_each_answer(reinhild, partner)
    await _the_table(reinhild, partner)
    await _what_others_may_have(boss, reinhild, partner)


async def _what_she_writes_down(reinhild: Person) -> None:
    """Each thing in its namespace; what is not known is not made up."""
    for namespace, text, scope in (
        ("knowledge", "Konrad Ebersbach leitet den Einkauf der Werft Mühlhof.", WERFT),
        ("knowledge", "Das Budget für die neue Slipanlage ist 5000 Euro.", WERFT),
        ("methods", "Angebote der Werft immer als Tabelle mit drei Varianten vorlegen.", WERFT),
        ("status", "Wir warten auf die Statik der Slipanlage.", WERFT),
        ("learnings", "Ebersbach liest keine Anhänge: das Wichtige gehört in die Mail.", None),
    ):
        stored = await reinhild.tool(
            "memory", "memory_store", content=text, namespace=namespace,
            **({"scope": scope} if scope else {}),
        )  # fmt: skip
        assert stored["status"] == "stored", text
    listed = await reinhild.tool("memory", "memory_list")
    spaces = sorted(one["namespace"] for one in listed["items"])
    assert spaces == ["knowledge", "knowledge", "learnings", "methods", "project-state"]

    async def known() -> Any:
        asked = "Who heads purchasing at the Mühlhof shipyard?"
        found = await reinhild.tool("memory", "memory_recall", query=asked)
        return [hit for hit in found["hits"] if "Ebersbach leitet" in str(hit["untrusted"])]

    await eventually("the head of purchasing by meaning", known)
    unknown = await reinhild.tool(
        "memory", "memory_recall", query="Wie heißt der Hund des Papstes?"
    )
    assert unknown["hits"] == []


async def _what_changes(reinhild: Person) -> None:
    """A new budget takes the place of the old one, which can still be read."""
    changed = await reinhild.tool(
        "memory", "memory_update", old="Das Budget für die neue Slipanlage ist 5000 Euro.",
        new="Das Budget für die neue Slipanlage ist 8000 Euro.",
    )  # fmt: skip
    assert changed["untrusted"]["before"].endswith("5000 Euro.")
    found = await reinhild.tool("memory", "memory_recall", query="Budget der Slipanlage")
    said = " ".join(str(hit["untrusted"]) for hit in found["hits"])
    assert "8000" in said
    assert "5000" not in said
    entry = changed["entry"]["id"]
    former = (await reinhild.get(f"/v1/notes/{entry}/versions"))["items"]
    assert any("5000" in str(one) for one in former)


async def _before_each_answer(reinhild: Person, partner: Person) -> None:
    """The block for a prompt goes from the user's own to everybody's, and is empty for a stranger.

    What nobody asked about costs nothing: an unknown subject gives no block at all.
    """
    question = {"query": "Liest Ebersbach Anhänge, und wer leitet den Einkauf?"}

    async def block() -> Any:
        found = await reinhild.post("/v1/search", {**question, "form": "relevant_context"})
        text = found["relevant_context"]
        return text if "Anhänge" in text and 'type="context"' in text else None

    text = await eventually("own and common memory in one block", block)
    assert text.startswith("<relevant_context>")
    assert text.endswith("</relevant_context>")
    assert text.index('<scope type="user">') < text.index('<scope type="context">')
    assert "[learnings] (" in text
    assert len(text) <= 12_000
    stranger = await partner.post("/v1/search", {**question, "form": "relevant_context"})
    assert stranger["relevant_context"] == ""


async def _the_table(reinhild: Person, partner: Person) -> None:
    """Figures go into a table, sums are exact, and who is asked about brings his rows along."""
    call = {"session": "telefon", "speaker": "Reinhild", "scope": WERFT,
            "content": "Konrad Ebersbach arbeitet für die Werft Mühlhof."}  # fmt: skip
    heard = await reinhild.post("/v1/episodes", call)

    async def read() -> Any:
        return (await reinhild.get("/v1/entities", name="Konrad Ebersbach"))["items"]

    await eventually(f"who is named in {heard['id']}", read)
    columns = [
        {"name": "name"}, {"name": "firma"}, {"name": "umsatz", "type": "decimal"},
        {"name": "seit", "type": "date"},
    ]  # fmt: skip
    await reinhild.tool(
        "data", "data_store_create", name="kunden", keys=["name"], columns=columns, scope=WERFT
    )
    rows = [
        {"name": "Konrad Ebersbach", "firma": "Mühlhof", "umsatz": "5000", "seit": "2024-03-01"},
        {"name": "Anneliese Thoma", "firma": "Mühlhof", "umsatz": "0.1"},
        {"name": "Tilo Reuss", "firma": "Hafenamt", "umsatz": "0.2"},
    ]
    done = await reinhild.tool("data", "data_store_insert", table="kunden", rows=rows, scope=WERFT)
    assert done["inserted"] == 3
    raised = {"name": "Konrad Ebersbach", "umsatz": "5200.50"}
    again = await reinhild.tool(
        "data", "data_store_insert", table="kunden", rows=[raised], scope=WERFT
    )
    assert (again["inserted"], again["updated"]) == (0, 1)
    asked = await reinhild.tool(
        "data", "data_store_query", table="kunden", scope=WERFT, group_by=["firma"],
        aggregates=[{"function": "sum", "column": "umsatz", "name": "summe"}],
        sort=[{"column": "summe", "descending": True}],
    )  # fmt: skip
    cells = [row["untrusted"]["cells"] for row in asked["items"]]
    assert cells == [
        {"firma": "Mühlhof", "summe": "5200.6"}, {"firma": "Hafenamt", "summe": "0.2"},
    ]  # fmt: skip

    async def hinted() -> Any:
        context = await reinhild.post(
            "/v1/rag/context", {"query": "Was wissen wir über Konrad Ebersbach?"}
        )
        return [hint for hint in context["tables"] if "kunden" in hint["untrusted"]["text"]]

    hints = await eventually("a hint that a table has data of him", hinted)
    assert "5200.5" in str(hints[0]["untrusted"])
    assert await partner.status("POST", "/v1/tables/kunden/query", {}, scope=WERFT) == 404


async def _what_others_may_have(boss: Person, reinhild: Person, partner: Person) -> None:
    """A method goes up to the whole office; nothing else does, and what is deleted is gone."""
    await boss.post(f"/v1/principals/{reinhild.id}/grants", {"scope": "sandkuhl", "role": "writer"})
    promoted = await reinhild.tool(
        "memory", "memory_promote", entry="drei Varianten vorlegen", scope="sandkuhl"
    )
    assert promoted["hidden"]
    theirs = await partner.tool("memory", "memory_list")
    assert [one["namespace"] for one in theirs["items"]] == ["methods"]
    gone = await reinhild.tool("memory", "memory_delete", pattern="warten auf die statik")
    assert len(gone["entries"]) == 1
    left = await reinhild.tool("memory", "memory_list")
    assert "Statik" not in str(left)
