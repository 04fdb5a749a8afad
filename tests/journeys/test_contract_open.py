"""Where the service is known to differ from its contract, or from what a careful user expects."""

from typing import Any

import pytest


def item(value: str) -> dict[str, Any]:
    return {"domain": "Store", "subject": "ns/key", "predicate": "item", "object_value": value}


def test_an_item_that_is_equal_as_json_is_no_change(alice: Any) -> None:
    alice.stored(item('{"a": 1, "b": 2}'))

    answer = alice.propose(item('{"b":2,"a":1}'))

    assert (answer.status_code, answer.json()["status"]) == (200, "NO_CHANGE")


@pytest.mark.parametrize("words", ["Forget that I love jazz", "Forget that I like jazz"])
def test_a_preference_is_forgotten_by_its_words(alice: Any, words: str) -> None:
    alice.chat("I love jazz")

    told = alice.chat(words)

    assert (told["status"], told["operation"]) == ("SUCCESS", "retire")
    assert alice.memories(domain="Preference") == []


def test_a_question_of_target_offers_a_choice_for_each_memory(alice: Any) -> None:
    alice.chat("Meeting with Kim on Monday at 10")
    alice.chat("Meeting with Lee on Monday at 2pm")

    asked = alice.chat("Move my meeting on Monday to 4pm")

    assert asked["question"]["code"] == "target"
    assert len(asked["question"]["choices"]) == 2
