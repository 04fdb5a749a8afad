"""The answer to a question, said from memories alone: no model, no guess, an empty one says so."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.language.wording_facts import inert, summary
from moss_memory.language.wording_language import Phrase, language, say

SHOWN: Final = 20  # lines of an answer; what is left out is counted

_ON_LEAVE: Final = (
    "You have no scheduled meetings at that time because you are on annual leave.",
    "해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다.",
)
_NOTHING_THEN: Final = (
    "You have nothing scheduled at that time.",
    "해당 시간에 예정된 일정이 없습니다.",
)
_EMPTY_CALENDAR: Final = ("Your calendar is empty.", "등록된 일정이 없습니다.")
_NOTHING_STORED: Final = (
    "I have nothing stored about that.",
    "그에 대해 저장된 내용이 없습니다.",
)
_LIST: Final = ("Here is what is stored:", "저장된 내용은 다음과 같습니다:")
_ALSO: Final = ("Also stored:", "함께 저장된 내용:")
_MORE: Final = ("... and {n} more", "... 외 {n}건")
_SENTENCES: Final[dict[str, Phrase]] = {
    "lives_in": ("You live in {value}.", "거주지는 {value}입니다."),
    "works_at": ("You work at {value}.", "직장은 {value}입니다."),
    "name": ("Your name is {value}.", "이름은 {value}입니다."),
    "speaks": ("You speak {value}.", "사용 언어는 {value}입니다."),
    "prefers": ("You like {value}.", "{value}: 좋아한다고 하셨습니다."),
    "dislikes": ("You dislike {value}.", "{value}: 싫어한다고 하셨습니다."),
}


def answer(
    memories: Sequence[Memory],
    window: Interval | None,
    zone: str,
    locale: str,
    *,
    today: date | None = None,
    domains: Sequence[str] = (),
    others: bool = False,
) -> str:
    """Say what is known of ``window`` (None: of any time) from active memories.

    A vacation that covers the whole window, with no meeting in it, is the seed's answer: on
    leave, no meetings. ``domains`` are those asked about, ``others`` says that events are
    stored which were not asked for: both only word an empty answer. The locale is English or
    Korean, any other reads English.
    """
    spoken = language(locale)
    found = _in_order([m for m in memories if window is None or _touches(m, window)], window)
    if not found:
        return _empty(window, domains, spoken, others=others)
    if window is not None and _on_leave(found, window):
        rest = [m for m in found if m.fact.predicate != "vacation"]
        also = _lines(_ALSO, rest, window, zone, spoken, today) if rest else ""
        return "\n".join(filter(None, [say(_ON_LEAVE, spoken), also]))
    if len(found) == 1 and found[0].fact.predicate in _SENTENCES:
        only = found[0].fact
        return say(_SENTENCES[only.predicate], spoken).format(value=inert(only.object_value))
    return _lines(_LIST, found, window, zone, spoken, today)


def covered(window: Interval, by: Sequence[Interval]) -> bool:
    """Whether the intervals together leave no instant of ``window`` free."""
    reached = window.start
    for one in sorted(by):
        if one.start > reached:
            return False
        reached = max(reached, one.end)
        if reached >= window.end:
            return True
    return False


def _on_leave(found: Sequence[Memory], window: Interval) -> bool:
    leave = [one for m in found if m.fact.predicate == "vacation" for one in m.windows]
    return covered(window, leave) and not any(m.fact.predicate == "meeting" for m in found)


def _empty(window: Interval | None, domains: Sequence[str], spoken: str, *, others: bool) -> str:
    if (domains and "Schedule" not in domains) or (window is None and others):
        return say(_NOTHING_STORED, spoken)
    return say(_EMPTY_CALENDAR if window is None else _NOTHING_THEN, spoken)


def _lines(
    head: Phrase,
    memories: Sequence[Memory],
    window: Interval | None,
    zone: str,
    spoken: str,
    today: date | None,
) -> str:
    lines = [say(head, spoken)]
    shown = [summary(m, zone, spoken, today=today, window=window) for m in memories[:SHOWN]]
    lines += [f"- {line}" for line in shown]
    if len(memories) > SHOWN:
        lines.append(say(_MORE, spoken).format(n=len(memories) - SHOWN))
    return "\n".join(lines)


def _touches(memory: Memory, window: Interval) -> bool:
    spans = memory.windows or (Interval(memory.valid_from, memory.valid_until),)
    return any(one.start < window.end and window.start < one.end for one in spans)


def _in_order(memories: Sequence[Memory], window: Interval | None) -> list[Memory]:
    """Sort by the start of the occurrence shown, then by id: the same answer every time."""
    return sorted(memories, key=lambda m: (_first(m, window), m.memory_id))


def _first(memory: Memory, window: Interval | None) -> Interval:
    for one in memory.windows:
        if window is None or (one.start < window.end and window.start < one.end):
            return one
    return Interval(memory.valid_from, memory.valid_until)
