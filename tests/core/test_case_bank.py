"""Stories that users of memory systems told of, where the linter decides how they end."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.core.errors import MossError, NaiveTimestampError, UnknownPredicateError
from moss_memory.core.fact import Fact, Known
from moss_memory.core.interval import FOREVER
from moss_memory.core.linter import Verdict, lint
from moss_memory.core.revise import Plan, plan
from moss_memory.core.rules import Policy
from moss_memory.core.when import from_json

Make = Callable[..., Any]


@pytest.fixture
def tell(policy: Policy, propose: Make) -> Callable[..., tuple[Verdict, Plan]]:
    """Say a fact to somebody who knows others, and see what is planned without any answer."""

    def run(fact: Fact, *known: Known, zone: str = "UTC") -> tuple[Verdict, Plan]:
        proposal = propose(fact, zone)
        verdict = lint([proposal], known, policy)
        asked = verdict.status == "CONFIRM_REQUIRED"
        return verdict, Plan() if asked else plan(verdict, [proposal], known)

    return run


def on(day: str, clock: str = "00:00") -> dict[str, str]:
    return {"start": f"{day}T{clock}:00Z"}


def said(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


def test_c03_hobby_leaves_the_employer_alone(tell: Make, fact: Make, remember: Make) -> None:
    job = remember("job", fact("works_at", "Northwind", on("2020-01-01")))
    verdict, done = tell(fact("prefers", "hiking", subject="hobbies"), job)

    assert (verdict.status, verdict.findings, done.retires) == ("SUCCESS", (), ())


def test_c05_late_news_of_an_earlier_home_ends_where_the_known_one_began(
    tell: Make, fact: Make, remember: Make
) -> None:
    oslo = remember(
        "oslo", fact("lives_in", "Oslo", on("2026-05-01"), observed_at=said("2026-05-01"))
    )
    rome = fact("lives_in", "Rome", on("2026-03-01"), observed_at=said("2026-05-02"))
    verdict, done = tell(rome, oslo)

    assert (verdict.status, done.retires, done.truncates) == ("SUCCESS", (), ())
    assert done.writes[0].valid_from == said("2026-03-01")
    assert done.writes[0].valid_until == said("2026-05-01")


def test_c07_newer_guidance_takes_the_place_of_the_old_for_the_same_time(
    tell: Make, fact: Make, remember: Make
) -> None:
    quarter = {"date": "2026-07-01", "end_date": "2026-10-01"}
    old = remember("g32", fact("service_context", "guidance 32", quarter, subject="outlook",
                               observed_at=said("2026-05-10")))  # fmt: skip
    verdict, done = tell(
        fact("service_context", "guidance 36", quarter, subject="outlook",
             observed_at=said("2026-05-12")), old,
    )  # fmt: skip

    assert verdict.status == "SUCCESS_WITH_OVERWRITE"
    assert done.retires == ("g32",)


def test_c13_vacation_retires_the_meetings_in_it_and_names_them(
    tell: Make, fact: Make, remember: Make
) -> None:
    meetings = [
        remember(day, fact("meeting", "Weekly sync", {"local_start": f"2026-06-{day}T09:00"}))
        for day in ("02", "04")
    ]
    verdict, done = tell(
        fact("vacation", "Vacation", {"date": "2026-06-01", "end_date": "2026-06-06"}), *meetings
    )

    assert verdict.status == "SUCCESS_WITH_OVERWRITE"
    assert done.retires == ("02", "04")


def test_c15_meeting_that_runs_into_another_asks(tell: Make, fact: Make, remember: Make) -> None:
    early = remember("m", fact("meeting", "Breakfast", on("2026-07-20", "07:00")))
    verdict, done = tell(fact("meeting", "Gym", on("2026-07-20", "07:30")), early)

    assert verdict.status == "CONFIRM_REQUIRED"
    assert verdict.findings[0].time_relation == "overlapped-by"
    assert done == Plan()


def test_c17_clash_with_the_third_of_a_series_is_named(
    tell: Make, fact: Make, remember: Make
) -> None:
    audit = remember("audit", fact("meeting", "Audit", on("2026-03-17", "15:00")))
    series = fact("meeting", "Piano", on("2026-03-03", "15:00") | {"rrule": "FREQ=WEEKLY;COUNT=10"})
    verdict, _ = tell(series, audit)

    assert [f.memory_id for f in verdict.findings] == ["audit"]
    assert verdict.findings[0].occurrence.start == datetime(2026, 3, 17, 15, tzinfo=UTC)


def test_c19_second_pass_of_a_repeated_hour_is_the_second(
    tell: Make, fact: Make, remember: Make
) -> None:
    night = {"local_start": "2026-10-25T02:30", "timezone": "Europe/Berlin"}
    _, done = tell(fact("meeting", "Night shift", night | {"minutes": 30, "fold": 1}))

    assert done.writes[0].valid_from == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_c23_time_without_a_zone_is_refused_or_the_owners(tell: Make, fact: Make) -> None:
    with pytest.raises(NaiveTimestampError):
        from_json({"start": "2026-06-01T10:00"})

    _, done = tell(
        fact("meeting", "Review", {"local_start": "2026-06-01T10:00"}), zone="Asia/Seoul"
    )
    assert done.writes[0].valid_from == datetime(2026, 6, 1, 1, tzinfo=UTC)


def test_c25_fact_that_has_run_out_keeps_the_window_in_which_it_held(
    tell: Make, fact: Make
) -> None:
    _, done = tell(
        fact("prefers", "window seats", {"date": "2026-07-01", "end_date": "2026-07-15"})
    )

    assert done.writes[0].windows[0].start <= said("2026-07-09") < done.writes[0].windows[0].end


@pytest.mark.parametrize("domain", ["Weather", "schedule", ""])
def test_c49_unknown_domain_is_refused_at_once(tell: Make, fact: Make, domain: str) -> None:
    with pytest.raises(UnknownPredicateError):
        tell(fact("meeting", "Review", on("2026-07-20"), domain=domain))


def test_c63_repeated_rumour_does_not_move_what_the_user_said(
    tell: Make, fact: Make, remember: Make, now: datetime
) -> None:
    home = remember("home", fact("lives_in", "Oslo", on("2026-01-01")))
    verdicts = [
        tell(
            fact("lives_in", "Rome", source="vision", confidence=0.99,
                 observed_at=now + timedelta(hours=hour)), home,
        )
        for hour in range(20)
    ]  # fmt: skip

    assert {verdict.status for verdict, _ in verdicts} == {"CONFIRM_REQUIRED"}
    assert all(done == Plan() for _, done in verdicts)


def test_c75_newer_word_about_a_service_replaces_and_does_not_compete(
    tell: Make, fact: Make, remember: Make, now: datetime
) -> None:
    earlier = now - timedelta(minutes=25)
    old = remember("redis", fact("service_context", "Redis Streams", on("2026-07-16", "04:35"),
                                 subject="queue", observed_at=earlier))  # fmt: skip
    verdict, done = tell(
        fact("service_context", "NATS", on("2026-07-16", "05:00"), subject="queue"), old
    )

    assert verdict.status == "SUCCESS_WITH_OVERWRITE"
    assert [cut.valid_until for cut in done.truncates] == [now]
    assert done.writes[0].valid_until == FOREVER


def test_c79_three_likes_of_one_kind_do_not_swallow_a_fourth(
    tell: Make, fact: Make, remember: Make
) -> None:
    known = [
        remember(str(n), fact("prefers", f"cereal {n}", subject="breakfast")) for n in range(3)
    ]
    verdict, done = tell(fact("prefers", "cereal 3", subject="breakfast"), *known)

    assert (verdict.status, len(done.writes), done.retires) == ("SUCCESS", 1, ())


def test_c01_loved_food_that_is_now_hated_is_hated_from_now_on(
    tell: Make, fact: Make, remember: Make, now: datetime
) -> None:
    loved = fact("prefers", "Sichuan food", on("2026-07-15"), observed_at=said("2026-07-15"))
    verdict, done = tell(fact("dislikes", "sichuan food"), remember("loved", loved))

    assert verdict.status == "SUCCESS_WITH_OVERWRITE"
    assert [(cut.memory_id, cut.valid_until) for cut in done.truncates] == [("loved", now)]
    assert len(done.writes) == 1


def test_c53_guess_does_not_turn_a_dislike_around(tell: Make, fact: Make, remember: Make) -> None:
    guess = fact("prefers", "coffee", source="model_inferred", confidence=0.9)
    verdict, done = tell(guess, remember("d", fact("dislikes", "coffee")))

    assert verdict.status in {"CONFIRM_REQUIRED", "BLOCKED"}
    assert done == Plan()


def test_c77_value_of_the_wrong_kind_is_refused(policy: Policy) -> None:
    with pytest.raises(MossError) as refused:
        policy.ontology.predicate("SmartHome", "target_temp").value.clean("Port 61434")
    assert refused.value.code == "invalid_value"
