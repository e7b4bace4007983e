"""Posting one body to an address, without reaching anything that is not public."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from app.errors import FetchRefused, LociError
from app.kernel.reach import Network, checked_url, is_in, place_of

AGENT = "loci-webhooks"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one attempt: a status, or why there was none."""

    status: int | None = None
    error: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the address took the body."""
        return self.status is not None and 200 <= self.status < 300


class Postman:
    """Posts; `allowed` are networks that are reached although they are not public, and without
    encryption."""

    def __init__(self, seconds: float, allowed: tuple[Network, ...] = ()) -> None:
        self.seconds = seconds
        self._allowed = allowed
        self._tls = ssl.create_default_context()

    async def check(self, address: str) -> httpx.URL:
        """Return an address that may be posted to by now.

        Raises FetchRefused (`url`) for one that may not, FetchFailed for an unknown name.
        """
        url = checked_url(address)
        await self._place(url)
        return url

    async def _place(self, url: httpx.URL) -> str:
        place = await place_of(url, self._allowed)
        if url.scheme != "https" and not is_in(place, self._allowed):
            raise FetchRefused("events go to https addresses only", field="url")
        return str(place)

    async def post(self, address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Post a body once. A redirect is not followed; what the answer says is not read."""
        try:
            async with asyncio.timeout(self.seconds):
                return Answer(await self._sent(checked_url(address), body, headers))
        except TimeoutError:
            return Answer(error=f"no answer in {self.seconds:g} seconds")
        except LociError as error:
            return Answer(error=error.detail)
        except httpx.HTTPError as error:
            return Answer(error=f"the address cannot be reached ({type(error).__name__})")

    async def _sent(self, url: httpx.URL, body: bytes, headers: Mapping[str, str]) -> int:
        place = await self._place(url)
        # The host's own name goes into the header and the handshake, its checked address into the
        # connection, which is used once: another name at the same address has its own.
        extensions: dict[str, Any] = {"sni_hostname": url.raw_host.decode()}
        named = {"Host": url.netloc.decode(), "User-Agent": AGENT, **headers}
        async with httpx.AsyncClient(
            trust_env=False, follow_redirects=False, verify=self._tls, timeout=self.seconds
        ) as client:
            request = client.build_request(
                "POST",
                url.copy_with(host=place),
                content=body,
                headers=named,
                extensions=extensions,
            )
            answer = await client.send(request, stream=True)
            await answer.aclose()
            return answer.status_code
