"""What a body may mean: null, JSON items, memories that are past their expiry, the trace."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

MEETING = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "Review",
    "when": {"start": "2026-09-01T01:00:00Z", "end": "2026-09-01T02:00:00Z"},
}


def item(value: str) -> dict[str, Any]:
    return {"domain": "Store", "subject": "ns/key", "predicate": "item", "object_value": value}


def settled(lines: Iterator[str], pending_id: str) -> Iterator[dict[str, Any]]:
    """Read what events say of a question that is settled."""
    for line in lines:
        if line.startswith("data:") and pending_id in line:
            told = json.loads(line.removeprefix("data:"))
            if told["status"] != "CONFIRM_REQUIRED":
                yield told


@pytest.fixture
def expired(alice: Any) -> str:
    """The path of a memory that is past its own expiry."""
    memory = alice.stored({**MEETING, "expires_at": "2020-01-01T00:00:00Z"})
    return f"/memories/{memory['memory_id']}"


def test_an_expired_memory_is_inactive_to_whoever_would_change_it(alice: Any, expired: str) -> None:
    shown = alice.http.get(expired).json()
    changed = alice.http.patch(expired, json={"object_value": "Late", "expected_revision": 1})
    stale = alice.http.patch(expired, json={"object_value": "Late", "expected_revision": 9})

    assert (shown["status"], shown["inactive_reason"]) == ("inactive", "expired")
    assert (changed.status_code, changed.json()["code"]) == (409, "memory_inactive")
    assert (stale.status_code, stale.json()["code"]) == (409, "revision_conflict")


def test_deleting_an_expired_memory_leaves_it_as_it_is(alice: Any, expired: str) -> None:
    before = alice.http.get(expired).json()

    deleted = alice.http.delete(expired, params={"expected_revision": 7})

    assert (deleted.status_code, deleted.json()) == (200, before)
    assert alice.http.delete(expired).status_code == 428


def test_a_value_cannot_be_cleared(alice: Any) -> None:
    memory = alice.stored(MEETING)
    body = {"object_value": None, "expected_revision": 1}

    refused = alice.http.patch(f"/memories/{memory['memory_id']}", json=body)

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")


@pytest.mark.parametrize("value", ["hello", "{", "{'a': 1}", "1 2"])
def test_an_item_that_is_no_json_is_refused(alice: Any, value: str) -> None:
    for path in ("/memories", "/lint"):
        refused = alice.http.post(path, json={"facts": [item(value)]})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_value"), path


@pytest.mark.parametrize("value", ["null", '"hello"', "[1, 2]", '{"a": {"b": 1.5}}'])
def test_an_item_comes_back_as_it_was_given(alice: Any, value: str) -> None:
    assert alice.stored(item(value))["object_value"] == value


@pytest.mark.parametrize("text", ["I'm on vacation on July 30", "What is on July 30?", "hello"])
def test_a_trace_says_of_each_step_how_long_it_took(alice: Any, text: str) -> None:
    trace = alice.chat(text, debug=True)["trace"]

    assert {"parse", "answer"} <= {step["step"] for step in trace}
    assert all({"step", "in", "out", "milliseconds"} == set(step) for step in trace)
    assert all(step["milliseconds"] >= 0 for step in trace)


@pytest.mark.parametrize(
    ("action", "status"), [("cancel", "CANCELLED"), ("replace_old", "SUCCESS_WITH_OVERWRITE")]
)
def test_the_event_of_a_settled_question_says_how_it_was_settled(
    alice: Any, action: str, status: str
) -> None:
    alice.stored(MEETING)
    pending_id = alice.propose({**MEETING, "object_value": "Other"}).json()["pending"]["pending_id"]
    with alice.http.stream("GET", "/events", headers={"Last-Event-ID": "0"}) as stream:
        assert stream.status_code == 200
        alice.confirm(pending_id, action)
        told = next(settled(stream.iter_lines(), pending_id))

    assert told == {"ids": [pending_id], "revision": None, "status": status}
