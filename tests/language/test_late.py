"""A pattern that is compiled late is the pattern that it would have been."""

import re
from typing import Any

import pytest

from moss_memory.language import english_words, korean_words
from moss_memory.language.late import late

PATTERNS = [
    pytest.param(pattern, id=f"{words.__name__.rpartition('.')[2]}.{name}")
    for words in (english_words, korean_words)
    for name, pattern in vars(words).items()
    if isinstance(getattr(pattern, "pattern", None), str)
]


def test_a_late_pattern_finds_what_the_compiled_one_finds() -> None:
    text = "On the 20th Clear my calendar"
    spans = [late(r"\bclear\b", re.IGNORECASE).search(text) for _ in range(2)]
    assert [found and found.span() for found in spans] == [(12, 17), (12, 17)]


def test_a_late_pattern_knows_its_text_and_its_flags() -> None:
    made = late("a", re.IGNORECASE)
    assert (made.pattern, made.flags) == ("a", re.compile("a", re.IGNORECASE).flags)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_compiles(pattern: Any) -> None:
    assert re.compile(pattern.pattern, pattern.flags).flags == pattern.flags
