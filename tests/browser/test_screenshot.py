"""Neo4j Browser, as it comes with the server, connects and draws the demo in our colours.

A given server, or one in a container, may keep its Browser from this machine: then it skips.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from app.cli.transfer import store_of
from app.portability.service import Order, import_attended
from app.wiring import Parts
from tests.browser.conftest import PATIENCE
from tests.portability.conftest import untold
from tests.support.server import Backend

ROOT = Path(__file__).parents[2]
STYLE = ROOT / "docs" / "guides" / "loci.grass"
# What a file that is dragged into the window does.
DROP = """
const told = new DataTransfer();
told.items.add(new File([arguments[0]], 'loci.grass'));
const target = document.querySelector('[data-testid=main]');
for (const kind of ['dragenter', 'dragover', 'drop'])
  target.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: told}));
"""
DRAWN = """
return [...document.querySelectorAll('g.node')].map(node => {
  const circle = node.querySelector('circle.b-outline') || node.querySelector('circle');
  const box = circle.getBoundingClientRect();
  return {fill: getComputedStyle(circle).fill, text: node.textContent, width: box.width,
          inside: box.right > 0 && box.bottom > 0 && box.left < innerWidth};
});
"""


# Whom Browser asks beside this machine, as the guide says: for a font, for news, with what is used
# and with errors. None of it is answered here, and it draws all the same.
ELSEWHERE = {"fonts.googleapis.com", "canny.io", "cdn.segment.com", "sentry.io"}


@dataclass(frozen=True)
class Drawn:
    """What the window shows: the colour and caption of each node, and how many edges; and the hosts
    that it asked meanwhile."""

    colours: Counter[str]
    captions: str
    edges: int
    hosts: set[str]


async def address_of(opened: Parts, backend: Backend) -> str:
    """Where the server serves Neo4j Browser to this machine."""
    (row,) = await opened.graph.raw(
        "SHOW SETTINGS 'server.http.listen_address' YIELD value RETURN value"
    )
    url = f"http://127.0.0.1:{row['value'].rpartition(':')[2]}/browser/"
    try:
        async with httpx.AsyncClient() as client:
            answer = await client.get(url)
        served = answer.status_code == httpx.codes.OK
    except httpx.TransportError:
        served = False
    if not served and backend.source != "embedded":
        pytest.skip(f"{url} is not served here")
    assert served, url
    return url


def draw(window: webdriver.Chrome, url: str, backend: Backend, picture: Path) -> Drawn:
    """Sign in, give Browser the style file, run the query of the address, and look."""
    wait = WebDriverWait(window, PATIENCE)

    def part(name: str) -> tuple[str, str]:
        return By.CSS_SELECTOR, f"[data-testid={name}]"

    window.get(url)
    wait.until(lambda w: w.find_elements(*part("password")))
    for name, said in (("username", backend.neo4j_user), ("password", backend.neo4j_password)):
        window.find_element(*part(name)).send_keys(said)
    window.find_element(*part("connect")).click()
    # The guide opens once there is a connection; the banner is gone a moment before.
    wait.until(
        lambda w: any(":play start" in f.text for f in w.find_elements(*part("frameCommand")))
    )
    window.execute_script(DROP, STYLE.read_text("utf-8"))
    window.find_element(*part("editor-Run")).click()
    wait.until(lambda w: len(w.find_elements(By.CSS_SELECTOR, "g.node")) > 1)
    nodes = wait.until(settled)
    window.save_screenshot(str(picture))
    assert all(node["width"] > 1 for node in nodes)
    assert sum(node["inside"] for node in nodes) > len(nodes) / 2
    edges = len(window.find_elements(By.CSS_SELECTOR, "g.relationship"))
    captions = " ".join(node["text"] for node in nodes)
    return Drawn(Counter(hexed(node["fill"]) for node in nodes), captions, edges, asked(window))


def asked(window: webdriver.Chrome) -> set[str]:
    """The hosts of which the window has asked anything since it opened."""
    told = (json.loads(line["message"])["message"] for line in window.get_log("performance"))
    urls = {
        one["params"]["request"]["url"] if "request" in one["params"] else one["params"]["url"]
        for one in told
        if one["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated")
    }
    return {host for url in urls if (host := urlsplit(url).hostname)}


def settled(window: webdriver.Chrome) -> list[dict[str, object]]:
    """The nodes once they have the colours of the style file; nothing before that."""
    nodes: list[dict[str, object]] = window.execute_script(DRAWN)
    ours = set(re.findall(r"^  color: (#\w+);", STYLE.read_text("utf-8"), re.M))
    return nodes if nodes and all(hexed(str(n["fill"])) in ours for n in nodes) else []


def hexed(colour: str) -> str:
    """`rgb(37, 99, 235)` as `#2563EB`."""
    return "#" + "".join(f"{int(part):02X}" for part in re.findall(r"\d+", colour)[:3])


def colour_of(label: str) -> str:
    """What the style file gives a label."""
    found = re.search(rf"^node\.{label} {{[^}}]*?  color: (#\w+);", STYLE.read_text("utf-8"), re.M)
    assert found
    return found[1]


async def test_browser_draws_the_demo(
    opened: Parts, backend: Backend, tenant: str, chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    address = await address_of(opened, backend)
    await import_attended(store_of(opened), Order(ROOT / "seed" / "demo", tenant), untold)
    query = (
        f"MATCH path = (n)-[:REFERENCES|REQUIRES|COMPOSES|ENHANCES|SUCCEEDS|INVOLVES]->(m) "
        f"WHERE n.tenant = '{tenant}' AND NOT m:Principal RETURN path"
    )
    (there,) = await opened.graph.raw(
        f"{query.partition('RETURN')[0]} UNWIND nodes(path) AS each "
        "WITH DISTINCT each, labels(each) AS labels "
        "RETURN count(*) AS all, count(CASE WHEN 'Skill' IN labels THEN 1 END) AS skills, "
        "count(CASE WHEN 'Page' IN labels AND NOT 'Article' IN labels THEN 1 END) AS pages, "
        "count(CASE WHEN 'SkillConflict' IN labels THEN 1 END) AS conflicts"
    )
    url = f"{address}?cmd=edit&arg={quote(query)}"
    picture = tmp_path / "browser.png"
    shown = await asyncio.to_thread(draw, chrome, url, backend, picture)
    assert shown.colours[colour_of("Page")] == there["pages"] > 10
    assert shown.colours[colour_of("Skill")] == there["skills"] > 5
    assert shown.colours[colour_of("SkillConflict")] == there["conflicts"] > 0
    assert shown.colours.total() == there["all"]
    assert shown.edges >= there["all"] / 2
    others = shown.hosts - {"127.0.0.1"}
    known = {host for host in others if any(f".{host}".endswith(f".{one}") for one in ELSEWHERE)}
    assert others == known, "a host that the guide does not name"
    assert "INC-31" in shown.captions
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000
