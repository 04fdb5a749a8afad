"""Which words belong to which time, where one sentence names several."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from moss_memory.language.times.mention import TimeMention

_BREAK: Final = re.compile(
    r"[,;.!?]\s*(?:and\s+)?(?:then\s+|also\s+)?|\s+(?:and\s+then|and\s+also|then|and|"
    r"plus|as\s+well\s+as)\s+|\s*(?:그리고|그\s?다음에?|이어서)\s*|(?<=[가-힣])(?:하고|이고|고)\s+",
    re.IGNORECASE,
)


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
