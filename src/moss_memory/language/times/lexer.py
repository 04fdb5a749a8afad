"""Rules that find clues in a text: the first rule to claim a stretch of text keeps it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from moss_memory.language.times.clue import Part, Value


@dataclass(frozen=True, slots=True)
class Scene:
    """What a rule may look at besides its words: the owner's wall clock and the locale."""

    now: datetime  # naive, in the owner's zone
    day_first: bool = False  # 7/8 is 7 August


Reading = Callable[["re.Match[str]", Scene], Value | Sequence[Value] | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what its match says; None from ``read`` leaves the text to later rules."""

    pattern: "re.Pattern[str]"
    read: Reading
    cored: bool = False  # only the group ``core`` is the clue, the rest stands around it
    needs: "re.Pattern[str] | None" = None  # without these words it cannot match: skip it


def rule(pattern: str, read: Reading, needs: str | None = None) -> Rule:
    """Compile a rule; patterns are matched case-insensitively.

    ``needs`` is a small pattern that every match holds: it spares the large one most texts.
    """
    compiled = re.compile(pattern, re.IGNORECASE)
    needed = None if needs is None else re.compile(needs, re.IGNORECASE)
    return Rule(compiled, read, "core" in compiled.groupindex, needed)


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
