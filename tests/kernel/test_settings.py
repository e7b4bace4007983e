"""Settings out of an environment: what is wrong is told by the name of the variable."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.errors import InvalidInput
from app.settings import Settings, _variables, read_settings

ROOT = Path(__file__).parents[2]
GIVEN = re.compile(r"\b(LOCI_[A-Z0-9_]+)=\S* +(?:python -m bench|loci|make)\b")


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("NEO4J_URI", "localhost:7687", "it starts with bolt:// or neo4j://"),
        ("LOCI_GRAPH__URI", "http://127.0.0.1", "it starts with bolt:// or neo4j://"),
        ("REDIS_URL", "127.0.0.1:6379", "it starts with redis:// or rediss://"),
        ("LOCI_PORT", "eighty", "valid integer"),
        ("LOCI_BOLT_PORT", "99999", "less than or equal to 65535"),
        ("LOCI_WORKER__TIMEZONE", "Berlin", "Europe/Berlin"),
        ("LOCI_WORKER__TIMEZONE", "../etc/passwd", "no time zone"),
        ("LOCI_EMBEDDING__PROVIDER", "e6", "'e5'"),
        ("LOCI_EMBEDDING__FURTHER", "{", "LOCI_EMBEDDING__FURTHER"),
    ],
)
def test_a_wrong_value_names_the_variable_that_was_set(
    variable: str, value: str, says: str
) -> None:
    with pytest.raises(InvalidInput) as told:
        read_settings({variable: value})
    assert told.value.field == variable
    assert told.value.detail.startswith(f"setting {variable}: ")
    assert says in told.value.detail
    assert "Value error" not in told.value.detail


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("LOCI_API_PORT", "LOCI_API__PORT"),
        ("LOCI_EMBEDDING__PROVIDR", "LOCI_EMBEDDING__PROVIDER"),
        ("LOCI_HOEM", "LOCI_HOME"),
        ("LOCI_SEARCH", None),
        ("LOCI_XYZZY__PLUGH", None),
    ],
)
def test_a_slip_is_an_error_that_names_what_may_be_meant(variable: str, meant: str | None) -> None:
    with pytest.raises(InvalidInput, match=f"{variable}(?![A-Z_])") as told:
        read_settings({variable: "1"})
    if meant:
        assert told.value.detail.endswith(f"did you mean {meant}?")


def test_a_password_in_a_wrong_address_is_not_repeated() -> None:
    with pytest.raises(InvalidInput) as told:
        read_settings({"REDIS_URL": "tcp://:hunter2@127.0.0.1"})
    assert "hunter2" not in told.value.detail


def test_an_empty_variable_counts_as_unset() -> None:
    names = ("LOCI_API__PORT", "LOCI_EMBEDDING__CACHE", "LOCI_API__IMPORT_DIR", "NEO4J_URI")
    assert read_settings(dict.fromkeys(names, "")) == Settings()


def test_what_the_pages_give_to_a_command_does_not_stop_it() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")]
    told = {name for page in pages for name in GIVEN.findall(page.read_text("utf-8"))}
    assert "LOCI_BENCH" in told
    assert told <= set(_variables())
