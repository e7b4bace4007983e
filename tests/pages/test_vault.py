"""A folder of Markdown goes in and comes out as it was."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from app.errors import InvalidInput
from app.kernel.caller import Role
from app.pages.vault import Report
from app.portability.exporter import digest_of
from app.portability.service import selection
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.pages.conftest import fresh_links, rows, stored_links

MODULES = ("json", "csv", "heapq", "bisect", "textwrap", "string", "shutil")


def documented(root: Path) -> dict[str, bytes]:
    """A vault made of the standard library's own documentation: a note a module, one a member,
    linked by name; with what makes files differ."""
    files: dict[str, bytes] = {}
    for name in MODULES:
        module = __import__(name)
        members = [m for m, _ in inspect.getmembers(module, callable) if not m.startswith("_")][:5]
        listed = "\n".join(f"- [[{name}.{m}|{m}]]" for m in members)
        head = f"---\ntitle: {name}\naliases: [the {name} module]\n---\n"
        files[f"{name}/{name}.md"] = f"{head}{inspect.getdoc(module)}\n\n{listed}\n".encode()
        for m in members:
            doc = inspect.getdoc(getattr(module, m)) or "No words."
            files[f"{name}/{name}.{m}.md"] = f"# {m}\n\n{doc}\n\nPart of [[{name}]].\n".encode()
    files["windows.md"] = b"One\r\n\r\nTwo [[json]]\r\n"
    files["marked.md"] = "\ufeff# Mark\n".encode()
    files["mixed.md"] = b"One\r\nTwo\n"
    files["mail.md"] = b"---\nowner: ada@example.org\n---\nWrite to [[csv]] at +41 44 668 18 00.\n"
    files["latin.md"] = "Zürich".encode("latin-1")
    files["empty.md"] = b"\n"
    files[".obsidian/config.md"] = b"hidden"
    files["picture.png"] = b"\x89PNG"
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return files


async def take_in(opened: Parts, who: Principal, root: Path) -> Report:
    return await opened.vaults.take_in(who.caller, root, who.caller.home, lambda _: None)


async def test_a_vault_goes_in_and_out(
    opened: Parts, principal: MakePrincipal, tenant: str, tmp_path: Path
) -> None:
    who = await principal(f"{tenant}/dev", role=Role.ADMIN, name="ann", kind="user")
    root, out = tmp_path / "vault", tmp_path / "out"
    files = documented(root)
    report = await take_in(opened, who, root)
    assert set(report.skipped) == {"latin.md", "empty.md"}
    assert set(report.redacted) == {"mail.md", "mixed.md"}
    assert report.redacted["mixed.md"] == {"characters": 1}
    kept = {p for p in files if p.endswith(".md") and not p.startswith(".")} - set(report.skipped)
    assert report.stored == len(kept)

    assert await opened.vaults.write_out(who.caller, out, who.caller.home) == len(kept)
    written = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert set(written) == kept
    assert {p for p in kept if written[p] != files[p]} == set(report.redacted)
    assert b"ada@" not in written["mail.md"]
    with pytest.raises(InvalidInput):
        await opened.vaults.write_out(who.caller, out, who.caller.home)

    assert await stored_links(opened, tenant) == await fresh_links(opened, tenant)
    (page,) = await opened.page_reads.named([who.caller.home], tenant, "the json module")
    links = await opened.page_reads.outgoing(who.caller.visible, page["id"])
    assert "json.dump" in {link["title"] for link in links}

    again = await take_in(opened, who, root)
    assert (again.stored, again.changed, again.unchanged) == (0, 0, len(kept))
    (root / "windows.md").write_bytes(b"Other [[json]]\n")
    again = await take_in(opened, who, root)
    assert (again.changed, again.unchanged) == (1, len(kept) - 1)

    found = await rows(
        opened,
        "MATCH (n {tenant: $tenant}) WHERE (n:Passage OR n:Fact) AND any(k IN keys(n) "
        "WHERE k IN ['path', 'url', 'uri', 'file']) RETURN n.id AS id LIMIT 1",
        tenant=tenant,
    )
    assert found == [], "where a file lies is data of its page alone"


async def test_pages_in_a_package_keep_the_digest(
    opened: Parts, admin: Principal, write: Any, tenant: str, tmp_path: Path
) -> None:
    page = await write(admin, "Vega", "[[Lyra]]", aliases=("V",), path="a/Vega.md")
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    await opened.pages.rename(admin.caller, page.id, "Lyra", rewrite=False)
    assert await digest_of(opened.graph, chosen) != before
