"""Relevance: what a question touches, scored in parts that say why."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.relevance import Question, closeness, score, terms
from moss_memory.core.when import Instant

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
TEN = Interval(NOW + 20 * HOUR, NOW + 21 * HOUR)


def memory(value: str, predicate: str = "meeting", window: Interval | None = TEN) -> Memory:
    placed = window or Interval(NOW - 9 * HOUR, FOREVER)
    said = Fact(
        domain="Schedule",
        subject="Calendar" if window else "food",
        predicate=predicate,
        object_value=value,
        scope_id="ann",
        observed_at=NOW,
        when=Instant(placed.start) if window else None,
    )
    return Memory(
        memory_id=value,
        revision=1,
        tenant_id="default",
        principal_id="ann",
        owner="ann",
        fact=said,
        windows=(placed,),
        valid_from=placed.start,
        valid_until=placed.end,
        open_ended=window is None,
        recorded_at=NOW,
        created_at=NOW,
        provenance=Provenance(decision_id="d"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Budget meetings", ("budget", "meet")),
        ("Budget-meeting", ("budget", "meet")),
        ("개발팀 미팅", ("개발", "발팀", "미팅")),
        ("팀 A1", ("팀", "a", "1")),
        ("ＢＵＤＧＥＴ", ("budget",)),
        ("the the", ("the",)),
        ("한" + "글", ("한글",)),
        ("🙂 !?", ()),
    ],
)
def test_terms_of_a_text(text: str, expected: tuple[str, ...]) -> None:
    assert terms(text) == expected


def test_rare_word_weighs_more_when_others_are_common() -> None:
    pool = [memory("team lunch"), memory("team sync"), memory("budget lunch")]
    asked = Question(at=NOW, words=frozenset({"team", "budget"}))

    team, _, budget = score(asked, pool)

    assert budget.parts["words"] > team.parts["words"]


@pytest.mark.parametrize(
    ("asked", "bears"),
    [
        (Question(at=NOW), True),
        (Question(at=NOW, words=frozenset({"sushi"})), True),
        (Question(at=NOW, words=frozenset({"pizza"})), False),
        (Question(at=NOW, predicates=frozenset({"prefers"})), True),
        (Question(at=NOW, predicates=frozenset({"meeting"})), False),
        (Question(at=NOW, window=TEN), False),
    ],
)
def test_preference_bears_on_a_question_by_word_or_kind(asked: Question, *, bears: bool) -> None:
    assert score(asked, [memory("sushi", "prefers", None)])[0].bears is bears


def test_event_bears_on_any_question_about_its_time() -> None:
    asked = Question(at=NOW, window=TEN, predicates=frozenset({"meeting"}))

    assert score(asked, [memory("Vacation", "vacation")])[0].bears


def test_weak_match_does_not_bear_when_there_is_a_strong_one() -> None:
    pool = [memory("quarterly budget review"), memory("film review", "note")]
    asked = Question(at=NOW, words=frozenset({"quarterly", "budget", "review"}))

    assert [one.bears for one in score(asked, pool)] == [True, False]


def test_relevance_is_the_sum_of_its_parts() -> None:
    (one,) = score(Question(at=NOW, words=frozenset({"budget"}), window=TEN), [memory("budget")])

    assert one.relevance == pytest.approx(sum(one.parts.values()))
    assert 0 <= one.relevance <= 1


def test_older_less_sure_and_weaker_source_scores_less() -> None:
    plain = memory("a", "prefers", None)
    weaker = [
        replace(plain, recorded_at=NOW - timedelta(days=90)),
        replace(plain, fact=replace(plain.fact, confidence=0.5)),
        replace(plain, fact=replace(plain.fact, source="model_inferred")),
    ]

    best, *others = score(Question(at=NOW), [plain, *weaker])

    assert all(other.relevance < best.relevance for other in others)


@pytest.mark.parametrize("window", [None, Interval(NOW, NOW + timedelta(days=400))])
def test_nearer_event_scores_more_however_long_ago_it_was_recorded(
    window: Interval | None,
) -> None:
    days = (0.5, 2, 6, 10, 40, 300)
    pool = [
        replace(
            memory(f"d{day}", "note", Interval(at, at + timedelta(hours=1))),
            recorded_at=NOW - timedelta(days=400 - day),
        )
        for day in days
        for at in [NOW + timedelta(days=day)]
    ]

    found = [one.relevance for one in score(Question(at=NOW, window=window), pool)]

    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(("days", "near"), [(0, 1.0), (1, 0.5), (2, 0.25), (-1, 0.5)])
def test_closeness_halves_with_every_day(days: int, near: float) -> None:
    gap = timedelta(days=days)
    edge = TEN.end + gap if days >= 0 else TEN.start + gap - HOUR
    asked = Question(at=NOW, window=Interval(edge, edge + HOUR))

    assert closeness(memory("a"), asked) == pytest.approx(near)
