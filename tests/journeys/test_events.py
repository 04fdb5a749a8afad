"""``/events``: what a reader sees of others' commits, and how a stream goes on after a cut."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

NOTE = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "note",
    "object_value": "call the bank",
    "when": {"date": "2026-08-01"},
}
DAY_OFF = NOTE | {"predicate": "vacation", "object_value": "Vacation"}
MEETING = NOTE | {
    "predicate": "meeting",
    "object_value": "sync",
    "when": {"start": "2026-08-01T10:00:00Z"},
}


def frames(answer: httpx2.Response) -> Iterator[dict[str, Any]]:
    """Read events off a stream; the first frame, without a kind, is the opening."""
    frame: dict[str, Any] = {}
    for line in answer.iter_lines():
        if not line:
            yield frame
            frame = {}
            continue
        name, _, value = line.partition(": ")
        frame[name] = json.loads(value) if name == "data" else value


def reading(person: Any, after: str | None = None) -> Any:
    headers = {} if after is None else {"Last-Event-ID": after}
    return person.http.stream("GET", "/events", headers=headers)


def take(stream: httpx2.Response, count: int) -> list[dict[str, Any]]:
    found = []
    for frame in frames(stream):
        if "event" in frame:
            found.append(frame)
        if len(found) == count:
            break
    return found


def test_reader_sees_a_write_with_ids_and_without_words(alice: Any, person: Any) -> None:
    with reading(alice) as stream:
        opened = frames(stream)
        next(opened)
        memory = alice.stored(NOTE)
        frame = next(each for each in opened if "event" in each)

    assert frame["event"] == "memory.written"
    assert frame["data"] == {
        "ids": [memory["memory_id"]],
        "revision": 1,
        "status": "active",
    }


def test_question_and_its_answer_are_told_to_the_one_who_asked(alice: Any) -> None:
    alice.stored(DAY_OFF)
    with reading(alice) as stream:
        opened = frames(stream)
        next(opened)
        held = alice.propose(MEETING).json()
        alice.confirm(held["pending"]["pending_id"], "cancel")
        kinds = []
        for frame in opened:
            if "event" in frame:
                kinds.append((frame["event"], frame["data"]["ids"]))
            if len(kinds) == 2:
                break

    pending_id = held["pending"]["pending_id"]
    assert kinds == [("pending.opened", [pending_id]), ("pending.settled", [pending_id])]


def test_stream_goes_on_after_its_cursor_with_nothing_lost_or_twice(alice: Any) -> None:
    with reading(alice) as stream:
        opened = frames(stream)
        cursor = next(opened).get("id", "")
        written = [
            alice.stored(NOTE | {"object_value": f"note {number}"})["memory_id"]
            for number in range(3)
        ]
        first = next(each for each in opened if "event" in each)
    with reading(alice, first["id"]) as stream:
        rest = take(stream, 2)

    assert cursor < first["id"]
    assert [frame["data"]["ids"][0] for frame in [first, *rest]] == written


def test_nobody_sees_what_others_write(alice: Any, bob: Any) -> None:
    with reading(bob) as stream:
        opened = frames(stream)
        next(opened)
        alice.stored(NOTE)
        mine = bob.stored(NOTE)
        frame = next(each for each in opened if "event" in each)

    assert frame["data"]["ids"] == [mine["memory_id"]]


@pytest.mark.parametrize("cursor", ["a b", "x" * 80, "<script>"])
def test_cursor_of_another_make_is_refused(alice: Any, cursor: str) -> None:
    answer = alice.http.get("/events", headers={"Last-Event-ID": cursor})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_cursor")
