"""GraphiQL, as it is served at `/graphql`: a key is typed in, and a query runs with it."""

from __future__ import annotations

import asyncio

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.conftest import PATIENCE
from tests.conftest import Principal

SAID = "The lighthouse has nine rooms."
KEPT = """
return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href]);
"""


def signed_in(window: webdriver.Chrome, key: str) -> None:
    """Type a key into the page and use it."""
    field = window.find_element(By.ID, "key")
    field.clear()
    field.send_keys(key)
    window.find_element(By.CSS_SELECTOR, "#who button").click()


def answered(window: webdriver.Chrome, awaited: str) -> str:
    """Run the query that the page begins with; its answer, once that holds what is awaited."""
    wait = WebDriverWait(window, PATIENCE)
    wait.until(lambda w: w.find_elements(By.CSS_SELECTOR, ".graphiql-execute-button"))
    window.find_element(By.CSS_SELECTOR, ".graphiql-execute-button").click()

    def shown(w: webdriver.Chrome) -> str:
        text = w.find_element(By.CSS_SELECTOR, ".result-window").get_attribute("textContent") or ""
        return text if awaited in text else ""

    return wait.until(shown)


def roots(window: webdriver.Chrome) -> str:
    """What the page says of the schema, which it has asked for with the key."""
    label = "[aria-label='Show Documentation Explorer']"
    window.find_element(By.CSS_SELECTOR, label).click()
    found = WebDriverWait(window, PATIENCE).until(
        lambda w: w.find_elements(By.CSS_SELECTOR, ".graphiql-doc-explorer-root-type")
    )
    return " ".join(each.text for each in found)


def asked(window: webdriver.Chrome, address: str, key: str) -> None:
    """With a wrong key the answer is the refusal; with a right one what was said; nothing of it is
    kept, and the content policy forbids nothing that the page needs."""
    window.get(f"{address}/graphql")
    signed_in(window, f"{key}x")
    refused = answered(window, "401")
    assert SAID not in refused
    said = [entry["message"] for entry in window.get_log("browser")]
    assert all("401" in message for message in said), said
    signed_in(window, key)
    assert SAID in answered(window, SAID)
    assert roots(window) == "query mutation"
    assert window.get_log("browser") == []
    assert key not in window.execute_script(KEPT)


async def test_a_query_runs_with_the_key_that_is_typed_in(
    writer: Principal, address: str, chrome: webdriver.Chrome
) -> None:
    stored = await writer.http.post("/v1/episodes", json={"content": SAID, "session": "tour"})
    assert stored.status_code == 201, stored.text
    await asyncio.to_thread(asked, chrome, address, writer.key)
