"""What the benches remember: made-up facts by number, no two of which conflict."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from moss_memory.core.fact import Fact
from moss_memory.core.when import Instant

START: Final = datetime(2030, 1, 1, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
_TOPICS: Final = ("food", "music", "drink", "hobby")
_MUCH: Final = 10_000  # memories, of which each topic has 625: nobody likes more of one thing
_WORDS: Final = (
    "budget", "design", "roadmap", "hiring", "security", "release", "marketing", "sales", "legal",
    "pipeline", "payment", "support", "brand", "예산", "디자인", "채용", "보안", "배포", "영업",
)  # fmt: skip


def remembered(number: int, principal_id: str, now: datetime) -> Fact:
    """Return a preference or a note around now, one in four and three in four."""
    first, second = (_WORDS[number * step % len(_WORDS)] for step in (1, 5))
    said: dict[str, Any] = {"scope_id": principal_id, "observed_at": now}
    value = f"{first} {second} {number}"
    if number % 4 == 0:
        topic = _TOPICS[number // 4 % 4] if number < _MUCH else f"topic {number // 40}"
        return Fact(
            domain="Preference", subject=topic, predicate="prefers", object_value=value, **said
        )
    at = now + timedelta(hours=number * 37 % 9600 - 2400)
    return Fact(
        domain="Schedule",
        subject="Calendar",
        predicate="note",
        object_value=value,
        when=Instant(at, at + HOUR),
        **said,
    )


def in_one_slot(number: int, principal_id: str, now: datetime) -> Fact:
    """Return the meeting of that number: every second hour is one, and the other is free."""
    start = START + 2 * number * HOUR
    return Fact(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value=f"meeting {number}",
        when=Instant(start, start + HOUR),
        scope_id=principal_id,
        observed_at=now,
    )


def proposed(number: float) -> dict[str, Any]:
    """Return a meeting as it is sent; that of a number and a half is in a free hour."""
    start = START + 2 * number * HOUR
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": f"meeting {number}",
        "when": {"start": start.isoformat()},
    }
