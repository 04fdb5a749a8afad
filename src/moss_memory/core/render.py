"""Facts as prompt lines that no value can forge: one line a fact, every value a JSON string.

The idea is known as spotlighting (Hines et al., arXiv 2403.14720, 2024): data is marked as data.
It lowers noise; the guarantee is that the model which reads it has no power over the memory.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Final

from moss_memory.core.fact import Fact
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.zones import to_utc
from moss_memory.core.zones import zone as named_zone

CLOSING: Final = "</facts>"
SPANS: Final = 3  # occurrences named on one line; the rest is "and more"
SURE: Final = 0.9  # as the rules: high confidence

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+")
_HARMLESS: Final = re.compile(r"[A-Za-z0-9 ,'()\uac00-\ud7a3-]*")  # most titles need no escape
_ESCAPED: Final = frozenset("<>&[]`\x7f\x85\u2028\u2029")
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_WWW: Final = re.compile(r"(?i)\b(www)\.")
_MAIL: Final = re.compile(r"(?<=\S)@(?=\S)")
_TAG: Final = re.compile(r"(?i)<(?=\s*/?\s*facts)")
_BREAKS: Final = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSAID: Final = frozenset({"Calendar", "User"})  # subjects that the predicate says already
_LINE: Final = re.compile(
    r'- (?P<predicate>[A-Za-z0-9_.-]+|"(?:[^"\\]|\\.)*")'
    r'(?: (?P<subject>"(?:[^"\\]|\\.)*"))?: (?P<value>"(?:[^"\\]|\\.)*")'
    r" \| (?P<time>[^|]*?)(?: \| (?P<marks>.*))?"
)
_SPELLED: Final = re.compile(
    r"(?P<since>since )?(?P<day>\d{4}-\d\d-\d\d) [A-Z][a-z]{2}"
    r"(?:(?:\.\.(?P<last>\d{4}-\d\d-\d\d) [A-Z][a-z]{2})?(?P<whole> all day)"
    r"| (?P<at>\d\d:\d\d)"
    r"(?:\.\.(?:(?P<until_day>\d{4}-\d\d-\d\d) [A-Z][a-z]{2} )?(?P<until>\d\d:\d\d))?)"
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a line says, read back: exact values, the time and the marks as spelled."""

    predicate: str
    subject: str | None
    value: str
    time: str
    marks: str


def quoted(value: str) -> str:
    """Spell a value as a JSON string on one line, without markup, live links or hidden signs.

    ``json.loads`` gives the value back exactly.
    """
    if _HARMLESS.fullmatch(value):
        return f'"{value}"'
    spelled = "".join(_escape(char) for char in json.dumps(value, ensure_ascii=False))
    spelled = spelled.replace("//", "\\/\\/")
    spelled = _WWW.sub(r"\1\\u002e", spelled)
    return _MAIL.sub(r"\\u0040", spelled)


def line(fact: Fact, windows: Sequence[Interval], zone: str, *, writer: str | None = None) -> str:
    """Spell a fact on one line, its windows on the wall clock of ``zone``.

    ``writer`` is named where it is not the reader. A hard constraint is marked only where an
    explicit, sure source said so; what is inferred or unsure carries its source and confidence.
    """
    name = fact.predicate if _PLAIN.fullmatch(fact.predicate) else quoted(fact.predicate)
    about = "" if fact.subject in _UNSAID else " " + quoted(fact.subject)
    when = ", ".join([spell(one, zone) for one in windows[:SPANS]])
    more = " and more" if len(windows) > SPANS else ""
    marks = ", ".join(_marks(fact, writer))
    tail = f" | {marks}" if marks else ""
    return f"- {name}{about}: {quoted(fact.object_value)} | {when}{more}{tail}"


def read(text: str) -> Parsed | None:
    """Read a line back; None where it is not a fact's line."""
    match = _LINE.fullmatch(text)
    if match is None:
        return None
    name, about = match["predicate"], match["subject"]
    return Parsed(
        predicate=json.loads(name) if name.startswith('"') else name,
        subject=None if about is None else json.loads(about),
        value=json.loads(match["value"]),
        time=match["time"],
        marks=match["marks"] or "",
    )


def binding(fact: Fact) -> bool:
    """Whether a fact may stand as a hard constraint: explicit or selected, and sure."""
    sure = fact.confidence >= SURE and fact.source in {"user_explicit", "user_selection"}
    return fact.hard and sure


@lru_cache(maxsize=4096)  # a memory's window is told to the same reader again and again
def spell(window: Interval, zone: str) -> str:
    """Spell a window: ``2026-07-17 Fri 10:00..11:00``, ``2026-07-17 Fri all day``, ``since``."""
    start = _local(window.start, zone)
    day, clock = _day(start), _clock(start)
    if window.end >= FOREVER:
        return f"since {day} {clock}"
    end = _local(window.end, zone)
    if start.time() == end.time() == time(0) and end.date() > start.date():
        last = end - timedelta(days=1)
        return f"{day} all day" if last.date() == start.date() else f"{day}..{_day(last)} all day"
    until = _clock(end) if end.date() == start.date() else f"{_day(end)} {_clock(end)}"
    return f"{day} {clock}..{until}"


def windows(time_text: str, zone: str) -> tuple[Interval, ...]:
    """Read back the windows of a line's time, to the minute; "and more" is not known.

    Raises:
        ValueError: not spelled by ``spell``.
    """
    return tuple(_window(one, zone) for one in time_text.removesuffix(" and more").split(", "))


def _window(spelled: str, zone: str) -> Interval:
    match = _SPELLED.fullmatch(spelled)
    if match is None:
        raise ValueError("not a window")
    start = _utc(match["day"], match["at"] or "00:00", zone)
    if match["since"]:
        return Interval(start)
    if match["whole"]:
        return Interval(start, _utc(match["last"] or match["day"], "24:00", zone))
    return Interval(start, _utc(match["until_day"] or match["day"], match["until"], zone))


def _utc(day: str, clock: str, zone: str) -> datetime:
    hours, minutes = map(int, clock.split(":"))
    wall = datetime.fromisoformat(day) + timedelta(hours=hours, minutes=minutes)
    return to_utc(wall, named_zone(zone))[0]


def instant(at: datetime, zone: str) -> str:
    """Spell an instant with its offset and zone: ``2026-07-16 Thu 14:00 +09:00 Asia/Seoul``."""
    local = at.astimezone(named_zone(zone))
    return f"{_day(local)} {_clock(local)} {local.isoformat()[-6:]} {zone}"


def opening(nonce: str) -> str:
    """Open the frame around facts."""
    return f'<facts id="{nonce}">'


def nonce(content: Iterable[str]) -> str:
    """Derive 128 bits from all that a prompt may hold: who knows a part cannot foretell them."""
    parts = [part.encode("utf-8", "surrogatepass") for part in content]
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hashlib.sha256(framed).hexdigest()[:32]


def block(priority: str, label: str, text: str) -> str:
    """Head a caller's block; its text stays as it is, but for what would close or open a frame."""
    body = _TAG.sub("\u2039", _BREAKS.sub("\n", text))
    head = label if _PLAIN.fullmatch(label) else quoted(label)
    return f"# {priority} {head}\n{body}"


def _marks(fact: Fact, writer: str | None) -> Iterable[str]:
    if binding(fact):
        yield "hard"
    if fact.source != "user_explicit" or fact.confidence < SURE:
        yield f"{fact.source} {fact.confidence:.2f}"
    if fact.status != "confirmed":
        yield fact.status
    if fact.transparency == "free":
        yield "free"
    if writer is not None:
        yield f"by {quoted(writer)}"


def _escape(char: str) -> str:
    """Escape what could be markup, end a line or hide."""
    if char in _ESCAPED or unicodedata.category(char) in _INVISIBLE:
        raw = char.encode("utf-16-be", "surrogatepass")
        units = [raw[i : i + 2].hex() for i in range(0, len(raw), 2)]
        return "".join(f"\\u{unit}" for unit in units)
    return char


def _day(local: datetime) -> str:
    return f"{local.isoformat()[:10]} {_DAYS[local.weekday()]}"


def _clock(local: datetime) -> str:
    return local.isoformat()[11:16]


def _local(at: datetime, zone: str) -> datetime:
    return at.astimezone(named_zone(zone)).replace(tzinfo=None)
