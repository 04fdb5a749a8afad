"""Buffers widen what is linted, of the new fact and of the stored one, and nothing that is kept."""

from typing import Any

import pytest

HOUR = ("2026-10-05T10:00:00Z", "2026-10-05T11:00:00Z")


def meeting(title: str, start: str, end: str, **more: int) -> dict[str, Any]:
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": title,
        "when": {"start": start, "end": end},
        **more,
    }


@pytest.mark.parametrize(
    ("stored", "hours", "buffers", "status"),
    [
        ({}, ("11:15", "12:00"), {"buffer_before": 16}, 202),
        ({}, ("11:15", "12:00"), {"buffer_before": 15}, 201),
        ({}, ("09:00", "09:50"), {"buffer_after": 11}, 202),
        ({}, ("09:00", "09:50"), {"buffer_after": 10}, 201),
        ({"buffer_after": 30}, ("11:29", "12:00"), {}, 202),
        ({"buffer_after": 30}, ("11:30", "12:00"), {}, 201),
        ({"buffer_after": 30}, ("11:40", "12:00"), {"buffer_before": 11}, 202),
        ({"buffer_before": 30}, ("09:00", "09:31"), {}, 202),
    ],
)
def test_a_meeting_asks_where_the_widened_windows_overlap(
    alice: Any,
    stored: dict[str, int],
    hours: tuple[str, str],
    buffers: dict[str, int],
    status: int,
) -> None:
    alice.stored(meeting("First", *HOUR, **stored))
    start, end = (f"2026-10-05T{hour}:00Z" for hour in hours)

    answer = alice.propose(meeting("Second", start, end, **buffers))

    assert answer.status_code == status, answer.text
    if status == 201:
        kept = answer.json()["facts"][0]
        assert (kept["valid_from"], kept["valid_until"]) == (start, end)


def test_a_stored_window_is_not_widened_for_who_looks_at_it(alice: Any) -> None:
    alice.stored(meeting("First", *HOUR, buffer_before=30, buffer_after=30))

    assert alice.memories(valid_at="2026-10-05T11:10:00Z") == []
    assert alice.memories(**{"from": "2026-10-05T11:10:00Z", "to": "2026-10-05T11:20:00Z"}) == []
