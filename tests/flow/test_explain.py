"""Why a memory is as it is: the story that the record tells, in both languages."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from moss_memory.core.access import Caller
from moss_memory.core.errors import NotFoundError
from moss_memory.core.when import Days, Instant, WallClock
from moss_memory.flow import converse, explain, profile, record, settle
from moss_memory.flow.ports import Defaults, House
from moss_memory.flow.requests import (
    ChatAnswer,
    ChatRequest,
    Circumstances,
    FactIn,
    ProposeRequest,
    ReviseRequest,
    RevisionCheck,
)
from moss_memory.flow.retiring import retire
from moss_memory.language.proposal import Parsed, ProposedFact

HERE = Circumstances(request_id="r", timezone="Asia/Seoul", locale="en")
KOREAN = replace(HERE, locale="ko")
TEN = datetime(2026, 7, 17, 1, tzinfo=UTC)
OFF = "I'm off tomorrow"
MEET = "Schedule a dev team meeting for Friday at 10 AM."
SCRIPT = {
    OFF: Parsed(
        intent="WRITE",
        operation="create",
        facts=(
            ProposedFact(
                domain="Schedule",
                subject="Calendar",
                predicate="vacation",
                object_value="Vacation",
                when=Days(date(2026, 7, 17)),
            ),
        ),
    ),
    MEET: Parsed(
        intent="WRITE",
        operation="create",
        facts=(
            ProposedFact(
                domain="Schedule",
                subject="Calendar",
                predicate="meeting",
                object_value="dev team meeting",
                when=Instant(TEN),
            ),
        ),
    ),
}
REVIEW = FactIn(
    domain="Schedule",
    subject="Calendar",
    predicate="meeting",
    object_value="review",
    when=Instant(TEN),
)

Say = Callable[[str], ChatAnswer]


@pytest.fixture
def talking(house: House) -> House:
    house.parser.script.update(SCRIPT)  # type: ignore[attr-defined]
    return house


@pytest.fixture
def say(talking: House, ann: Caller) -> Say:
    return lambda text: asyncio.run(converse.chat(talking, ann, ChatRequest(text=text), HERE))


def told(house: House, caller: Caller, memory_id: str, around: Circumstances = HERE) -> list[str]:
    return list(explain.why(house, caller, memory_id, around).sentences)


def test_why_quotes_what_was_said(talking: House, ann: Caller, say: Say) -> None:
    (vacation,) = say(OFF).facts

    assert told(talking, ann, vacation.memory_id) == [
        'Registered because you said "I\'m off tomorrow" on July 16 at 2:00 PM.',
        "It says: vacation on Friday, July 17 (all day).",
    ]


def test_why_words_times_as_they_were_said_where_the_reader_has_set_no_zone(
    make_house: Callable[..., House], ann: Caller
) -> None:
    house = make_house(defaults=Defaults(timezone="UTC"))
    local = WallClock(datetime.fromisoformat("2026-07-17T10:00"), zone="Asia/Seoul")
    said = ProposeRequest(facts=(replace(REVIEW, when=local),))
    (memory,) = record.propose(house, ann, said, HERE).facts
    nowhere = replace(HERE, timezone=None)

    as_said = " ".join(told(house, ann, memory.memory_id, nowhere))
    profile.settle_in(house, ann, given={"timezone": "America/New_York"}, around=nowhere)
    at_home = " ".join(told(house, ann, memory.memory_id, nowhere))

    assert "on July 16 at 2:00 PM" in as_said
    assert "Friday, July 17, 10:00 AM" in as_said
    assert "Thursday, July 16, 9:00 PM" in at_home


def test_why_speaks_korean(talking: House, ann: Caller, say: Say) -> None:
    (vacation,) = say(OFF).facts

    first, *_ = told(talking, ann, vacation.memory_id, KOREAN)

    assert first == '7월 16일 오후 2시에 "I\'m off tomorrow"라고 말씀하셔서 등록되었습니다.'


def test_why_does_without_the_words_when_history_is_off(
    make_house: Callable[..., House], ann: Caller
) -> None:
    house = make_house(defaults=Defaults(timezone="Asia/Seoul", chat_history="off"))
    house.parser.script.update(SCRIPT)  # type: ignore[attr-defined]
    answer = asyncio.run(converse.chat(house, ann, ChatRequest(text=OFF), HERE))

    first, *_ = told(house, ann, answer.facts[0].memory_id)

    assert first == "Registered because of what you said on July 16 at 2:00 PM."


def test_why_names_the_button_and_the_rule_when_a_person_was_asked(
    talking: House, ann: Caller, say: Say
) -> None:
    say(OFF)
    pending = say(MEET).pending
    assert pending is not None
    settled = settle.confirm(talking, ann, pending.pending_id, "keep_both", HERE)

    story = told(talking, ann, settled.facts[0].memory_id)

    assert story[0] == f'Registered because you said "{MEET}" on July 16 at 2:00 PM.'
    assert story[2:] == [
        'You confirmed it with "Schedule Meeting During Vacation".',
        "Deciding rules: SCH-10.",
    ]


def test_why_tells_both_sides_of_a_replacement(talking: House, ann: Caller, say: Say) -> None:
    (review,) = record.propose(talking, ann, ProposeRequest(facts=(REVIEW,)), HERE).facts
    (vacation,) = say(OFF).facts

    new, old = (told(talking, ann, each.memory_id) for each in (vacation, review))

    assert 'It replaced: meeting "review" on Friday, July 17, 10:00 AM to 11:00 AM.' in new
    assert f'No longer active because you said "{OFF}" on July 16 at 2:00 PM.' in old
    assert "It was replaced by: vacation on Friday, July 17 (all day)." in old


def test_why_tells_of_a_change_a_removal_and_a_restoration(house: House, ann: Caller) -> None:
    (made,) = record.propose(house, ann, ProposeRequest(facts=(REVIEW,)), HERE).facts
    memory_id = made.memory_id
    fields = {"object_value": "design review"}
    change = ReviseRequest(memory_id=memory_id, fields=fields, check=RevisionCheck(expected=1))
    record.revise(house, ann, change, HERE)
    retire(house, ann, memory_id, RevisionCheck(expected=2), HERE)
    record.restore(house, ann, memory_id, 1, RevisionCheck(expected=3), HERE)

    verbs = [line.split()[0] for line in told(house, ann, memory_id) if " by your request" in line]

    assert verbs == ["Registered", "Changed", "Removed", "Restored"]


def test_why_says_that_a_memory_expired(house: House, ann: Caller, clock: Any) -> None:
    brief = replace(REVIEW, expires_at=datetime(2026, 7, 16, 6, tzinfo=UTC))
    (made,) = record.propose(house, ann, ProposeRequest(facts=(brief,)), HERE).facts
    clock.forward(days=1)

    assert told(house, ann, made.memory_id)[-1] == "It expired on July 16 at 3:00 PM."


def test_why_names_every_decision(talking: House, ann: Caller, say: Say) -> None:
    (vacation,) = say(OFF).facts

    why = explain.why(talking, ann, vacation.memory_id, HERE)

    assert why.decision_ids == (vacation.provenance.decision_id,)


def test_why_of_somebody_elses_memory_is_not_found(talking: House, bob: Caller, say: Say) -> None:
    (vacation,) = say(OFF).facts

    with pytest.raises(NotFoundError):
        explain.why(talking, bob, vacation.memory_id, HERE)
