"""Pages that a browser opens come from here whole."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.conftest import Principal

OUTSIDE = re.compile(rb"""(?:src|href)=["'](?:https?:)?//|@import|url\(\s*["']?https?:""")
LINK = re.compile(rb"""(?:src|href)=["'](/[^"']+)["']""")


@pytest.mark.parametrize("page", ["/schema", "/schema/swagger", "/schema/scalar", "/graphql"])
async def test_a_page_and_its_files_come_from_this_server(writer: Principal, page: str) -> None:
    async with httpx.AsyncClient(
        transport=writer.http._transport, base_url="http://loci"
    ) as anyone:
        answer = await anyone.get(page, headers={"Accept": "text/html"})
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/html")
        assert not OUTSIDE.search(answer.content)
        files = LINK.findall(answer.content)
        assert len(files) >= 3
        for name in files:
            found = await anyone.get(name.decode())
            assert found.status_code == 200, name
            assert found.content
        for name in files:
            if name.endswith(b".css"):
                sheet = await anyone.get(name.decode())
                assert not OUTSIDE.search(sheet.content)
        policy = answer.headers.get("content-security-policy", "") + answer.text
        assert "default-src 'none'" in policy


async def test_no_other_file_of_the_package_is_served(writer: Principal) -> None:
    for name in ("redoc.standalone.js", "..%2Fcore.py", "nothing"):
        assert (await writer.http.get(f"/schema/assets/{name}")).status_code == 404
