"""What a question is about: the words that a fact may share, and the kinds that it names."""

import pytest

from moss_memory.language.topics import topic


@pytest.mark.parametrize(
    ("question", "predicates"),
    [
        ("Summarize my schedule for Friday at 10 AM", {"vacation", "meeting", "note"}),
        ("금요일 오전 10시에 내 일정 요약해줘", {"vacation", "meeting", "note"}),
        ("When is my vacation?", {"vacation"}),
        ("연차가 언제야?", {"vacation"}),
        ("Where do I live?", {"lives_in"}),
        ("내가 사는 곳이 어디야?", {"lives_in"}),
        ("What food do I like?", {"prefers"}),
        ("내가 싫어하는 음식은?", {"dislikes"}),
        ("I'd like to know my job", {"works_at"}),
        ("나는 어디에서 일해?", {"works_at"}),
        ("거실 온도 몇 도로 해 뒀지?", {"target_temp"}),
        ("hello there", set()),
    ],
)
def test_question_names_kinds(question: str, predicates: set[str]) -> None:
    assert topic(question).predicates == predicates


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When is the budget review?", {"budget", "review"}),
        ("예산 검토가 언제야?", {"예산", "검토"}),
        ("what should I eat", {"eat", "food"}),
    ],
)
def test_words_that_only_ask_are_left_out(question: str, words: set[str]) -> None:
    assert topic(question).words == words


def test_predicate_of_a_user_is_found_by_its_own_name() -> None:
    assert topic("what is my shoe size", frozenset({"shoe_size"})).predicates == {"shoe_size"}
