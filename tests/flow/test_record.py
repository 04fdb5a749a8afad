"""Structured writes: what is admitted, under which revision, and what a change leaves alone."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moss_memory.core.access import Caller
from moss_memory.core.errors import (
    EmptyWindowError,
    InvalidRequestError,
    InvalidValueError,
    MemoryInactiveError,
    MossError,
    NotAdmittedError,
    NotFoundError,
    PreconditionMismatchError,
    RevisionRequiredError,
    SourceAboveCeilingError,
    StaleMatchError,
    StaleRevisionError,
    TextRefusedError,
    TextTooLongError,
    TooManyFactsError,
    UnknownPredicateError,
    UnknownRevisionError,
    WindowRequiredError,
)
from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER
from moss_memory.core.when import Days, Instant
from moss_memory.flow import reading, record, retiring
from moss_memory.flow.ports import House
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
TEN = datetime(2026, 7, 17, 1, tzinfo=UTC)


def fact(**given: Any) -> FactIn:
    stated: dict[str, Any] = {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": "standup",
        "when": Instant(TEN),
    }
    return FactIn(**(stated | given))


def home(value: str, **given: Any) -> FactIn:
    return fact(
        domain="SmartHome",
        subject="living room",
        predicate="target_temp",
        object_value=value,
        **({"when": None} | given),
    )


def item(key: str) -> FactIn:
    return fact(domain="Store", subject=key, predicate="item", object_value='{"x": 1}', when=None)


def propose(house: House, who: Caller, *facts: FactIn, dry_run: bool = False) -> Answer:
    return record.propose(house, who, ProposeRequest(facts=facts, dry_run=dry_run), AROUND)


def revise(house: House, who: Caller, memory_id: str, expected: int = 1, **fields: Any) -> Answer:
    check = RevisionCheck(expected=expected)
    request = ReviseRequest(memory_id=memory_id, fields=fields, check=check)
    return record.revise(house, who, request, AROUND)


@pytest.fixture
def kept(house: House, ann: Caller) -> Memory:
    (memory,) = propose(house, ann, fact(source_ref="mail 1")).facts
    return memory


def test_new_fact_is_written_whole(house: House, ann: Caller) -> None:
    answer = propose(house, ann, fact())

    (memory,) = answer.facts
    assert (answer.http_status, answer.status, memory.revision) == (201, "SUCCESS", 1)
    assert memory.valid_until - memory.valid_from == timedelta(hours=1)
    assert reading.get(house, ann, memory.memory_id) == memory


def test_same_fact_again_changes_nothing(house: House, ann: Caller, kept: Memory) -> None:
    answer = propose(house, ann, fact())

    assert (answer.http_status, answer.status) == (200, "NO_CHANGE")
    assert answer.facts == (kept,)


def test_batch_is_all_or_nothing_where_one_fact_conflicts(
    house: House, ann: Caller, kept: Memory
) -> None:
    answer = propose(
        house,
        ann,
        fact(object_value="other", when=Instant(TEN.replace(hour=9))),
        fact(object_value="clash"),
    )

    assert answer.status == "CONFIRM_REQUIRED"
    assert [finding.fact_index for finding in answer.verdict.findings] == [1]
    assert len(reading.listing(house, ann, ListRequest()).items) == 1


def test_dry_run_says_the_verdict_and_writes_nothing(house: House, ann: Caller) -> None:
    answer = propose(house, ann, fact(), dry_run=True)

    assert (answer.http_status, answer.status, answer.facts) == (200, "SUCCESS", ())
    assert reading.listing(house, ann, ListRequest()).items == ()


@pytest.mark.parametrize(
    ("stated", "refusal"),
    [
        (fact(predicate="party"), UnknownPredicateError),
        (fact(domain="Nowhere"), UnknownPredicateError),
        (fact(subject="Kitchen"), UnknownPredicateError),
        (fact(when=None), WindowRequiredError),
        (fact(when=Instant(TEN, TEN)), EmptyWindowError),
        (fact(object_value="a\x00b"), TextRefusedError),
        (fact(object_value="the pass" + "word is hunter2xyz"), TextRefusedError),
        (fact(source="vision"), InvalidValueError),
        (home("warm"), InvalidValueError),
        (fact(scope_id="team-x"), NotFoundError),
        (item("a/" + "k" * 511), TextTooLongError),
        (item("a/010-1234-5678"), TextRefusedError),
    ],
)
def test_moss_m03_malformed_fact_is_refused_by_its_own_code(
    house: House, ann: Caller, stated: FactIn, refusal: type[MossError]
) -> None:
    with pytest.raises(refusal):
        propose(house, ann, fact(object_value="fine"), stated)

    assert reading.listing(house, ann, ListRequest()).items == ()


def test_eleven_facts_are_too_many(house: House, ann: Caller) -> None:
    with pytest.raises(TooManyFactsError):
        propose(house, ann, *[fact(object_value=f"m{n}") for n in range(11)])


def test_source_above_the_ceiling_of_the_credential_is_refused(house: House) -> None:
    agent = Caller(tenant_id="default", principal_id="agent", source_ceiling="task_result")

    with pytest.raises(SourceAboveCeilingError):
        propose(house, agent, fact(source="user_explicit"))


def test_fact_without_a_source_takes_the_ceiling(house: House) -> None:
    agent = Caller(tenant_id="default", principal_id="agent", source_ceiling="task_result")

    (memory,) = propose(house, agent, fact()).facts

    assert memory.fact.source == "task_result"


def test_low_confidence_inference_is_not_admitted(house: House, ann: Caller) -> None:
    with pytest.raises(NotAdmittedError) as refused:
        propose(house, ann, fact(source="model_inferred", confidence=0.3))

    verdict: Any = refused.value.members["verdict"]
    assert (verdict.status, verdict.conflict_type) == ("BLOCKED", "LOW_CONFIDENCE_INFERENCE")


def test_contact_data_is_masked_before_it_is_kept(house: House, ann: Caller) -> None:
    (memory,) = propose(house, ann, fact(object_value="call kim at 010-1234-5678")).facts

    assert memory.fact.object_value == "call kim at [phone#1]"


def test_state_without_a_time_holds_from_now_on(house: House, ann: Caller) -> None:
    (memory,) = propose(house, ann, home("22")).facts

    assert (memory.valid_until, memory.fact.object_value) == (FOREVER, "22 °C")


def test_later_state_ends_the_one_before(house: House, ann: Caller, clock: Any) -> None:
    (first,) = propose(house, ann, home("22")).facts
    clock.forward(hours=3)

    answer = propose(house, ann, home("24"))

    cut = reading.get(house, ann, first.memory_id)
    assert answer.status == "SUCCESS_WITH_OVERWRITE"
    assert (cut.active, cut.valid_until) == (True, answer.facts[0].valid_from)


def test_end_that_a_later_state_gave_stays_unstated_when_the_rest_is_revised(
    house: House, ann: Caller, clock: Any
) -> None:
    (first,) = propose(house, ann, home("21")).facts
    clock.forward(hours=1)
    (ended,) = propose(house, ann, home("23")).superseded

    (revised,) = revise(house, ann, first.memory_id, 2, confidence=0.95).facts

    assert ended.valid_until < FOREVER
    assert (revised.valid_until, revised.open_ended) == (ended.valid_until, ended.open_ended)


def test_revise_changes_the_given_fields_only(house: House, ann: Caller, kept: Memory) -> None:
    (revised,) = revise(house, ann, kept.memory_id, object_value="stand-up call").facts

    assert (revised.revision, revised.fact.object_value) == (2, "stand-up call")
    assert revised.fact.source_ref == "mail 1"
    assert revised.windows == kept.windows


def test_null_clears_a_field(house: House, ann: Caller, kept: Memory) -> None:
    (revised,) = revise(house, ann, kept.memory_id, source_ref=None).facts

    assert revised.fact.source_ref is None


def test_revise_that_says_nothing_new_keeps_the_revision(
    house: House, ann: Caller, kept: Memory, clock: Any
) -> None:
    clock.forward(hours=1)

    (same,) = revise(house, ann, kept.memory_id, object_value="standup").facts

    assert same == kept


def test_revise_into_a_copy_of_another_is_not_admitted(
    house: House, ann: Caller, kept: Memory
) -> None:
    (other,) = propose(
        house, ann, fact(object_value="retro", when=Instant(TEN.replace(hour=9)))
    ).facts

    with pytest.raises(NotAdmittedError):
        revise(house, ann, other.memory_id, object_value="standup", when=Instant(TEN))


def test_revise_is_not_judged_against_itself(house: House, ann: Caller, kept: Memory) -> None:
    answer = revise(house, ann, kept.memory_id, when=Instant(TEN.replace(minute=30)))

    assert answer.status == "SUCCESS"


@pytest.mark.parametrize("name", ["domain", "subject", "predicate", "scope_id"])
def test_what_names_a_memory_cannot_change(
    house: House, ann: Caller, kept: Memory, name: str
) -> None:
    with pytest.raises(InvalidRequestError):
        revise(house, ann, kept.memory_id, **{name: "other"})


@pytest.mark.parametrize(
    ("check", "refusal"),
    [
        (RevisionCheck(), RevisionRequiredError),
        (RevisionCheck(if_match="*"), RevisionRequiredError),
        (RevisionCheck(if_match=1, expected=2), PreconditionMismatchError),
        (RevisionCheck(expected=2), StaleRevisionError),
        (RevisionCheck(if_match=2), StaleMatchError),
    ],
)
def test_change_needs_the_revision_that_is_there(
    house: House, ann: Caller, kept: Memory, check: RevisionCheck, refusal: type[MossError]
) -> None:
    """Property 27."""

    request = ReviseRequest(memory_id=kept.memory_id, fields={"object_value": "x"}, check=check)

    with pytest.raises(refusal):
        record.revise(house, ann, request, AROUND)
    with pytest.raises(refusal):
        retiring.retire(house, ann, kept.memory_id, check, AROUND)


def test_retired_memory_stays_readable_and_cannot_be_revised(
    house: House, ann: Caller, kept: Memory
) -> None:
    (gone,) = retiring.retire(house, ann, kept.memory_id, RevisionCheck(expected=1), AROUND).facts

    assert (gone.active, gone.inactive_reason, gone.revision) == (False, "retired", 2)
    assert reading.get(house, ann, kept.memory_id) == gone
    with pytest.raises(MemoryInactiveError):
        revise(house, ann, kept.memory_id, expected=2, object_value="x")


def test_retiring_again_changes_nothing_whatever_revision_is_named(
    house: House, ann: Caller, kept: Memory
) -> None:
    check = RevisionCheck(expected=1)
    first = retiring.retire(house, ann, kept.memory_id, check, AROUND)

    again = retiring.retire(house, ann, kept.memory_id, RevisionCheck(expected=7), AROUND)

    assert again.facts == first.facts


def test_restore_is_a_new_revision_with_the_old_content(
    house: House, ann: Caller, kept: Memory
) -> None:
    revise(house, ann, kept.memory_id, object_value="stand-up call")
    check = RevisionCheck(expected=2)

    (restored,) = record.restore(house, ann, kept.memory_id, 1, check, AROUND).facts

    assert (restored.revision, restored.fact) == (3, kept.fact)
    history = reading.revisions(house, ann, kept.memory_id)
    assert [each.revision for each in history] == [1, 2, 3]


def test_restore_brings_a_retired_memory_back(house: House, ann: Caller, kept: Memory) -> None:
    retiring.retire(house, ann, kept.memory_id, RevisionCheck(expected=1), AROUND)

    (back,) = record.restore(house, ann, kept.memory_id, 1, RevisionCheck(expected=2), AROUND).facts

    assert (back.active, back.revision, back.windows) == (True, 3, kept.windows)


def test_restore_over_what_came_since_asks(house: House, ann: Caller, kept: Memory) -> None:
    retiring.retire(house, ann, kept.memory_id, RevisionCheck(expected=1), AROUND)
    propose(house, ann, fact(object_value="retro"))

    answer = record.restore(house, ann, kept.memory_id, 1, RevisionCheck(expected=2), AROUND)

    assert (answer.http_status, answer.status) == (202, "CONFIRM_REQUIRED")


def test_restore_of_an_unknown_revision_is_refused(house: House, ann: Caller, kept: Memory) -> None:
    with pytest.raises(UnknownRevisionError):
        record.restore(house, ann, kept.memory_id, 9, RevisionCheck(expected=1), AROUND)


def test_memory_of_somebody_else_is_not_found_by_any_verb(
    house: House, bob: Caller, kept: Memory
) -> None:
    check = RevisionCheck(expected=1)
    verbs = [
        lambda: reading.get(house, bob, kept.memory_id),
        lambda: reading.revisions(house, bob, kept.memory_id),
        lambda: retiring.retire(house, bob, kept.memory_id, check, AROUND),
        lambda: revise(house, bob, kept.memory_id, object_value="x"),
        lambda: record.restore(house, bob, kept.memory_id, 1, check, AROUND),
    ]
    for verb in verbs:
        with pytest.raises(NotFoundError):
            verb()


def test_lint_judges_each_fact_and_writes_nothing(house: House, ann: Caller, kept: Memory) -> None:
    facts = (fact(object_value="clash"), fact(object_value="free", transparency="free"))

    verdict = record.lint_only(house, ann, facts, AROUND)

    assert verdict.verdicts == ("CONFIRM_REQUIRED", "SUCCESS")
    assert len(reading.listing(house, ann, ListRequest()).items) == 1


def test_list_goes_on_where_the_page_before_ended(house: House, ann: Caller) -> None:
    for day in range(1, 6):
        propose(
            house,
            ann,
            fact(predicate="note", object_value=f"note {day}", when=Days(date(2026, 8, day))),
        )
    seen: list[str] = []
    cursor = None
    while True:
        page = reading.listing(house, ann, ListRequest(limit=2, cursor=cursor))
        seen += [memory.fact.object_value for memory in page.items]
        if page.next_cursor is None:
            break
        cursor = page.next_cursor

    assert seen == [f"note {day}" for day in (5, 4, 3, 2, 1)]


def test_list_of_the_past_is_what_was_known_then(
    house: House, ann: Caller, kept: Memory, clock: Any
) -> None:
    then = clock.now
    clock.forward(hours=1)
    revise(house, ann, kept.memory_id, object_value="stand-up call")

    past = reading.listing(house, ann, ListRequest(known_at=then))
    again = reading.listing(house, ann, ListRequest(known_epoch=past.known_epoch))

    assert [memory.fact.object_value for memory in past.items] == ["standup"]
    assert again.items == past.items
    assert reading.get(house, ann, kept.memory_id, known_at=then) == kept
