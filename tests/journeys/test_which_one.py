"""Which memory is meant? One is forgotten by its words; of several each is a button."""

from typing import Any

import pytest


def picked(alice: Any, asked: dict[str, Any], at: int) -> dict[str, Any]:
    """Press a button: its text goes back as a whole utterance."""
    answer: dict[str, Any] = alice.chat(asked["question"]["choices"][at]["text"])
    return answer


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("I hate cilantro", "Forget that I hate cilantro"),
        ("I live in Daegu", "Forget where I live"),
        ("나는 재즈 좋아해", "내가 재즈 좋아한다는 거 잊어줘"),
        ("나는 재즈 좋아해", "재즈 취향 취소해줘"),
        ("I love black coffee", "Cancel my coffee preference"),
    ],
)
def test_what_was_said_of_oneself_is_forgotten(alice: Any, stated: str, words: str) -> None:
    alice.chat(stated)

    told = alice.chat(words)

    assert (told["status"], told["operation"]) == ("SUCCESS", "retire")
    assert alice.memories() == []


def test_only_the_very_thing_is_forgotten_when_another_holds_its_name(alice: Any) -> None:
    alice.chat("I love jazz")
    alice.chat("I love acid jazz")

    alice.chat("Forget that I love jazz")

    assert [each["object_value"] for each in alice.memories()] == ["acid jazz"]


def test_what_is_only_alike_is_offered_and_not_forgotten(alice: Any) -> None:
    alice.chat("I love black tea")

    asked = alice.chat("Forget that I love black coffee")

    assert (asked["status"], asked["question"]["code"]) == ("CLARIFY", "target")
    assert [one["text"] for one in asked["question"]["choices"]] == ["Forget that I like black tea"]
    assert len(alice.memories()) == 1


def test_a_choice_forgets_what_it_names(alice: Any) -> None:
    alice.chat("I love black tea")
    asked = alice.chat("Forget that I love black coffee")

    picked(alice, asked, 0)

    assert alice.memories() == []


@pytest.mark.parametrize(
    ("stated", "words", "starts"),
    [
        (
            ("Meeting with Kim on Monday at 10", "Meeting with Lee on Monday at 2pm"),
            "Move my meeting on Monday to 4pm",
            ["2026-07-20T01:00:00Z", "2026-07-20T07:00:00Z"],
        ),
        (
            ("Meeting with Kim on Monday at 10", "Meeting with Lee on Tuesday at 2pm"),
            "Push my meeting back by an hour",
            ["2026-07-20T01:00:00Z", "2026-07-21T06:00:00Z"],
        ),
        (
            ("월요일 오전 10시에 김대리랑 회의 잡아줘", "월요일 오후 2시에 이부장이랑 회의 잡아줘"),
            "월요일 회의 오후 4시로 옮겨줘",
            ["2026-07-20T01:00:00Z", "2026-07-20T07:00:00Z"],
        ),
        (
            ("월요일 오전 10시에 김대리랑 회의 잡아줘", "월요일 오후 2시에 이부장이랑 회의 잡아줘"),
            "월요일 회의 한 시간 뒤로 미뤄줘",
            ["2026-07-20T01:00:00Z", "2026-07-20T06:00:00Z"],
        ),
    ],
)
def test_a_choice_moves_the_memory_that_it_names(
    alice: Any, stated: tuple[str, str], words: str, starts: list[str]
) -> None:
    for each in stated:
        alice.chat(each)
    asked = alice.chat(words)

    moved = picked(alice, asked, 1)

    assert moved["operation"] == "revise"
    assert sorted(each["valid_from"] for each in alice.memories()) == starts


def test_a_cancel_that_finds_nothing_offers_what_shares_a_word(alice: Any) -> None:
    alice.chat("Meeting with Kim on Monday at 10")

    asked = alice.chat("Cancel my lunch with Kim on Wednesday")

    assert [one["label"] for one in asked["question"]["choices"]] == [
        'meeting "Meeting with Kim" on Monday, July 20, 2026, 10:00 AM to 11:00 AM'
    ]


def test_a_cancel_of_nothing_said_offers_what_comes_next(alice: Any) -> None:
    alice.chat("Meeting with Kim on Monday at 10")

    asked = alice.chat("Cancel it", session_id="another")

    assert len(asked["question"]["choices"]) == 1


def test_no_more_than_five_are_offered(alice: Any) -> None:
    for hour in range(8, 15):
        alice.chat(f"Meeting with Kim on Monday at {hour}:00")

    asked = alice.chat("Move my meeting on Monday to 4pm")

    assert len(asked["question"]["choices"]) == 5


def test_a_scope_of_somebody_else_offers_nothing(alice: Any, bob: Any) -> None:
    bob.chat("Meeting with Kim on Monday at 10")

    answer = alice.http.post("/chat", json={"text": "Cancel it", "scope_id": bob.principal})

    assert "Kim" not in answer.text
