"""Policies where words leave a time of day open: working hours, parts of the day, half days."""

# ruff: noqa: PLR2004 - 12 hours and months, 28 to 31 days are the calendar's own numbers

from datetime import time
from typing import Final

from moss_memory.language.times.clue import Clock, DayPartName, Half

# local hours [from, to); 24 is the end of the day
WINDOWS: Final[dict[DayPartName, tuple[int, int]]] = {
    "dawn": (0, 6), "morning": (6, 12), "noon": (12, 13), "lunch": (12, 13),
    "afternoon": (12, 18), "evening": (18, 22), "tonight": (18, 24), "night": (21, 24),
}  # fmt: skip
ENGLISH_PARTS: Final[dict[str, DayPartName]] = {
    "morning": "morning", "afternoon": "afternoon", "evening": "evening", "night": "night",
    "dawn": "dawn", "lunch": "lunch",
}  # fmt: skip
HALF_DAYS: Final[dict[Half, tuple[int, int]]] = {"am": (9, 13), "pm": (13, 18)}
FIRST_WORKING_HOUR: Final = 8  # "at 7" is the evening's, "at 8" the morning's


def hours_of(clock: Clock, part: DayPartName | None) -> tuple[int, bool]:
    """Name the hour 0..24 of a clock time, and whether working-hours policy had to choose it.

    25 and later are hours of the next day ("밤 1시", "12 at night").
    """
    hour = clock.hour
    if clock.exact or hour > 12 or hour == 0:
        return (24, False) if hour == 0 and part == "night" else (hour, False)
    if clock.half is not None:
        return hour % 12 + (12 if clock.half == "pm" else 0), False
    if part is not None:
        return _beside_part(hour, part), False
    if hour == 12:
        return 12, True
    return (hour if hour >= FIRST_WORKING_HOUR else hour + 12), True


def _beside_part(hour: int, part: DayPartName) -> int:
    if part in ("dawn", "morning"):
        return hour % 12
    if part in ("night", "tonight", "evening"):
        if hour == 12:
            return 24
        return hour + (24 if part != "evening" and hour <= 4 else 12)
    return hour if hour in (10, 11, 12) and part in ("noon", "lunch") else hour % 12 + 12


def clock_after(clock: Clock, start: time) -> Clock:
    """Read the end of a range: the first such hour after its start ("from 9 to 5")."""
    if clock.exact or clock.half is not None or clock.hour > 12 or clock.hour == 0:
        return clock
    morning = (clock.hour % 12, clock.minute)
    half: Half = "am" if morning > (start.hour, start.minute) else "pm"
    evening = (clock.hour % 12 + 12, clock.minute)
    if half == "pm" and evening <= (start.hour, start.minute):
        half = "am"  # past midnight
    return Clock(hour=clock.hour, minute=clock.minute, second=clock.second, half=half)


def clock_before(clock: Clock, end_hour: int, end_minute: int) -> Clock:
    """Read the start of a range by its end: "2 to 4 pm", "11 to 1 pm"."""
    if clock.exact or clock.half is not None or clock.hour > 12 or clock.hour == 0:
        return clock
    evening = (clock.hour % 12 + 12, clock.minute)
    half: Half = "pm" if evening < (end_hour, end_minute) else "am"
    return Clock(hour=clock.hour, minute=clock.minute, second=clock.second, half=half)
