"""Every list takes ``limit`` and ``cursor``, and its pages together are the whole of it."""

from typing import Any

import pytest

DAY = "2026-09-{:02d}T{:02d}:00:00Z"


def meeting(title: str, day: int, hour: int = 10) -> dict[str, Any]:
    when = {"start": DAY.format(day, hour), "end": DAY.format(day, hour + 1)}
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": title,
        "when": when,
    }


def pages(alice: Any, path: str, limit: int) -> list[list[dict[str, Any]]]:
    """Read a list to its end."""
    found = []
    query: dict[str, Any] = {"limit": limit}
    while True:
        page = alice.told(alice.http.get(path, params=query))
        assert len(page["items"]) <= limit
        found.append(page["items"])
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]


@pytest.fixture
def revised(alice: Any) -> str:
    """A memory of three revisions; return its path."""
    memory = alice.stored(meeting("One", 1))
    path = f"/memories/{memory['memory_id']}"
    for revision, title in ((1, "Two"), (2, "Three")):
        body = {"object_value": title, "expected_revision": revision}
        assert alice.http.patch(path, json=body).is_success
    return path


def test_revisions_come_in_pages_oldest_first(alice: Any, revised: str) -> None:
    first, second = pages(alice, f"{revised}/revisions", 2)

    assert [item["revision"] for item in first] == [1, 2]
    assert [item["revision"] for item in second] == [3]


def test_decisions_come_in_pages(alice: Any, revised: str) -> None:
    path = f"/decisions?memory_id={revised.removeprefix('/memories/')}"
    whole = alice.told(alice.http.get(path))["items"]

    collected = []
    cursor = ""
    while True:
        page = alice.told(alice.http.get(f"{path}&limit=2{cursor}"))
        collected += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert collected == whole
    assert len(whole) == 3


def test_open_questions_come_in_pages(alice: Any) -> None:
    alice.stored(meeting("Held", 2))
    asked = [alice.propose(meeting(title, 2)).json()["pending"] for title in "ABC"]

    found = [item["pending_id"] for page in pages(alice, "/pending", 2) for item in page]

    assert found == [pending["pending_id"] for pending in asked]


@pytest.mark.parametrize("limit", ["0", "101", "x", "1_0"])
def test_a_limit_out_of_bounds_is_refused(alice: Any, revised: str, limit: str) -> None:
    for path in ("/pending", f"{revised}/revisions", "/memories", "/namespaces"):
        refused = alice.http.get(path, params={"limit": limit})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request"), path


def test_a_cursor_that_was_made_elsewhere_is_refused(alice: Any, revised: str) -> None:
    for path in ("/pending", f"{revised}/revisions", "/memories", "/namespaces", "/keys"):
        refused = alice.http.get(path, params={"cursor": "bm90aGluZw"})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_cursor"), path
