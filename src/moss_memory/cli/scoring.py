"""How an answer of a parser is held against a labelled row, and the figures that follow.

A row with ``intent`` measures intents (DELETE is a WRITE that retires), one with
``expected_start`` measures times, one with ``facts`` measures the first fact.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import quantiles
from typing import Any, Final

from moss_memory.core.when import When
from moss_memory.language.proposal import Parsed
from moss_memory.language.times import TimeMention, resolve
from moss_memory.language.times.place import local_of, zone_named
from moss_memory.language.times.resolve import is_korean
from moss_memory.language.windows import window_of

_INTENTS: Final = ("WRITE", "QUERY", "DELETE", "UNKNOWN")
_Z95: Final = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One labelled utterance; ``label`` is the row as it stands in the file."""

    text: str
    reference: datetime
    zone: str
    locale: str
    groups: tuple[str, ...]
    holiday: bool
    label: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What was right of one row; None where the row does not ask for it."""

    row: Row
    said: str
    milliseconds: float
    intent: bool | None = None
    start: bool | None = None
    window: bool | None = None
    first_fact: bool | None = None
    false_write: bool | None = None
    failure: dict[str, Any] | None = field(default=None)


def rows_of(text: str, *, group: str | None) -> list[Row]:
    """Read rows; ``group`` keeps those of one group.

    Raises:
        ValueError, KeyError: a line is no such object.
    """
    rows = [_row(json.loads(line)) for line in text.splitlines() if line.strip()]
    return [row for row in rows if group is None or group in row.groups]


def _row(label: dict[str, Any]) -> Row:
    if not isinstance(label, dict):
        raise ValueError("a line is no object")  # noqa: TRY004 - a fault of the file
    zone = label.get("timezone", "UTC")
    said = datetime.fromisoformat(label.get("reference", "2026-07-16T14:00:00"))
    reference = said if said.tzinfo else said.replace(tzinfo=zone_named(zone))
    return Row(
        text=label["text"],
        reference=reference,
        zone=zone,
        locale=label.get("lang") or ("ko" if is_korean(label["text"]) else "en"),
        groups=tuple(label.get("groups", ())),
        holiday=bool(label.get("holiday")),
        label=label,
    )


def judge(row: Row, parsed: Parsed, milliseconds: float) -> Score:
    """Hold an answer against its row."""
    said = _said(parsed, corpus=bool(row.groups))
    label = row.label
    intent = said == label["intent"] if "intent" in label else None
    start = window = first = None
    times: Any = None
    if "expected_start" in label:
        times = _time_said(row, parsed)
        start, window = _time_right(label, times[0], times[1], whole=times[2])
    if "facts" in label:
        first = bool(intent) and _first_fact(row, parsed)
    return Score(
        row=row,
        said=said,
        milliseconds=milliseconds,
        intent=intent,
        start=start,
        window=window,
        first_fact=first,
        false_write=_false_write(label, said),
        failure=_failure(row, said, times, parsed) if False in (intent, start, first) else None,
    )


def _said(parsed: Parsed, *, corpus: bool) -> str:
    if parsed.intent != "WRITE":
        return parsed.intent
    if parsed.operation == "retire":
        return "DELETE"
    domains = {fact.domain for fact in parsed.facts}
    if corpus and domains and "Schedule" not in domains:
        return "UNKNOWN"  # the corpora know calendars only
    return "WRITE"


def _false_write(label: dict[str, Any], said: str) -> bool | None:
    if label.get("intent") not in ("QUERY", "UNKNOWN"):
        return None
    return said == "WRITE"


def _time_said(row: Row, parsed: Parsed) -> tuple[datetime | None, datetime | None, bool]:
    """Name the naive local start and end that were understood, and whether they are whole days.

    A model's own window counts; the offline parser's comes from its resolver, which reads
    fragments as well as sentences.
    """
    if parsed.parser != "offline":
        fact = parsed.facts[0] if parsed.facts else None
        window = window_of(fact.when, row.zone) if fact and fact.when else parsed.window
        if window is None:
            return None, None, False
        return local_of(window.start, row.zone), local_of(window.end, row.zone), False
    if parsed.operation == "revise" and parsed.facts[0].when is not None:
        moved = window_of(parsed.facts[0].when, row.zone)
        return local_of(moved.start, row.zone), None, False
    mentions = resolve(row.text, reference=row.reference, zone=row.zone, locale=row.locale)
    if not mentions:
        return None, None, False
    only: TimeMention = mentions[0]
    return only.local_start, only.local_end, not only.has_clock


def _time_right(
    label: dict[str, Any],
    start: datetime | None,
    end: datetime | None,
    *,
    whole: bool,
) -> tuple[bool, bool]:
    if start is None:
        return False, False
    same = _comparer(label["match"])
    starts = [label["expected_start"], *(label.get("alt_start") or ())]
    right = any(same(start, datetime.fromisoformat(one)) for one in starts)
    if label.get("expected_end") is None:
        day = end is None or (whole and end - start == timedelta(days=1))
        return right, right and (day or label["match"] == "date")
    ends = [label["expected_end"], *(label.get("alt_end") or ())]
    ended = end is not None and any(same(end, datetime.fromisoformat(one)) for one in ends)
    return right, right and ended


def _comparer(match: str) -> Callable[[datetime, datetime], bool]:
    if match == "date":
        return lambda a, b: a.date() == b.date()
    if match == "time":
        return lambda a, b: (a.hour, a.minute) == (b.hour, b.minute)
    return lambda a, b: a.replace(second=0, microsecond=0) == b.replace(second=0, microsecond=0)


def _first_fact(row: Row, parsed: Parsed) -> bool:
    """Hold the first fact, or the window of a question, against the row's first fact."""
    wanted = row.label["facts"]
    if not wanted:
        return not parsed.facts
    want = wanted[0]
    if len(parsed.facts) not in (0, len(wanted)) and row.label["intent"] == "WRITE":
        return False
    if parsed.intent == "QUERY":
        window = parsed.window
        start = None if window is None else local_of(window.start, row.zone)
        return _same_minute(start, want.get("start"))
    fact = parsed.facts[0] if parsed.facts else None
    if fact is None or want.get("predicate", fact.predicate) != fact.predicate:
        return False
    return _fact_time(row, want, fact.when)


def _fact_time(row: Row, want: dict[str, Any], when: When | None) -> bool:
    if when is None:
        return want.get("start") is None
    window = window_of(when, row.zone)
    rrule = when.series.rrule if when.series else None
    if want.get("rrule") != rrule or not _same_minute(
        local_of(window.start, row.zone),
        want.get("start"),
    ):
        return False
    return want.get("end") is None or _same_minute(local_of(window.end, row.zone), want["end"])


def _same_minute(said: datetime | None, wanted: str | None) -> bool:
    if wanted is None:
        return True
    return said is not None and said.replace(second=0, microsecond=0) == datetime.fromisoformat(
        wanted,
    )


def _failure(row: Row, said: str, times: Any, parsed: Parsed) -> dict[str, Any]:
    label = row.label
    shown = {
        key: label[key]
        for key in ("id", "intent", "expected_start", "expected_end", "facts", "match", "source")
        if key in label
    }
    return {
        "text": row.text,
        "reference": label.get("reference"),
        "groups": row.groups,
        "expected": shown,
        "said": said,
        "time": None if times is None else [str(one) for one in times[:2]],
        "facts": [[f.predicate, f.object_value, str(f.when)] for f in parsed.facts],
        "notes": parsed.notes,
    }


def summary(scores: Sequence[Score]) -> dict[str, Any]:
    """The figures of the language page; holiday rows are a group of their own and in no other."""
    counted = [score for score in scores if not score.row.holiday]
    names = sorted({group for score in counted for group in score.row.groups})
    groups = {name: [s for s in counted if name in s.row.groups] for name in names}
    holidays = [score for score in scores if score.row.holiday]
    if holidays:
        groups["holiday"] = holidays
    return {
        **_figures(counted),
        "by_group": {name: _figures(some) for name, some in groups.items()},
    }


def _figures(scores: Sequence[Score]) -> dict[str, Any]:
    speeds = sorted(score.milliseconds for score in scores)
    return {
        "rows": len(scores),
        "intent_accuracy": _rate(score.intent for score in scores),
        "false_write_rate": _rate(score.false_write for score in scores),
        "start_accuracy": _rate(score.start for score in scores),
        "window_accuracy": _rate(score.window for score in scores),
        "first_fact_accuracy": _rate(score.first_fact for score in scores),
        "median_ms": _percentile(speeds, 50),
        "p95_ms": _percentile(speeds, 95),
    }


def _rate(answers: Iterable[bool | None]) -> float | None:
    asked = [answer for answer in answers if answer is not None]
    return round(sum(asked) / len(asked), 4) if asked else None


def _percentile(speeds: Sequence[float], percent: int) -> float | None:
    if len(speeds) == 1:
        return round(speeds[0], 3)
    if not speeds:
        return None
    return round(quantiles(speeds, n=100, method="inclusive")[percent - 1], 3)


def wilson(right: int, asked: int) -> tuple[float, float]:
    """Wilson's 95 % score interval (JASA 22, 1927); (0, 1) where nothing was asked."""
    if asked == 0:
        return 0.0, 1.0
    share, z2 = right / asked, _Z95**2
    middle = share + z2 / (2 * asked)
    spread = _Z95 * math.sqrt(share * (1 - share) / asked + z2 / (4 * asked * asked))
    low, high = (middle - spread) / (1 + z2 / asked), (middle + spread) / (1 + z2 / asked)
    return max(0.0, low), min(1.0, high)


def table(scores: Sequence[Score], figures: dict[str, Any]) -> str:
    """Spell the figures for a person: with intervals, and intents against each other."""
    lines = []
    for name, some in [("all", figures), *figures["by_group"].items()]:
        lines.append(
            f"{name}: {some['rows']} rows, median {some['median_ms']} ms, p95 {some['p95_ms']} ms",
        )
        rows = _members(scores, name)
        for key in ("intent", "false_write", "start", "window", "first_fact"):
            lines.extend(_line(key, [getattr(score, key) for score in rows]))
    return "\n".join([*lines, *_confusion(scores)])


def _members(scores: Sequence[Score], name: str) -> list[Score]:
    if name == "holiday":
        return [score for score in scores if score.row.holiday]
    counted = [score for score in scores if not score.row.holiday]
    return counted if name == "all" else [s for s in counted if name in s.row.groups]


def _line(key: str, answers: Sequence[bool | None]) -> list[str]:
    asked = [answer for answer in answers if answer is not None]
    if not asked:
        return []
    low, high = wilson(sum(asked), len(asked))
    share = sum(asked) / len(asked)
    return [f"  {key:<12} {share:7.2%}  ({sum(asked)} of {len(asked)}; {low:.1%} to {high:.1%})"]


def _confusion(scores: Sequence[Score]) -> list[str]:
    pairs = Counter((s.row.label["intent"], s.said) for s in scores if s.intent is not None)
    if not pairs:
        return []
    head = "label \\ said".ljust(14) + "".join(name.rjust(9) for name in _INTENTS)
    body = [
        label.ljust(14) + "".join(str(pairs[label, said]).rjust(9) for said in _INTENTS)
        for label in _INTENTS
    ]
    return [head, *body]
