"""The forms of verbs: regular ones by rule, irregular ones by list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from app.extraction.data import lexicon, words

VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a verb: its lemma (`um|ziehen` for separable ones come as lemma and particle)."""

    lemma: str
    past: bool = False
    participle: bool = False
    plural: bool = False  # German forms that are also the infinitive


Forms = dict[str, tuple[Form, ...]]


@cache
def irregular_en() -> dict[str, tuple[str, ...]]:
    """Lemma to its listed forms."""
    lines = lexicon()["irregular_en"]["forms"].split("\n")
    return {w[0]: tuple(w) for line in lines if (w := line.split())}


def english(lemma: str) -> list[tuple[str, Form]]:
    """All forms of an English verb."""
    listed = irregular_en().get(lemma)
    if listed is not None:
        return [(form, _listed_form(lemma, form)) for form in {*listed, _ing(lemma)}]
    regular = past(lemma)
    return [
        (lemma, Form(lemma)),
        (present(lemma), Form(lemma)),
        (regular, Form(lemma, past=True, participle=True)),
        (_ing(lemma), Form(lemma, participle=True)),
    ]


def invariable(lemma: str) -> bool:
    """Whether an English verb has one form for now and then: quit, shut."""
    return lemma in irregular_en() and not any(form.past for _, form in english(lemma))


def _listed_form(lemma: str, form: str) -> Form:
    if form == lemma or form.endswith("s") or form in ("am", "are"):
        return Form(lemma, past=form == "was")
    if form.endswith("ing"):
        return Form(lemma, participle=True)
    return Form(lemma, past=True, participle=True)


def present(lemma: str) -> str:
    """The form of one other: works, tries, watches."""
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2] not in VOWELS:
        return lemma[:-1] + "ies"
    return lemma + "s"


def past(lemma: str) -> str:
    """The regular past: worked, tried."""
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2] not in VOWELS:
        return lemma[:-1] + "ied"
    return lemma + "ed"


def _ing(lemma: str) -> str:
    if lemma.endswith("e") and not lemma.endswith(("ee", "be")):
        return lemma[:-1] + "ing"
    return lemma + "ing"


@cache
def irregular_de() -> dict[str, tuple[tuple[str, Form], ...]]:
    """Lemma to its listed forms."""
    found: dict[str, tuple[tuple[str, Form], ...]] = {}
    for line in lexicon()["irregular_de"]["forms"].split("\n"):
        lemma, _, rest = line.partition(":")
        if rest:
            present, past, participle, *_ = (part.split() for part in rest.split(","))
            forms = [(w, Form(lemma)) for w in present]
            forms += [(w, Form(lemma, past=True)) for w in past]
            forms += [(w, Form(lemma, participle=True)) for w in participle]
            found[lemma] = (*forms, (lemma, Form(lemma, plural=True)))
    return found


def german(verb: str) -> list[tuple[str, Form]]:
    """All forms of a German verb; a separable one gives the forms of its stem and its own."""
    particle, stem = split_particle(verb)
    forms = _german_stem(stem)
    if not particle:
        return forms
    own = [(particle + w, _renamed(f, verb)) for w, f in forms if f.plural]
    own += [(particle + w, _renamed(f, verb)) for w, f in forms if f.participle or not f.past]
    return forms + own


def _renamed(form: Form, lemma: str) -> Form:
    return Form(lemma, form.past, form.participle, form.plural)


def _german_stem(lemma: str) -> list[tuple[str, Form]]:
    listed = irregular_de().get(lemma)
    if listed is not None:
        return list(listed)
    for prefix in INSEPARABLE:
        stem = irregular_de().get(lemma.removeprefix(prefix))
        if stem is not None and lemma.startswith(prefix):
            return [_with_inseparable(prefix, *form) for form in stem]
    if lemma.endswith(("eln", "ern")):
        return _weak_l(lemma)
    root = lemma.removesuffix("en") if lemma.endswith("en") else lemma.removesuffix("n")
    e = "e" if root.endswith(("t", "d", "chn", "ffn", "tm")) else ""
    unstressed = lemma.startswith(("be", "ver", "er", "ent", "ge", "miss", "zer", "über", "unter"))
    bare = unstressed or lemma.endswith("ieren")
    participle = root + e + "t" if bare else "ge" + root + e + "t"
    return [
        (root + "e", Form(lemma)),
        (root + e + "t", Form(lemma)),
        (lemma, Form(lemma, plural=True)),
        (root + e + "te", Form(lemma, past=True)),
        (root + e + "ten", Form(lemma, past=True)),
        (participle, Form(lemma, participle=True)),
    ]


INSEPARABLE = ("be", "ver", "er", "ent", "zer", "über", "unter", "wider", "hinter")


def _with_inseparable(prefix: str, word: str, form: Form) -> tuple[str, Form]:
    """`übernimmt`, `übernommen`: such a prefix stays with the verb and takes the place of `ge`."""
    plain = word.removeprefix("ge") if form.participle else word
    return prefix + plain, _renamed(form, prefix + form.lemma)


def _weak_l(lemma: str) -> list[tuple[str, Form]]:
    """Verbs in -eln and -ern: ich pendle, er pendelt, gependelt."""
    root = lemma[:-1]
    return [
        (lemma[:-3] + lemma[-2] + "e", Form(lemma)),
        (root + "e", Form(lemma)),
        (root + "t", Form(lemma)),
        (lemma, Form(lemma, plural=True)),
        (root + "te", Form(lemma, past=True)),
        (root + "ten", Form(lemma, past=True)),
        ("ge" + root + "t", Form(lemma, participle=True)),
        (root + "t", Form(lemma, participle=True)),
    ]


@cache
def particles() -> tuple[str, ...]:
    """Prefixes that leave the verb in a main clause, longest first."""
    listed: str = lexicon()["irregular_de"]["particles"]
    return tuple(sorted(listed.split(), key=len, reverse=True))


FIXED = words("sets", "fixed")


def split_particle(verb: str) -> tuple[str, str]:
    """`umziehen` to `um` and `ziehen`; verbs without a separable prefix keep it empty."""
    if verb in FIXED:
        return "", verb
    for particle in particles():
        rest = verb.removeprefix(particle)
        if rest != verb and len(rest) >= 5 and rest.endswith("n"):
            return particle, rest
    return "", verb


def index(verbs: Any, language: str) -> Forms:
    """Every form of the verbs, to what it may be."""
    found: dict[str, list[Form]] = {}
    for verb in verbs:
        for word, form in english(verb) if language == "en" else german(verb):
            known = found.setdefault(word.lower(), [])
            if form not in known:
                known.append(form)
    return {word: tuple(forms) for word, forms in found.items()}
