"""What people say about themselves and to their home."""

from collections.abc import Callable

import pytest

from moss_memory.language.proposal import Parsed

Said = Callable[..., Parsed]


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ("I love Basque food.", ("Preference", "food", "prefers", "Basque food")),
        ("I hate Basque food now.", ("Preference", "food", "dislikes", "Basque food")),
        ("I can't stand coriander", ("Preference", "food", "dislikes", "coriander")),
        ("I don't like early flights", ("Preference", "general", "dislikes", "early flights")),
        ("I live in Daegu", ("Preference", "User", "lives_in", "Daegu")),
        ("I work at Hanbit Labs", ("Preference", "User", "works_at", "Hanbit Labs")),
        ("나는 매운 음식을 좋아해", ("Preference", "food", "prefers", "매운 음식")),
        ("난 매운 음식 이제 싫어해", ("Preference", "food", "dislikes", "매운 음식")),
        ("나는 이른 비행기를 안 좋아해", ("Preference", "general", "dislikes", "이른 비행기")),
        ("저는 대구에 살아요", ("Preference", "User", "lives_in", "대구")),
        ("나 한빛연구소에서 일해", ("Preference", "User", "works_at", "한빛연구소")),
        ("Turn off the kitchen light", ("SmartHome", "kitchen light", "light_status", "off")),
        ("Set the thermostat to 21", ("SmartHome", "thermostat", "target_temp", "21")),
        ("Lock the front door", ("SmartHome", "front door", "lock", "locked")),
        ("주방 불 꺼줘", ("SmartHome", "주방 불", "light_status", "off")),
        ("거실 온도 23도로 맞춰줘", ("SmartHome", "거실 온도", "target_temp", "23")),
    ],
)
def test_a_state_or_a_preference_keeps_its_polarity(
    said: Said, words: str, fact: tuple[str, str, str, str]
) -> None:
    (found,) = said(words).facts

    assert (found.domain, found.subject, found.predicate, found.object_value) == fact


@pytest.mark.parametrize(
    ("words", "name"),
    [("My name is Seo, my daughter is Ara", "Seo"), ("내 이름은 서준이고 딸은 아라야", "서준")],
)
def test_only_the_speakers_own_name_is_theirs(said: Said, words: str, name: str) -> None:
    facts = said(words).facts

    assert [(fact.predicate, fact.object_value) for fact in facts] == [("name", name)]


def test_languages_are_facts_of_their_own(said: Said) -> None:
    facts = said("I speak Korean and German").facts

    assert [fact.object_value for fact in facts] == ["Korean", "German"]


@pytest.mark.parametrize(
    "words",
    [
        "My son loves trains",
        "I'd like to know the weather",
        "I like it",
        "Do I like coffee?",
        "Is the kitchen light on?",
        "내 동생은 고수를 싫어해",
        "나 커피 좋아해?",
    ],
)
def test_what_others_like_and_what_is_asked_are_not_kept(said: Said, words: str) -> None:
    assert said(words).facts == ()
