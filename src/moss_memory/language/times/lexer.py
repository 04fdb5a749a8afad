"""Rules that find clues in a text: the first rule to claim a stretch of text keeps it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from moss_memory.language.times.clue import Part, Value


@dataclass(frozen=True, slots=True)
class Scene:
    """What a rule may look at besides its words: the owner's wall clock and the locale."""

    now: datetime  # naive, in the owner's zone
    day_first: bool = False  # 7/8 is 7 August


Reading = Callable[["re.Match[str]", Scene], Value | Sequence[Value] | None]


@dataclass(frozen=True)
class Rule:
    """A pattern and what its match says; None from ``read`` leaves the text to later rules.

    Only the group ``core``, where there is one, is the clue: the rest stands around it. The
    patterns are compiled at the first text that needs them: all of them at once take a quarter of
    a second, which every start of a service would wait for.
    """

    words: str
    read: Reading
    needed: str | None = None

    @cached_property
    def pattern(self) -> "re.Pattern[str]":
        """The pattern, compiled."""
        return re.compile(self.words, re.IGNORECASE)

    @cached_property
    def cored(self) -> bool:
        """Whether only a part of the match is the clue."""
        return "core" in self.pattern.groupindex

    @cached_property
    def needs(self) -> "re.Pattern[str] | None":
        """What a text must hold for the rule to match at all, compiled."""
        return None if self.needed is None else re.compile(self.needed, re.IGNORECASE)


def rule(pattern: str, read: Reading, needs: str | None = None) -> Rule:
    """Return a rule; patterns are matched case-insensitively.

    ``needs`` is a small pattern that every match holds: it spares the large one most texts.
    """
    return Rule(pattern, read, needs)


def scan(text: str, rules: Sequence[Rule], scene: Scene) -> list[Part]:
    """Collect the clues of a text in the order of their words."""
    taken = bytearray(len(text))
    parts: list[Part] = []
    for each in rules:
        if each.needs is not None and not each.needs.search(text):
            continue
        for match in each.pattern.finditer(text):
            start, end = match.span("core") if each.cored else match.span()
            if start == end or any(taken[start:end]):
                continue
            value = _read(each, match, scene)
            if value is None:
                continue
            taken[start:end] = b"\x01" * (end - start)
            values = value if isinstance(value, (list, tuple)) else (value,)
            parts.extend(Part(start, end, one) for one in values)
    parts.sort(key=lambda part: part.start)
    return parts


def _read(each: Rule, match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value] | None:
    try:
        return each.read(match, scene)
    except (ValueError, OverflowError):  # numbers that no calendar has
        return None
