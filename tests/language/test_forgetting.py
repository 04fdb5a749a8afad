"""What is to be forgotten about a person: a whole sentence taken back, a noun, or the thing."""

from collections.abc import Callable

import pytest

from moss_memory.language.proposal import Parsed

Said = Callable[..., Parsed]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("Forget that I love jazz", ("prefers", "jazz")),
        ("forget I like jazz", ("prefers", "jazz")),
        ("Please forget that I hate cilantro.", ("dislikes", "cilantro")),
        ("Can you forget that I don't like olives?", ("dislikes", "olives")),
        ("Stop remembering that I like jazz", ("prefers", "jazz")),
        ("Erase the fact that I love jazz", ("prefers", "jazz")),
        ("Remove that I like jazz from your memory", ("prefers", "jazz")),
        ("Forget that I live in Seoul", ("lives_in", "Seoul")),
        ("Forget that I work at Hanbit Labs", ("works_at", "Hanbit Labs")),
        ("Forget that my name is Seo", ("name", "Seo")),
        ("Forget that I speak French", ("speaks", "French")),
        ("Remove jazz from my likes", ("prefers", "jazz")),
        ("Cancel my love of jazz", ("prefers", "jazz")),
        ("내가 재즈 좋아한다는 거 잊어줘", ("prefers", "재즈")),
        ("재즈를 좋아한다고 한 거 지워줘", ("prefers", "재즈")),
        ("재즈 좋아하는 거 잊어", ("prefers", "재즈")),
        ("고수 싫어한다는 사실 삭제해 주세요", ("dislikes", "고수")),
        ("내가 대구에 산다는 거 잊어줘", ("lives_in", "대구")),
        ("내가 한빛연구소에서 일한다는 거 지워줘", ("works_at", "한빛연구소")),
        ("내 이름이 민수라는 거 잊어줘", ("name", "민수")),
    ],
)
def test_a_sentence_taken_back_names_the_fact_that_it_stated(
    said: Said, words: str, meant: tuple[str, str]
) -> None:
    parsed = said(words)

    (fact,) = parsed.facts
    assert fact.target is not None
    assert (parsed.operation, fact.domain) == ("retire", "Preference")
    assert (fact.target.predicate, *fact.target.words) == meant


@pytest.mark.parametrize(
    "words",
    [
        "Forget about jazz",
        "Forget my preference for jazz",
        "Cancel my jazz preference",
        "Delete my taste in jazz",
        "Remove jazz from my preferences",
        "재즈 취향 삭제해줘",
        "재즈 취향 취소해줘",
        "내 재즈 선호도 지워줘",
        "재즈는 잊어줘",
    ],
)
def test_a_thing_without_a_verb_may_be_liked_or_disliked(said: Said, words: str) -> None:
    targets = [fact.target for fact in said(words).facts]

    assert [(one.predicate, len(one.words)) for one in targets if one] == [
        ("prefers", 1),
        ("dislikes", 1),
    ]


@pytest.mark.parametrize(
    ("words", "predicate"),
    [
        ("Forget where I live", "lives_in"),
        ("Forget my name", "name"),
        ("Forget where I work", "works_at"),
        ("Delete my address", "lives_in"),
        ("Forget what I like", "prefers"),
        ("내 이름 잊어줘", "name"),
        ("내 주소 지워줘", "lives_in"),
    ],
)
def test_what_a_person_has_one_of_is_named_by_its_kind(
    said: Said, words: str, predicate: str
) -> None:
    (fact,) = said(words).facts

    assert fact.target is not None
    assert (fact.target.predicate, fact.target.words) == (predicate, ())


@pytest.mark.parametrize(
    "words",
    [
        "Don't forget that I love jazz",
        "Never forget that I love jazz",
        "Did you forget that I love jazz?",
        "Why did you forget that I love jazz?",
        "Forget it",
        "Forget everything",
        "I forgot that I love jazz",
        "재즈 좋아한다는 거 잊지 마",
        "재즈 좋아한다는 거 잊었어?",
        "내가 고수 싫어한다는 거 기억하지 마",
    ],
)
def test_nothing_is_forgotten_where_nobody_asked_for_it(said: Said, words: str) -> None:
    parsed = said(words)

    assert (parsed.operation, parsed.facts) == (None, ())


@pytest.mark.parametrize(
    "words",
    [
        "Forget my meeting with Kim",
        "Forget that I have a meeting on Friday",
        "Cancel my meeting with Kim",
        "금요일 회의 잊어줘",
        "김대리랑 회의 취소해줘",
    ],
)
def test_the_calendar_is_still_cancelled(said: Said, words: str) -> None:
    parsed = said(words)

    (fact,) = parsed.facts
    assert fact.target is not None
    assert (parsed.operation, fact.domain) == ("retire", "Schedule")
    assert fact.target.predicate == "meeting"
