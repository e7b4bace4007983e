"""What stands in the place of another word says something else, however near two texts are."""

from __future__ import annotations

import pytest

from app.contradiction.repetition import adds_nothing, says_the_same
from app.contradiction.twins import are_twins

APART = [
    ("Mia sends the invoice on Monday.", "Nora sends the invoice on Monday.", "en"),
    ("Restart the worker after an upgrade.", "Restart the database after an upgrade.", "en"),
    ("Use tabs in Go files.", "Use spaces in Go files.", "en"),
    ("Store the keys in the upper drawer of the desk.",
     "Store the keys in the lower drawer of the desk.", "en"),
    ("Whoever leaves last in the evening locks the back door and turns the heating down.",
     "Whoever leaves last in the evening locks the front door and turns the heating down.", "en"),
    ("Die Schlüssel liegen in der oberen Schublade.",
     "Die Schlüssel liegen in der unteren Schublade.", "de"),
    ("Vor dem Neustart die Datenbank sichern.", "Vor dem Neustart die Konfiguration sichern.",
     "de"),
    ("Wer abends als letzter geht, schließt die hintere Tür ab und dreht die Heizung herunter.",
     "Wer abends als letzter geht, schließt die vordere Tür ab und dreht die Heizung herunter.",
     "de"),
]  # fmt: skip
SAME = [
    ("Deploys are done by the platform team.", "The platform team does the deploys.", "en"),
    ("We restart the worker after an upgrade.", "After an upgrade we restart the worker.", "en"),
    ("Please restart the worker after each upgrade.", "Restart the worker after every upgrade.",
     "en"),
    ("Berichte gehen jede Woche an den Vertrieb.", "Jede Woche gehen Berichte an den Vertrieb.",
     "de"),
]  # fmt: skip

# Letters, signs, small words and places that carry what is said.
NO_TWINS = [
    ("Server A failed.", "Server B failed."),
    ("Use plan B.", "Use plan C."),
    ("Option A is cheaper than option B.", "Option B is cheaper than option A."),
    ("The balance is -200 CHF.", "The balance is 200 CHF."),
    ("Der Sensor misst -20 Grad.", "Der Sensor misst 20 Grad."),
    ("Retry while x > 5.", "Retry while x < 5."),
    ("The driver is written in C++.", "The driver is written in C."),
    ("The release went 👍", "The release went 👎"),
    ("Use Postgres or Redis.", "Use Postgres and Redis."),
    ("Nutze Postgres oder Redis.", "Nutze Postgres und Redis."),
    ("The job still fails.", "The job already fails."),
    ("The other server failed.", "The server failed."),
    ("The pump is too slow.", "The pump is slow."),
    ("Send invoices to Anna and contracts to Tom.", "Send invoices to Tom and contracts to Anna."),
    ("Rechnungen gehen an Anna und Verträge an Tom.",
     "Rechnungen gehen an Tom und Verträge an Anna."),
    ("On Monday the backup failed and on Friday the restore failed.",
     "On Friday the backup failed and on Monday the restore failed."),
    ("The job failed because the disk was full.", "The job failed, therefore the disk was full."),
]  # fmt: skip
TWINS = [
    ("The server doesn't start.", "The server does not start."),
    ("We can't log in.", "We cannot log in."),
    ("The limit is 5,000 files.", "The limit is 5000 files."),
]


@pytest.mark.parametrize(("one", "other"), NO_TWINS)
def test_what_one_sign_or_small_word_tells_apart_is_no_twin(one: str, other: str) -> None:
    assert not are_twins(one, other)
    assert not are_twins(other, one)


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_what_is_spelt_otherwise_is_a_twin(one: str, other: str) -> None:
    assert are_twins(one, other)


@pytest.mark.parametrize(("one", "other", "language"), APART)
def test_a_word_in_the_place_of_another_adds_something(one: str, other: str, language: str) -> None:
    assert not adds_nothing(one, other, language)
    assert not adds_nothing(other, one, language)
    assert not says_the_same(one, other, language)


@pytest.mark.parametrize(("one", "other", "language"), SAME)
def test_the_same_in_another_order_adds_nothing(one: str, other: str, language: str) -> None:
    assert says_the_same(one, other, language)
    assert adds_nothing(other, one, language)


def test_what_leaves_words_out_or_adds_a_few_still_repeats() -> None:
    said = "Always restart the worker by hand after an upgrade of the server."
    assert adds_nothing(said, "Restart the worker by hand after an upgrade.", "en")
    assert adds_nothing("Restart the worker by hand after an upgrade.",
                        "Restart the old worker by hand after an upgrade.", "en")  # fmt: skip
