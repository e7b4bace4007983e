"""Which strings are personal data, and which only look like it."""

import pytest

from app.sanitize.finds import Find, settle
from app.sanitize.numbers import is_pension_number
from app.sanitize.pii import find_pii
from app.sanitize.policy import PII_CLASSES

ALL = frozenset(PII_CLASSES) - {"name"}

FOUND = [
    ("alice@example.com", "email", "alice@example.com"),
    ("Mail an jörg.müller+x@bücher.example.de!", "email", "jörg.müller+x@bücher.example.de"),
    ("<bob@mail.example.org>", "email", "bob@mail.example.org"),
    ("carol [at] example [dot] com", "email", "carol [at] example [dot] com"),
    ("415-555-0100", "phone", "415-555-0100"),
    ("call (650) 253-0000 now", "phone", "(650) 253-0000"),
    ("+49 30 901820", "phone", "+49 30 901820"),
    ("Tel.: 030/901820-17", "phone", "030/901820-17"),
    ("Ruf mich an: 0171 2345678", "phone", "0171 2345678"),
    ("+43 1 58858 0", "phone", "+43 1 58858 0"),
    ("+41 (0)44 668 18 00", "phone", "+41 (0)44 668 18 00"),
    ("0044 20 7946 0018", "phone", "0044 20 7946 0018"),
    ("020 7946 0018", "phone", "020 7946 0018"),
    ("My mobile: 467 3395", "phone", "467 3395"),
    ("4111 1111 1111 1111", "card", "4111 1111 1111 1111"),
    ("4111111111111111", "card", "4111111111111111"),
    ("3782 822463 10005", "card", "3782 822463 10005"),
    ("paid by 5555-5555-5555-4444.", "card", "5555-5555-5555-4444"),
    ("room 12 4111 1111 1111 1111 left", "card", "4111 1111 1111 1111"),
    ("DE89 3704 0044 0532 0130 00", "iban", "DE89 3704 0044 0532 0130 00"),
    ("gb82west12345698765432", "iban", "gb82west12345698765432"),
    ("IBAN AT61 1904 3002 3457 3201 und BIC", "iban", "AT61 1904 3002 3457 3201"),
    ("CH93 0076 2011 6238 5295 7 bitte", "iban", "CH93 0076 2011 6238 5295 7"),
    ("SSN 536-90-4399", "national_id", "536-90-4399"),
    ("social security number: 536904399", "national_id", "536904399"),
    ("Steuer-ID 36 574 261 809", "national_id", "36 574 261 809"),
    ("RVNR 15 070649 C 103", "national_id", "15 070649 C 103"),
    ("AHV 756.9217.0769.85", "national_id", "756.9217.0769.85"),
    ("SVNR 1237 010180", "national_id", "1237 010180"),
    ("NINO AB 12 34 56 C", "national_id", "AB 12 34 56 C"),
    ("from 192.168.2.17 at", "ip", "192.168.2.17"),
    ("host 2001:db8::8a2e:370:7334.", "ip", "2001:db8::8a2e:370:7334"),
    ("key sk-abcdefghijklmnopqrstuvwx", "secret", "sk-abcdefghijklmnopqrstuvwx"),
    ("AKIAIOSFODNN7EXAMPLE", "secret", "AKIAIOSFODNN7EXAMPLE"),
    ("ghp_" + "a1B2" * 9, "secret", "ghp_" + "a1B2" * 9),
    ("Authorization: Bearer abcdef0123456789ABCDEF", "secret", "abcdef0123456789ABCDEF"),
    ("password=hunter22", "secret", "hunter22"),
    ("Mein Passwort lautet S0mmer!2024.", "secret", "S0mmer!2024"),
    ("postgres://app:tiger42@db.internal/x", "secret", "tiger42"),
    (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "secret",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    ),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nthe rest",
        "secret",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
    ),
]

KEPT = [
    "git@host.example:path/to.git",
    "ssh://git@host.example/path",
    "the @mention of a user",
    "978-0-262-03384-8",
    "1234 5678 9012 3456",
    "4111111111111112",
    "ISBN 9780262033848",
    "on 2023-05-08 14:48:14 we met",
    "vom 08.05.2023 bis 12.06.2023",
    "the years 1998-2004",
    "Smith (2018) (2001) and others",
    "invoice no. 2023 000 4711",
    "Bestellnummer 030 1234567",
    "1.234.567,89 EUR and $12,345,678.90",
    "1667389234123",
    "order id 7f3a-0042-9981",
    "GB82 WEST 1234 5698 7654 33",
    "SSN 000-12-3456",
    "36574261808",
    "version 1.2.3.4",
    "256.1.1.1",
    "at 12:30:45 sharp",
    "std::vector<int>",
    "password: see below",
    "The password is on the note.",
    "the token is invalid",
    "a sk-short key",
    "we need 12 eggs, 250 g flour, 3 apples and 1000000 thanks",
    "The job 07564931-edcf-4109-aa6d-5547ae966193 failed.",
    "call 09846564-1234-4a7e-8175-446661199311 again",
]


@pytest.mark.parametrize(("text", "kind", "value"), FOUND)
def test_personal_data_is_found(text: str, kind: str, value: str) -> None:
    assert [(f.kind, text[f.start : f.end]) for f in find_pii(text, ALL)] == [(kind, value)]


@pytest.mark.parametrize("text", KEPT)
def test_look_alikes_are_kept(text: str) -> None:
    assert find_pii(text, ALL) == []


def test_number_glued_to_a_card_leaves_nothing() -> None:
    finds = find_pii("(650) 253-0000378282246310005", ALL)
    assert [(f.start, f.end, f.kind) for f in finds] == [(0, 14, "phone"), (14, 29, "card")]


def test_only_the_wanted_classes_are_looked_for() -> None:
    text = "alice@example.com, 415-555-0100"
    assert [f.kind for f in find_pii(text, frozenset({"phone"}))] == ["phone"]


@pytest.mark.parametrize(
    ("finds", "kept"),
    [
        ([(0, 5, "a"), (0, 9, "b")], [(0, 9, "b")]),
        ([(0, 5, "a"), (3, 9, "b")], [(0, 5, "a"), (5, 9, "b")]),
        ([(4, 6, "a"), (0, 2, "b")], [(0, 2, "b"), (4, 6, "a")]),
        ([(0, 9, "a"), (2, 4, "b"), (8, 12, "c")], [(0, 9, "a"), (9, 12, "c")]),
    ],
)
def test_overlaps_settle_by_start_then_length_and_keep_the_tail(
    finds: list[tuple[int, int, str]], kept: list[tuple[int, int, str]]
) -> None:
    assert settle([Find(*find) for find in finds]) == [Find(*find) for find in kept]


def test_pension_number_needs_its_check_digit() -> None:
    assert is_pension_number("15070649C103")
    assert not is_pension_number("15070649C104")
    assert not is_pension_number("15071349C103")
