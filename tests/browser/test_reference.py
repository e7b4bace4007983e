"""The API's reference at `/schema`, in a browser that reaches nothing but this machine."""

from __future__ import annotations

import asyncio

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.conftest import PATIENCE


def shown(window: webdriver.Chrome, address: str) -> int:
    """How many operations the page shows, once it shows some; nothing may be refused to it."""
    window.get(f"{address}/schema")
    found = WebDriverWait(window, PATIENCE).until(
        lambda w: w.find_elements(By.CSS_SELECTOR, ".opblock-summary")
    )
    assert window.get_log("browser") == []
    return len(found)


async def test_the_reference_shows_the_operations(address: str, chrome: webdriver.Chrome) -> None:
    assert await asyncio.to_thread(shown, chrome, address) > 50
