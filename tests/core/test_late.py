"""A pattern that is compiled late is the pattern that it would have been."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from moss_memory.core import (
    contacts,
    identifiers,
    keyed,
    passwords,
    phrased,
    screening,
    secret_values,
    tokens,
)
from moss_memory.core.late import late
from moss_memory.language import english_words, korean_words

OF_SECRETS = (
    contacts, identifiers, keyed, passwords, phrased, screening, secret_values, tokens,
)  # fmt: skip


def patterns_in(value: Any) -> Iterator[Any]:
    """Yield the patterns of a value, within tables too."""
    if isinstance(value, tuple | list):
        for each in value:
            yield from patterns_in(each)
    elif isinstance(getattr(value, "pattern", None), str):
        yield value


PATTERNS = [
    pytest.param(pattern, id=f"{module.__name__.rpartition('.')[2]}.{name}.{number}")
    for module in (*OF_SECRETS, english_words, korean_words)
    for name, value in vars(module).items()
    for number, pattern in enumerate(patterns_in(value))
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
