"""A real browser, headless, that reaches nothing but this machine.

Needs Chromium and its driver; tests skip without them, unless TESTS_NEED_BROWSER is set.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
import uvicorn
from litestar import Litestar
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PATIENCE = 90  # seconds for one step on a busy machine
NEEDED = bool(os.environ.get("TESTS_NEED_BROWSER"))
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--window-size=1600,1200",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # nothing but this machine
)


@pytest.fixture
def chrome() -> Iterator[webdriver.Chrome]:
    """A headless Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        absent("Chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(browser)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "WARNING"})
    for flag in FLAGS:
        options.add_argument(flag)
    window = webdriver.Chrome(options=options, service=Service(executable_path=driver))
    try:
        yield window
    finally:
        window.quit()


@pytest_asyncio.fixture(loop_scope="session")
async def address(app: Litestar) -> AsyncIterator[str]:
    """The application behind a port of this machine."""
    door = socket.create_server(("127.0.0.1", 0))  # who connects before it is served waits
    port = door.getsockname()[1]
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[door]))
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    await serving


def absent(reason: str) -> None:
    """Skip, or fail where the run has promised that the test can be made."""
    if NEEDED:
        pytest.fail(f"{reason}, and TESTS_NEED_BROWSER is set")
    pytest.skip(reason)
