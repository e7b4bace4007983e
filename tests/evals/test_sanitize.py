"""Floors for the sanitising step on the benchmark data beside the project."""

from pathlib import Path

import pytest
from rich.console import Console

from bench import sanitize

BENCH = Path(__file__).parents[2].parent / "shared" / "bench"
OUT = Console()
pytestmark = [
    pytest.mark.evals,
    pytest.mark.skipif(not BENCH.is_dir(), reason="no benchmark data beside the project"),
]


def test_attacks_are_found_and_harmless_texts_left_alone() -> None:
    figures = sanitize.injection(BENCH)
    OUT.print(figures)
    # Patterns alone, since phrases of single rows of these sets are gone from them.
    assert figures["attack"]["share"] >= 0.58
    assert figures["attack de"]["share"] >= 0.65
    assert figures["attack en"]["share"] >= 0.55
    assert figures["harmless NotInject"]["share"] <= 0.02
    assert figures["harmless"]["share"] <= 0.01
    assert figures["harmless de"]["share"] <= 0.02


def test_ordinary_talk_is_left_alone() -> None:
    figures = sanitize.false_alarms_in_talk(BENCH)
    OUT.print(figures)
    assert figures["of"] > 5000
    assert figures["share"] <= 0.001


def test_the_attack_is_cut_out_of_the_mail() -> None:
    figures = sanitize.excision(BENCH)
    OUT.print(figures)
    assert figures["caught"] >= 0.64
    assert figures["precision"] >= 0.98
    assert figures["recall"] >= 0.65
    assert figures["exact_of_caught"] >= 0.55


def test_personal_data_is_found_and_little_else() -> None:
    figures = sanitize.pii(BENCH)
    OUT.print(figures)
    for kind in ("email", "iban", "ip", "national_id"):
        assert figures[kind]["precision"] >= 0.98
        assert figures[kind]["recall"] >= 0.98
    assert figures["card"]["precision"] >= 0.98
    assert figures["card"]["recall"] >= 0.90
    assert figures["phone"]["precision"] >= 0.95
    assert figures["phone"]["recall"] >= 0.90


def test_the_step_keeps_up_with_an_import() -> None:
    figures = sanitize.speed(BENCH)
    OUT.print(figures)
    # Measured at 270 to 310, on an idle machine and a busy one; the step has to be read beside
    # something, since machines differ by more than what is watched here.
    assert figures["times_bare"] <= 600
