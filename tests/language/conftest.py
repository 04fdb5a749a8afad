"""Thursday 16 July 2026, two in the afternoon in Seoul: where the words of these tests are said."""

from collections.abc import Callable
from datetime import datetime

import pytest

from moss_memory.core.interval import Interval
from moss_memory.core.when import When
from moss_memory.language.proposal import Parsed
from moss_memory.language.times import TimeMention, resolve
from moss_memory.language.times.place import local_of
from moss_memory.language.understanding import understand
from moss_memory.language.windows import window_of

ZONE = "Asia/Seoul"
THURSDAY = datetime.fromisoformat("2026-07-16T14:00:00+09:00")


@pytest.fixture
def said() -> Callable[..., Parsed]:
    def read(
        text: str, *, at: datetime = THURSDAY, zone: str = ZONE, locale: str | None = None
    ) -> Parsed:
        return understand(text, reference=at, zone=zone, locale=locale)

    return read


@pytest.fixture
def times() -> Callable[..., list[TimeMention]]:
    def read(
        text: str, *, at: datetime = THURSDAY, zone: str = ZONE, locale: str | None = None
    ) -> list[TimeMention]:
        return resolve(text, reference=at, zone=zone, locale=locale)

    return read


@pytest.fixture
def spelled() -> Callable[[Interval | When | None], str | None]:
    """Spell a window in Seoul as "07-17 10:00 to 07-17 11:00"."""

    def spell(time: Interval | When | None) -> str | None:
        if time is None:
            return None
        window = time if isinstance(time, Interval) else window_of(time, ZONE)
        ends = (local_of(end, ZONE) for end in (window.start, window.end))
        return " to ".join(f"{end:%m-%d %H:%M}" for end in ends)

    return spell
