"""Which packages `make install` asks for, and what uv is told of pip's configuration."""

from __future__ import annotations

from tests.support.packages import ENTRY, LOCK, as_uv_reads, lock_of


def test_what_pip_is_told_uv_is_told() -> None:
    listed = (
        ":env:.cert='/etc/company.pem'\n"
        "global.index-url='https://pip.example/simple'\n"
        "global.extra-index-url='https://a.example/simple\\nhttps://b.example/simple'\n"
        "global.timeout='60'\n"
        "install.index-url='https://install.example/simple'\n"
        "freeze.timeout='10'\n"
        "global.no-color='true'\n"
        "global.find-links='wheels more'\n"
    )
    assert as_uv_reads(listed, {"PATH": "/bin"}) == {
        "PATH": "/bin",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_DEFAULT_INDEX": "https://install.example/simple",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_FIND_LINKS": "wheels,more",
        "UV_HTTP_TIMEOUT": "60",
        "SSL_CERT_FILE": "/etc/company.pem",
    }


def test_what_uv_is_told_by_the_user_stays() -> None:
    told = {"UV_DEFAULT_INDEX": "https://own.example/simple", "UV_INDEX_STRATEGY": "first-index"}
    assert as_uv_reads("global.index-url='https://pip.example/simple'\n", told) == told


def test_pip_without_a_configuration_says_nothing() -> None:
    assert as_uv_reads("", {}) == {"UV_INDEX_STRATEGY": "unsafe-best-match"}


def test_entries_of_the_lock_are_whole() -> None:
    assert lock_of() == LOCK.read_text(encoding="utf-8")
    only = lock_of({"uv", "ruff"})
    assert len([e for e in ENTRY.split(only) if e]) == 2
    assert all("--hash=sha256:" in entry for entry in ENTRY.split(only) if entry)
    rest = lock_of(without={"uv", "ruff"})
    assert "uv==" not in rest.splitlines()[0]
    assert len(only) + len(rest) == len(lock_of())
    # A name that begins like another one is another one.
    assert "uvloop==" in rest
    assert "uvloop==" not in only
