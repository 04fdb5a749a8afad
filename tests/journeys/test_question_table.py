"""An open question, row by row: each state it can be in, what may happen there, what is answered.

Rows whose event is an outage, a death or the passing of time are told where that is brought
about: tests/flow/test_settle.py, tests/faults, tests/adapters/test_kills_of_requests.py.
"""

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
HOME = {
    "domain": "Preference",
    "subject": "User",
    "predicate": "lives_in",
    "when": {"start": "2026-01-01T00:00:00Z"},
}


@pytest.fixture
def asked(alice: Any) -> dict[str, Any]:
    """A day off is stored, and a meeting on it has asked."""
    alice.stored(DAY_OFF)
    told: dict[str, Any] = alice.propose(MEETING).json()
    return told


def answer(who: Any, asked: dict[str, Any], action: str | None) -> httpx2.Response:
    body = {"pending_id": asked["pending"]["pending_id"], "action": action}
    sent: httpx2.Response = who.http.post(
        "/confirm", json={name: value for name, value in body.items() if value is not None}
    )
    return sent


def code(sent: httpx2.Response) -> tuple[int, str]:
    told = sent.json()
    return sent.status_code, told.get("code") or told["status"]


def kinds(who: Any) -> list[str]:
    return sorted(memory["predicate"] for memory in who.memories())


def beside(who: Any, asked: dict[str, Any]) -> None:
    """Put another meeting into the hour of the question, which the question did not show."""
    other = who.propose(MEETING | {"object_value": "board meeting"}).json()
    assert answer(who, other, "keep_both").status_code == 200


def test_row_1_free_fact_is_stored(alice: Any) -> None:
    assert code(alice.propose(MEETING)) == (201, "SUCCESS")


def test_row_2_fact_that_replaces_names_what_it_retired(alice: Any) -> None:
    meeting = alice.stored(MEETING)
    stored = alice.propose(DAY_OFF)

    assert code(stored) == (201, "SUCCESS_WITH_OVERWRITE")
    assert [each["memory_id"] for each in stored.json()["superseded"]] == [meeting["memory_id"]]


def test_row_3_fact_that_is_known_is_answered_by_the_one_there_is(alice: Any) -> None:
    meeting = alice.stored(MEETING)
    again = alice.propose(MEETING)

    assert code(again) == (200, "NO_CHANGE")
    assert [each["memory_id"] for each in again.json()["facts"]] == [meeting["memory_id"]]


def test_row_4_fact_that_conflicts_is_held_and_not_written(alice: Any) -> None:
    alice.stored(DAY_OFF)

    assert code(alice.propose(MEETING)) == (202, "CONFIRM_REQUIRED")
    assert kinds(alice) == ["vacation"]


def test_row_5_fact_that_a_rule_refuses_is_neither_written_nor_held(alice: Any) -> None:
    guess = MEETING | {"source": "model_inferred", "confidence": 0.3}

    assert code(alice.propose(guess)) == (422, "not_admitted")
    assert (kinds(alice), alice.told(alice.http.get("/pending"))["items"]) == ([], [])


def test_row_6_hold_under_a_key_is_held_once(alice: Any) -> None:
    alice.stored(DAY_OFF)
    key = {"Idempotency-Key": "row-6"}
    first, second, other = (
        alice.http.post("/memories", json={"facts": [fact]}, headers=key)
        for fact in (MEETING, MEETING, MEETING | {"object_value": "other"})
    )

    assert second.json()["pending"] == first.json()["pending"]
    assert second.headers["Idempotency-Replayed"] == "true"
    assert code(other) == (422, "idempotency_key_reused")


def test_row_7_same_fact_from_a_second_tab_is_the_same_question(
    alice: Any, asked: dict[str, Any]
) -> None:
    again = alice.propose(MEETING).json()

    assert again["pending"] == asked["pending"]  # its life is not longer either


def test_row_10_confirmed_question_is_written_once(alice: Any, asked: dict[str, Any]) -> None:
    assert code(answer(alice, asked, "keep_both")) == (200, "SUCCESS")
    assert kinds(alice) == ["meeting", "vacation"]


def test_row_11_question_that_is_free_by_now_is_written(alice: Any, asked: dict[str, Any]) -> None:
    (day_off,) = alice.memories()
    path = f"/memories/{day_off['memory_id']}"
    alice.told(alice.http.delete(path, params={"expected_revision": 1}))

    assert code(answer(alice, asked, "keep_both")) == (200, "SUCCESS")
    back = {"revision": 1, "expected_revision": 2}  # nothing was waived: the day off asks again
    assert alice.http.post(f"{path}/restore", json=back).json()["status"] != "SUCCESS"


def changed_revision(who: Any, asked: dict[str, Any]) -> None:
    (day_off,) = who.memories()
    body = {"source_ref": "mail 7", "expected_revision": 1}
    who.told(who.http.patch(f"/memories/{day_off['memory_id']}", json=body))


@pytest.mark.parametrize("meanwhile", [beside, changed_revision])
def test_rows_12_and_22_question_that_changed_asks_afresh_and_names_its_successor(
    meanwhile: Callable[..., None], alice: Any, asked: dict[str, Any]
) -> None:
    meanwhile(alice, asked)
    before = kinds(alice)
    first, again, other = (
        answer(alice, asked, each) for each in ("keep_both", "keep_both", "cancel")
    )

    assert {code(each) for each in (first, again, other)} == {(409, "verdict_changed")}
    successor = first.json()["pending"]["pending_id"]
    assert successor != asked["pending"]["pending_id"]
    assert {each.json()["pending"]["pending_id"] for each in (again, other)} == {successor}
    assert kinds(alice) == before
    assert code(answer(alice, first.json(), "keep_both")) == (200, "SUCCESS")


def test_row_13_fact_stored_meanwhile_is_no_change(alice: Any, asked: dict[str, Any]) -> None:
    (day_off,) = alice.memories()
    path = f"/memories/{day_off['memory_id']}"
    alice.told(alice.http.delete(path, params={"expected_revision": 1}))
    meeting = alice.stored(MEETING)

    settled = answer(alice, asked, "keep_both")

    assert code(settled) == (200, "NO_CHANGE")
    assert [each["memory_id"] for each in settled.json()["facts"]] == [meeting["memory_id"]]


def test_rows_14_and_23_question_that_the_rules_refuse_by_now_is_refused_each_time(
    alice: Any,
) -> None:
    alice.stored(HOME | {"object_value": "Oslo"})
    seen = HOME | {"object_value": "Rome", "source": "vision", "confidence": 0.95}
    held = alice.propose(seen).json()
    alice.propose(HOME | {"object_value": "Paris"})  # said after Rome was seen

    refused = [answer(alice, held, "replace_old") for _ in range(2)]

    assert [code(each) for each in refused] == [(422, "not_admitted")] * 2
    assert refused[0].json()["verdict"]["status"] == "BLOCKED"
    assert [each["object_value"] for each in alice.memories()] == ["Paris"]


def test_row_15_who_lost_the_right_to_write_cannot_confirm(alice: Any, bob: Any) -> None:
    scope = f"team-{alice.principal}"
    grants = f"/scopes/{scope}/grants/{bob.principal}"
    alice.told(alice.http.put(f"/scopes/{scope}", json={"kind": "team"}))
    alice.told(alice.http.put(grants, json={"visible": True, "writable": True}))
    bob.stored(DAY_OFF | {"scope_id": scope})
    held = bob.propose(MEETING | {"scope_id": scope}).json()
    alice.told(alice.http.put(grants, json={"visible": True, "writable": False}))

    assert code(answer(bob, held, "keep_both")) == (403, "scope_not_writable")
    assert kinds(bob) == ["vacation"]


@pytest.mark.parametrize(
    ("action", "refusal"), [("replace_old", "action_not_offered"), (None, "invalid_request")]
)
def test_row_16_answer_that_was_not_offered_leaves_the_question_open(
    action: str | None, refusal: str, alice: Any, asked: dict[str, Any]
) -> None:
    assert code(answer(alice, asked, action)) == (422, refusal)
    assert code(answer(alice, asked, "keep_both")) == (200, "SUCCESS")


def test_rows_17_and_21_cancelled_question_stays_cancelled(
    alice: Any, asked: dict[str, Any]
) -> None:
    first, again, other = (answer(alice, asked, each) for each in ("cancel", "cancel", "keep_both"))

    assert code(first) == (200, "CANCELLED")
    assert again.content == first.content
    assert code(other) == (409, "already_settled")
    assert kinds(alice) == ["vacation"]


def test_rows_18_and_19_clicks_at_once_have_one_effect_and_one_answer(
    alice: Any, asked: dict[str, Any]
) -> None:
    with ThreadPoolExecutor(8) as clicks:
        answers = list(clicks.map(lambda _: answer(alice, asked, "keep_both"), range(8)))

    assert {code(each) for each in answers} == {(200, "SUCCESS")}
    assert len({each.content for each in answers}) == 1
    assert kinds(alice) == ["meeting", "vacation"]


def test_row_20_applied_question_takes_no_other_answer(alice: Any, asked: dict[str, Any]) -> None:
    answer(alice, asked, "keep_both")

    assert code(answer(alice, asked, "cancel")) == (409, "already_settled")
    assert kinds(alice) == ["meeting", "vacation"]


def test_rows_26_and_27_question_of_another_is_as_one_that_never_was(
    alice: Any, bob: Any, asked: dict[str, Any]
) -> None:
    """Property 31."""

    foreign = answer(bob, asked, "keep_both")
    unknown = answer(alice, {"pending": {"pending_id": "x" * 22}}, "keep_both")

    assert code(foreign) == code(unknown) == (404, "not_found")
    assert {name: value for name, value in foreign.json().items() if name != "request_id"} == {
        name: value for name, value in unknown.json().items() if name != "request_id"
    }
    assert code(answer(alice, asked, "keep_both")) == (200, "SUCCESS")


def test_row_31_question_about_what_was_erased_is_written_without_it(alice: Any, bob: Any) -> None:
    scope = f"team-{alice.principal}"
    alice.told(alice.http.put(f"/scopes/{scope}", json={"kind": "team"}))
    for each in (alice, bob):
        grant = {"visible": True, "writable": True}
        alice.told(alice.http.put(f"/scopes/{scope}/grants/{each.principal}", json=grant))
    shared = alice.stored(DAY_OFF | {"scope_id": scope})
    held = bob.propose(MEETING | {"scope_id": scope}).json()
    path = f"/memories/{shared['memory_id']}"
    alice.told(alice.http.delete(path, params={"expected_revision": 1}))

    assert code(answer(bob, held, "keep_both")) == (200, "SUCCESS")


def test_row_32_question_of_somebody_erased_is_gone(alice: Any, asked: dict[str, Any]) -> None:
    alice.told(alice.http.post("/erasures", json={"principal_id": alice.principal}))

    assert code(answer(alice, asked, "keep_both")) == (410, "principal_erased")
    assert alice.http.get("/memories", params={"status": "all"}).json()["items"] == []
