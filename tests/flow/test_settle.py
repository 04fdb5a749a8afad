"""Questions and their answers: every way in which an open question may end."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.core.access import Caller
from moss_memory.core.errors import (
    ActionNotOfferedError,
    AlreadySettledError,
    NotFoundError,
    PendingGoneError,
    StaleRevisionError,
    TooManyPendingsError,
    VerdictChangedError,
)
from moss_memory.core.when import Days, Instant, Series
from moss_memory.flow import reading, record, retiring, settle
from moss_memory.flow.ports import House, IdempotencyKey
from moss_memory.flow.requests import (
    Answer,
    Circumstances,
    FactIn,
    ListRequest,
    ProposeRequest,
    ReviseRequest,
    RevisionCheck,
)

AROUND = Circumstances(request_id="r")
FRIDAY = datetime(2026, 7, 17, tzinfo=UTC).date()


def vacation(**given: Any) -> FactIn:
    return FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="vacation",
        object_value="Vacation",
        when=Days(FRIDAY),
        **given,
    )


def meeting(title: str = "dev team meeting", hour: int = 1, **given: Any) -> FactIn:
    return FactIn(
        domain="Schedule",
        subject="Calendar",
        predicate="meeting",
        object_value=title,
        when=Instant(datetime(2026, 7, 17, hour, tzinfo=UTC)),
        **given,
    )


def propose(house: House, who: Caller, *facts: FactIn) -> Answer:
    return record.propose(house, who, ProposeRequest(facts=facts), AROUND)


def active(house: House, who: Caller) -> list[str]:
    found = reading.listing(house, who, ListRequest())
    return sorted(memory.fact.object_value for memory in found.items)


@pytest.fixture
def asked(house: House, ann: Caller) -> Answer:
    """A day off is stored, and a meeting on it has asked."""
    propose(house, ann, vacation())
    return propose(house, ann, meeting())


def pending_of(answer: Answer) -> str:
    assert answer.pending is not None
    return answer.pending.pending_id


def test_nothing_is_written_while_a_question_is_open(
    house: House, ann: Caller, asked: Answer
) -> None:
    assert (asked.http_status, asked.status, active(house, ann)) == (
        202,
        "CONFIRM_REQUIRED",
        ["Vacation"],
    )


def test_question_offers_the_buttons_of_its_rule_in_order(asked: Answer) -> None:
    assert [(each.action, each.label) for each in asked.actions] == [
        ("keep_both", "Schedule Meeting During Vacation"),
        ("cancel", "Cancel"),
    ]


def test_question_lives_for_half_an_hour(house: House, asked: Answer) -> None:
    assert asked.pending is not None
    assert asked.pending.expires_at - house.clock() == timedelta(minutes=30)


def test_cancel_writes_nothing_and_closes_the_question(
    house: House, ann: Caller, asked: Answer
) -> None:
    answer = settle.confirm(house, ann, pending_of(asked), "cancel", AROUND)

    assert answer.status == "CANCELLED"
    assert active(house, ann) == ["Vacation"]
    assert settle.open_questions(house, ann, AROUND) == ()


def test_keep_both_writes_it_beside_the_day_off(house: House, ann: Caller, asked: Answer) -> None:
    answer = settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)

    assert (answer.status, active(house, ann)) == ("SUCCESS", ["Vacation", "dev team meeting"])


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"source_ref": "mail 7"}, "SUCCESS"),
        ({"when": Instant(datetime(2026, 7, 17, 2, tzinfo=UTC))}, "CONFIRM_REQUIRED"),
    ],
)
def test_allowed_pair_is_asked_again_only_when_either_moves(
    house: House, ann: Caller, asked: Answer, fields: dict[str, Any], status: str
) -> None:
    (written,) = settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND).facts
    for revision in (1, 2):  # a waiver that was carried over is carried over again
        request = ReviseRequest(
            memory_id=written.memory_id,
            fields=fields | ({"source_ref": f"mail {revision}"} if revision > 1 else {}),
            check=RevisionCheck(expected=revision if status == "SUCCESS" else 1),
        )

        assert record.revise(house, ann, request, AROUND).status == status


def test_second_click_gets_the_answer_of_the_first(
    house: House, ann: Caller, asked: Answer
) -> None:
    first = settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)
    second = settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)

    assert second == first
    assert active(house, ann) == ["Vacation", "dev team meeting"]


def test_moss_m07_fifty_clicks_at_once_have_one_effect_and_one_answer(
    house: House, ann: Caller, asked: Answer
) -> None:
    """Property 30."""

    with ThreadPoolExecutor(10) as clicks:
        answers = list(
            clicks.map(
                lambda _: settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND),
                range(50),
            )
        )

    assert len({answer.decision_id for answer in answers}) == 1
    assert active(house, ann) == ["Vacation", "dev team meeting"]


@pytest.mark.parametrize(("first", "then"), [("cancel", "keep_both"), ("keep_both", "cancel")])
def test_another_answer_is_refused_once_it_is_settled(
    house: House, ann: Caller, asked: Answer, first: Any, then: Any
) -> None:
    settle.confirm(house, ann, pending_of(asked), first, AROUND)

    with pytest.raises(AlreadySettledError):
        settle.confirm(house, ann, pending_of(asked), then, AROUND)


def test_action_that_was_not_offered_leaves_the_question_open(
    house: House, ann: Caller, asked: Answer
) -> None:
    with pytest.raises(ActionNotOfferedError):
        settle.confirm(house, ann, pending_of(asked), "replace_old", AROUND)

    assert len(settle.open_questions(house, ann, AROUND)) == 1


def test_conflict_that_is_gone_by_then_needs_no_waiver(
    house: House, ann: Caller, asked: Answer
) -> None:
    (day_off,) = reading.listing(house, ann, ListRequest()).items
    retiring.retire(house, ann, day_off.memory_id, RevisionCheck(expected=1), AROUND)

    answer = settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)

    assert (answer.status, active(house, ann)) == ("SUCCESS", ["dev team meeting"])


def test_moss_m06_conflict_that_was_not_shown_asks_afresh(
    house: House, ann: Caller, asked: Answer
) -> None:
    """Properties 20 and 33."""

    overlapping = propose(house, ann, meeting("board meeting"))
    settle.confirm(house, ann, pending_of(overlapping), "keep_both", AROUND)

    with pytest.raises(VerdictChangedError) as changed:
        settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)

    fresh: Any = changed.value.members["pending"]
    assert len(fresh.verdict.findings) == 2
    assert active(house, ann) == ["Vacation", "board meeting"]


def test_replaced_question_names_its_successor_and_the_successor_can_be_settled(
    house: House, ann: Caller, asked: Answer
) -> None:
    overlapping = propose(house, ann, meeting("board meeting"))
    settle.confirm(house, ann, pending_of(overlapping), "keep_both", AROUND)
    seen = []
    for _ in range(2):
        with pytest.raises(VerdictChangedError) as changed:
            settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)
        seen.append(changed.value.members["successor"])

    answer = settle.confirm(house, ann, str(seen[0]), "keep_both", AROUND)

    assert seen[0] == seen[1]
    assert (answer.status, len(active(house, ann))) == ("SUCCESS", 3)


def test_question_that_changes_into_one_that_is_open_already_names_that_one(
    house: House, ann: Caller, asked: Answer
) -> None:
    (day_off,) = reading.listing(house, ann, ListRequest()).items
    correction = ReviseRequest(
        memory_id=day_off.memory_id,
        fields={"source_ref": "mail 7"},
        check=RevisionCheck(expected=1),
    )
    record.revise(house, ann, correction, AROUND)
    again = propose(house, ann, meeting())  # the same, over the corrected day off

    with pytest.raises(VerdictChangedError) as changed:
        settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)

    assert changed.value.members["successor"] == pending_of(again) != pending_of(asked)
    assert len(settle.open_questions(house, ann, AROUND)) == 1
    opened = [
        event.ids
        for event in house.memory.events(ann.tenant_id, after="", limit=100)
        if event.kind == "pending.opened"
    ]
    assert opened == [(pending_of(asked),), (pending_of(again),)]


def test_held_change_overwrites_no_later_one(house: House, ann: Caller) -> None:
    (lunch,) = propose(house, ann, meeting("lunch", hour=6)).facts
    propose(house, ann, meeting("review"))

    def changed(revision: int, **fields: Any) -> Answer:
        check = RevisionCheck(expected=revision)
        request = ReviseRequest(memory_id=lunch.memory_id, fields=fields, check=check)
        return record.revise(house, ann, request, AROUND)

    moved = Instant(datetime(2026, 7, 17, 1, tzinfo=UTC))
    held = changed(1, when=moved)
    changed(1, object_value="long lunch")

    with pytest.raises(StaleRevisionError) as stale:
        settle.confirm(house, ann, pending_of(held), "keep_both", AROUND)
    assert stale.value.members["current_revision"] == 2
    assert active(house, ann) == ["long lunch", "review"]
    assert pending_of(changed(2, when=moved)) != pending_of(held)


def test_fact_stored_meanwhile_is_no_change(house: House, ann: Caller, asked: Answer) -> None:
    same = propose(house, ann, meeting(transparency="free"))
    assert same.status == "SUCCESS"
    other = propose(house, ann, meeting())
    settle.confirm(house, ann, pending_of(other), "keep_both", AROUND)

    answer = settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)

    assert answer.status in {"SUCCESS", "NO_CHANGE"}


def test_same_fact_proposed_again_is_the_same_question(
    house: House, ann: Caller, asked: Answer
) -> None:
    again = propose(house, ann, meeting())

    assert pending_of(again) == pending_of(asked)
    assert again.decision_id == asked.decision_id


def test_expired_question_is_gone_for_its_principal(
    house: House, ann: Caller, asked: Answer, clock: Any
) -> None:
    """Row 24."""

    clock.forward(minutes=31)

    with pytest.raises(PendingGoneError):
        settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)


@pytest.mark.parametrize("minutes", [0, 31])
def test_question_of_somebody_else_is_not_found(
    house: House, bob: Caller, asked: Answer, clock: Any, minutes: int
) -> None:
    clock.forward(minutes=minutes)

    with pytest.raises(NotFoundError):
        settle.confirm(house, bob, pending_of(asked), "cancel", AROUND)


def test_twenty_questions_are_the_most(house: House, ann: Caller, asked: Answer) -> None:
    for number in range(19):
        propose(house, ann, meeting(f"meeting {number}"))

    with pytest.raises(TooManyPendingsError):
        propose(house, ann, meeting("one too many"))


def test_question_is_listed_with_its_verdict(house: House, ann: Caller, asked: Answer) -> None:
    (view,) = settle.open_questions(house, ann, AROUND)

    assert view.pending_id == pending_of(asked)
    assert view.verdict is not None
    assert [finding.rule_id for finding in view.verdict.findings] == ["SCH-10"]


def test_confirm_under_a_key_is_replayed_as_such(house: House, ann: Caller, asked: Answer) -> None:
    keyed = Circumstances(request_id="r", key=IdempotencyKey("/confirm", "k", "hash"))

    first = settle.confirm(house, ann, pending_of(asked), "keep_both", keyed)
    second = settle.confirm(house, ann, pending_of(asked), "keep_both", keyed)

    assert (first.replayed, second.replayed) == (False, True)
    assert second.facts == first.facts


def test_third_meeting_on_a_day_off_asks_about_both(
    house: House, ann: Caller, asked: Answer
) -> None:
    settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)

    third = propose(house, ann, meeting("budget review"))

    assert len(third.verdict.findings) == 2
    assert [each.action for each in third.actions] == ["replace_old", "keep_both", "cancel"]


def test_replace_old_retires_the_meeting_and_waives_the_day_off(
    house: House, ann: Caller, asked: Answer
) -> None:
    settle.confirm(house, ann, pending_of(asked), "keep_both", AROUND)
    third = propose(house, ann, meeting("budget review"))

    answer = settle.confirm(house, ann, pending_of(third), "replace_old", AROUND)

    assert answer.status == "SUCCESS_WITH_OVERWRITE"
    assert [gone.fact.object_value for gone in answer.superseded] == ["dev team meeting"]
    assert active(house, ann) == ["Vacation", "budget review"]


def test_conflict_with_a_series_is_named_at_its_occurrence(house: House, ann: Caller) -> None:
    weekly = replace(
        meeting("weekly sync"),
        when=Instant(datetime(2026, 7, 3, 1, tzinfo=UTC), series=Series("FREQ=WEEKLY;COUNT=5")),
    )
    propose(house, ann, weekly)

    held = propose(house, ann, meeting("clash"))

    (finding,) = held.verdict.findings
    assert "July 17" in finding.summary


class LateDesk(LocalDesk):
    """A Desk on which another click settles the question just before it is looked up."""

    meanwhile: Any = None

    def pending(self, *args: Any, **given: Any) -> Any:
        settling, self.meanwhile = self.meanwhile, None
        if settling:
            settling()
        return super().pending(*args, **given)


def test_click_that_another_one_overtakes_gets_the_same_answer(
    make_house: Callable[..., House], ann: Caller
) -> None:
    desk = LateDesk()
    house = make_house(desk=desk)
    propose(house, ann, vacation())
    pending_id = pending_of(propose(house, ann, meeting()))
    first: list[Answer] = []
    desk.meanwhile = lambda: first.append(
        settle.confirm(house, ann, pending_id, "keep_both", AROUND)
    )

    late = settle.confirm(house, ann, pending_id, "keep_both", AROUND)

    assert late == first[0]
