"""The classifier of suspicious texts: trained on open sets, and judged source by source.

A source is judged by what was learnt from all the others, its threshold included: that is chosen
from scores that were themselves given by what was learnt from other sources. `write` learns from
everything and writes the numbers that are shipped; no text of any set is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from app.embeddings.e5 import E5Embedder, E5Model
from app.embeddings.e5_files import ensure_model
from app.embeddings.model import Role
from app.evals.jsonl import rows
from app.sanitize.counts import NAMES, counted
from app.sanitize.markers import find_markers
from app.sanitize.suspicion import NUMBERS

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
OWN = Path(__file__).with_name("suspicion_own.jsonl")  # written for this, from no set
REVISION = 1
PENALTY = 10.0  # on the squared weights
AXES = (
    48  # along which vectors differ most; more would be more to learn than there is to learn from
)
VECTOR_SHARE = 1 / 5  # the scale of an axis beside that of a count, before training
FALSE_ALARMS = 0.005  # share of each harmless set that may be flagged
MOST_TEXTS = 1000  # of one set; more take long and teach little
SMALLEST = 50  # texts that a set must have to say where the threshold lies
STEPS, SMALL_STEP = 30, 1e-3  # of Newton's method; eight steps are usual


@dataclass(frozen=True, slots=True)
class Sample:
    """One text of a set, and whether it is an attack."""

    id: str
    source: str
    attack: bool
    text: str


@dataclass(frozen=True, slots=True)
class Data:
    """All samples with what the classifier sees of them, a row each; `axes` [dimension, AXES] are
    those of all vectors, whatever they are labelled."""

    samples: list[Sample]
    vectors: Floats
    axes: Floats
    counts: Floats
    attack: Bools
    source: npt.NDArray[np.str_]
    marked: Bools
    half: Bools


def samples(bench: Path) -> Iterator[Sample]:
    """Every text of the sets in the folder, at most `MOST_TEXTS` of a harmless one."""
    for row in rows(bench / "injection" / "cases.jsonl"):
        source = row["source"].split("/")[0].split()[0].split("_")[0]
        yield Sample(row["id"], source, bool(row["label"]), row["text"])
    for row in rows(OWN):
        yield Sample(_digest(row["text"]), "our own", row["attack"], row["text"])
    for source, texts in HARMLESS.items():
        chosen = sorted(dict.fromkeys(t for t in texts(bench) if t.strip()), key=_digest)
        for text in islice(chosen, MOST_TEXTS):
            yield Sample(_digest(text), source, False, text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _turns(bench: Path) -> Iterator[str]:
    for path in sorted((bench / "locomo").glob("*/turns.jsonl")):
        yield from (row["text"] for row in rows(path) if row.get("text"))


def _assistant(bench: Path) -> Iterator[str]:
    for name in ("evidence_turns", "s4_haystack_turns"):
        for row in rows(bench / "longmemeval_pool" / f"{name}.jsonl"):
            yield row.get("text") or row.get("content") or ""


def _passages(*folders: str) -> Callable[[Path], Iterator[str]]:
    def read(bench: Path) -> Iterator[str]:
        for folder in folders:
            for row in rows(bench / folder / "corpus.jsonl"):
                yield f"{row['title']}. {row['text']}"

    return read


def _pairs(language: str) -> Callable[[Path], Iterator[str]]:
    def read(bench: Path) -> Iterator[str]:
        for row in rows(bench / "sts_de_en" / "dev.jsonl"):
            yield from row[language]

    return read


def _sick(bench: Path) -> Iterator[str]:
    for row in rows(bench / "nli_sick" / "train.jsonl"):
        yield from (row["a"], row["b"])


def _extraction(bench: Path) -> Iterator[str]:
    for name in ("memory_extraction", "entity_extraction"):
        yield from (row["text"] for row in rows(bench / "extraction_de_en" / f"{name}.jsonl"))


HARMLESS: dict[str, Callable[[Path], Iterator[str]]] = {
    "LoCoMo": _turns,
    "LongMemEval": _assistant,
    "Wikipedia": _passages("hotpotqa_train100", "2wiki"),
    "STS en": _pairs("en"),
    "STS de": _pairs("de"),
    "SICK": _sick,
    "extraction": _extraction,
}


def vectors_of(texts: Sequence[str], models: Path, folder: Path | None) -> Floats:
    """The vector of each text's first window [texts, dimension], kept in `folder` where given."""
    kept = folder / "vectors.npz" if folder else None
    known: dict[str, Any] = {}
    if kept is not None and kept.exists():
        stored = np.load(kept)
        known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
    model: E5Model | None = None
    for text in texts:
        if _digest(text) in known:
            continue
        model = model or E5Model(ensure_model(models))
        window = model.windows(text)[0]
        known[_digest(text)] = model.vector(text[window.start : window.end], Role.DOCUMENT)
    if kept is not None and model is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, keys=np.array(list(known)), vectors=np.array(list(known.values())))
    return np.array([known[_digest(text)] for text in texts], np.float64)


def read(bench: Path, models: Path, folder: Path | None = None) -> Data:
    """The sets in the folder as the classifier sees them; the model in `models` computes their
    vectors."""
    found = list(samples(bench))
    vectors = vectors_of([sample.text for sample in found], models, folder)
    return Data(
        found,
        vectors,
        np.linalg.svd(vectors - vectors.mean(0), full_matrices=False)[2][:AXES].T,
        np.array([counted(sample.text) for sample in found]),
        np.array([sample.attack for sample in found]),
        np.array([sample.source for sample in found]),
        np.array([bool(find_markers(sample.text)) for sample in found]),
        np.array([int(_digest(sample.id), 16) % 2 == 0 for sample in found]),
    )


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights for vectors and counts as they are, unscaled."""

    bias: float
    vector: Floats
    counts: Floats

    def scores(self, data: Data) -> Floats:
        """The log-odds of each sample."""
        found: Floats = self.bias + data.vectors @ self.vector + data.counts @ self.counts
        return found


def fit(data: Data, among: Bools) -> Fitted:
    """Logistic regression with a penalty, by Newton's method, on the samples `among`."""
    vectors, counts = data.vectors[among] @ data.axes, data.counts[among]
    means = vectors.mean(0), counts.mean(0)
    scales = vectors.std(0) / VECTOR_SHARE + 1e-9, counts.std(0) + 1e-3
    standard = [(vectors - means[0]) / scales[0], (counts - means[1]) / scales[1]]
    inputs = np.hstack([*standard, np.ones((len(counts), 1))])
    wanted, weight = data.attack[among].astype(float), _weights(data, among)
    penalty = np.full(inputs.shape[1], PENALTY)
    penalty[-1] = 1e-6
    found = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        slope = inputs.T @ (weight * (share - wanted)) + penalty * found
        bend = (inputs * (weight * share * (1 - share))[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < SMALL_STEP:
            break
    axis, count = found[:AXES] / scales[0], found[AXES:-1] / scales[1]
    return Fitted(float(found[-1] - means[0] @ axis - means[1] @ count), data.axes @ axis, count)


def _weights(data: Data, among: Bools) -> Floats:
    """Attacks and harmless texts count the same; of each, a source by the root of its size."""
    source, attack = data.source[among], data.attack[among]
    weight = np.zeros(len(source))
    for kind in (True, False):
        groups = [(attack == kind) & (source == name) for name in np.unique(source[attack == kind])]
        roots = np.sqrt([group.sum() for group in groups])
        for group, root in zip(groups, roots, strict=True):
            weight[group] = 1000 * root / roots.sum() / group.sum()
    return weight


class Crossed:
    """Scores of sources by what was learnt without them, each fit made once."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._fits: dict[frozenset[str], Floats] = {}

    def without(self, *sources: str) -> Floats:
        """The score of every sample by what was learnt from all but these sources."""
        key = frozenset(sources)
        if key not in self._fits:
            among = ~np.isin(self._data.source, sources)
            self._fits[key] = fit(self._data, among).scores(self._data)
        return self._fits[key]

    def threshold(self, *left_out: str) -> float:
        """The lowest score above which at most `FALSE_ALARMS` of each harmless set lies, each set
        scored by what was learnt without it and without the sources left out."""
        data, found = self._data, []
        for name in set(np.unique(data.source).tolist()) - set(left_out):
            own = (data.source == name) & ~data.attack
            if own.sum() >= SMALLEST:
                harmless = np.sort(self.without(name, *left_out)[own])
                found.append(harmless[-1 - int(len(harmless) * FALSE_ALARMS)])
        return float(max(found))

    def judged(self) -> Bools:
        """Which samples are flagged, each by what was learnt from the other sources alone."""
        flagged = np.zeros(len(self._data.samples), bool)
        for name in np.unique(self._data.source).tolist():
            own = self._data.source == name
            flagged[own] = self.without(name)[own] > self.threshold(name)
        return flagged


def table(data: Data, flagged: Bools) -> list[dict[str, Any]]:
    """Shares flagged by patterns, by the classifier, and by either: a row a source, kind, half."""
    found = []
    for attack in (True, False):
        names = ["all", *np.unique(data.source[data.attack == attack])]
        for name in names:
            group = (data.attack == attack) & ((name == "all") | (data.source == name))
            for half, within in (
                ("", group),
                ("seen", group & data.half),
                ("unseen", group & ~data.half),
            ):
                found.append(
                    {"kind": "attack" if attack else "harmless", "source": str(name), "half": half,
                     "of": int(within.sum())}
                    | {
                        way: round(float(hits[within].mean()), 4) if within.any() else None
                        for way, hits in (
                            ("patterns", data.marked), ("classifier", flagged),
                            ("together", data.marked | flagged),
                        )
                    }
                )  # fmt: skip
    return found


def write(data: Data) -> None:
    """Learn from everything, and write the numbers that are shipped."""
    fitted = fit(data, np.ones(len(data.samples), bool))
    numbers = {
        "model": E5Embedder.info.name,
        "version": E5Embedder.info.version,
        "revision": REVISION,
        "bias": round(fitted.bias, 4),
        "threshold": round(Crossed(data).threshold(), 4),
        "vector": [round(float(weight), 3) for weight in fitted.vector],
        "counts": {n: round(float(w), 3) for n, w in zip(NAMES, fitted.counts, strict=True)},
    }
    NUMBERS.write_bytes(orjson.dumps([numbers]) + b"\n")
