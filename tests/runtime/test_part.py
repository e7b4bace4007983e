from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

import pytest

from app.errors import PartFailed
from app.runtime import part as part_module
from app.runtime.part import Part
from app.runtime.process import Command, kill_child


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_module, "FIRST_PAUSE", 0.05)


def tend(part: Part, seconds: float = 60.0) -> bool:
    """Tend until something changed; False when `seconds` passed without."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if part.tend():
            return True
        time.sleep(0.01)
    return False


def tend_for_ever(part: Part) -> None:
    while tend(part):
        pass


def test_a_killed_child_is_started_again_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sleeper = Command((sys.executable, "-c", "import time; time.sleep(600)"), tmp_path / "log")
    part = Part("sleeper", sleeper)
    part.start()
    assert not part.tend()
    first = part.mark
    assert part.child is not None
    with caplog.at_level(logging.INFO, "loci.runtime"):
        kill_child(part.child)
        assert tend(part)
    assert part.is_running
    assert part.mark != first
    assert part.restarts == 1
    assert part.state is not None
    assert "sleeper ended (code -9), starts again" in caplog.text
    part.stop()


def test_a_child_that_keeps_dying_is_given_up_with_its_last_words(tmp_path: Path) -> None:
    dying = (sys.executable, "-c", "raise SystemExit('no such table')")
    part = Part("worker", Command(dying, tmp_path / "log"))
    part.start()
    with pytest.raises(PartFailed, match=r"worker ended 6 times in a row.*said: no such table"):
        tend_for_ever(part)
    assert part.restarts == 5
