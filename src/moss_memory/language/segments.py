"""Which words belong to which time, where one sentence names several."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Final

from moss_memory.language.times.mention import TimeMention

_BREAK: Final = re.compile(
    r"[,;.!?]\s*(?:and\s+)?(?:then\s+|also\s+)?|\s+(?:and\s+then|and\s+also|then|and|"
    r"plus|as\s+well\s+as)\s+|\s*(?:그리고|그\s?다음에?|이어서)\s*|(?<=[가-힣])(?:하고|이고|고)\s+",
    re.IGNORECASE,
)


_OFTEN: Final = re.compile(r"(?:bi-?)?(?:daily|weekly|monthly|yearly)\Z", re.IGNORECASE)
# Before its noun, as "the weekly sync" and "Schedule weekly gym", never behind it: "run daily".
_BEFORE_A_NOUN: Final = re.compile(
    r"(?:\A|[.!?:]\s|\b(?:a|an|the|my|our|this|new|schedule|book|add|set\s+up|create|put|plan|make|"
    r"have|remember))\s*\Z",
    re.IGNORECASE,
)
_APART: Final = re.compile(r"[&/|+\n]|\s[-–—]\s|\b(?:but|while|or|before|after)\b", re.IGNORECASE)
_WORKDAYS: Final = 5


def without_names(
    text: str, mentions: Sequence[TimeMention]
) -> tuple[list[TimeMention], list[TimeMention]]:
    """Leave out what names a thing by how often it is, where its times are said as well.

    "Weekly" in "weekly sync every Monday at 9" is no second time beside the Mondays. Returns the
    times, and the names that say something else than the times do, as in "monthly, every Monday".
    """
    followed = list(zip_longest(mentions, mentions[1:]))
    names = [(one, after) for one, after in followed if after and _names(text, one, after)]
    called = [one for one, _after in names]
    at_odds = [one for one, after in names if not _agree(one.rrule or "", after.rrule or "")]
    return [one for one in mentions if one not in called], at_odds


def _names(text: str, one: TimeMention, after: TimeMention) -> bool:
    if after.rrule is None or not _OFTEN.match(one.text):
        return False
    between = text[one.end : after.start]
    parted = _BREAK.search(between) or _APART.search(between)
    return bool(between.strip()) and not parted and bool(_BEFORE_A_NOUN.search(text[: one.start]))


def _agree(name: str, time: str) -> bool:
    """Compare recurrence rules by how often they fire; every weekday is called daily as well."""
    called, fires = (dict(part.split("=") for part in rule.split(";")) for rule in (name, time))
    if called["FREQ"] == "DAILY" and fires["FREQ"] == "WEEKLY":
        return fires.get("BYDAY", "").count(",") >= _WORKDAYS - 1
    return _often(called) == _often(fires)


def _often(rule: Mapping[str, str]) -> tuple[str, int]:
    """Return the unit and how many of it pass: seven days are a week, twelve months a year."""
    unit, count = rule["FREQ"], int(rule.get("INTERVAL", "1"))
    for small, many, large in (("DAILY", 7, "WEEKLY"), ("MONTHLY", 12, "YEARLY")):
        if unit == small and count % many == 0:
            return large, count // many
    return unit, count


def segments(text: str, mentions: Sequence[TimeMention]) -> list[tuple[int, int]]:
    """Name the stretch ``[start, end)`` of the text around each mention."""
    if not mentions:
        return [(0, len(text))]
    cuts = [0]
    for before, after in pairwise(mentions):
        cuts.append(_cut(text, before, after, leading=_leading(text, mentions[0])))
    cuts.append(len(text))
    return list(pairwise(cuts))


def _leading(text: str, first: TimeMention) -> bool:
    """Whether titles stand before their times, as in "Dentist Tuesday at 9"."""
    return bool(re.search(r"\w{3}", text[: first.start]))


def _cut(text: str, before: TimeMention, after: TimeMention, *, leading: bool) -> int:
    gap = text[before.end : after.start]
    found = _BREAK.search(gap)
    if found is not None:
        return before.end + found.end()
    return before.end if leading else after.start
