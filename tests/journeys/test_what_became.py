"""Why is it gone? What is no more is told of, whatever else is in the calendar."""

from typing import Any

import pytest


@pytest.fixture
def cancelled(alice: Any) -> Any:
    """Somebody whose meeting with Kim was cancelled, and whose dentist was not."""
    alice.chat("Meeting with Kim on Monday at 10")
    alice.chat("Dentist on Tuesday at 9")
    alice.chat("Cancel my meeting with Kim")
    return alice


@pytest.mark.parametrize(
    "words",
    [
        "Why is my meeting with Kim gone?",
        "Why is my meeting missing?",
        "What happened to my meeting with Kim?",
        "Where did my meeting with Kim go?",
        "Who deleted my meeting with Kim?",
        "Kim 회의 왜 없어졌어?",
        "Kim 회의 어떻게 됐어?",
        "Kim 회의 누가 지웠어?",
    ],
)
def test_what_is_gone_is_told_of_by_its_name_and_not_what_is_there(
    cancelled: Any, words: str
) -> None:
    told = cancelled.chat(words)

    assert "Cancel my meeting with Kim" in told["reply"]
    assert "Dentist" not in told["reply"]


def test_what_is_gone_is_told_of_whatever_it_is_called(alice: Any) -> None:
    alice.chat("Lunch with Lee on Monday at noon")
    alice.chat("Cancel my lunch with Lee")

    told = alice.chat("Why is my lunch with Lee gone?")

    assert "Cancel my lunch with Lee" in told["reply"]


def test_what_is_there_is_told_of_by_its_name(cancelled: Any) -> None:
    told = cancelled.chat("Why do I have a dentist meeting?")

    assert "Dentist on Tuesday at 9" in told["reply"]
    assert "Kim" not in told["reply"]


def test_nothing_is_told_of_a_name_that_was_never_there(cancelled: Any) -> None:
    told = cancelled.chat("What happened to my meeting with Zoe?")

    assert told["reply"] == "I have nothing stored about that."
