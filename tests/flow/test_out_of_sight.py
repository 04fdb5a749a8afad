"""A question about what its reader no longer sees tells nothing of it: neither id nor time."""

from datetime import UTC, datetime

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.core.access import Caller, Grant, Scope
from moss_memory.core.when import Instant
from moss_memory.flow import record, settle
from moss_memory.flow.ports import House, IdempotencyKey
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ProposeRequest

AROUND = Circumstances(request_id="r")
KEYED = Circumstances(request_id="r", key=IdempotencyKey("POST /memories", "k", "hash"))


@pytest.fixture
def scopes(house: House) -> SqlScopes:
    assert isinstance(house.memory, SqlMemory)
    store = SqlScopes(house.memory.database, clock=house.clock)
    store.put_scope("default", Scope(scope_id="team", kind="team"))
    return store


def grant(scopes: SqlScopes, who: Caller, *, visible: bool) -> None:
    team = Scope(scope_id="team", kind="team")
    granted = Grant(scope=team, visible=visible, writable=visible)
    scopes.put_grant("default", who.principal_id, granted)


def meeting(scope_id: str | None, title: str) -> ProposeRequest:
    stated = FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value=title,
        when=Instant(datetime(2026, 7, 17, 1, tzinfo=UTC)),
        scope_id=scope_id,
    )
    return ProposeRequest(facts=(stated,))


@pytest.fixture
def asked(house: House, scopes: SqlScopes, ann: Caller) -> Answer:
    """Ann's meeting meets one of the team's, which she no longer sees."""
    grant(scopes, ann, visible=True)
    record.propose(house, ann, meeting("team", "board"), AROUND)
    answer = record.propose(house, ann, meeting(None, "dentist"), KEYED)
    assert answer.status == "CONFIRM_REQUIRED"
    grant(scopes, ann, visible=False)
    return answer


def test_open_question_tells_only_that_something_is_in_the_way(
    asked: Answer, house: House, ann: Caller
) -> None:
    assert asked.pending is not None
    question = settle.question(house, ann, asked.pending.pending_id, AROUND)
    (finding,) = question.verdict.findings

    assert (finding.memory_id, finding.revision, finding.time_relation) == (None, None, None)
    assert (finding.reason, finding.actions, finding.summary) == (
        "HIDDEN_CONFLICT",
        ("cancel",),
        "",
    )
    assert (question.verdict.status, question.verdict.conflict_type) == (
        "BLOCKED",
        "HIDDEN_CONFLICT",
    )


def test_open_question_offers_cancel_alone(asked: Answer, house: House, ann: Caller) -> None:
    (question,) = settle.open_questions(house, ann, AROUND)

    assert [(each.action, each.retires) for each in question.actions] == [("cancel", ())]


def test_repeated_answer_tells_no_more_than_the_question(
    asked: Answer, house: House, ann: Caller
) -> None:
    again = record.propose(house, ann, meeting(None, "dentist"), KEYED)

    assert again.replayed
    assert {each.memory_id for each in again.verdict.findings} == {None}
    assert [each.action for each in again.actions] == ["cancel"]
    assert "board" not in again.reply


def test_question_about_what_is_seen_again_tells_all_again(
    asked: Answer, house: House, scopes: SqlScopes, ann: Caller
) -> None:
    grant(scopes, ann, visible=True)
    (question,) = settle.open_questions(house, ann, AROUND)

    assert question.verdict.findings == asked.verdict.findings
