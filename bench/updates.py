"""Whether what is extracted lets a later statement retire an earlier one, and only then."""

from __future__ import annotations

from collections.abc import Iterable

from app.extraction.model import ANYTHING, Mention, Mode, Statement
from app.extraction.predicates import Registry, may_end
from app.facts.repository import Terms
from app.indexing.analysis import query_terms
from app.values.model import Value
from app.values.money import comparable
from app.values.wording import normal_text


def object_key(thing: Mention | Value | None) -> str:
    """What two objects have in common exactly when they are the same."""
    if thing is None:
        return ""
    if isinstance(thing, Mention):
        return f"entity:{normal_text(thing.name)}"
    return thing.key


def same_name(one: str, other: str) -> bool:
    """One name, or the first or last part of it: Verdelo and Verdelo Farms, Marta and her name."""
    if normal_text(one) == normal_text(other):
        return True
    if not (one[:1].isupper() and other[:1].isupper()):
        return False
    if any("'s " in name for name in (one, other)):
        return False  # who is somebody's is another one
    a, b = normal_text(one).split(), normal_text(other).split()
    short, long = sorted((a, b), key=len)
    return bool(short) and (long[: len(short)] == short or long[-len(short) :] == short)


def same_subject(one: Mention, other: Mention, *, exact: bool = False) -> bool:
    """Whether both are one; `exact` where a part of a name may not stand for it."""
    if exact:
        return normal_text(one.name) == normal_text(other.name)
    return same_name(one.name, other.name)


def retires(new: Statement, old: Statement, registry: Registry, *, exact: bool = False) -> bool:
    """Whether the later statement, wholly read, ends or corrects the earlier one."""
    whole = not new.rest and not may_share(new, old, registry)
    return whole and bears_on(new, old, registry, exact=exact)


def bears_on(new: Statement, old: Statement, registry: Registry, *, exact: bool = False) -> bool:
    """Whether the later statement would end or correct the earlier one, were it wholly read."""
    if old.mode in (Mode.END, Mode.DENY):
        return False
    if new.fits:
        return any(_leaves_open(new, old, as_value, exact=exact) for as_value in (False, True))
    if new.predicate != old.predicate or new.qualifier != old.qualifier:
        return False
    if not same_subject(new.subject, old.subject, exact=exact):
        return False
    if new.mode in (Mode.END, Mode.DENY):
        return _same_object(new.object, old.object)
    if new.replaces is not None and object_key(new.replaces) == object_key(old.object):
        return True
    if not registry.get(new.predicate).functional:
        return False
    one, other = object_key(new.object), object_key(old.object)
    return one != other and comparable(one, other)


def may_share(new: Statement, old: Statement, registry: Registry) -> bool:
    """Whether both may be so, by what they are called."""
    if new.predicate != old.predicate:
        return False
    if Mode.ASSERT not in (new.mode, old.mode) or new.mode in (Mode.END, Mode.DENY):
        return False
    names = {object_key(o): _text(o) for o in (new.object, old.object)}
    first, second = object_key(new.object), object_key(old.object)
    return Terms(registry).rules(new.predicate, first, names).may_share(first, second)


def _leaves_open(new: Statement, old: Statement, as_value: bool, *, exact: bool = False) -> bool:
    """Whether an end that leaves open what ended fits: the one that it is about is the subject of
    the earlier statement, or its value."""
    about = old.object if as_value else old.subject
    named = new.object != ANYTHING
    if not isinstance(about, Mention) or not same_subject(new.subject, about, exact=exact):
        return False
    if not may_end(new.fits, old.predicate, as_value=as_value, named=named):
        return False
    return not named or _same_object(new.object, old.object) or _stands_in(new.object, old)


def _stands_in(what: Mention | Value, old: Statement) -> bool:
    """Whether the words of what an end names all stand in the earlier statement."""
    kind, _, noun = old.predicate.rpartition(":")  # a verb names no thing
    said = f"{old.subject.name} {noun if kind else ''} {_text(old.object)} {old.rest}"
    known = {form for forms in query_terms(said.replace("_", " ")) for form in forms}
    return all(not known.isdisjoint(forms) for forms in query_terms(_text(what)))


def _text(thing: Mention | Value) -> str:
    return thing.name if isinstance(thing, Mention) else thing.text


def _same_object(one: Mention | Value, other: Mention | Value) -> bool:
    """Whether both are one thing, be it read as a name here and as a word there."""
    first, second = object_key(one), object_key(other)
    return first == second or first.partition(":")[2] == second.partition(":")[2]


def meeting(
    old: Iterable[Statement], new: Iterable[Statement], registry: Registry
) -> list[tuple[Statement, Statement]]:
    """The pairs of an old and a new statement of which the new retires the old. An end that does
    not say of what retires the one statement that fits, and none of several."""
    olds = list(old)
    met: list[tuple[Statement, Statement]] = []
    for later in new:
        hit = [o for o in olds if retires(later, o, registry)]
        if later.fits:  # of whom it tells comes before of whose facts it is the value
            hit = [o for o in hit if _leaves_open(later, o, as_value=False)] or hit
        if not later.fits or len(hit) == 1:
            met += [(o, later) for o in hit]
    return met


def possible(
    old: Iterable[Statement], new: Iterable[Statement], registry: Registry
) -> list[tuple[Statement, Statement]]:
    """The pairs of which the new may have changed the old, but was not wholly read, or names a
    place that may lie in the old one."""
    olds = list(old)
    return [
        (o, n)
        for n in new
        for o in olds
        if (n.rest or may_share(n, o, registry)) and bears_on(n, o, registry)
    ]
