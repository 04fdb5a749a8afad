"""Plans: what a verdict and an answer change, and that nothing is lost by truncating."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import ActionNotOfferedError
from moss_memory.core.fact import Fact, Known, Proposal
from moss_memory.core.interval import FOREVER, Interval, Relation, relate
from moss_memory.core.linter import Verdict, lint
from moss_memory.core.revise import Plan, Waive, plan
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant

Make = Callable[..., Any]
DAY_OFF = {"date": "2026-07-17"}
AT_TEN = {"start": "2026-07-17T10:00Z"}
AT_HALF_PAST = {"start": "2026-07-17T10:30Z"}
BASE = datetime(2026, 7, 17, tzinfo=UTC)


def at(hour: int) -> datetime:
    return BASE + timedelta(hours=hour)


def hours(start: int, end: int | None = None) -> Instant:
    return Instant(at(start), None if end is None else at(end))


@pytest.fixture
def judged(policy: Policy, propose: Make) -> Callable[..., tuple[Verdict, list[Proposal]]]:
    def run(*facts: Fact, known: tuple[Known, ...] = (), **said: Any) -> Any:
        proposals = [propose(fact) for fact in facts]
        return lint(proposals, known, policy, **said), proposals

    return run


@pytest.fixture
def planned(judged: Make) -> Callable[..., Plan]:
    """Lint facts against memories and plan for an answer."""

    def run(*facts: Fact, known: tuple[Known, ...] = (), action: Any = None, **said: Any) -> Plan:
        verdict, proposals = judged(*facts, known=known, **said)
        return plan(verdict, proposals, known, action)

    return run


def test_free_fact_is_written_and_nothing_else(planned: Make, fact: Make) -> None:
    review = fact("meeting", "Review", AT_TEN)
    done = planned(review)

    (write,) = done.writes
    assert (write.fact_index, write.fact.object_value) == (0, "Review")
    assert (write.valid_from, write.valid_until) == (at(10), at(11))
    assert done == Plan(writes=done.writes)


def test_vacation_retires_the_meetings_that_it_covers(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (
        remember("a", fact("meeting", "A", AT_TEN)),
        remember("b", fact("meeting", "B", AT_TEN)),
    )
    done = planned(fact("vacation", "Vacation", DAY_OFF), known=known)

    assert (done.retires, done.truncates, done.splits) == (("a", "b"), (), ())


def test_known_fact_changes_nothing(planned: Make, remember: Make, fact: Make) -> None:
    review = fact("meeting", "Review", AT_TEN)

    assert planned(review, known=(remember("m", review),)) == Plan()


def test_refused_fact_changes_nothing(planned: Make, fact: Make) -> None:
    assert planned(fact("task_summary", "Done")) == Plan()


def test_cancel_changes_nothing(planned: Make, remember: Make, fact: Make) -> None:
    known = (remember("v", fact("vacation", "Vacation", DAY_OFF)),)

    assert planned(fact("meeting", "Review", AT_TEN), known=known, action="cancel") == Plan()


def test_keep_both_writes_and_allows_every_asked_pair(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (
        remember("v", fact("vacation", "Vacation", DAY_OFF)),
        remember("m", fact("meeting", "A", AT_TEN)),
        remember("n", fact("note", "N", AT_TEN)),
    )
    done = planned(fact("meeting", "B", AT_HALF_PAST), known=known, action="keep_both")

    assert len(done.writes) == 1
    assert done.retires == ()
    assert set(done.waives) == {Waive(0, "v"), Waive(0, "m")}


def test_replace_old_retires_what_may_be_replaced_and_allows_the_rest(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (
        remember("v", fact("vacation", "Vacation", DAY_OFF)),
        remember("m", fact("meeting", "A", AT_TEN)),
    )
    done = planned(fact("meeting", "B", AT_HALF_PAST), known=known, action="replace_old")

    assert (done.retires, done.waives) == (("m",), (Waive(0, "v"),))


def test_approved_guess_is_written(planned: Make, fact: Make) -> None:
    guess = fact("meeting", "Review", AT_TEN, source="model_inferred", confidence=0.95)

    assert len(planned(guess, action="approve").writes) == 1


@pytest.mark.parametrize("action", [None, "approve", "replace_old"])
def test_answer_that_was_not_offered_is_refused(
    planned: Make, remember: Make, fact: Make, action: str | None
) -> None:
    known = (remember("v", fact("vacation", "Vacation", DAY_OFF)),)

    with pytest.raises(ActionNotOfferedError):
        planned(fact("meeting", "Review", AT_TEN), known=known, action=action)


def test_answer_that_was_not_needed_is_ignored(planned: Make, fact: Make) -> None:
    assert len(planned(fact("meeting", "Review", AT_TEN), action="keep_both").writes) == 1


def test_hard_wish_that_is_not_allowed_is_written_soft(planned: Make, fact: Make) -> None:
    done = planned(fact("meeting", "Review", AT_TEN, hard=True, confidence=0.5))

    assert not done.writes[0].fact.hard


def test_late_fact_is_written_up_to_where_the_next_begins(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("oslo", fact("lives_in", "Oslo", hours(48))),)
    (write,) = planned(fact("lives_in", "Rome", hours(0)), known=known).writes

    assert (write.windows, write.valid_until) == ((Interval(at(0), at(48)),), at(48))


def test_later_home_ends_the_earlier_where_it_begins(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("oslo", fact("lives_in", "Oslo", hours(0))),)
    done = planned(fact("lives_in", "Rome", hours(48)), known=known)

    (cut,) = done.truncates
    assert (cut.memory_id, cut.windows, cut.valid_until) == (
        "oslo",
        (Interval(at(0), at(48)),),
        at(48),
    )
    assert cut.fact.when == hours(0, 48)
    assert (done.retires, done.splits) == ((), ())


def test_state_that_is_interrupted_goes_on_as_a_piece_of_its_own(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("warm", fact("target_temp", "22 °C", hours(0))),)
    done = planned(fact("target_temp", "18 °C", hours(22, 30)), known=known)

    (cut,), (piece,) = done.truncates, done.splits
    assert cut.valid_until == at(22)
    assert (piece.memory_id, piece.valid_from, piece.valid_until) == ("warm", at(30), FOREVER)
    assert (piece.windows, piece.fact.when) == ((Interval(at(30), FOREVER),), hours(30))


def test_two_facts_over_one_state_cut_it_once_each(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("on", fact("light_status", "on", hours(0, 20))),)
    first, second = (fact("light_status", "off", hours(*span)) for span in ((4, 6), (10, 12)))
    done = planned(first, second, known=known)

    assert [cut.windows for cut in done.truncates] == [(Interval(at(0), at(4)),)]
    assert [w for piece in done.splits for w in piece.windows] == [
        Interval(at(6), at(10)), Interval(at(12), at(20)),
    ]  # fmt: skip


EVENINGS = {"local_start": "2026-07-17T18:00", "minutes": 240, "rrule": "FREQ=DAILY;COUNT=4"}
WEEKLY = {"local_start": "2026-07-10T10:00", "rrule": "FREQ=WEEKLY"}


def evening(day: int) -> Interval:
    return Interval(at(24 * day + 18), at(24 * day + 22))


def test_evening_of_a_series_that_is_interrupted_leaves_pieces_of_its_own(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("on", fact("light_status", "on", EVENINGS)),)
    done = planned(fact("light_status", "off", hours(24 + 19, 24 + 20)), known=known)

    (left,) = done.truncates
    assert left.windows == (evening(0), evening(2), evening(3))
    assert left.valid_until == at(94)
    assert [piece.windows for piece in done.splits] == [
        (Interval(at(42), at(43)),), (Interval(at(44), at(46)),),
    ]  # fmt: skip
    assert [piece.fact.when for piece in done.splits] == [hours(42, 43), hours(44, 46)]


def test_series_that_a_new_state_ends_has_an_end(
    planned: Make, remember: Make, fact: Make, propose: Make
) -> None:
    endless = EVENINGS | {"rrule": "FREQ=DAILY"}
    known = (remember("on", fact("light_status", "on", endless)),)
    done = planned(fact("light_status", "off", hours(43)), known=known)

    (left,) = done.truncates
    assert (left.windows, left.valid_until) == ((evening(0),), at(22))
    assert propose(left.fact).windows == left.windows
    assert [piece.windows for piece in done.splits] == [(Interval(at(42), at(43)),)]


@pytest.mark.parametrize(
    "weekly",
    [WEEKLY, WEEKLY | {"timezone": "Asia/Seoul"},
     {"start": "2026-07-10T10:00Z", "rrule": "FREQ=WEEKLY;COUNT=9"},
     WEEKLY | {"overrides": {"2026-07-18T10:00": {"local_start": "2026-07-17T15:00"}},
               "rrule": "FREQ=WEEKLY;BYDAY=FR,SA"}],
)  # fmt: skip
def test_day_off_takes_its_day_out_of_a_weekly_meeting(
    planned: Make, remember: Make, fact: Make, propose: Make, weekly: dict[str, Any]
) -> None:
    known = (remember("w", fact("meeting", "Standup", weekly)),)
    done = planned(fact("vacation", "Vacation", DAY_OFF), known=known)

    (left,) = done.truncates
    assert done.retires == ()
    assert done.splits == ()
    kept = [w for w in known[0].memory.windows if not at(0) <= w.start < at(24)]
    assert list(left.windows) == kept
    placed = propose(left.fact)
    assert (placed.windows, placed.valid_from) == (left.windows, left.valid_from)
    assert left.valid_until == known[0].memory.valid_until


def test_day_off_takes_the_whole_of_what_happens_on_that_day_only(
    planned: Make, remember: Make, fact: Make
) -> None:
    once = {"date": "2026-07-17", "rrule": "FREQ=DAILY;COUNT=1"}
    known = (remember("w", fact("meeting", "Fair", once)),)

    assert planned(fact("vacation", "Vacation", DAY_OFF), known=known).retires == ("w",)


def test_last_meeting_of_a_series_taken_out_ends_it_earlier(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("w", fact("meeting", "Course", WEEKLY | {"rrule": "FREQ=WEEKLY;COUNT=2"})),)
    done = planned(fact("vacation", "Vacation", DAY_OFF), known=known)

    assert done.truncates[0].valid_until == datetime(2026, 7, 10, 11, tzinfo=UTC)


def test_buffer_of_a_weekly_meeting_counts_for_the_day_that_it_reaches(
    planned: Make, remember: Make, fact: Make
) -> None:
    late = {"local_start": "2026-07-09T23:00", "minutes": 60, "rrule": "FREQ=WEEKLY;COUNT=3"}
    known = (remember("w", fact("meeting", "Call", late, buffer_after=30)),)
    done = planned(fact("vacation", "Vacation", DAY_OFF), known=known)

    assert [w.start.day for w in done.truncates[0].windows] == [9, 23]


def test_replaced_item_is_retired_whole(planned: Make, remember: Make, fact: Make) -> None:
    known = (remember("old", fact("item", "1", hours(0), subject="a/k")),)

    assert planned(fact("item", "2", hours(5), subject="a/k"), known=known).retires == ("old",)


# ---- requests of several facts


def test_two_clashing_facts_kept_allow_each_other(planned: Make, fact: Make) -> None:
    done = planned(
        fact("meeting", "A", AT_TEN), fact("meeting", "B", AT_HALF_PAST), action="keep_both"
    )

    assert [write.fact_index for write in done.writes] == [0, 1]
    assert done.waives == (Waive(1, None, 0),)


def test_replacing_within_a_request_leaves_the_earlier_fact_out(planned: Make, fact: Make) -> None:
    done = planned(fact("lives_in", "Oslo"), fact("lives_in", "Rome"), action="replace_old")

    assert [write.fact.object_value for write in done.writes] == ["Rome"]
    assert done.waives == ()


def test_fact_left_out_neither_ends_nor_allows_anything(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("bergen", fact("lives_in", "Bergen", hours(-90))),)
    done = planned(
        fact("lives_in", "Oslo", hours(0, 10)), fact("lives_in", "Rome", hours(5, 9)),
        known=known, action="replace_old",
    )  # fmt: skip

    assert [write.fact.object_value for write in done.writes] == ["Rome"]
    assert done.truncates[0].valid_until == at(5)


def test_known_fact_is_not_written_beside_a_new_one(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (remember("m", fact("meeting", "A", AT_TEN)),)
    done = planned(fact("meeting", "A", AT_TEN), fact("prefers", "tea"), known=known)

    assert [write.fact_index for write in done.writes] == [1]


def test_known_fact_does_not_end_or_allow_what_it_also_meets(
    planned: Make, remember: Make, fact: Make
) -> None:
    known = (
        remember("v", fact("vacation", "Vacation", DAY_OFF)),
        remember("m", fact("meeting", "A", AT_TEN)),
    )
    done = planned(fact("meeting", "A", AT_TEN), fact("prefers", "tea"), known=known)

    assert (done.retires, done.waives) == ((), ())


def test_waiver_is_renewed_for_the_new_revision(planned: Make, remember: Make, fact: Make) -> None:
    known = (remember("v", fact("vacation", "Vacation", DAY_OFF)),)
    done = planned(
        fact("meeting", "New title", AT_TEN), known=known, exclude="m",
        waived=frozenset({("m", 1, "v", 1)}),
    )  # fmt: skip

    assert done.waives == (Waive(0, "v"),)


# ---- what is left of the old, for each of Allen's relations

LEFT: dict[Relation, list[str]] = {
    "overlaps": ["after"], "starts": ["after"], "during": ["before", "after"],
    "finishes": ["before"], "equals": [], "finished-by": [], "contains": [], "started-by": [],
    "overlapped-by": ["before"],
}  # fmt: skip
SPANS = list(combinations(range(5), 2))


@pytest.mark.parametrize(("new", "old"), list(product(SPANS, repeat=2)))
def test_remainder_follows_from_the_relation(
    planned: Make, remember: Make, fact: Make, new: tuple[int, int], old: tuple[int, int]
) -> None:
    relation = relate(Interval(at(new[0]), at(new[1])), Interval(at(old[0]), at(old[1])))
    known = (remember("old", fact("light_status", "on", hours(*old))),)
    done = planned(fact("light_status", "off", hours(*new)), known=known)

    left = LEFT.get(relation)
    before = [(old[0], new[0])] if left and "before" in left else []
    after = [(new[1], old[1])] if left and "after" in left else []
    assert [cut.windows for cut in done.truncates] == [(Interval(at(s), at(e)),) for s, e in before]
    assert [p.windows for p in done.splits] == [(Interval(at(s), at(e)),) for s, e in after]
    assert done.retires == (("old",) if left is not None and not before else ())


def test_remainders_are_known_for_all_that_overlap() -> None:
    assert set(get_args(Relation)) - set(LEFT) == {"before", "meets", "met-by", "after"}


Said = tuple[int, int, str]
WRITES = st.lists(
    st.tuples(st.integers(0, 7), st.integers(1, 4), st.sampled_from(["on", "off"])), max_size=6
).map(lambda rows: [(start, start + length, value) for start, length, value in rows])


def replay(said: list[Said], make: dict[str, Any]) -> list[tuple[int, str]]:
    """Write states one after another, following each plan, and read each hour back."""
    kept: list[Known] = []
    for number, (start, end, value) in enumerate(said):
        proposal = make["propose"](make["fact"]("light_status", value, hours(start, end)))
        verdict = lint([proposal], kept, make["policy"])
        done = plan(verdict, [proposal], kept)
        cut = {c.memory_id: c.fact for c in done.truncates}
        pieces = [(f"{number}.{i}", split.fact) for i, split in enumerate(done.splits)]
        left = [k for k in kept if k.memory.memory_id not in {*done.retires, *cut}]
        left += [make["remember"](memory_id, fact) for memory_id, fact in [*cut.items(), *pieces]]
        left += [make["remember"](str(number), write.fact) for write in done.writes]
        kept = left
    return [
        (hour, k.memory.fact.object_value)
        for hour in range(12)
        for k in kept
        if any(w.start <= at(hour) < w.end for w in k.memory.windows)
    ]


@settings(deadline=None, max_examples=80)
@given(said=WRITES)
def test_each_hour_holds_what_was_said_of_it_last(
    said: list[Said], policy: Policy, fact: Make, propose: Make, remember: Make
) -> None:
    """Property 15."""

    make = {"policy": policy, "fact": fact, "propose": propose, "remember": remember}
    last: dict[int, str] = {}
    for start, end, value in said:
        last |= dict.fromkeys(range(start, end), value)

    read = replay(said, make)
    assert dict(read) == last
    assert {value for hour, value in read if hour in last} <= {"on", "off"}


def test_light_switched_off_for_an_hour_is_on_before_and_after(
    policy: Policy, fact: Make, propose: Make, remember: Make
) -> None:
    make = {"policy": policy, "fact": fact, "propose": propose, "remember": remember}

    assert replay([(0, 4, "on"), (1, 2, "off")], make) == [
        (0, "on"),
        (1, "off"),
        (2, "on"),
        (3, "on"),
    ]
