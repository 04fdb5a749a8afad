"""Who sees and who writes what is shared, over the wire: every refusal as the contract says."""

import dataclasses
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.core.access import Caller, Grant, Scope

TEAM = Scope(scope_id="team-a", kind="team")
UNKNOWN = "0198f3b2-4a1c-7d3e-9b61-0c5d2f7a8e90"


@pytest.fixture
def scopes(service: Any) -> Iterator[SqlScopes]:
    """A team that lee writes, kim sees, and nobody else knows."""
    store = SqlScopes(service.url)
    store.put_scope(service.tenant, TEAM)
    store.put_grant(service.tenant, "lee", Grant(scope=TEAM, writable=True))
    store.put_grant(service.tenant, "kim", Grant(scope=TEAM))
    yield store
    store.close()


class As:
    """An authenticator that narrows what the dev name would get."""

    def __init__(self, inner: Any, **changes: Any) -> None:
        self.inner = inner
        self.changes = changes

    def authenticate(self, authorization: str | None, now: datetime) -> Caller:
        caller: Caller = self.inner.authenticate(authorization, now)
        return dataclasses.replace(caller, **self.changes)


def narrowed(service: Any, **changes: Any) -> Any:
    """Let every credential have ``changes`` from now on."""
    state = service.app.state
    inner = getattr(state.authenticator, "inner", state.authenticator)
    state.authenticator = As(inner, **changes) if changes else inner
    return service


def fact(title: str, **members: Any) -> dict[str, Any]:
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": title,
        "when": {"start": "2030-07-17T10:00:00Z"},
        **members,
    }


def post(service: Any, who: str, body: dict[str, Any], path: str = "/memories") -> Any:
    return service.call("POST", path, f"dev:{who}", json={"facts": [body]})


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


@pytest.fixture
def shared(service: Any, scopes: SqlScopes) -> str:
    """The id of a memory that lee wrote for the team."""
    answer = post(service, "lee", fact("Retrospective", scope_id="team-a"))
    assert answer.status_code == 201, answer.text
    memory_id: str = answer.json()["facts"][0]["memory_id"]
    return memory_id


def test_member_reads_what_the_team_knows(service: Any, shared: str) -> None:
    assert service.call("GET", f"/memories/{shared}").json()["object_value"] == "Retrospective"
    assert [m["memory_id"] for m in service.call("GET", "/memories").json()["items"]] == [shared]


def test_visible_scope_is_not_writable(service: Any, shared: str) -> None:
    answer = post(service, "kim", fact("Mine", scope_id="team-a"))

    assert code(answer) == (403, "scope_not_writable")
    assert len(service.call("GET", "/memories?status=all").json()["items"]) == 1


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/memories/{}", {"object_value": "Taken", "expected_revision": 1}),
        ("DELETE", "/memories/{}?expected_revision=1", None),
        ("POST", "/memories/{}/restore", {"revision": 1, "expected_revision": 1}),
    ],
)
def test_visible_memory_is_not_changed_by_who_may_only_see_it(
    service: Any, shared: str, method: str, path: str, body: Any
) -> None:
    answer = service.call(method, path.format(shared), json=body)

    assert code(answer) == (403, "scope_not_writable")
    assert service.call("GET", f"/memories/{shared}").json()["revision"] == 1


def test_write_right_comes_before_the_precondition(service: Any, shared: str) -> None:
    answer = service.call("DELETE", f"/memories/{shared}?expected_revision=9")

    assert code(answer) == (403, "scope_not_writable")


@pytest.mark.parametrize("scope_id", ["team-a", "no-such-scope", "kim", "team_a", "team%a"])
def test_scope_one_may_not_see_is_as_if_it_never_existed(
    service: Any, shared: str, scope_id: str
) -> None:
    answer = post(service, "max", fact("Mine", scope_id=scope_id))

    assert code(answer) == (404, "not_found")


def test_stranger_learns_nothing_of_the_team(service: Any, shared: str) -> None:
    foreign = service.call("GET", f"/memories/{shared}", "dev:max")
    never = service.call("GET", f"/memories/{UNKNOWN}", "dev:max")
    context = service.call("POST", "/context", "dev:max", json={"query": "Retrospective"})

    assert {**foreign.json(), "request_id": ""} == {**never.json(), "request_id": ""}
    assert service.call("GET", "/memories?scope_id=team-a", "dev:max").json().get("items") in (
        None,
        [],
    )
    assert "Retrospective" not in context.text


def test_grant_taken_back_ends_reading_at_once(
    service: Any, scopes: SqlScopes, shared: str
) -> None:
    assert service.call("GET", f"/memories/{shared}").status_code == 200
    scopes.delete_grant(service.tenant, "kim", "team-a")

    assert service.call("GET", f"/memories/{shared}").status_code == 404
    assert service.call("GET", "/memories").json()["items"] == []
    assert "Retrospective" not in service.call("POST", "/context", json={}).text
    assert "Retrospective" not in service.call("POST", "/chat", json={"text": "What is on?"}).text


def test_write_right_taken_back_ends_writing_at_once(
    service: Any, scopes: SqlScopes, shared: str
) -> None:
    scopes.put_grant(service.tenant, "lee", Grant(scope=TEAM))
    answer = service.call("DELETE", f"/memories/{shared}?expected_revision=1", "dev:lee")

    assert code(answer) == (403, "scope_not_writable")


def test_right_is_checked_again_when_a_question_is_confirmed(
    service: Any, scopes: SqlScopes
) -> None:
    vacation = fact("Vacation", predicate="vacation", when={"date": "2030-07-17"})
    assert post(service, "lee", {**vacation, "scope_id": "team-a"}).status_code == 201
    held = post(service, "lee", fact("Standup", scope_id="team-a"))
    assert held.status_code == 202, held.text
    scopes.put_grant(service.tenant, "lee", Grant(scope=TEAM))
    body = {"pending_id": held.json()["pending"]["pending_id"], "action": "keep_both"}
    answer = service.call("POST", "/confirm", "dev:lee", json=body)

    assert answer.status_code in {403, 404}
    assert len(service.call("GET", "/memories", "dev:lee").json()["items"]) == 1


def test_conflict_with_what_one_may_not_see_is_blocked_without_a_word_of_it(
    service: Any, scopes: SqlScopes
) -> None:
    narrowed(service, read_mode="off")
    vacation = fact("Vacation", predicate="vacation", when={"date": "2030-07-17"})
    post(service, "kim", vacation)
    answer = post(service, "kim", fact("Standup"))
    told = answer.json()

    assert answer.status_code == 422, answer.text
    verdict = told.get("verdict", told)
    assert verdict["status"] == "BLOCKED"
    assert {finding["reason"] for finding in verdict["findings"]} == {"HIDDEN_CONFLICT"}
    assert "Vacation" not in answer.text


def test_key_with_reading_off_sees_nothing_and_may_write(service: Any, scopes: SqlScopes) -> None:
    narrowed(service, read_mode="off")
    made = post(service, "kim", fact("Dentist"))

    assert made.status_code == 201
    assert service.call("GET", "/memories").json()["items"] == []
    assert "Dentist" not in service.call("POST", "/context", json={}).text
    assert service.call("GET", "/me").json()["visible_scope_ids"] == []


def test_key_with_writing_off_reads_and_changes_nothing(service: Any, scopes: SqlScopes) -> None:
    memory_id = service.remember("Dentist")["memory_id"]
    narrowed(service, write_mode="off")

    assert service.call("GET", f"/memories/{memory_id}").status_code == 200
    assert code(post(service, "kim", fact("Lunch"))) == (403, "scope_not_writable")
    assert code(service.call("DELETE", f"/memories/{memory_id}?expected_revision=1")) == (
        403,
        "scope_not_writable",
    )
    assert code(service.call("POST", "/chat", json={"text": "Lunch tomorrow at noon"})) == (
        403,
        "scope_not_writable",
    )


def test_key_that_reads_writable_scopes_does_not_see_the_others(service: Any, shared: str) -> None:
    narrowed(service, read_mode="writable_scopes")

    assert service.call("GET", f"/memories/{shared}").status_code == 404
    assert service.call("GET", f"/memories/{shared}", "dev:lee").status_code == 200


@pytest.mark.parametrize(
    ("ceiling", "source", "status"),
    [
        ("task_result", "user_explicit", 403),
        ("task_result", "user_selection", 403),
        ("task_result", "task_result", 201),
        ("model_inferred", "vision", 403),
        ("model_inferred", "model_inferred", 202),  # a guess is asked about
        ("user_explicit", "user_explicit", 201),
    ],
)
def test_agent_cannot_speak_as_the_user(
    service: Any, scopes: SqlScopes, ceiling: str, source: str, status: int
) -> None:
    narrowed(service, source_ceiling=ceiling)
    answer = post(service, "kim", fact("Lunch", source=source, confidence=0.9))

    assert answer.status_code == status, answer.text
    assert status < 300 or code(answer) == (403, "source_above_ceiling")


def test_agents_own_words_have_its_ceiling(service: Any, scopes: SqlScopes) -> None:
    narrowed(service, source_ceiling="task_result")
    made = service.call("POST", "/chat", json={"text": "Lunch on 2030-07-17 at noon"}).json()

    assert [each["provenance"]["source"] for each in made["facts"]] == ["task_result"]


def test_trace_is_not_told_without_its_right(service: Any, scopes: SqlScopes) -> None:
    narrowed(service, rights=frozenset())
    answer = service.call("POST", "/chat", json={"text": "Lunch at noon", "debug": True})

    assert "trace" not in answer.json()


def test_proposer_may_not_approve_where_another_must(service: Any, scopes: SqlScopes) -> None:
    scopes.put_scope(service.tenant, dataclasses.replace(TEAM, approver_must_differ=True))
    scopes.put_grant(service.tenant, "max", Grant(scope=TEAM, writable=True))
    vacation = fact("Vacation", predicate="vacation", when={"date": "2030-07-17"})
    assert post(service, "lee", {**vacation, "scope_id": "team-a"}).status_code == 201
    held = post(service, "lee", fact("Standup", scope_id="team-a")).json()
    body = {"pending_id": held["pending"]["pending_id"], "action": "keep_both"}

    proposer, reader, stranger = (
        code(service.call("POST", "/confirm", f"dev:{who}", json=body))
        for who in ("lee", "kim", "eve")
    )
    assert proposer == (403, "approver_must_differ")
    assert (reader, stranger) == ((404, "not_found"), (404, "not_found"))
    assert service.call("POST", "/confirm", "dev:max", json=body).status_code == 200


def test_shared_scope_never_becomes_the_own_scope_of_its_namesake(
    service: Any, shared: str
) -> None:
    intruder = "dev:team-a"

    assert service.call("GET", f"/memories/{shared}", intruder).status_code == 404
    assert post(service, "team-a", fact("Mine")).status_code in {403, 404}
