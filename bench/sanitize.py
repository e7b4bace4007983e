"""How well the sanitising step tells attacks, harmless texts and personal data apart."""

from __future__ import annotations

import hashlib
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import py3langid

from app.errors import PiiRefused, ResidueOnly
from app.evals.jsonl import rows
from app.sanitize import SanitizePolicy, sanitize
from app.sanitize.finds import Find
from app.sanitize.markers import find_markers
from app.sanitize.pii import find_pii
from app.sanitize.policy import PII_CLASSES

# Which of our classes a class of the labelled texts is.
PII_OF = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "national_id",
    "IP_ADDRESS": "ip",
}
Row = dict[str, Any]
BARE = 20  # rounds of what is compared with: one takes milliseconds


def evaluate(bench: Path) -> dict[str, Any]:
    """Every figure of the step on the data in the folder `bench`; shares are between 0 and 1."""
    return {
        "injection": injection(bench),
        "false_alarms_in_talk": false_alarms_in_talk(bench),
        "excision": excision(bench),
        "pii": pii(bench),
        "speed": speed(bench),
    }


def is_flagged(text: str) -> bool:
    """Whether a marker fires in the text."""
    return bool(find_markers(text))


def language(row: Row) -> str:
    """`de` or `en` as labelled, else as guessed from the text; anything else is `other`."""
    code = row.get("lang") or py3langid.classify(row["text"])[0]
    return code if code in {"de", "en"} else "other"


def injection(bench: Path) -> dict[str, Any]:
    """Share of texts in which a marker fires: attacks by source, harmless ones by source."""
    seen: Counter[str] = Counter()
    fired: Counter[str] = Counter()
    for row in rows(bench / "injection" / "cases.jsonl"):
        group = "attack" if row["label"] else "harmless"
        source = row["source"].split("/")[0].split()[0]
        for key in (group, f"{group} {source}", f"{group} {language(row)}"):
            seen[key] += 1
            fired[key] += is_flagged(row["text"])
    return {key: {"share": fired[key] / seen[key], "of": seen[key]} for key in sorted(seen)}


def talk(bench: Path) -> Iterator[str]:
    """Ordinary conversation and prose: LoCoMo and LongMemEval turns, passages of 2wiki."""
    for path in sorted((bench / "locomo").glob("*/turns.jsonl")):
        yield from (row["text"] for row in rows(path) if row.get("text"))
    for name in ("evidence_turns", "s4_haystack_turns"):
        for row in rows(bench / "longmemeval_pool" / f"{name}.jsonl"):
            yield row.get("text") or row.get("content") or ""
    yield from (row["text"] for row in rows(bench / "2wiki" / "corpus.jsonl"))


def false_alarms_in_talk(bench: Path) -> dict[str, Any]:
    """Share of ordinary texts in which a marker fires: nothing there is an attack."""
    texts = list(talk(bench))
    return {"share": sum(map(is_flagged, texts)) / max(1, len(texts)), "of": len(texts)}


def excision(bench: Path) -> dict[str, Any]:
    """Of the mails with an inserted attack: how many are caught, and what is cut, in characters.

    `precision` is the share of what was cut that belongs to the attack, `recall` the share of
    the attack that was cut, both over the mails in which a marker fired; `recall_all` over all.
    """
    mails = list(rows(bench / "injection" / "marker_email_excision.jsonl"))
    cut = inside = attack = attack_all = caught = exact = 0
    for mail in mails:
        gold = _positions((span["start"], span["end"]) for span in mail["spans"])
        found = _positions((hit.start, hit.end) for hit in find_markers(mail["text"]))
        attack_all += len(gold)
        if found:
            caught += 1
            exact += _same(mail["text"], gold, found)
            cut, inside, attack = cut + len(found), inside + len(found & gold), attack + len(gold)
    return {
        "mails": len(mails),
        "caught": caught / len(mails),
        "exact_of_caught": exact / max(1, caught),
        "precision": inside / max(1, cut),
        "recall": inside / max(1, attack),
        "recall_all": inside / max(1, attack_all),
    }


def _positions(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {position for start, end in spans for position in range(start, end)}


def _same(text: str, gold: set[int], found: set[int]) -> bool:
    """Whether both cover the same letters and digits."""
    return not any(text[position].isalnum() for position in gold ^ found)


def pii(bench: Path) -> dict[str, Any]:
    """Precision and recall of each class: a find counts if it overlaps a label of the class."""
    found: Counter[str] = Counter()
    right: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    met: Counter[str] = Counter()
    wanted = frozenset(PII_CLASSES) - {"name"}
    for name in ("generated_small", "synth_v2"):
        for row in rows(bench / "pii_presidio" / f"{name}.jsonl"):
            finds = find_pii(row["text"], wanted)
            _tally(finds, _labels(row), (found, right, labels, met))
    return {
        kind: {
            "precision": right[kind] / found[kind] if found[kind] else None,
            "recall": met[kind] / labels[kind] if labels[kind] else None,
            "labels": labels[kind],
            "finds": found[kind],
        }
        for kind in sorted({*found, *labels})
    }


def _labels(row: Row) -> list[Find]:
    return [
        Find(span["start"], span["end"], PII_OF[span["type"]])
        for span in row["spans"]
        if span["type"] in PII_OF
    ]


def _tally(finds: list[Find], labels: list[Find], counts: tuple[Counter[str], ...]) -> None:
    found, right, labelled, met = counts
    for find in finds:
        found[find.kind] += 1
        right[find.kind] += any(_overlap(find, label) for label in labels)
    for label in labels:
        labelled[label.kind] += 1
        met[label.kind] += any(_overlap(label, find) for find in finds)


def _overlap(one: Find, other: Find) -> bool:
    return one.kind == other.kind and one.start < other.end and other.start < one.end


def speed(bench: Path) -> dict[str, Any]:
    """Texts a second through the step, and through NFC with SHA-256 alone, on LoCoMo turns."""
    texts = [
        row["text"]
        for path in sorted((bench / "locomo").glob("*/turns.jsonl"))
        for row in rows(path)
        if row.get("text")
    ]
    policy = SanitizePolicy()
    started = time.process_time()
    for text in texts:
        _ignoring_refusals(text, policy)
    ours = time.process_time() - started
    started = time.process_time()
    for _ in range(BARE):
        for text in texts:
            hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()
    bare = (time.process_time() - started) / BARE
    size = sum(map(len, texts)) / max(1, len(texts))
    return {
        "texts": len(texts),
        "mean_characters": size,
        "per_second": len(texts) / ours,
        "bare_per_second": len(texts) / bare,
        "times_bare": ours / bare,
    }


def _ignoring_refusals(text: str, policy: SanitizePolicy) -> None:
    try:
        sanitize(text, policy)
    except (PiiRefused, ResidueOnly):
        return
