"""Fetching a document by its address, without reaching anything that is not public.

Redirects are followed by hand, each looked at in the same way.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from app.documents.media import Media, media_of
from app.errors import FetchFailed, FetchRefused, FileTooLarge, UnsupportedMediaType
from app.kernel.reach import Network, checked_url, place_of

REDIRECTS = (301, 302, 303, 307, 308)
LATER = (408, 425, 429)  # worth another attempt, like 5xx
AGENT = "loci"


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How far a fetch goes: `size` in bytes, `seconds` for all of it.

    `allowed` are networks that are reached although they are not public.
    """

    size: int
    seconds: float = 30.0
    redirects: int = 5
    allowed: tuple[Network, ...] = ()


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came, and from where in the end."""

    url: str
    media: Media
    size: int
    sha256: str


class Fetcher:
    """Fetches one address at a time into a file."""

    def __init__(self, limits: FetchLimits) -> None:
        self._limits = limits

    async def fetch(self, address: str, into: Path) -> Fetched:
        """Store what an address gives.

        Raises FetchRefused for what may not be reached and for answers that are no document,
        FileTooLarge, UnsupportedMediaType, and FetchFailed where another attempt may help.
        """
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await self._followed(checked_url(address), into)
        except TimeoutError:
            raise FetchFailed(f"no whole answer in {self._limits.seconds:g} seconds") from None
        except httpx.HTTPError as error:
            raise FetchFailed(f"the address cannot be reached ({type(error).__name__})") from error

    async def _followed(self, url: httpx.URL, into: Path) -> Fetched:
        for _ in range(self._limits.redirects + 1):
            async with self._asked(url) as answer:
                if answer.status_code not in REDIRECTS:
                    return await self._kept(url, answer, into)
                target = answer.headers.get("location", "")
            url = checked_url(str(url.join(target)))
        raise FetchRefused(f"the address leads on more than {self._limits.redirects} times")

    @asynccontextmanager
    async def _asked(self, url: httpx.URL) -> AsyncIterator[httpx.Response]:
        place = await place_of(url, self._limits.allowed)
        # The host's own name goes into the header and the handshake, its checked address into the
        # connection; no proxy of the environment comes in between.
        extensions: dict[str, Any] = {"sni_hostname": url.raw_host.decode()}
        headers = {"Host": url.netloc.decode(), "Accept-Encoding": "identity", "User-Agent": AGENT}
        async with httpx.AsyncClient(trust_env=False, follow_redirects=False) as client:
            request = client.build_request(
                "GET", url.copy_with(host=str(place)), headers=headers, extensions=extensions
            )
            answer = await client.send(request, stream=True)
            try:
                yield answer
            finally:
                await answer.aclose()

    async def _kept(self, url: httpx.URL, answer: httpx.Response, into: Path) -> Fetched:
        _require_document(answer)
        media = media_of(answer.headers.get("content-type", ""), url.path)
        hashed, size = hashlib.sha256(), 0
        with await asyncio.to_thread(into.open, "wb") as out:
            async for block in answer.aiter_raw():
                size += len(block)
                if size > self._limits.size:
                    raise FileTooLarge(f"the answer has more than {self._limits.size:,} bytes")
                hashed.update(block)
                await asyncio.to_thread(out.write, block)
        return Fetched(str(url), media, size, hashed.hexdigest())


def _require_document(answer: httpx.Response) -> None:
    code = answer.status_code
    if code in LATER or code >= 500:
        raise FetchFailed(f"the address answers with the status {code}")
    if code != 200:
        raise FetchRefused(f"the address answers with the status {code}")
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("the answer is packed though it was asked for plain")
