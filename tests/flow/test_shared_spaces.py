"""What is somebody's own against what is shared: it may stand beside it, never change it."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.core.access import Caller
from moss_memory.core.errors import NotAdmittedError
from moss_memory.core.when import Days, Instant
from moss_memory.flow import governance, profile, record, settle
from moss_memory.flow.ports import Defaults, House
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ProposeRequest

AROUND = Circumstances(request_id="r", timezone="Asia/Seoul")
ROOT = Caller(tenant_id="default", principal_id="root", rights=frozenset({"scope:admin"}))
MEETING = FactIn(
    domain="Schedule",
    subject="Calendar",
    predicate="meeting",
    object_value="review",
    when=Instant(datetime(2026, 7, 17, 1, tzinfo=UTC)),
)
VACATION = FactIn(
    domain="Schedule",
    subject="Calendar",
    predicate="vacation",
    object_value="Vacation",
    when=Days(date(2026, 7, 17)),
)


@pytest.fixture(params=["sql", "cache"])
def house(request: pytest.FixtureRequest, make_house: Callable[..., House]) -> House:
    """A house where ann and bob may write for the team, with a team meeting on Friday."""
    made = make_house(defaults=Defaults(timezone="Asia/Seoul", lint_from=request.param))
    assert isinstance(made.memory, SqlMemory)
    scopes = SqlScopes(made.memory.database, clock=made.clock)
    governance.put_scope(scopes, ROOT, "team", kind="team")
    for name in ("ann", "bob"):
        governance.grant(scopes, ROOT, "team", name, visible=True, writable=True)
    return made


def propose(house: House, who: Caller, stated: FactIn, **more: bool) -> Answer:
    return record.propose(house, who, ProposeRequest(facts=(stated,), **more), AROUND)


def for_the_team(fact: FactIn) -> FactIn:
    return FactIn(
        domain=fact.domain,
        subject=fact.subject,
        predicate=fact.predicate,
        object_value=fact.object_value,
        when=fact.when,
        scope_id="team",
    )


def test_own_day_off_over_a_meeting_of_the_team_asks_and_leaves_it(
    house: House, ann: Caller, bob: Caller
) -> None:
    (meeting,) = propose(house, bob, for_the_team(MEETING)).facts

    rehearsed = propose(house, ann, VACATION, dry_run=True)
    asked = propose(house, ann, VACATION)

    assert (rehearsed.status, asked.status) == ("CONFIRM_REQUIRED", "CONFIRM_REQUIRED")
    assert [each.action for each in asked.actions] == ["keep_both", "cancel"]
    assert asked.pending is not None
    kept = settle.confirm(house, ann, asked.pending.pending_id, "keep_both", AROUND)
    assert (kept.status, kept.superseded) == ("SUCCESS", ())
    assert house.memory.newest("default", [meeting.memory_id])[meeting.memory_id] == meeting


def test_day_off_of_the_team_still_retires_its_own_meeting(
    house: House, ann: Caller, bob: Caller
) -> None:
    (meeting,) = propose(house, bob, for_the_team(MEETING)).facts

    answer = propose(house, ann, for_the_team(VACATION))

    assert [each.memory_id for each in answer.superseded] == [meeting.memory_id]


def test_own_taste_against_that_of_the_team_is_refused_and_changes_nothing(
    house: House, ann: Caller, bob: Caller
) -> None:
    likes = FactIn(
        domain="Preference", subject="food", predicate="prefers", object_value="cilantro"
    )
    (shared,) = propose(house, bob, for_the_team(likes)).facts
    hates = FactIn(
        domain="Preference", subject="food", predicate="dislikes", object_value="cilantro"
    )

    with pytest.raises(NotAdmittedError):
        propose(house, ann, hates)

    assert house.memory.newest("default", [shared.memory_id])[shared.memory_id] == shared


def test_zone_of_a_principal_named_like_a_team_moves_nothing_of_the_teams(
    house: House, bob: Caller
) -> None:
    (day,) = propose(house, bob, for_the_team(VACATION)).facts
    namesake = Caller(tenant_id="default", principal_id="team")

    profile.settle_in(house, namesake, given={"timezone": "Europe/Berlin"}, around=AROUND)

    assert house.memory.newest("default", [day.memory_id])[day.memory_id] == day
