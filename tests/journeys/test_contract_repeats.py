"""The contract's Idempotency-Key on the routes that write something else than a memory."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

REPLAYED = "Idempotency-Replayed"


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def same_twice(ask: Callable[[], httpx2.Response]) -> httpx2.Response:
    """Ask twice; hold the second answer to be the first one again."""
    first, second = ask(), ask()
    assert first.is_success, first.text
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert (first.headers.get(REPLAYED), second.headers.get(REPLAYED)) == (None, "true")
    return first


def test_a_change_of_settings_is_answered_again_under_its_key(alice: Any) -> None:
    body = {"timezone": "Asia/Seoul", "locale": "ko"}

    same_twice(lambda: alice.http.patch("/me", json=body, headers=keyed("settings")))


def test_a_repeat_of_settings_does_not_undo_what_came_after_it(alice: Any) -> None:
    first = {"json": {"timezone": "Asia/Seoul"}, "headers": keyed("settings")}
    alice.http.patch("/me", **first)
    alice.http.patch("/me", json={"timezone": "Europe/Berlin"})

    repeat = alice.http.patch("/me", **first)

    assert repeat.json()["timezone"] == "Asia/Seoul"
    assert alice.http.get("/me").json()["timezone"] == "Europe/Berlin"


def test_other_settings_under_the_same_key_are_refused(alice: Any) -> None:
    alice.http.patch("/me", json={"locale": "ko"}, headers=keyed("settings"))

    refused = alice.http.patch("/me", json={"locale": "en"}, headers=keyed("settings"))

    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")
    assert alice.http.get("/me").json()["locale"] == "ko"


def test_null_gives_a_setting_back_to_the_service(alice: Any) -> None:
    alice.http.patch("/me", json={"timezone": "Asia/Seoul", "locale": "ko"})

    settled = alice.http.patch("/me", json={"timezone": None}).json()

    assert (settled["timezone"], settled["locale"]) == ("UTC", "ko")


def test_a_revoked_grant_is_answered_again_under_its_key(alice: Any, bob: Any) -> None:
    team = f"team-{alice.principal}"
    path = f"/scopes/{team}/grants/{bob.principal}"
    alice.http.put(f"/scopes/{team}", json={"kind": "team"})
    alice.http.put(path, json={"visible": True, "writable": True})

    answer = same_twice(lambda: alice.http.delete(path, headers=keyed("revoke")))

    assert answer.status_code == 204
    assert alice.http.delete(path).status_code == 404


def test_an_ended_session_is_answered_again_under_its_key(alice: Any) -> None:
    alice.http.post("/chat", json={"text": "hello", "session_id": "talk"})

    answer = same_twice(lambda: alice.http.delete("/sessions/talk", headers=keyed("end")))

    assert answer.status_code == 204


def test_a_revoked_key_is_answered_again_under_its_key(alice: Any, bob: Any) -> None:
    made = alice.http.post("/keys", json={"principal_id": bob.principal}).json()

    answer = same_twice(
        lambda: alice.http.delete(f"/keys/{made['key_id']}", headers=keyed("revoke"))
    )

    assert answer.status_code == 204


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/scopes/late-{me}", {"kind": "team"}),
        ("PUT", "/scopes/team-{me}/grants/{me}", {"visible": True, "writable": True}),
        ("DELETE", "/scopes/team-{me}/grants/{me}", None),
        ("POST", "/keys", {"principal_id": "late"}),
        ("DELETE", "/keys/late", None),
        ("PATCH", "/me", {"locale": "ko"}),
    ],
)
def test_an_erased_principal_administers_nothing(
    alice: Any, method: str, path: str, body: dict[str, Any] | None
) -> None:
    alice.http.put(f"/scopes/team-{alice.principal}", json={"kind": "team"})
    alice.http.post("/erasures", json={"principal_id": alice.principal})

    refused = alice.http.request(method, path.format(me=alice.principal), json=body)

    assert (refused.status_code, refused.json()["code"]) == (410, "principal_erased")


DAY_OFF = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "vacation",
    "object_value": "Vacation",
    "when": {"date": "2026-09-01", "timezone": "Asia/Seoul"},
}
MEETING = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "Review",
    "when": {"start": "2026-09-01T01:00:00Z", "end": "2026-09-01T02:00:00Z"},
}


@pytest.mark.parametrize("action", ["keep_both", "cancel"])
def test_the_repeat_of_a_hold_names_its_question_after_it_was_settled(
    alice: Any, action: str
) -> None:
    alice.stored(DAY_OFF)
    ask = {"json": {"facts": [MEETING]}, "headers": keyed("hold")}
    first = alice.http.post("/memories", **ask).json()
    alice.confirm(first["pending"]["pending_id"], action)

    repeat = alice.http.post("/memories", **ask)

    assert (repeat.status_code, repeat.headers[REPLAYED]) == (202, "true")
    again = repeat.json()
    assert again["pending"]["pending_id"] == first["pending"]["pending_id"]
    assert again["pending"]["expires_at"] == first["pending"]["expires_at"]
    assert {**again, "pending": None} == {**first, "pending": None}


def test_a_repeat_says_what_the_first_answer_said_in_its_language_and_zone(alice: Any) -> None:
    body = {"text": "I'm on vacation on July 30", "reference_time": "2026-07-16T05:00:00Z"}
    first = alice.http.post("/chat", json=body, headers=keyed("say"))
    alice.http.patch("/me", json={"timezone": "Asia/Seoul", "locale": "ko"})

    repeat = alice.http.post("/chat", json=body, headers=keyed("say"))

    assert repeat.json()["reply"] == first.json()["reply"]


def test_a_repeat_shows_its_findings_as_the_first_answer_did(alice: Any) -> None:
    alice.stored(MEETING)
    ask = {"json": {"facts": [DAY_OFF]}, "headers": keyed("overwrite")}
    first = alice.http.post("/memories", **ask)
    alice.http.patch("/me", json={"timezone": "America/New_York", "locale": "ko"})

    repeat = alice.http.post("/memories", **ask)

    assert first.json()["status"] == "SUCCESS_WITH_OVERWRITE"
    assert repeat.json()["findings"] == first.json()["findings"]
