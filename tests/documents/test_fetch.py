"""The fetcher against a real server of this machine, and what it refuses to reach."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from app.documents.fetch import Fetcher, FetchLimits
from app.documents.media import Media
from app.errors import FetchFailed, FetchRefused, FileTooLarge, LociError, UnsupportedMediaType
from app.kernel.reach import is_public, networks

HERE = networks("127.0.0.0/8")


class Pages(BaseHTTPRequestHandler):
    """Answers by path; `/to?x` redirects to x."""

    def do_GET(self) -> None:
        path, _, rest = self.path.partition("?")
        if path == "/to":
            self.send_response(302)
            self.send_header("Location", rest)
            self.end_headers()
            return
        if path == "/slow":
            time.sleep(2)
        status = int(rest) if path == "/status" else 200
        self.send_response(status)
        self.send_header("Content-Type", "image/png" if path == "/png" else "text/html")
        if path == "/packed":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        body = b"x" * 2000 if path == "/big" else f"<p>{self.headers['Host']}</p>".encode()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield f"127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


def fetcher(**given: object) -> Fetcher:
    limits = {"size": 1000, "seconds": 20.0, "allowed": HERE, **given}
    return Fetcher(FetchLimits(**limits))  # type: ignore[arg-type]


async def test_an_answer_is_kept_with_its_kind_and_hash(server: str, tmp_path: Path) -> None:
    found = await fetcher().fetch(f"http://{server}/a", tmp_path / "f")
    text = (tmp_path / "f").read_text()
    assert text == f"<p>{server}</p>"
    assert (found.media, found.size, len(found.sha256)) == (Media.HTML, len(text), 64)


async def test_redirects_are_followed_to_the_end(server: str, tmp_path: Path) -> None:
    found = await fetcher().fetch(f"http://{server}/to?/to?/a", tmp_path / "f")
    assert found.url == f"http://{server}/a"


@pytest.mark.parametrize(
    ("url", "given", "error"),
    [
        ("http://{server}/a", {"allowed": ()}, FetchRefused),
        ("http://localhost:9/a", {"allowed": ()}, FetchRefused),
        ("http://0x7f.1/a", {"allowed": ()}, FetchRefused),
        ("http://[::1]/a", {"allowed": ()}, FetchRefused),
        ("http://{server}/to?http://10.0.0.1/", {}, FetchRefused),
        ("http://{server}/to?http://169.254.169.254/latest/meta-data", {}, FetchRefused),
        ("http://{server}/to?file:///etc/passwd", {}, FetchRefused),
        ("http://{server}/to?/to?/to?/a", {"redirects": 1}, FetchRefused),
        ("http://{server}/status?404", {}, FetchRefused),
        ("http://{server}/status?503", {}, FetchFailed),
        ("http://{server}/slow", {"seconds": 0.2}, FetchFailed),
        ("http://127.0.0.1:1/", {}, FetchFailed),
        ("http://{server}/big", {}, FileTooLarge),
        ("http://{server}/png", {}, UnsupportedMediaType),
        ("http://{server}/packed", {}, UnsupportedMediaType),
        ("http://mia:secret@{server}/a", {}, FetchRefused),
        ("ftp://{server}/a", {}, FetchRefused),
        ("no address", {}, FetchRefused),
        ("http://", {}, FetchRefused),
    ],
)
async def test_what_is_not_public_or_no_document_is_refused(
    server: str, tmp_path: Path, url: str, given: dict[str, object], error: type[LociError]
) -> None:
    with pytest.raises(error):
        await fetcher(**given).fetch(url.replace("{server}", server), tmp_path / "f")


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("169.254.1.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public
