"""Cutting of arguments and results, and secrets that the name of a field gives away."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest

from app.errors import InvalidInput, PiiRefused
from app.sanitize.fields import redact_fields
from app.sanitize.policy import SanitizePolicy
from app.traces.bounds import Bounds, bounded, size_of, storable

POLICY = SanitizePolicy()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"a": 1}, {"a": 1}),
        ({"log": "x" * 400, "ok": True}, {"log": f"{'x' * 166}[cut: 234 characters]", "ok": True}),
        (["y" * 300, "z"], [f"{'y' * 178}[cut: 122 characters]", "z"]),
        ({"a": {"b": {"c": {"d": 1}}}}, {"a": {"b": {"c": "[cut: an object of 1]"}}}),
        ([[[[1, 2]]]], [[["[cut: a list of 2]"]]]),
        (list(range(200)), [0, 1, 2, 3, "[cut: 196 more]"]),
        ("ö" * 300, f"{'ö' * 116}[cut: 184 characters]"),
    ],
)
def test_what_is_cut_says_so(given: Any, kept: Any) -> None:
    made, is_cut = bounded(given, Bounds(256, 3))
    assert made == kept
    assert is_cut == (made != given)


def wild(dice: random.Random, deep: int = 0) -> Any:
    """A JSON value of any shape."""
    kind = dice.randrange(7 if deep < 7 else 5)
    if kind < 5:
        return [None, dice.random() * 10**6, dice.random() < 0.5, -dice.randrange(2**60),
                dice.choice(['"\\\n', "wort", "雪", "x"]) * dice.randrange(200)][kind]  # fmt: skip
    members = [wild(dice, deep + 1) for _ in range(dice.randrange(12))]
    return (
        members
        if kind == 5
        else {f"{'k' * dice.randrange(90)}{n}": v for n, v in enumerate(members)}
    )


def depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


@pytest.mark.parametrize("seed", range(300))
def test_any_value_is_within_its_bounds(seed: int) -> None:
    dice = random.Random(seed)  # shapes, not secrets
    value, bounds = wild(dice), Bounds(dice.choice([256, 700, 3000]), dice.randrange(1, 8))
    made, is_cut = bounded(value, bounds)
    assert size_of(made) <= bounds.bytes
    assert depth(made) <= bounds.depth
    assert type(made) is type(value) or isinstance(made, str)
    if size_of(value) <= bounds.bytes and depth(value) <= bounds.depth:
        assert (made, is_cut) == (value, False)
    assert bounded(made, bounds) == (made, False)


@pytest.mark.parametrize("value", [2**64, {"a": [-(2**63) - 1]}, "\ud800", {"\udc00": 1}])
def test_what_cannot_be_kept_names_its_field(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"arguments holds") as caught:
        storable(value, "arguments")
    assert caught.value.field == "arguments"


S = "[secret]"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"password": "hunter2"}, {"password": S}),
        ({"user": "ann", "PassWord": 12345}, {"user": "ann", "PassWord": S}),
        ({"db_passwd": "x", "userPwd": "y"}, {"db_passwd": S, "userPwd": S}),
        ({"apiKey": "k", "x-api-key": "k", "API_KEYS": ["k"]},
         {"apiKey": S, "x-api-key": S, "API_KEYS": [S]}),
        ({"access_token": "abc", "max_tokens": 40, "tokens": ["a"]},
         {"access_token": S, "max_tokens": 40, "tokens": ["a"]}),
        ({"credentials": {"user": "ann", "n": 1, "on": True, "none": None}},
         {"credentials": {"user": S, "n": S, "on": True, "none": None}}),
        ({"headers": [{"name": "Authorization", "value": "Zm9v"}]},
         {"headers": [{"name": "Authorization", "value": S}]}),
        (["login", "--password", "hunter2", "-v"], ["login", "--password", S, "-v"]),
        ({"body": '{"password":"hunter2","n":1}'}, {"body": '{"password":"[secret]","n":1}'}),
        ({"body": "[not json"}, {"body": "[not json"}),
        ({"password": None, "secret": "", "pass": True},
         {"password": None, "secret": "", "pass": True}),
        ({"passenger": "ann", "keyboard": "qwertz", "key": "a", "author": "b", "compass": "n"},
         {"passenger": "ann", "keyboard": "qwertz", "key": "a", "author": "b", "compass": "n"}),
    ],
)  # fmt: skip
def test_names_of_fields_give_secrets_away(given: Any, kept: Any) -> None:
    made = redact_fields(given, POLICY, "arguments")
    assert made == kept
    assert redact_fields(made, POLICY, "arguments") == kept


def test_the_policy_of_a_scope_decides() -> None:
    given = {"password": "hunter2"}
    for action in ("keep", "tag"):
        assert redact_fields(given, SanitizePolicy.parse({"secret": action}), "x") == given
    with pytest.raises(PiiRefused, match="arguments holds"):
        redact_fields(given, SanitizePolicy.parse({"secret": "refuse"}), "arguments")


def test_sizes_are_those_of_json() -> None:
    assert size_of({"a": ["ä"]}) == len(orjson.dumps({"a": ["ä"]})) == 12
