"""Deliveries over TLS: to the address that was looked at, under the name that was asked for."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.kernel.reach import networks
from app.webhooks.posting import Postman
from tests.webhooks.conftest import Receiver

HERE = networks("127.0.0.0/8,::1/128")
NAME = "hooks.example.test"
# All that an authority may do is to sign certificates and lists of those that are withdrawn.
SIGNS = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)
FAILS = "the address cannot be reached (ConnectError)"


@dataclass(frozen=True)
class Authority:
    """Signs certificates, in a folder of its own."""

    folder: Path
    key: ec.EllipticCurvePrivateKey
    name: x509.Name

    @classmethod
    def of(cls, folder: Path, name: str) -> Authority:
        """A new authority; its own certificate is `ca.pem`."""
        folder.mkdir()
        key = ec.generate_private_key(ec.SECP256R1())
        made = cls(folder, key, x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        own = (
            made._builder(made.name, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(SIGNS, critical=True)
        )
        made._write("ca.pem", own.sign(key, hashes.SHA256()))
        return made

    def issue(self, *names: str) -> ssl.SSLContext:
        """What a server of some names or addresses, the first of which names the files, has."""
        key = ec.generate_private_key(ec.SECP256R1())
        label = names[0].replace(":", "_")
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, label)])
        alternatives = x509.SubjectAlternativeName([_general(name) for name in names])
        signed = self._builder(subject, key).add_extension(alternatives, critical=False)
        self._write(f"{label}.pem", signed.sign(self.key, hashes.SHA256()))
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        (self.folder / f"{label}.key").write_bytes(private)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / f"{label}.pem", self.folder / f"{label}.key")
        return context

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey
    ) -> x509.CertificateBuilder:
        """What every certificate has. A Python of 3.13 or later takes none without both keys."""
        at = datetime.now(UTC)
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        subject_key = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(at - timedelta(days=1))
            .not_valid_after(at + timedelta(days=1))
            .add_extension(subject_key, critical=False)
            .add_extension(signer, critical=False)
        )

    def _write(self, name: str, made: x509.Certificate) -> None:
        (self.folder / name).write_bytes(made.public_bytes(serialization.Encoding.PEM))


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """An authority that this process trusts, as a company makes its own known."""
    made = Authority.of(tmp_path / "known", "Loci test authority")
    monkeypatch.setenv("SSL_CERT_FILE", str(made.folder / "ca.pem"))
    return made


@asynccontextmanager
async def secured(context: ssl.SSLContext, host: str) -> AsyncIterator[tuple[Receiver, int]]:
    """A receiver over TLS at an address of this machine, with its port, and the names asked for in
    the handshake in `receiver.url`."""
    made, named = Receiver(), list[str]()

    def asked(_: ssl.SSLObject, name: str | None, __: ssl.SSLContext) -> None:
        named.append(name or "")
        made.url = " ".join(named)

    context.sni_callback = asked
    server = await asyncio.start_server(made.meet, host, 0, ssl=context)
    async with server:
        yield made, server.sockets[0].getsockname()[1]


Resolve = Callable[..., list[str]]


@pytest.fixture
def resolve(monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """`resolve("127.0.0.1", "::1")` has every name stand for the next of these addresses; returns
    the names that were asked for, as they are."""

    def given(*places: str) -> list[str]:
        asked, left = list[str](), list(places)

        def found(host: str, port: int, *rest: Any, **more: Any) -> list[Any]:
            asked.append(host)
            place = left.pop(0)
            family = socket.AF_INET6 if ":" in place else socket.AF_INET
            told = (place, port, 0, 0) if ":" in place else (place, port)
            return [(family, socket.SOCK_STREAM, 6, "", told)]

        monkeypatch.setattr(socket, "getaddrinfo", found)
        return asked

    return given


@pytest.mark.parametrize("place", ["127.0.0.1", "::1"])
async def test_a_name_is_asked_for_once_and_its_certificate_is_that_of_the_name(
    authority: Authority, resolve: Resolve, place: str
) -> None:
    async with secured(authority.issue(NAME), place) as (receiver, port):
        asked = resolve(place)
        answer = await Postman(30.0, HERE).post(f"https://{NAME}:{port}/a?b=1", b'{"n":1}', {})
    assert (answer.status, answer.error) == (204, None)
    assert asked == [NAME], "the connection goes to the address that was looked at"
    assert receiver.url == NAME, "the handshake names the host and no address"
    assert receiver.heads[0]["host"] == f"{NAME}:{port}"
    assert receiver.got == [{"n": 1}]


@pytest.mark.parametrize("names", [("other.example.test",), ("127.0.0.1",)])
async def test_a_certificate_of_another_name_ends_it_before_anything_is_said(
    authority: Authority, resolve: Resolve, names: tuple[str, ...]
) -> None:
    async with secured(authority.issue(*names), "127.0.0.1") as (receiver, port):
        resolve("127.0.0.1")
        answer = await Postman(30.0, HERE).post(f"https://{NAME}:{port}/", b"{}", {})
    assert (answer.status, answer.error) == (None, FAILS)
    assert receiver.raw == []


async def test_a_certificate_of_an_unknown_authority_ends_it(
    authority: Authority, resolve: Resolve, tmp_path: Path
) -> None:
    stranger = Authority.of(tmp_path / "unknown", "Nobody's authority")
    async with secured(stranger.issue(NAME), "127.0.0.1") as (receiver, port):
        resolve("127.0.0.1")
        answer = await Postman(30.0, HERE).post(f"https://{NAME}:{port}/", b"{}", {})
    assert (answer.status, answer.error) == (None, FAILS)
    assert receiver.raw == []


@pytest.mark.parametrize("place", ["127.0.0.1", "::1"])
async def test_an_address_in_place_of_a_name_is_held_against_the_certificate(
    authority: Authority, place: str
) -> None:
    host = f"[{place}]" if ":" in place else place
    async with secured(authority.issue(place), place) as (receiver, port):
        answer = await Postman(30.0, HERE).post(f"https://{host}:{port}/", b"{}", {})
    assert (answer.status, answer.error) == (204, None)
    assert receiver.heads[0]["host"] == f"{host}:{port}"
    async with secured(authority.issue(NAME), place) as (receiver, port):
        answer = await Postman(30.0, HERE).post(f"https://{host}:{port}/", b"{}", {})
    assert (answer.status, answer.error, receiver.raw) == (None, FAILS, [])


PRIVATE = ("::1", "fe80::1", "fd00::7", "::ffff:10.0.0.9", "64:ff9b::a00:9")


@pytest.mark.parametrize("place", PRIVATE)
async def test_a_private_address_of_ipv6_is_not_reached_by_its_name(
    authority: Authority, resolve: Resolve, place: str
) -> None:
    resolve(place)
    answer = await Postman(30.0).post(f"https://{NAME}/", b"{}", {})
    assert (answer.status, answer.error) == (None, "the address is not on the public internet")
