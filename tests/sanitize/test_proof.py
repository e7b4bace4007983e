"""Every detector has an example, and one that misses it stops the process with a sentence."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys

import pytest

from app.errors import DetectorBroken
from app.sanitize import assigned, numbers, proof, secrets
from app.sanitize.marker_rules import RULES
from app.sanitize.policy import PII_CLASSES

NOTHING = re.compile(r"(?!)")
BROKEN = "import re; from app.sanitize import numbers; numbers._PHONE = re.compile('(?!)');"
DOORS = {
    "api": "import uvicorn; uvicorn.run('app.asgi:create_app', factory=True, port=0)",
    "worker": "from app.worker import main; main()",
    "command": "import sys; sys.argv = ['loci', 'digest']; from app.cli.main import run; run()",
}


def test_every_class_and_every_marker_has_an_example() -> None:
    assert {kind for kind, _, _ in proof._PERSONAL} == set(PII_CLASSES) - {"name"}
    told = {marker for marker, _ in proof._COMMANDS}
    assert told == {rule.id for rule in RULES} | {"encoded_instruction"}


def test_a_detector_that_misses_its_example_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    proof.prove_detectors.__wrapped__()
    monkeypatch.setattr(numbers, "_PHONE", NOTHING)
    with pytest.raises(DetectorBroken, match="the detector phone"):
        proof.prove_detectors.__wrapped__()


@pytest.mark.parametrize("place", range(len(secrets._SHAPES)))
def test_each_shape_of_a_secret_is_proved(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cues, shape = secrets._SHAPES[place]
    nothing = re.compile("(?!)" + "()" * shape.groups)
    shapes = (*secrets._SHAPES[:place], (cues, nothing), *secrets._SHAPES[place + 1 :])
    monkeypatch.setattr(secrets, "_SHAPES", shapes)
    with pytest.raises(DetectorBroken, match="the detector secret"):
        proof.prove_detectors.__wrapped__()


@pytest.mark.parametrize("place", range(len(secrets._NAMED)))
def test_each_secret_that_is_named_is_proved(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words, _ = secrets._NAMED[place]
    named = (*secrets._NAMED[:place], (words, NOTHING), *secrets._NAMED[place + 1 :])
    monkeypatch.setattr(secrets, "_NAMED", named)
    with pytest.raises(DetectorBroken, match="the detector secret"):
        proof.prove_detectors.__wrapped__()


@pytest.mark.parametrize(
    "form", ["_NAME", "_EQUALS", "_KEY_EQUALS", "_COLON", "_KEY_COLON", "_SETS", "_BLANK"]
)
def test_each_form_of_a_named_secret_is_proved(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assigned, form, re.compile("(?!)(?P<key>)(?P<rare>)"))
    with pytest.raises(DetectorBroken, match="the detector secret"):
        proof.prove_detectors.__wrapped__()


@pytest.mark.parametrize("place", range(len(assigned._FURTHER)))
def test_each_further_form_is_proved(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    further = (*assigned._FURTHER[:place], NOTHING, *assigned._FURTHER[place + 1 :])
    monkeypatch.setattr(assigned, "_FURTHER", further)
    with pytest.raises(DetectorBroken, match="the detector secret"):
        proof.prove_detectors.__wrapped__()


@pytest.mark.parametrize("door", DOORS)
def test_it_stops_the_process_with_a_sentence(door: str) -> None:
    # A command looks first whether its Neo4j listens: one that takes the connection is enough.
    with socket.create_server(("127.0.0.1", 0)) as listener:
        uri = f"bolt://127.0.0.1:{listener.getsockname()[1]}"
        done = subprocess.run(
            [sys.executable, "-c", f"{BROKEN} {DOORS[door]}"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "NEO4J_URI": uri},
        )
    assert done.returncode == 1
    assert "the detector phone of the sanitising step" in done.stderr
    assert "Traceback" not in done.stderr
