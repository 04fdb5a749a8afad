"""Memories over HTTP: proposed, listed, revised, retired, restored, explained; and repeats."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

NOTHING = "0198c0de-0000-7000-8000-000000000000"


def meeting(day: int, hour: int = 10, **changed: Any) -> dict[str, Any]:
    """A meeting of an hour in July 2026, Seoul."""
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": f"Review {day}/{hour}",
        "when": {
            "local_start": f"2026-07-{day:02}T{hour:02}:00:00",
            "minutes": 60,
            "timezone": "Asia/Seoul",
        },
    } | changed


def vacation(day: int) -> dict[str, Any]:
    when = {"date": f"2026-07-{day:02}", "timezone": "Asia/Seoul"}
    return meeting(day, predicate="vacation", object_value="Vacation", when=when)


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_proposal_is_answered_by_what_it_came_to(alice: Any) -> None:
    created = alice.propose(vacation(17))
    same = alice.propose(vacation(17))
    held = alice.propose(meeting(17))
    replaced = alice.propose(meeting(20)), alice.propose(vacation(20))

    assert (created.status_code, created.json()["status"]) == (201, "SUCCESS")
    assert (same.status_code, same.json()["status"]) == (200, "NO_CHANGE")
    assert same.json()["facts"] == created.json()["facts"]
    assert (held.status_code, held.json()["status"]) == (202, "CONFIRM_REQUIRED")
    assert (replaced[1].status_code, replaced[1].json()["status"]) == (
        201, "SUCCESS_WITH_OVERWRITE",
    )  # fmt: skip
    assert [one["memory_id"] for one in replaced[1].json()["superseded"]] == [
        replaced[0].json()["facts"][0]["memory_id"]
    ]


def test_memory_has_every_field_of_the_contract(alice: Any) -> None:
    kept = alice.stored(meeting(17, source_ref="mail:1", buffer_before=5))

    assert kept["namespace"] == {
        "tenant_id": "default",
        "principal_id": alice.principal,
        "domain": "Schedule",
        "scope_id": alice.principal,
    }
    assert kept["provenance"].keys() == {
        "source", "source_ref", "created_by_chat_id", "invalidated_by_chat_id", "decision_id",
        "parser", "model",
    }  # fmt: skip
    assert (kept["valid_from"], kept["valid_until"]) == (
        "2026-07-17T01:00:00Z", "2026-07-17T02:00:00Z",
    )  # fmt: skip
    assert (kept["memory_type"], kept["event_status"], kept["status"]) == (
        "event", "confirmed", "active",
    )  # fmt: skip
    assert (kept["revision"], kept["source_ref"], kept["buffer_before"]) == (1, "mail:1", 5)
    assert kept["when"] == {
        "local_start": "2026-07-17T10:00:00", "minutes": 60, "timezone": "Asia/Seoul",
    }  # fmt: skip


def test_batch_is_written_whole_or_not_at_all(alice: Any) -> None:
    answer = alice.propose(meeting(21), meeting(21, 10, object_value="Another"))

    assert answer.status_code == 202
    assert [finding["other_fact_index"] for finding in answer.json()["findings"]]
    assert alice.memories() == []


def test_dry_run_says_what_would_come_of_it_and_writes_nothing(alice: Any) -> None:
    alice.stored(vacation(17))
    answers = [alice.propose(fact, dry_run=True) for fact in (meeting(17), meeting(20))]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert [answer.json()["status"] for answer in answers] == ["CONFIRM_REQUIRED", "SUCCESS"]
    assert [answer.json()["facts"] for answer in answers] == [[], []]
    assert len(alice.memories()) == 1
    assert alice.told(alice.http.get("/pending"))["items"] == []


def test_linting_judges_each_fact_and_writes_nothing(alice: Any) -> None:
    alice.stored(vacation(17))
    body = {"facts": [meeting(17), meeting(20)]}
    told = alice.told(alice.http.post("/lint", json=body))

    assert told["status"] == "CONFIRM_REQUIRED"
    assert told["verdicts"] == ["CONFIRM_REQUIRED", "SUCCESS"]
    assert len(alice.memories()) == 1


def test_repeat_with_the_same_key_is_the_first_answer_again(alice: Any) -> None:
    headers = {"Idempotency-Key": "once"}
    first, again = (
        alice.http.post("/memories", json={"facts": [meeting(17)]}, headers=headers)
        for _ in range(2)
    )

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert len(alice.memories()) == 1


def test_repeat_of_a_hold_is_the_same_question(alice: Any) -> None:
    alice.stored(vacation(17))
    headers = {"Idempotency-Key": "held"}
    first, again = (
        alice.http.post("/memories", json={"facts": [meeting(17)]}, headers=headers)
        for _ in range(2)
    )

    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["pending"] == again.json()["pending"]


def test_repeat_of_an_utterance_is_the_first_answer_again(alice: Any) -> None:
    body = {"text": "Schedule a review for July 24 2026 at 10 AM.", "timezone": "Asia/Seoul"}
    headers = {"Idempotency-Key": "said"}
    first, again = (alice.http.post("/chat", json=body, headers=headers) for _ in range(2))

    assert first.json()["status"] == "SUCCESS"
    assert again.headers["idempotency-replayed"] == "true"
    assert (again.json()["facts"], again.json()["chat_id"]) == (
        first.json()["facts"], first.json()["chat_id"],
    )  # fmt: skip
    assert len(alice.memories()) == 1


def test_key_with_another_body_is_refused(alice: Any) -> None:
    """F41."""
    headers = {"Idempotency-Key": "twice"}
    alice.http.post("/memories", json={"facts": [meeting(17)]}, headers=headers)
    other = alice.http.post("/memories", json={"facts": [meeting(18)]}, headers=headers)

    assert code(other) == (422, "idempotency_key_reused")
    assert len(alice.memories()) == 1


def test_key_is_a_caller_s_own_and_a_route_s_own(alice: Any, bob: Any) -> None:
    headers = {"Idempotency-Key": "shared"}
    answers = [
        person.http.post(route, json=body, headers=headers)
        for person in (alice, bob)
        for route, body in (
            ("/memories", {"facts": [meeting(17)]}),
            ("/chat", {"text": "Schedule a review for July 24 2026 at 10 AM."}),
        )
    ]

    assert [answer.status_code for answer in answers] == [201, 200, 201, 200]
    assert not any("idempotency-replayed" in answer.headers for answer in answers)


def test_fifty_at_once_with_one_key_have_one_effect(alice: Any) -> None:
    """F40."""
    headers = {"Idempotency-Key": "storm"}

    def post(_: int) -> httpx2.Response:
        answer: httpx2.Response = alice.http.post(
            "/memories", json={"facts": [meeting(17)]}, headers=headers
        )
        return answer

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(post, range(50)))

    written = [answer for answer in answers if answer.status_code == 201]
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.text for answer in written}) == 1
    assert len(alice.memories()) == 1


def test_refused_request_does_not_use_up_its_key(alice: Any) -> None:
    headers = {"Idempotency-Key": "again"}
    refused = alice.http.post("/memories", json={"facts": [meeting(17, when={})]}, headers=headers)
    taken = alice.http.post("/memories", json={"facts": [meeting(17)]}, headers=headers)

    assert (refused.status_code, taken.status_code) == (422, 201)


def test_memory_is_read_with_its_entity_tag(alice: Any) -> None:
    kept = alice.stored(meeting(17))
    answer = alice.http.get(f"/memories/{kept['memory_id']}")

    assert answer.json() == kept
    assert answer.headers["etag"] == '"1"'


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({}, {}, (428, "revision_required")),
        ({"If-Match": "*"}, {}, (428, "revision_required")),
        ({"If-Match": '"2"'}, {}, (412, "revision_conflict")),
        ({"If-Match": '"nonsense"'}, {}, (412, "revision_conflict")),
        ({}, {"expected_revision": 2}, (409, "revision_conflict")),
        ({"If-Match": '"1"'}, {"expected_revision": 2}, (400, "precondition_mismatch")),
    ],
)
def test_change_needs_the_revision_that_was_seen(
    alice: Any, headers: dict[str, str], body: dict[str, int], expected: tuple[int, str]
) -> None:
    kept = alice.stored(meeting(17))
    path = f"/memories/{kept['memory_id']}"
    revised = alice.http.patch(path, json={"object_value": "B", **body}, headers=headers)
    retired = alice.http.delete(path, params=body, headers=headers)
    restored = alice.http.post(f"{path}/restore", json={"revision": 1, **body}, headers=headers)

    assert [code(answer) for answer in (revised, retired, restored)] == [expected] * 3
    if expected[1] == "revision_conflict":
        assert revised.json()["current_revision"] == 1
    assert alice.memories() == [kept]


@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', "1"])
def test_entity_tag_is_taken_as_it_comes_back(alice: Any, tag: str) -> None:
    kept = alice.stored(meeting(17))
    answer = alice.http.patch(
        f"/memories/{kept['memory_id']}", json={"object_value": "B"}, headers={"If-Match": tag}
    )

    assert (answer.status_code, answer.json()["revision"]) == (200, 2)
    assert answer.headers["etag"] == '"2"'


def test_revision_keeps_what_is_absent_and_clears_what_is_null(alice: Any) -> None:
    kept = alice.stored(meeting(17, source_ref="mail:1", buffer_before=5))
    path = f"/memories/{kept['memory_id']}"
    told = alice.told(alice.http.patch(path, json={"source_ref": None, "expected_revision": 1}))

    assert (told["source_ref"], told["buffer_before"]) == (None, 5)
    assert (told["object_value"], told["when"]) == (kept["object_value"], kept["when"])
    assert (told["revision"], told["created_at"]) == (2, kept["created_at"])


def test_revision_that_changes_nothing_is_none(alice: Any) -> None:
    kept = alice.stored(meeting(17))
    path = f"/memories/{kept['memory_id']}"
    body = {"object_value": kept["object_value"], "expected_revision": 1}

    assert alice.told(alice.http.patch(path, json=body))["revision"] == 1


@pytest.mark.parametrize(
    "changed",
    [{"domain": "Task"}, {"subject": "Mine"}, {"predicate": "vacation"}, {"scope_id": "team"}],
)
def test_what_a_memory_is_about_does_not_change(alice: Any, changed: dict[str, str]) -> None:
    kept = alice.stored(meeting(17))
    answer = alice.http.patch(
        f"/memories/{kept['memory_id']}", json={**changed, "expected_revision": 1}
    )

    assert answer.status_code == 422


def test_move_into_a_vacation_is_asked_about(alice: Any) -> None:
    alice.stored(vacation(17))
    kept = alice.stored(meeting(16))
    path = f"/memories/{kept['memory_id']}"
    held = alice.http.patch(path, json={"when": meeting(17)["when"], "expected_revision": 1})
    settled = alice.confirm(held.json()["pending"]["pending_id"], "keep_both")

    assert (held.status_code, held.json()["status"]) == (202, "CONFIRM_REQUIRED")
    assert [(one["memory_id"], one["revision"]) for one in settled["facts"]] == [
        (kept["memory_id"], 2)
    ]


def test_retired_memory_stays_readable_and_leaves_the_list(alice: Any) -> None:
    kept = alice.stored(meeting(17))
    path = f"/memories/{kept['memory_id']}"
    gone = alice.http.delete(path, headers={"If-Match": '"1"'})
    again = alice.http.delete(path, params={"expected_revision": 1})

    assert (gone.json()["status"], gone.json()["inactive_reason"]) == ("inactive", "retired")
    assert (gone.headers["etag"], again.status_code) == ('"2"', 200)
    assert alice.told(alice.http.get(path)) == gone.json() == again.json()
    assert alice.memories() == []
    assert alice.memories(status="inactive") == alice.memories(status="all") == [gone.json()]


def test_inactive_memory_is_not_revised(alice: Any) -> None:
    kept = alice.stored(meeting(17))
    path = f"/memories/{kept['memory_id']}"
    alice.http.delete(path, params={"expected_revision": 1})

    assert code(alice.http.patch(path, json={"hard": False, "expected_revision": 2})) == (
        409, "memory_inactive",
    )  # fmt: skip
    assert code(alice.http.patch(path, json={"hard": False, "expected_revision": 1})) == (
        409, "revision_conflict",
    )  # fmt: skip


def test_history_is_only_added_to(alice: Any) -> None:
    kept = alice.stored(meeting(17))
    path = f"/memories/{kept['memory_id']}"
    revised = alice.told(alice.http.patch(path, json={"object_value": "B", "expected_revision": 1}))
    restored = alice.told(
        alice.http.post(f"{path}/restore", json={"revision": 1, "expected_revision": 2})
    )
    history = alice.told(alice.http.get(f"{path}/revisions"))["items"]

    assert (restored["revision"], restored["object_value"]) == (3, kept["object_value"])
    assert [one["revision"] for one in history] == [1, 2, 3]
    assert [one["object_value"] for one in history] == [
        kept["object_value"], "B", kept["object_value"],
    ]  # fmt: skip
    assert history[1]["provenance"]["decision_id"] == revised["provenance"]["decision_id"]


def test_restoring_a_revision_that_never_was_is_refused(alice: Any) -> None:
    kept = alice.stored(meeting(17))
    body = {"revision": 7, "expected_revision": 1}

    assert code(alice.http.post(f"/memories/{kept['memory_id']}/restore", json=body)) == (
        422, "unknown_revision",
    )  # fmt: skip


def test_moss_m48_list_is_newest_first_in_pages(alice: Any) -> None:
    stored = [alice.stored(meeting(day)) for day in (20, 21, 22, 23, 24)]
    first = alice.told(alice.http.get("/memories?limit=2"))
    rest = alice.told(alice.http.get("/memories", params={"cursor": first["next_cursor"]}))

    assert [one["memory_id"] for one in first["items"] + rest["items"]] == [
        one["memory_id"] for one in reversed(stored)
    ]
    assert (len(first["items"]), rest["next_cursor"]) == (2, None)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"predicate": "vacation"}, {"Vacation"}),
        ({"domain": "Schedule", "subject": "Calendar"}, {"Vacation", "Review 20/10"}),
        ({"domain": "Preference"}, set()),
        ({"from": "2026-07-20T00:00:00Z"}, {"Review 20/10"}),
        ({"to": "2026-07-20T00:00:00Z"}, {"Vacation"}),
        ({"from": "2026-07-20T02:00:00Z", "to": "2026-07-21T00:00:00Z"}, set()),
        ({"valid_at": "2026-07-17T03:00:00+09:00"}, {"Vacation"}),
        ({"valid_at": "2026-07-18T00:00:00+09:00"}, set()),
        ({"scope_id": "somebody-else"}, set()),
    ],
)
def test_list_is_narrowed_by_the_query(alice: Any, query: dict[str, str], found: set[str]) -> None:
    alice.stored(vacation(17))
    alice.stored(meeting(20))

    assert {memory["object_value"] for memory in alice.memories(**query)} == found


def test_past_is_read_as_it_was_known(alice: Any) -> None:
    first = alice.stored(meeting(20))
    then = first["recorded_at"]
    alice.stored(meeting(21))
    path = f"/memories/{first['memory_id']}"
    alice.http.patch(path, json={"object_value": "B", "expected_revision": 1})
    past = alice.told(alice.http.get("/memories", params={"known_at": then}))
    again = alice.told(alice.http.get("/memories", params={"known_epoch": past["known_epoch"]}))

    assert [one["object_value"] for one in past["items"]] == [first["object_value"]]
    assert again["items"] == past["items"]
    assert alice.told(alice.http.get(path, params={"known_at": then}))["revision"] == 1


def test_memory_says_why_it_is_there(alice: Any) -> None:
    said = alice.chat("Schedule a review for July 24 at 10 AM.")
    path = f"/memories/{said['facts'][0]['memory_id']}/why"
    told = alice.told(alice.http.get(path))
    korean = alice.told(alice.http.get(path, params={"locale": "ko"}))

    assert said["decision_id"] in told["decision_ids"]
    assert told["sentences"]
    assert korean["sentences"] != told["sentences"]


def test_decision_names_rules_and_memories_and_no_words(alice: Any) -> None:
    """Property 41."""

    alice.stored(vacation(17))
    held = alice.propose(meeting(17, object_value="kanarienvogel")).json()
    settled = alice.confirm(held["pending"]["pending_id"], "keep_both")
    memory_id = settled["facts"][0]["memory_id"]
    answer = alice.http.get("/decisions", params={"memory_id": memory_id})
    one = alice.told(alice.http.get(f"/decisions/{settled['decision_id']}"))

    assert one in answer.json()["items"]
    assert one["rule_ids"]
    assert {"memory_id": memory_id, "revision": 1} in one["memories"]
    assert "kanarienvogel" not in answer.text


def test_context_holds_what_is_true_and_its_tokens_stay_in_the_budget(alice: Any) -> None:
    alice.stored(vacation(17))
    window = {"start": "2026-07-17T00:00:00+09:00", "end": "2026-07-18T00:00:00+09:00"}
    body = {"window": window, "reference_time": "2026-07-16T14:00:00+09:00"}
    first, again = (alice.http.post("/context", json=body) for _ in range(2))
    none = alice.told(alice.http.post("/context", json={**body, "token_budget": 0}))

    assert [line["memory_id"] for line in first.json()["included"]] == [
        alice.memories()[0]["memory_id"]
    ]
    assert first.content == again.content
    assert first.json()["tokens"] <= first.json()["token_budget"] == 1024
    assert (none["tokens"], none["text"]) == (0, "")


def test_person_has_a_zone_and_a_language(alice: Any) -> None:
    before = alice.told(alice.http.get("/me"))
    after = alice.told(alice.http.patch("/me", json={"timezone": "Asia/Seoul", "locale": "ko"}))

    assert (before["principal_id"], before["tenant_id"]) == (alice.principal, "default")
    assert (before["timezone"], before["visible_scope_ids"]) == ("UTC", [alice.principal])
    assert (after["timezone"], after["locale"]) == ("Asia/Seoul", "ko")
    assert alice.told(alice.http.get("/me")) == after


def test_new_zone_that_makes_floating_times_collide_is_refused(alice: Any) -> None:
    floating = {"local_start": "2026-07-17T10:00:00", "minutes": 60}
    fixed = {"start": "2026-07-17T10:00:00+09:00", "end": "2026-07-17T11:00:00+09:00"}
    alice.stored(meeting(17, when=floating))
    alice.stored(meeting(17, object_value="Fixed", when=fixed))
    answer = alice.http.patch("/me", json={"timezone": "Asia/Seoul"})

    assert code(answer) == (409, "verdict_changed")
    assert alice.told(alice.http.get("/me"))["timezone"] == "UTC"


def test_confirmation_is_judged_anew_where_something_else_came_between(alice: Any) -> None:
    alice.stored(vacation(17))
    held = alice.propose(meeting(17)).json()["pending"]["pending_id"]
    between = alice.propose(meeting(17, object_value="Between")).json()["pending"]["pending_id"]
    alice.confirm(between, "keep_both")
    body = {"pending_id": held, "action": "keep_both"}
    changed, again = (alice.http.post("/confirm", json=body) for _ in range(2))

    assert code(changed) == code(again) == (409, "verdict_changed")
    assert changed.json()["verdict"]["status"] == "CONFIRM_REQUIRED"
    fresh = changed.json()["pending"]["pending_id"]
    assert fresh == again.json()["pending"]["pending_id"] != held
    assert {button["action"] for button in changed.json()["actions"]} >= {"cancel"}


def test_question_is_settled_once_and_one_way(alice: Any) -> None:
    alice.stored(vacation(17))
    pending_id = alice.propose(meeting(17)).json()["pending"]["pending_id"]

    def press(action: str) -> httpx2.Response:
        body = {"pending_id": pending_id, "action": action}
        answer: httpx2.Response = alice.http.post("/confirm", json=body)
        return answer

    assert code(press("replace_old")) == (422, "action_not_offered")
    first, again = press("keep_both"), press("keep_both")
    assert first.json() == again.json()
    assert code(press("cancel")) == (409, "already_settled")


def test_fact_that_was_asked_about_may_be_free_by_now(alice: Any) -> None:
    kept = alice.stored(vacation(17))
    pending_id = alice.propose(meeting(17)).json()["pending"]["pending_id"]
    alice.http.delete(f"/memories/{kept['memory_id']}", params={"expected_revision": 1})

    assert alice.confirm(pending_id, "keep_both")["status"] == "SUCCESS"


def test_same_fact_is_asked_about_once(alice: Any) -> None:
    alice.stored(vacation(17))
    first, again = (alice.propose(meeting(17)).json()["pending"] for _ in range(2))

    assert first == again
    assert len(alice.told(alice.http.get("/pending"))["items"]) == 1


def test_open_questions_are_limited(alice: Any) -> None:
    """Row 8."""

    alice.stored(vacation(17))
    answers = [alice.propose(meeting(17, object_value=f"Nr. {n}")) for n in range(21)]

    assert [answer.status_code for answer in answers[:20]] == [202] * 20
    assert code(answers[20]) == (429, "too_many_pendings")


def test_small_talk_and_prohibitions_write_nothing(alice: Any) -> None:
    talk = alice.chat("Hello there, how are you?")
    ban = alice.chat("금요일에는 회의 잡지 마")

    assert (talk["intent"], talk["status"], talk["facts"]) == ("UNKNOWN", "ANSWERED", [])
    assert (ban["intent"], ban["facts"]) == ("UNKNOWN", [])
    assert alice.memories(status="all") == []


def test_trace_is_shown_where_it_is_asked_for(alice: Any) -> None:
    assert "trace" not in alice.chat("Hello there")
    assert alice.chat("Hello there", debug=True)["trace"]


def test_unknown_ids_are_not_found(alice: Any) -> None:
    for path in (f"/memories/{NOTHING}", f"/decisions/{NOTHING}", "/pending/nothing"):
        assert code(alice.http.get(path)) == (404, "not_found")


def test_session_shows_the_open_question_until_it_is_ended(alice: Any, bob: Any) -> None:
    alice.stored(vacation(17))
    asked = alice.chat("Schedule a review for Friday at 10 AM.", session_id="talk-1")
    path = "/sessions/talk-1"
    told = alice.told(alice.http.get(path))
    foreign = bob.http.get(path)
    ended = alice.http.delete(path)

    assert asked["session_id"] == told["session_id"] == "talk-1"
    assert [one["pending_id"] for one in told["pending_facts"]] == [asked["pending"]["pending_id"]]
    assert told["reference_facts"].keys() == {"count", "epoch", "age_seconds"}
    assert 0 < told["ttl_seconds"] <= 1800
    assert code(foreign) == (404, "not_found")
    assert (ended.status_code, ended.content) == (204, b"")
    assert code(alice.http.get(path)) == (404, "not_found")
