"""Secrets are redacted in every form in which files, commands and sentences hold them."""

from __future__ import annotations

import pytest

from app.sanitize import SanitizePolicy, sanitize
from app.sanitize.normalise import normalise
from tests.security.secret_forms import FILES, HARMLESS, WHOLE, forms

POLICY = SanitizePolicy()


def test_every_secret_is_redacted_in_every_form() -> None:
    every = list(forms())
    left = [(form.form, form.name) for form in every if form.told(sanitize(form.text, POLICY).text)]
    assert len(every) > 1600
    assert not left


@pytest.mark.parametrize("form", sorted(FILES))
def test_only_the_value_goes(form: str) -> None:
    said = FILES[form].format(n="DB_PASSWORD", v="hunter22")
    left = FILES[form].format(n="DB_PASSWORD", v="[secret]")
    assert sanitize(said, POLICY).text == left
    assert sanitize(left, POLICY).text == left


@pytest.mark.parametrize("name", [name for name, *_ in WHOLE])
def test_in_the_middle_of_a_text(name: str) -> None:
    form = next(form for form in forms() if form.form == name)
    said = f"Notes of Monday.\n\n{form.text}\n\nDas war alles."
    found = sanitize(said, POLICY).text
    assert not form.told(found)
    assert found.startswith("Notes of Monday.\n\n")
    assert found.endswith("\n\nDas war alles.")


@pytest.mark.parametrize("text", HARMLESS)
def test_settings_and_talk_without_a_secret_stay(text: str) -> None:
    assert sanitize(text, POLICY).text == normalise(text).text
