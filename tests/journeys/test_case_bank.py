"""Stories that users of memory systems reported, played over HTTP: each must come out right."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

MEETING = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "design review",
    "when": {"start": "2026-07-17T10:00:00+09:00", "end": "2026-07-17T11:00:00+09:00"},
}
DAY_OFF = MEETING | {
    "predicate": "vacation",
    "object_value": "Vacation",
    "when": {"date": "2026-07-17", "timezone": "Asia/Seoul"},
}


def home(city: str, since: str) -> dict[str, Any]:
    return {
        "domain": "Preference",
        "subject": "User",
        "predicate": "lives_in",
        "object_value": city,
        "when": {"start": since},
    }


def at_once(count: int, send: Callable[[int], httpx2.Response]) -> list[httpx2.Response]:
    with ThreadPoolExecutor(min(count, 16)) as clients:
        return list(clients.map(send, range(count)))


def known(person: Any, instant: str) -> set[str]:
    return {memory["object_value"] for memory in person.memories(known_at=instant, status="all")}


def test_c03_facts_of_other_kinds_do_not_touch_each_other(alice: Any) -> None:
    job = home("Acme", "2020-01-01T00:00:00Z") | {"predicate": "works_at"}
    alice.stored(job)
    alice.stored(job | {"subject": "hobby", "predicate": "prefers", "object_value": "hiking"})

    assert {memory["object_value"] for memory in alice.memories()} == {"Acme", "hiking"}


def test_c05_late_fact_about_an_earlier_time_ends_where_the_later_begins(alice: Any) -> None:
    oslo = alice.stored(home("Oslo", "2026-05-01T00:00:00Z"))

    answer = alice.propose(home("Rome", "2026-03-01T00:00:00Z")).json()

    (rome,) = answer["facts"]
    assert (answer["status"], rome["valid_until"]) == ("SUCCESS", "2026-05-01T00:00:00Z")
    assert alice.told(alice.http.get(f"/memories/{oslo['memory_id']}"))["status"] == "active"
    assert known(alice, oslo["recorded_at"]) == {"Oslo"}


def test_c07_what_was_known_then_stays_what_was_known_then(alice: Any) -> None:
    guidance = {
        "domain": "Service",
        "subject": "outlook",
        "predicate": "service_context",
        "when": {"date": "2026-07-01", "end_date": "2026-10-01", "timezone": "UTC"},
    }
    first = alice.stored(guidance | {"object_value": "guidance 32"})

    later = alice.propose(guidance | {"object_value": "guidance 36"}).json()

    assert later["status"] == "SUCCESS_WITH_OVERWRITE"
    assert known(alice, first["recorded_at"]) == {"guidance 32"}
    assert {memory["object_value"] for memory in alice.memories()} == {"guidance 36"}


def test_c09_cancelled_question_leaves_the_day_off_alone(alice: Any) -> None:
    alice.stored(DAY_OFF)
    held = alice.propose(MEETING).json()

    settled = alice.confirm(held["pending"]["pending_id"], "cancel")

    assert settled["status"] == "CANCELLED"
    assert [memory["predicate"] for memory in alice.memories()] == ["vacation"]
    assert alice.told(alice.http.get("/pending"))["items"] == []


def test_c11_double_click_gives_one_meeting_and_one_answer(alice: Any) -> None:
    alice.stored(DAY_OFF)
    body = {
        "pending_id": alice.propose(MEETING).json()["pending"]["pending_id"],
        "action": "keep_both",
    }

    answers = at_once(8, lambda _: alice.http.post("/confirm", json=body))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert len(alice.memories(predicate="meeting")) == 1


def test_c27_every_way_of_reading_the_past_agrees(alice: Any) -> None:
    memory = alice.stored(MEETING)
    then = memory["recorded_at"]
    name = memory["memory_id"]
    change = {"expected_revision": 1, "object_value": "renamed"}
    alice.told(alice.http.patch(f"/memories/{name}", json=change))

    listed = alice.told(alice.http.get("/memories", params={"known_at": then}))
    one = alice.told(alice.http.get(f"/memories/{name}", params={"known_at": then}))
    window = {"start": "2026-07-17T00:00:00Z", "end": "2026-07-18T00:00:00Z"}
    context = alice.told(alice.http.post("/context", json={"window": window, "known_at": then}))
    again = alice.told(alice.http.get("/memories", params={"known_epoch": listed["known_epoch"]}))

    assert [item["object_value"] for item in listed["items"]] == ["design review"]
    assert one["object_value"] == "design review"
    assert [(line["memory_id"], line["revision"]) for line in context["included"]] == [(name, 1)]
    assert again["items"] == listed["items"]


def test_c29_patch_changes_the_given_fields_only(alice: Any) -> None:
    memory = alice.stored(MEETING | {"source_ref": "mail 7", "buffer_after": 15})

    changed = alice.told(
        alice.http.patch(
            f"/memories/{memory['memory_id']}",
            json={"object_value": "review", "expected_revision": 1},
        )
    )

    kept = ("source_ref", "buffer_after", "when", "valid_from", "valid_until", "confidence")
    assert {name: changed[name] for name in kept} == {name: memory[name] for name in kept}
    assert (changed["object_value"], changed["revision"]) == ("review", 2)


def test_c31_equal_requests_under_one_key_have_one_effect(alice: Any) -> None:
    answers = at_once(
        16,
        lambda _: alice.http.post(
            "/memories", json={"facts": [MEETING]}, headers={"Idempotency-Key": "c31"}
        ),
    )

    assert {answer.status_code for answer in answers} <= {201, 409}
    written = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.json()["facts"][0]["memory_id"] for answer in written}) == 1
    assert len(alice.memories()) == 1


def test_c33_key_of_a_refused_request_is_free_and_one_of_another_is_not(alice: Any) -> None:
    key = {"Idempotency-Key": "c33"}
    broken = {"facts": [MEETING | {"predicate": "party"}]}
    assert alice.http.post("/memories", json=broken, headers=key).status_code == 422
    assert alice.http.post("/memories", json={"facts": [MEETING]}, headers=key).status_code == 201

    other = alice.http.post(
        "/memories", json={"facts": [MEETING | {"object_value": "other"}]}, headers=key
    )

    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


def test_c35_writer_with_an_old_snapshot_overwrites_nothing(alice: Any) -> None:
    memory = alice.stored(MEETING)
    path = f"/memories/{memory['memory_id']}"
    alice.told(alice.http.patch(path, json={"object_value": "newer", "expected_revision": 1}))

    late = alice.http.patch(path, json={"object_value": "late"}, headers={"If-Match": '"1"'})

    assert (late.status_code, late.json()["current_revision"]) == (412, 2)
    assert alice.told(alice.http.get(path))["object_value"] == "newer"


def test_c37_restore_is_a_new_revision_and_history_keeps_all(alice: Any) -> None:
    """Property 26."""

    memory = alice.stored(MEETING | {"object_value": "title 1"})
    path = f"/memories/{memory['memory_id']}"
    for revision in range(1, 5):
        title = {"object_value": f"title {revision + 1}", "expected_revision": revision}
        alice.told(alice.http.patch(path, json=title))

    restored = alice.told(
        alice.http.post(f"{path}/restore", json={"revision": 3, "expected_revision": 5})
    )

    assert (restored["revision"], restored["object_value"]) == (6, "title 3")
    history = alice.told(alice.http.get(f"{path}/revisions"))["items"]
    assert [each["revision"] for each in history] == [1, 2, 3, 4, 5, 6]


def test_c39_retired_memory_is_in_no_answer(alice: Any) -> None:
    memory = alice.stored(MEETING)
    path = f"/memories/{memory['memory_id']}"
    alice.told(alice.http.delete(path, params={"expected_revision": 1}))

    window = {"start": "2026-07-17T00:00:00Z", "end": "2026-07-18T00:00:00Z"}
    context = alice.told(alice.http.post("/context", json={"window": window}))

    assert alice.memories() == []
    assert context["included"] == []
    assert alice.told(alice.http.get(path))["inactive_reason"] == "retired"


def test_c69_batch_with_one_conflict_saves_nothing_and_names_the_item(alice: Any) -> None:
    """Property 36."""

    alice.stored(DAY_OFF)
    notes = [
        MEETING | {"predicate": "note", "object_value": f"note {number}"} for number in range(4)
    ]

    answer = alice.propose(*notes[:2], MEETING, *notes[2:])

    assert answer.status_code == 202
    assert [finding["fact_index"] for finding in answer.json()["findings"]
            if finding["verdict"] == "CONFIRM_REQUIRED"] == [2]  # fmt: skip
    assert [memory["predicate"] for memory in alice.memories()] == ["vacation"]


def test_c81_two_writers_of_one_revision_have_one_winner(alice: Any) -> None:
    memory = alice.stored(MEETING)
    path = f"/memories/{memory['memory_id']}"
    bodies: list[dict[str, Any]] = [{"object_value": "other title"}, {"source_ref": "mail 9"}]

    answers = at_once(
        2, lambda n: alice.http.patch(path, json=bodies[n] | {"expected_revision": 1})
    )

    assert sorted(answer.status_code for answer in answers) == [200, 409]
    loser = next(answer for answer in answers if answer.status_code == 409)
    assert loser.json()["current_revision"] == 2


@pytest.mark.parametrize("count", [10])
def test_equal_bookings_at_once_are_stored_once(alice: Any, count: int) -> None:
    answers = at_once(count, lambda _: alice.propose(MEETING))

    assert [answer.status_code for answer in answers].count(201) == 1
    assert {answer.status_code for answer in answers} == {200, 201}


def test_rival_bookings_at_once_leave_one_stored_and_the_others_asked(alice: Any) -> None:
    answers = at_once(10, lambda n: alice.propose(MEETING | {"object_value": f"rival {n}"}))

    assert sorted(answer.status_code for answer in answers) == [201] + [202] * 9
    assert len(alice.memories()) == 1


def test_two_questions_for_one_slot_cannot_both_be_confirmed_unseen(alice: Any) -> None:
    alice.stored(DAY_OFF)
    held = [
        alice.propose(MEETING | {"object_value": title}).json()["pending"]["pending_id"]
        for title in ("first", "second")
    ]
    alice.confirm(held[0], "keep_both")

    late = alice.http.post("/confirm", json={"pending_id": held[1], "action": "keep_both"})

    assert (late.status_code, late.json()["code"]) == (409, "verdict_changed")
    assert len(late.json()["verdict"]["findings"]) == 2
    assert len(alice.memories(predicate="meeting")) == 1
