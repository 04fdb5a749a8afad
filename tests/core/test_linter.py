"""The linter, case by case: questions and answers, series, requests, scopes, late facts."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.core.errors import UnknownPredicateError
from moss_memory.core.fact import Fact, Known, Pair, Proposal, pair
from moss_memory.core.interval import FOREVER
from moss_memory.core.linter import Verdict, lint
from moss_memory.core.rules import Policy

Make = Callable[..., Any]
DAY_OFF = {"date": "2026-07-17"}
AT_TEN = {"local_start": "2026-07-17T10:00"}
AT_HALF_PAST = {"local_start": "2026-07-17T10:30"}


@pytest.fixture
def judge(policy: Policy, propose: Make) -> Callable[..., Verdict]:
    """Lint facts, placed in Seoul, against memories."""

    def run(*facts: Fact | Proposal, known: tuple[Known, ...] = (), **said: Any) -> Verdict:
        placed = [p if isinstance(p, Proposal) else propose(p, "Asia/Seoul") for p in facts]
        return lint(placed, known, policy, **said)

    return run


@pytest.fixture
def keep(remember: Make) -> Callable[..., Known]:
    def run(memory_id: str, fact: Fact, **said: Any) -> Known:
        return remember(memory_id, fact, "Asia/Seoul", **said)

    return run


# ---- what is asked, and how it may be answered


def test_free_calendar_needs_no_question(judge: Make, fact: Make) -> None:
    verdict = judge(fact("meeting", "Review", AT_TEN))

    assert (verdict.status, verdict.conflict_type, verdict.findings) == ("SUCCESS", "NONE", ())


def test_meeting_on_a_day_off_asks_to_keep_both_or_cancel(
    judge: Make, keep: Make, fact: Make
) -> None:
    verdict = judge(
        fact("meeting", "Review", AT_TEN), known=(keep("v", fact("vacation", "Vacation", DAY_OFF)),)
    )

    assert verdict.status == "CONFIRM_REQUIRED"
    assert verdict.conflict_type == "VACATION_OVERLAP"
    assert verdict.actions == ("keep_both", "cancel")


def test_finding_names_memory_rule_relation_and_time(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("v", fact("vacation", "Vacation", DAY_OFF), revision=3)
    (found,) = judge(fact("meeting", "Review", AT_TEN), known=(old,)).findings

    assert (found.memory_id, found.revision, found.rule_id) == ("v", 3, "SCH-10")
    assert (found.relation, found.time_relation) == ("conflicts", "during")
    assert (found.fact_index, found.other_fact_index, found.prio) == (0, None, 50)


def test_meeting_over_a_meeting_and_a_day_off_asks_about_both(
    judge: Make, keep: Make, fact: Make
) -> None:
    known = (
        keep("v", fact("vacation", "Vacation", DAY_OFF)),
        keep("m", fact("meeting", "Retro", AT_TEN)),
    )
    verdict = judge(fact("meeting", "Review", AT_HALF_PAST), known=known)

    assert {f.memory_id for f in verdict.findings} == {"v", "m"}
    assert verdict.actions == ("replace_old", "keep_both", "cancel")
    assert verdict.conflict_type == "VACATION_OVERLAP"


def test_vacation_names_every_meeting_that_it_replaces(judge: Make, keep: Make, fact: Make) -> None:
    known = tuple(
        keep(f"m{hour}", fact("meeting", f"Call {hour}", {"local_start": f"2026-07-17T{hour}:00"}))
        for hour in (10, 13, 16)
    )
    verdict = judge(fact("vacation", "Vacation", DAY_OFF), known=known[::-1])

    assert verdict.status == "SUCCESS_WITH_OVERWRITE"
    assert verdict.conflict_type == "MEETING_OVERWRITE"
    assert [f.memory_id for f in verdict.findings] == ["m10", "m13", "m16"]
    assert {f.mode for f in verdict.findings} == {"invalidate"}


def test_memory_that_merely_coexists_is_reported_too(judge: Make, keep: Make, fact: Make) -> None:
    verdict = judge(
        fact("meeting", "Review", AT_TEN), known=(keep("n", fact("note", "Buy flowers", AT_TEN)),)
    )

    assert verdict.status == "SUCCESS"
    assert [(f.memory_id, f.relation, f.verdict) for f in verdict.findings] == [
        ("n", "coexists", "SUCCESS")
    ]


def test_severest_finding_comes_first_and_names_the_conflict(
    judge: Make, keep: Make, fact: Make
) -> None:
    known = (
        keep("note", fact("note", "Flowers", AT_TEN)),
        keep("m", fact("meeting", "Retro", AT_TEN)),
        keep("v", fact("vacation", "Vacation", DAY_OFF)),
    )
    verdict = judge(fact("meeting", "Review", AT_TEN), known=known)

    assert verdict.status == "CONFIRM_REQUIRED"
    assert [f.memory_id for f in verdict.findings] == ["v", "m", "note"]


def test_question_that_only_cancel_could_answer_is_a_refusal(
    judge: Make, keep: Make, fact: Make
) -> None:
    locked = keep("l", fact("lock", "locked", subject="door"), writable=False)
    verdict = judge(fact("lock", "unlocked", subject="door"), known=(locked,))

    assert (verdict.status, verdict.actions) == ("BLOCKED", ())
    assert verdict.findings[0].verdict == "BLOCKED"
    assert verdict.findings[0].actions == ("cancel",)


def test_meeting_that_may_not_be_written_can_only_be_kept(
    judge: Make, keep: Make, fact: Make
) -> None:
    old = keep("m", fact("meeting", "Retro", AT_TEN), writable=False)
    verdict = judge(fact("meeting", "Review", AT_TEN), known=(old,))

    assert verdict.actions == ("keep_both", "cancel")


def test_one_unwritable_meeting_stands_in_the_way_of_replacing(
    judge: Make, keep: Make, fact: Make
) -> None:
    known = (
        keep("mine", fact("meeting", "Retro", AT_TEN)),
        keep("theirs", fact("meeting", "Sync", AT_TEN), writable=False),
    )
    verdict = judge(fact("meeting", "Review", AT_TEN), known=known)

    assert verdict.actions == ("keep_both", "cancel")
    assert {f.memory_id: f.unwritable for f in verdict.findings} == {"mine": False, "theirs": True}


def test_gate_and_a_conflict_together_have_no_answer(judge: Make, keep: Make, fact: Make) -> None:
    guess = fact("meeting", "Review", AT_TEN, source="model_inferred", confidence=0.95)
    verdict = judge(guess, known=(keep("m", fact("meeting", "Retro", AT_TEN)),))

    assert verdict.status == "BLOCKED"
    assert verdict.conflict_type == "INFERENCE_NEEDS_USER"


def test_gate_alone_asks_to_approve(judge: Make, fact: Make) -> None:
    verdict = judge(fact("meeting", "Review", AT_TEN, source="model_inferred", confidence=0.6))

    assert (verdict.status, verdict.actions) == ("CONFIRM_REQUIRED", ("approve", "cancel"))
    assert [(f.rule_id, f.prio, f.memory_id) for f in verdict.findings] == [("G-02", 0, None)]


def test_guess_below_the_line_is_refused(judge: Make, fact: Make) -> None:
    verdict = judge(fact("meeting", "Review", AT_TEN, source="model_inferred", confidence=0.59))

    assert (verdict.status, verdict.conflict_type) == ("BLOCKED", "LOW_CONFIDENCE_INFERENCE")


def test_guess_that_is_known_already_changes_nothing(judge: Make, keep: Make, fact: Make) -> None:
    guess = fact("prefers", "tea", source="model_inferred", confidence=0.9)
    verdict = judge(guess, known=(keep("p", fact("prefers", "Tea")),))

    assert (verdict.status, verdict.conflict_type, verdict.actions) == ("NO_CHANGE", "NONE", ())


@pytest.mark.parametrize(
    ("predicate", "source", "admitted"),
    [("task_summary", "task_result", True), ("task_summary", "user_explicit", False),
     ("accepted_choice", "user_selection", True), ("accepted_choice", "user_feedback", True),
     ("accepted_choice", "user_explicit", True), ("accepted_choice", "task_result", False),
     ("accepted_choice", "vision", False), ("service_context", "task_result", True)],
)  # fmt: skip
def test_source_writes_only_what_it_may(
    judge: Make, fact: Make, predicate: str, source: str, *, admitted: bool
) -> None:
    verdict = judge(fact(predicate, "Done", source=source))

    assert verdict.status == ("SUCCESS" if admitted else "BLOCKED")
    assert verdict.conflict_type == ("NONE" if admitted else "SOURCE_NOT_ALLOWED")


def test_unknown_predicate_is_refused_by_name(judge: Make, fact: Make, propose: Make) -> None:
    placed = propose(fact("meeting", "Review", AT_TEN))
    strange = replace(placed, fact=replace(placed.fact, predicate="party"))

    with pytest.raises(UnknownPredicateError):
        judge(strange)


# ---- hard constraints


@pytest.mark.parametrize(
    ("source", "confidence", "hard"),
    [("user_explicit", 1.0, True), ("user_selection", 0.9, True), ("user_explicit", 0.89, False),
     ("user_feedback", 1.0, False), ("vision", 1.0, False)],
)  # fmt: skip
def test_hard_is_kept_only_from_sure_words_of_the_user(
    judge: Make, fact: Make, source: str, confidence: float, *, hard: bool
) -> None:
    verdict = judge(
        fact("meeting", "Review", AT_TEN, hard=True, source=source, confidence=confidence)
    )

    assert verdict.placed[0].fact.hard == hard
    assert verdict.notes == (() if hard else ("STORED_SOFT",))


@pytest.mark.parametrize(
    ("title", "notes"),
    [
        ("Вudget reviеw", ("MIXED_SCRIPT",)),
        ("Budget review", ()),
        ("Бюджет на Budget", ()),
        ("API회의", ()),
    ],
)
def test_look_alike_letters_in_a_word_are_said_and_not_refused(
    judge: Make, fact: Make, title: str, notes: tuple[str, ...]
) -> None:
    verdict = judge(fact("meeting", title, {"start": "2026-07-17T10:00Z"}))

    assert (verdict.status, verdict.notes) == ("SUCCESS", notes)


# ---- time of every shape


def test_ends_that_meet_do_not_clash(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("m", fact("meeting", "Retro", AT_TEN))

    assert (
        judge(fact("meeting", "Review", {"local_start": "2026-07-17T11:00"}), known=(old,)).status
        == "SUCCESS"
    )


@pytest.mark.parametrize("which", ["buffer_before", "buffer_after"])
@pytest.mark.parametrize("on", ["new", "old"])
def test_buffer_widens_what_is_compared(
    judge: Make, keep: Make, fact: Make, which: str, on: str
) -> None:
    early, late = {"local_start": "2026-07-17T10:00"}, {"local_start": "2026-07-17T11:10"}
    buffered_first = which == "buffer_after"
    times = {True: early, False: late}
    new = fact("meeting", "Review", times[buffered_first == (on == "new")],
               **({which: 15} if on == "new" else {}))  # fmt: skip
    old = fact("meeting", "Retro", times[buffered_first != (on == "new")],
               **({which: 15} if on == "old" else {}))  # fmt: skip

    verdict = judge(new, known=(keep("m", old),))
    assert verdict.status == "CONFIRM_REQUIRED"
    assert verdict.placed[0].windows[0].end - verdict.placed[0].windows[0].start == timedelta(
        hours=1
    )


def test_buffer_that_does_not_reach_is_no_clash(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("m", fact("meeting", "Retro", AT_TEN, buffer_after=10))

    assert (
        judge(fact("meeting", "Review", {"local_start": "2026-07-17T11:10"}), known=(old,)).status
        == "SUCCESS"
    )


@pytest.mark.parametrize("which", ["buffer_before", "buffer_after"])
def test_buffer_of_a_minute_counts(judge: Make, keep: Make, fact: Make, which: str) -> None:
    old = keep("m", fact("meeting", "Retro", AT_TEN, **{which: 1}))
    beside = {"buffer_before": "09:00", "buffer_after": "11:00"}[which]
    new = fact("meeting", "Review", {"local_start": f"2026-07-17T{beside}"})

    assert judge(new, known=(old,)).status == "CONFIRM_REQUIRED"


def test_two_hidden_conflicts_are_told_as_one(judge: Make, keep: Make, fact: Make) -> None:
    known = tuple(
        keep(name, fact("meeting", name, AT_TEN), visible=False) for name in ("Retro", "Sync")
    )

    assert len(judge(fact("meeting", "Review", AT_TEN), known=known).findings) == 1


@pytest.mark.parametrize("free", ["new", "old"])
def test_free_time_clashes_with_nothing(judge: Make, keep: Make, fact: Make, free: str) -> None:
    new = fact("meeting", "Review", AT_TEN, transparency="free" if free == "new" else "busy")
    old = fact("meeting", "Retro", AT_TEN, transparency="free" if free == "old" else "busy")

    assert judge(new, known=(keep("m", old),)).findings[0].rule_id == "SCH-02"


def test_tentative_meeting_takes_up_its_time(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("m", fact("meeting", "Retro", AT_TEN, status="tentative"))

    assert judge(fact("meeting", "Review", AT_TEN), known=(old,)).status == "CONFIRM_REQUIRED"


def test_cancelled_meeting_is_judged_against_nothing(judge: Make, keep: Make, fact: Make) -> None:
    new = fact("meeting", "Review", AT_TEN, status="cancelled")

    assert judge(new, known=(keep("m", fact("meeting", "Retro", AT_TEN)),)).status == "SUCCESS"


def test_free_meeting_said_twice_is_kept_once(judge: Make, keep: Make, fact: Make) -> None:
    free = fact("meeting", "Lunch", AT_TEN, transparency="free")

    assert judge(free, known=(keep("m", free),)).status == "NO_CHANGE"


def test_free_meeting_that_becomes_busy_is_no_duplicate(
    judge: Make, keep: Make, fact: Make
) -> None:
    free = fact("meeting", "Lunch", AT_TEN, transparency="free")

    assert judge(replace(free, transparency="busy"), known=(keep("m", free),)).status == "SUCCESS"


@pytest.mark.parametrize(
    ("expires", "status"), [(-1, "SUCCESS"), (0, "SUCCESS"), (1, "CONFIRM_REQUIRED")]
)
def test_expired_memory_is_not_there(
    judge: Make, keep: Make, fact: Make, now: datetime, expires: int, status: str
) -> None:
    old = keep("m", fact("meeting", "Retro", AT_TEN, expires_at=now + timedelta(seconds=expires)))

    assert judge(fact("meeting", "Review", AT_TEN), known=(old,), now=now).status == status


@pytest.mark.parametrize("seconds", [-60, 0, 1, 60])
def test_state_that_is_still_so_is_known(
    judge: Make, keep: Make, fact: Make, now: datetime, seconds: int
) -> None:
    on = keep("on", fact("light_status", "on", {"local_start": "2026-07-01T00:00"}))
    said = now + timedelta(seconds=seconds)
    verdict = judge(fact("light_status", "ON", observed_at=said), known=(on,))

    assert (verdict.status, verdict.findings[0].time_relation) == ("NO_CHANGE", "finishes")


@pytest.mark.parametrize(
    ("new", "old"),
    [({"start": "2026-07-16T05:01:01Z"}, {"local_start": "2026-07-01T00:00"}),  # not as observed
     ({"start": "2026-07-16T04:58:59Z"}, {"local_start": "2026-07-01T00:00"}),
     (None, {"date": "2026-07-01", "end_date": "2026-08-01"}),  # the old one has an end
     ({"start": "2026-07-16T05:00Z", "end": "2026-08-01T00:00Z"}, {"date": "2026-07-01",
                                                                   "end_date": "2026-08-01"})],
)  # fmt: skip
def test_state_of_another_time_is_stored_beside_its_like(
    judge: Make, keep: Make, fact: Make, new: Any, old: Any
) -> None:
    on = keep("on", fact("light_status", "on", old))

    assert judge(fact("light_status", "on", new), known=(on,)).status == "SUCCESS"


# ---- series


WEEKLY = {"local_start": "2026-07-17T10:00", "rrule": "FREQ=WEEKLY;COUNT=8"}


def test_series_is_judged_at_the_occurrence_that_clashes(
    judge: Make, keep: Make, fact: Make
) -> None:
    old = keep("m", fact("meeting", "Retro", {"local_start": "2026-07-31T10:30"}))
    verdict = judge(fact("meeting", "Standup", WEEKLY), known=(old,))

    assert verdict.status == "CONFIRM_REQUIRED"
    assert verdict.findings[0].time_relation == "overlaps"
    assert verdict.findings[0].occurrence.start == datetime(2026, 7, 31, 1, tzinfo=UTC)


def test_day_off_that_recurs_asks_in_any_of_its_weeks(judge: Make, keep: Make, fact: Make) -> None:
    days = keep("v", fact("vacation", "Vacation", {"date": "2026-07-17", "rrule": "FREQ=WEEKLY"}))

    taken, free = ({"local_start": f"2026-10-{day}T10:00"} for day in ("16", "15"))
    assert judge(fact("meeting", "Review", taken), known=(days,)).status == "CONFIRM_REQUIRED"
    assert judge(fact("meeting", "Review", free), known=(days,)).status == "SUCCESS"


def test_occurrence_taken_out_leaves_its_time_free(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("m", fact("meeting", "Standup", WEEKLY | {"exdates": ["2026-07-31T10:00"]}))

    assert (
        judge(fact("meeting", "Review", {"local_start": "2026-07-31T10:00"}), known=(old,)).status
        == "SUCCESS"
    )


def test_same_series_said_again_is_kept_once(judge: Make, keep: Make, fact: Make) -> None:
    standup = fact("meeting", "Standup", WEEKLY)

    assert judge(standup, known=(keep("m", standup),)).status == "NO_CHANGE"


def test_same_endless_series_is_known_although_it_was_placed_earlier(
    judge: Make, keep: Make, fact: Make
) -> None:
    standup = fact("meeting", "Standup", WEEKLY | {"rrule": "FREQ=WEEKLY"})
    old = keep("m", standup)
    earlier = replace(old, memory=replace(old.memory, windows=old.memory.windows[:20]))

    assert judge(standup, known=(earlier,)).status == "NO_CHANGE"


def test_single_day_of_a_series_is_no_duplicate_of_it(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("m", fact("meeting", "Standup", AT_TEN))
    verdict = judge(fact("meeting", "Standup", WEEKLY), known=(old,))

    assert verdict.status == "CONFIRM_REQUIRED"


def test_occurrence_inside_a_series_is_inside_it(judge: Make, keep: Make, fact: Make) -> None:
    series = keep("m", fact("meeting", "Standup", WEEKLY))
    verdict = judge(fact("meeting", "Standup", AT_TEN), known=(series,))

    assert (verdict.status, verdict.findings[0].time_relation) == ("CONFIRM_REQUIRED", "equals")


def test_liking_on_some_days_only_is_no_duplicate_for_the_others(
    judge: Make, keep: Make, fact: Make
) -> None:
    old = keep("p", fact("prefers", "tea", {"date": "2026-07-17"}))
    verdict = judge(
        fact("prefers", "tea", {"date": "2026-07-17", "rrule": "FREQ=WEEKLY;COUNT=2"}), known=(old,)
    )

    assert verdict.status == "SUCCESS"


def test_liking_on_days_that_are_all_covered_is_known(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("p", fact("prefers", "tea", {"date": "2026-07-01", "end_date": "2026-12-01"}))
    verdict = judge(
        fact("prefers", "tea", {"date": "2026-07-17", "rrule": "FREQ=WEEKLY;COUNT=2"}), known=(old,)
    )

    assert verdict.status == "NO_CHANGE"


def test_series_longer_than_its_period_is_searched_through(
    judge: Make, keep: Make, fact: Make
) -> None:
    long = {"local_start": "2026-07-01T09:00", "minutes": 4 * 1440, "rrule": "FREQ=DAILY;COUNT=3"}
    old = keep("m", fact("meeting", "Sprint", long))

    assert (
        judge(fact("meeting", "Review", {"local_start": "2026-07-06T22:00"}), known=(old,)).status
        == "CONFIRM_REQUIRED"
    )


def test_series_is_judged_against_what_has_no_end(judge: Make, keep: Make, fact: Make) -> None:
    on = keep("on", fact("light_status", "on", {"local_start": "2026-07-01T00:00"}))
    evenings = {"local_start": "2026-07-17T18:00", "minutes": 60, "rrule": "FREQ=DAILY"}
    verdict = judge(fact("light_status", "off", evenings), known=(on,))

    assert (verdict.status, verdict.findings[0].time_relation) == (
        "SUCCESS_WITH_OVERWRITE",
        "during",
    )


# ---- several facts in a request


def test_two_facts_of_a_request_that_clash_ask_about_each_other(judge: Make, fact: Make) -> None:
    verdict = judge(fact("meeting", "Review", AT_TEN), fact("meeting", "Retro", AT_HALF_PAST))
    (found,) = verdict.findings

    assert verdict.status == "CONFIRM_REQUIRED"
    assert (found.fact_index, found.other_fact_index, found.memory_id) == (1, 0, None)


@pytest.mark.parametrize("turned", [False, True])
def test_order_of_the_facts_of_a_request_does_not_matter(
    judge: Make, fact: Make, *, turned: bool
) -> None:
    facts = [fact("vacation", "Vacation", DAY_OFF), fact("meeting", "Review", AT_TEN)]
    verdict = judge(*(facts[::-1] if turned else facts))

    assert (verdict.status, verdict.conflict_type) == ("CONFIRM_REQUIRED", "VACATION_OVERLAP")
    assert verdict.actions == ("keep_both", "cancel")


def test_contradiction_in_one_request_asks_instead_of_replacing(judge: Make, fact: Make) -> None:
    verdict = judge(fact("lives_in", "Oslo"), fact("lives_in", "Rome"))

    assert verdict.status == "CONFIRM_REQUIRED"
    assert verdict.actions == ("replace_old", "cancel")
    assert verdict.findings[0].relation == "conflicts"


def test_fact_said_twice_in_a_request_is_kept_once(judge: Make, fact: Make) -> None:
    verdict = judge(fact("meeting", "Review", AT_TEN), fact("meeting", "review", AT_TEN))

    assert verdict.status == "SUCCESS"
    assert [(f.fact_index, f.verdict) for f in verdict.findings] == [(1, "NO_CHANGE")]


@pytest.mark.parametrize("turned", [False, True])
def test_shorter_copy_in_a_request_is_the_duplicate(
    judge: Make, fact: Make, *, turned: bool
) -> None:
    whole, part = fact("prefers", "tea", {"date": "2026-07-01", "end_date": "2026-08-01"}), fact(
        "prefers", "tea", {"date": "2026-07-05"}
    )  # fmt: skip
    facts = [part, whole] if turned else [whole, part]

    assert [f.fact_index for f in judge(*facts).findings] == [facts.index(part)]


def test_known_fact_beside_a_new_one_leaves_the_new_one_to_be_written(
    judge: Make, keep: Make, fact: Make
) -> None:
    known = (keep("m", fact("meeting", "Review", AT_TEN)),)
    verdict = judge(fact("meeting", "Review", AT_TEN), fact("prefers", "tea"), known=known)

    assert verdict.status == "SUCCESS"


def test_all_facts_known_is_no_change(judge: Make, keep: Make, fact: Make) -> None:
    known = (keep("m", fact("meeting", "Review", AT_TEN)), keep("p", fact("prefers", "tea")))

    assert (
        judge(fact("meeting", "Review", AT_TEN), fact("prefers", "tea"), known=known).status
        == "NO_CHANGE"
    )


def test_one_refused_fact_refuses_the_request(judge: Make, fact: Make) -> None:
    verdict = judge(fact("prefers", "tea"), fact("task_summary", "Done"))

    assert (verdict.status, verdict.findings[0].fact_index) == ("BLOCKED", 1)


def test_states_of_one_request_follow_each_other(judge: Make, fact: Make) -> None:
    on, off = {"local_start": "2026-07-17T09:00"}, {"local_start": "2026-07-17T18:30"}
    verdict = judge(fact("light_status", "off", off), fact("light_status", "on", on))

    assert (verdict.status, verdict.findings) == ("SUCCESS", ())
    assert verdict.placed[1].valid_until == verdict.placed[0].valid_from
    assert verdict.notes == ("TRUNCATED",)


def test_request_without_facts_is_no_matter(judge: Make) -> None:
    assert judge().status == "SUCCESS"


# ---- late facts, slots and owners


def test_late_fact_about_an_earlier_time_ends_where_the_next_begins(
    judge: Make, keep: Make, fact: Make
) -> None:
    oslo = keep("oslo", fact("lives_in", "Oslo", {"local_start": "2026-05-01T00:00"}))
    verdict = judge(fact("lives_in", "Rome", {"local_start": "2026-03-01T00:00"}), known=(oslo,))

    assert (verdict.status, verdict.findings, verdict.notes) == ("SUCCESS", (), ("TRUNCATED",))
    assert verdict.placed[0].valid_until == oslo.memory.valid_from
    assert verdict.placed[0].windows[0].end == oslo.memory.valid_from
    assert not verdict.placed[0].open_ended


def test_late_fact_ends_at_the_first_of_several_that_follow(
    judge: Make, keep: Make, fact: Make
) -> None:
    known = tuple(
        keep(
            day, fact("lives_in", "Oslo", {"date": f"2026-05-{day}", "end_date": f"2026-06-{day}"})
        )
        for day in ("20", "03", "11")
    )
    verdict = judge(fact("lives_in", "Rome", {"local_start": "2026-03-01T00:00"}), known=known)

    assert verdict.placed[0].valid_until == known[1].memory.valid_from


def test_late_fact_with_a_stated_end_is_not_cut(judge: Make, keep: Make, fact: Make) -> None:
    oslo = keep("oslo", fact("lives_in", "Oslo", {"local_start": "2026-05-01T00:00"}))
    rome = fact("lives_in", "Rome", {"date": "2026-03-01", "end_date": "2026-06-01"})

    assert judge(rome, known=(oslo,)).findings[0].time_relation == "overlaps"


def test_late_liking_is_not_cut_because_likings_add_up(judge: Make, keep: Make, fact: Make) -> None:
    tea = keep("tea", fact("prefers", "tea", {"local_start": "2026-05-01T00:00"}))
    verdict = judge(fact("prefers", "rice", {"local_start": "2026-03-01T00:00"}), known=(tea,))

    assert verdict.placed[0].valid_until == FOREVER


def test_late_fact_is_not_cut_by_a_hidden_one_but_refused(
    judge: Make, keep: Make, fact: Make
) -> None:
    oslo = keep("o", fact("lives_in", "Oslo", {"local_start": "2026-05-01T00:00"}), visible=False)
    verdict = judge(fact("lives_in", "Rome", {"local_start": "2026-03-01T00:00"}), known=(oslo,))

    assert (verdict.conflict_type, verdict.notes) == ("HIDDEN_CONFLICT", ())


def test_late_fact_is_not_cut_by_the_memory_that_it_replaces(
    judge: Make, keep: Make, fact: Make
) -> None:
    oslo = keep("oslo", fact("lives_in", "Oslo", {"local_start": "2026-05-01T00:00"}))
    verdict = judge(
        fact("lives_in", "Rome", {"local_start": "2026-03-01T00:00"}), known=(oslo,), exclude="oslo"
    )

    assert verdict.placed[0].valid_until == FOREVER


def test_likes_of_two_topics_do_not_meet(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("p", fact("dislikes", "tea", subject="drinks"))

    assert judge(fact("prefers", "tea", subject="plants"), known=(old,)).findings == ()


def test_employer_and_hobby_do_not_meet(judge: Make, keep: Make, fact: Make) -> None:
    old = keep("w", fact("works_at", "Acme"))

    assert judge(fact("lives_in", "Oslo"), known=(old,)).findings == ()


def test_personal_fact_meets_the_team_calendar(judge: Make, keep: Make, fact: Make) -> None:
    offsite = keep("t", fact("meeting", "Offsite", AT_TEN, scope_id="team"))

    assert judge(fact("meeting", "Dentist", AT_TEN), known=(offsite,)).findings[0].memory_id == "t"


def test_team_fact_never_meets_what_is_personal(
    judge: Make, keep: Make, fact: Make, propose: Make
) -> None:
    dentist = keep("d", fact("meeting", "Dentist", AT_TEN))
    offsite = propose(
        fact("meeting", "Offsite", AT_TEN, scope_id="team"), "Asia/Seoul", shared=True
    )

    assert judge(offsite, known=(dentist,)).findings == ()


def test_team_fact_meets_its_own_team(judge: Make, keep: Make, fact: Make, propose: Make) -> None:
    planning = keep("p", fact("meeting", "Planning", AT_TEN, scope_id="team"))
    offsite = propose(
        fact("meeting", "Offsite", AT_TEN, scope_id="team"), "Asia/Seoul", shared=True
    )

    assert judge(offsite, known=(planning,)).status == "CONFIRM_REQUIRED"


@pytest.mark.parametrize(("shared", "status"), [(True, "SUCCESS"), (False, "CONFIRM_REQUIRED")])
def test_facts_of_a_request_meet_unless_two_teams_own_them(
    judge: Make, fact: Make, propose: Make, *, shared: bool, status: str
) -> None:
    red = propose(fact("meeting", "Red", AT_TEN, scope_id="red"), "Asia/Seoul", shared=shared)
    blue = propose(fact("meeting", "Blue", AT_TEN, scope_id="blue"), "Asia/Seoul", shared=True)

    assert judge(red, blue).status == status


# ---- waivers


@pytest.fixture
def both(keep: Make, fact: Make) -> tuple[Known, Known, Pair]:
    """A meeting on a day off, kept with the person's blessing."""
    day = keep("v", fact("vacation", "Vacation", DAY_OFF))
    meeting = keep("m", fact("meeting", "Review", AT_TEN))
    return day, meeting, pair(day.memory, meeting.memory)


def test_allowed_pair_is_not_asked_about_again(
    judge: Make, fact: Make, both: tuple[Known, Known, Pair]
) -> None:
    day, _, allowed = both
    verdict = judge(
        fact("meeting", "Budget review", AT_TEN), known=(day,), exclude="m",
        waived=frozenset({allowed}),
    )  # fmt: skip

    assert verdict.status == "SUCCESS"
    assert (verdict.findings[0].relation, verdict.findings[0].actions) == ("conflicts", ())


def test_correcting_a_day_off_retires_no_meeting_that_was_allowed_on_it(
    judge: Make, fact: Make, both: tuple[Known, Known, Pair]
) -> None:
    _, meeting, allowed = both
    day = fact("vacation", "Vacation", DAY_OFF, source_ref="mail 7")
    verdict = judge(day, known=(meeting,), exclude="v", waived=frozenset({allowed}))

    assert [(f.verdict, f.relation) for f in verdict.findings] == [("SUCCESS", "conflicts")]


@pytest.mark.parametrize(
    "other", [("m", 1, "v", 2), ("m", 1, "w", 1), ("n", 1, "v", 1)], ids=["revision", "id", "mine"]
)
def test_waiver_of_another_pair_does_not_count(
    judge: Make, fact: Make, both: tuple[Known, Known, Pair], other: Pair
) -> None:
    day, _, _ = both
    verdict = judge(
        fact("meeting", "Review", AT_TEN), known=(day,), exclude="m", waived=frozenset({other})
    )

    assert verdict.status == "CONFIRM_REQUIRED"


def test_waiver_does_not_speak_for_a_new_fact(
    judge: Make, fact: Make, both: tuple[Known, Known, Pair]
) -> None:
    day, _, allowed = both
    verdict = judge(fact("meeting", "Other", AT_TEN), known=(day,), waived=frozenset({allowed}))

    assert verdict.status == "CONFIRM_REQUIRED"


def test_waiver_does_not_lift_a_refusal(judge: Make, keep: Make, fact: Make) -> None:
    home = keep("h", fact("lives_in", "Oslo", observed_at=datetime(2026, 7, 17, tzinfo=UTC)))
    stale = fact("lives_in", "Rome", {"local_start": "2026-07-17T00:00"})
    verdict = judge(stale, known=(home,), exclude="x", waived=frozenset({("h", 1, "x", 1)}))

    assert verdict.conflict_type == "STALE_OBSERVATION"


def test_verdict_names_the_rules_that_made_it(judge: Make, fact: Make, policy: Policy) -> None:
    assert judge(fact("prefers", "tea")).rules_version == policy.rules_version


def test_observed_at_one_instant_the_later_recorded_is_newer(
    judge: Make, keep: Make, fact: Make
) -> None:
    verdict = judge(fact("prefers", "tea"), known=(keep("d", fact("dislikes", "tea")),))

    assert verdict.conflict_type == "EXPLICIT_REVERSAL"
