"""What only agrees or thanks, and what says more."""

import pytest

from moss_memory.language.assent import only_assent

ASSENT = """
네 고마워
응 승인할게
yes, thank you!
OK, go ahead and do it.
그래 그렇게 해줘
네네
감사합니다 ㅎㅎ
Sure - sounds good
I approve that
확인했어요
""".strip().splitlines()
MORE = """
네 내일 3시 회의 잡아줘
yes, lunch at noon
고마운 사람은 김 대리
okra is great
no meetings on Friday
승인 회의 금요일
I like jazz, thanks
응 나 커피 좋아해
""".strip().splitlines()


@pytest.mark.parametrize("text", ASSENT)
def test_assent_is_known(text: str) -> None:
    assert only_assent(text)


@pytest.mark.parametrize("text", MORE)
def test_words_that_say_more_are_no_mere_assent(text: str) -> None:
    assert not only_assent(text)


def test_long_assent_is_read_in_no_time_to_speak_of() -> None:
    assert not only_assent("yes " * 1000 + "x")
