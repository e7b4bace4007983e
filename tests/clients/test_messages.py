"""What is sent of the messages that an agent has."""

from __future__ import annotations

import pytest

from loci_client.messages import LARGEST, MOST, Conversation, batches, spoken, text_of

TALK = Conversation("s", "demo", "mia", ("yard",))


def test_names_and_moments_of_messages_are_kept() -> None:
    sent = spoken(
        [
            {"role": "user", "content": "Hello."},
            {"role": "user", "name": "Jonas", "content": "Hi.", "captured_at": "2026-03-02T09:00Z"},
            {"role": "assistant", "content": "Good day."},
        ],
        TALK,
    )
    assert [one.get("speaker") for one in sent.episodes] == ["mia", "Jonas", None]
    assert [one.get("captured_at") for one in sent.episodes] == [None, "2026-03-02T09:00Z", None]
    assert {(one["scope"], one["session"]) for one in sent.episodes} == {("demo", "s")}
    assert sent.episodes[0]["tags"] == ["yard"]


def test_instructions_and_messages_without_text_are_left_out() -> None:
    sent = spoken(
        [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": "  "},
            {"role": "assistant"},
        ],
        TALK,
    )
    assert (sent.left_out, sent.places) == ((0, 2, 3), ("messages.1.",))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Hello.", "Hello."),
        ([{"type": "text", "text": "Look:"}, {"type": "image_url"}], "Look:"),
        ([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}], "One.\nTwo."),
        (None, ""),
        ([], ""),
        (["odd", 3], ""),
    ],
)
def test_the_text_of_a_content(content: object, text: str) -> None:
    assert text_of(content) == text


def test_batches_keep_to_what_a_request_holds() -> None:
    many = [{"content": str(number)} for number in range(2 * MOST + 1)]
    assert [len(batch) for batch in batches(many)] == [MOST, MOST, 1]
    large = [{"content": "x" * (LARGEST // 2)}] * 3
    assert [len(batch) for batch in batches(large)] == [1, 1, 1]
    assert list(batches([])) == []
