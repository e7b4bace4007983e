"""The local default: multilingual-e5-small as an int8 graph in onnxruntime, on the CPU.

Texts run one by one: the dynamic int8 scales are per tensor, so in a batch a vector would depend
on its neighbours; alone it is bit-identical on every call.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from app.embeddings import e5_files
from app.embeddings.model import EmbeddingConfig, ModelInfo, Role
from app.embeddings.windows import Span, split_windows
from app.errors import EmbedderUnavailable, InvalidInput

DIMENSION = 384
MAX_TOKENS = 512
_MARGIN = 12  # tokens kept free: a text cut apart may tokenise otherwise at its edges
_PREFIX = {Role.QUERY: "query: ", Role.DOCUMENT: "passage: "}
_QUERY_CACHE = 1024  # vectors

Vector = npt.NDArray[np.float32]


class _Loaded:
    """What the model reads with."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = Tokenizer.from_str((folder / e5_files.TOKENIZER).read_text("utf-8"))
        self.words = np.load(folder / e5_files.WORDS, mmap_mode="r")
        self.positions = np.load(folder / e5_files.POSITIONS)
        self.session = onnxruntime.InferenceSession(
            str(folder / e5_files.ENCODER), _options(), providers=["CPUExecutionProvider"]
        )


class E5Model:
    """The model, loaded at once or, if it is `late`, with the first text; synchronous, and safe to
    call from several threads."""

    def __init__(self, folder: Path, *, late: bool = False) -> None:
        self._folder = folder
        self._found: _Loaded | None = None
        self._loading = Lock()
        if not late:
            self._load()

    @property
    def _tokenizer(self) -> Tokenizer:
        return self._load().tokenizer

    def _load(self) -> _Loaded:
        """Raises EmbedderUnavailable where a file is missing or is not what it should be."""
        if self._found is None:
            with self._loading:
                try:
                    self._found = self._found or _Loaded(self._folder)
                except (OSError, ValueError, RuntimeError) as error:
                    raise EmbedderUnavailable(f"the local model does not load: {error}") from error
        return self._found

    def vector(self, text: str, role: Role) -> Vector:
        """The unit vector [384] of one text. A question is cut at 512 tokens, a document never.

        Raises InvalidInput (field `texts`) on a document that is too long.
        """
        loaded = self._load()
        ids = loaded.tokenizer.encode(_PREFIX[role] + text).ids
        if len(ids) > MAX_TOKENS:
            if role is Role.DOCUMENT:
                detail = f"a document of {len(ids)} tokens; the model reads {MAX_TOKENS}: cut it"
                raise InvalidInput(detail, field="texts")
            ids = [*ids[: MAX_TOKENS - 1], ids[-1]]
        states = e5_files.unpack(loaded.words[ids]) + loaded.positions[: len(ids)]
        output: Vector = loaded.session.run(["vector"], {"x": states[None]})[0][0]
        return output

    def count(self, text: str, role: Role = Role.DOCUMENT) -> int:
        """Tokens that the model would read for this text, prefix and markers included."""
        return len(self._tokenizer.encode(_PREFIX[role] + text).ids)

    def windows(self, text: str) -> list[Span]:
        """Overlapping ranges of `text` of at most 512 tokens each, prefix and markers included."""
        tokens = self._tokenizer.encode(text, add_special_tokens=False).offsets
        budget = MAX_TOKENS - self.count("") - _MARGIN
        if len(tokens) <= budget:
            return [Span(0, len(text))]
        return [
            Span(whole.start + part.start, whole.start + part.end)
            for whole in split_windows(text, tokens, budget)
            for part in self._fitting(text[whole.start : whole.end], budget)
        ]

    def _fitting(self, text: str, budget: int) -> list[Span]:
        """The window itself, or smaller ones where cutting it out made more tokens of it."""
        if self.count(text) <= MAX_TOKENS:
            return [Span(0, len(text))]
        tokens = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return split_windows(text, tokens, budget // 2)


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The graph is fused by hand where that helps; further fusing undoes it.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options


class E5Embedder:
    """`E5Model` behind threads: `threads` for documents, and one of its own for questions.

    A question so never waits behind a batch of documents; onnxruntime releases the GIL.
    """

    info = ModelInfo("multilingual-e5-small-int8", e5_files.VERSION, DIMENSION, MAX_TOKENS)

    def __init__(self, model: E5Model, threads: int) -> None:
        self._model = model
        self._documents = ThreadPoolExecutor(threads, thread_name_prefix="e5-document")
        self._queries = ThreadPoolExecutor(1, thread_name_prefix="e5-query")
        self._recent: OrderedDict[str, list[float]] = OrderedDict()

    @classmethod
    def build(cls, config: EmbeddingConfig) -> E5Embedder:
        """Loads the model (0.7 s) unless it is late; converts it first where that was not done."""
        if config.threads < 1:
            raise InvalidInput("at least one thread is needed", field="threads")
        folder = e5_files.ensure_model(config.cache_dir)
        return cls(E5Model(folder, late=config.late), config.threads)

    async def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See `Embedder.embed`."""
        if role is Role.QUERY:
            return [await self._query(text) for text in texts]
        loop = asyncio.get_running_loop()
        run = [loop.run_in_executor(self._documents, self._vector, t, role) for t in texts]
        return list(await asyncio.gather(*run))

    def windows(self, text: str) -> list[Span]:
        """See `Embedder.windows`."""
        return self._model.windows(text)

    async def aclose(self) -> None:
        """Waits for what runs and drops what waits."""
        for pool in (self._documents, self._queries):
            await asyncio.to_thread(pool.shutdown, True, cancel_futures=True)

    async def _query(self, text: str) -> list[float]:
        if text not in self._recent:
            loop = asyncio.get_running_loop()
            vector = await loop.run_in_executor(self._queries, self._vector, text, Role.QUERY)
            self._recent[text] = vector
        self._recent.move_to_end(text)
        while len(self._recent) > _QUERY_CACHE:
            self._recent.popitem(last=False)
        return list(self._recent[text])

    def _vector(self, text: str, role: Role) -> list[float]:
        values: list[float] = self._model.vector(text, role).tolist()
        return values
