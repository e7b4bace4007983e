"""Addresses outside that may be reached from here: public ones, and networks that a setting allows.

A name is resolved once, every address it has is looked at, and the connection goes to an address
that was looked at: a name that changes its mind in between gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

import httpx

from app.errors import FetchFailed, FetchRefused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
# Prefixes of IPv6 that carry an address of IPv4 in them, and where it begins (in bits from below).
CARRIERS = (
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("64:ff9b:1::/48"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
)


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, and to one machine of it."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = _carried(address)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    for network, shift in CARRIERS:
        if address in network:
            return ipaddress.IPv4Address((int(address) >> shift) & 0xFFFFFFFF)
    return None


def checked_url(text: str) -> httpx.URL:
    """The address as a URL; FetchRefused (field `url`) for one that is not fetched at all."""
    try:
        url = httpx.URL(text.strip())
    except httpx.InvalidURL as error:
        raise FetchRefused("the address cannot be read", field="url") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise FetchRefused("only http and https addresses are fetched", field="url")
    if url.userinfo:
        raise FetchRefused("an address with a user or password is not fetched", field="url")
    return url


async def place_of(url: httpx.URL, allowed: tuple[Network, ...] = ()) -> Address:
    """The address that is connected to, by the name in a URL.

    Raises FetchFailed for a name that is not known, FetchRefused (field `url`) where any address of
    it is neither public nor allowed.
    """
    loop = asyncio.get_running_loop()
    port = url.port or (443 if url.scheme == "https" else 80)
    host = url.raw_host.decode()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise FetchFailed("the name of the host is not known") from error
    places = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not places or not all(is_public(place) or is_in(place, allowed) for place in places):
        raise FetchRefused("the address is not on the public internet", field="url")
    return places[0]


def is_in(place: Address, allowed: tuple[Network, ...]) -> bool:
    """Whether an address lies in one of some networks."""
    return any(place in network for network in allowed)


def networks(text: str) -> tuple[Network, ...]:
    """Networks by their text, divided by commas; ValueError for what is none."""
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())
