"""English words for weeks, months, quarters and years, whole or in part."""

# Every reader takes what the lexer hands it; 12, 24, 31 and 59 are the calendar's own numbers.
# ruff: noqa: ARG001, PLR2004

import re
from collections.abc import Sequence
from datetime import date, timedelta

from moss_memory.language.times.clue import DateClue, DayPart, Section, Value
from moss_memory.language.times.english_names import (
    OFFSET,
    mod_of,
    month_number,
    weekday_number,
    year_of,
)  # fmt: skip
from moss_memory.language.times.lexer import Scene
from moss_memory.language.times.numerals import english
from moss_memory.language.times.policy import ENGLISH_PARTS


def unit_said(match: "re.Match[str]", scene: Scene) -> DateClue:
    """Read "next week", "this month"."""
    mod = mod_of(match["mod"]) or "this"
    offset = OFFSET[mod]
    unit = match["unit"].lower()
    if "end" in unit:
        return DateClue(weekend=True, week=offset if mod != "coming" else 0)
    if unit.startswith("week"):
        return DateClue(week=offset)
    if unit.startswith("month"):
        return DateClue(months=offset)
    if unit.startswith("q"):
        quarter, year = divmod((scene.now.month - 1) // 3 + offset, 4)[::-1]
        return DateClue(quarter=quarter + 1, years=year)
    return DateClue(years=offset)


def section_said(match: "re.Match[str]", scene: Scene) -> DateClue | None:
    """Early, middle and late parts: "early next week", "mid-August", "the end of the month"."""
    word = match["where"].lower()
    section: Section = "mid"
    if re.match("early|begin|start|first", word):
        section = "early"
    elif re.match("late|end", word):
        section = "late"
    if match["month"]:
        return DateClue(
            section=section,
            month=month_number(match["month"]),
            year=year_of(match["year"]),
        )
    if match["whole"]:
        return DateClue(section=section, year=int(match["whole"]))
    unit, offset = match["unit"].lower(), OFFSET[mod_of(match["mod"]) or "this"]
    field = {"week": "week", "month": "months", "year": "years"}[unit]
    return DateClue(section=section, **{field: offset})  # type: ignore[arg-type]


def nth_said(match: "re.Match[str]", scene: Scene) -> Value | Sequence[Value] | None:
    """Read "the first Monday of August", "the last week of 2026"."""
    word = match["nth"].lower()
    nth = -1 if word == "last" else english(word)
    if nth is None or nth > 5:
        return None
    named = match["name"].lower()
    month = month_number(match["month"]) if match["month"] else None
    months = None
    if match["month"] is None:
        months = OFFSET[mod_of(match["mod"]) or "this"] if match["unit"] else None
    fields = {"month": month, "months": months, "year": year_of(match["year"] or match["whole"])}
    if match["unit"] and match["unit"].lower() == "year":
        fields |= {"months": None, "years": months}
    if named.startswith("week"):
        return DateClue(nth_week=nth, **fields)  # type: ignore[arg-type]
    if named == "day":
        section = "last_day" if nth == -1 else "first_day"
        return DateClue(section=section, **fields) if nth in (-1, 1) else None  # type: ignore[arg-type]
    clue = DateClue(nth=nth, weekday=weekday_number(named), **fields)  # type: ignore[arg-type]
    if not match["part"]:
        return clue
    return [clue, DayPart(ENGLISH_PARTS[match["part"].lower()])]


def week_number_said(match: "re.Match[str]", scene: Scene) -> DateClue:
    """Read "week 31"."""
    years = OFFSET[mod_of(match["mod"]) or "this"]
    year = int(match["y"]) if match["y"] else scene.now.year + years
    return DateClue(nth_week=int(match["n"]), year=year)


def quarter_said(match: "re.Match[str]", scene: Scene) -> DateClue:
    """Read "Q3", "the second quarter of 2027"."""
    word = match["q"].lower()
    number = int(word[1]) if word[0] == "q" else english(word.split()[0])
    years = OFFSET[mod_of(match["mod"]) or "this"] if match["mod"] else None
    return DateClue(quarter=number, year=year_of(match["y"] or match["y0"]), years=years)


def rest_said(match: "re.Match[str]", scene: Scene) -> DateClue:
    """From today to the end of the unit."""
    today = scene.now.date()
    ends = {
        "week": today + timedelta(days=7 - today.weekday()),
        "month": date(today.year + today.month // 12, today.month % 12 + 1, 1),
        "year": date(today.year + 1, 1, 1),
    }
    return DateClue(span=(today, ends[match["unit"].lower()]))


def end_of_said(match: "re.Match[str]", scene: Scene) -> DateClue:
    """Read "EOM"; EOW and EOY alike."""
    unit = (match["u"] or match["v"]).lower()
    field = {"w": "week", "m": "months", "y": "years"}[unit]
    return DateClue(section="late", **{field: 0})  # type: ignore[arg-type]
