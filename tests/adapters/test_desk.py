"""The Desk's contract, held by every Desk: in process, on Valkey, on a cluster of three."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.redis_desk import RedisDesk
from moss_memory.adapters.redis_link import RedisLink
from moss_memory.core.errors import TooManyPendingsError
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.when import Instant
from moss_memory.flow.ports import Desk, Pending, ReferenceFacts, Session

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
SOON = NOW + timedelta(minutes=30)
MOMENT = timedelta(microseconds=1)
OWN = ("mina", "Schedule")
FACT = Fact(
    domain="Schedule",
    subject="Calendar",
    predicate="meeting",
    object_value="주간 회의",
    scope_id="mina",
    observed_at=NOW,
    when=Instant(NOW, SOON),
)
PENDING = Pending(
    pending_id="p1",
    tenant_id="default",
    principal_id="mina",
    scope_ids=("mina",),
    operation="create",
    facts=(FACT,),
    shown=(("m1", 2),),
    actions=("keep_both", "cancel"),
    decision_id="d1",
    expires_at=SOON,
    fingerprint="f1",
    rules_version="r1",
    timezone="UTC",
    locale="ko",
    data={"notes": ["STORED_SOFT"]},
)
SESSION = Session(
    session_id="s 1/한",
    tenant_id="default",
    principal_id="mina",
    dialog_state={"last": "m1"},
    expires_at=SOON,
)
MEMORY = Memory(
    memory_id="m1",
    revision=1,
    tenant_id="default",
    principal_id="mina",
    owner="mina",
    fact=FACT,
    windows=(Interval(NOW, SOON),),
    valid_from=NOW,
    valid_until=FOREVER,
    recorded_at=NOW,
    created_at=NOW,
    provenance=Provenance(decision_id="d1"),
)
REFERENCE = ReferenceFacts(
    space=OWN, epoch=9, rules_version="r1", grants_hash="g", read_at=NOW, memories=(MEMORY,)
)


def question(number: int, **changes: object) -> Pending:
    name = {"pending_id": f"p{number}", "fingerprint": f"f{number}"}
    return replace(PENDING, **(name | changes))


@pytest.fixture(params=["local", "valkey", "cluster", "cluster by one node"])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    """Every Desk, empty."""
    if request.param == "local":
        yield LocalDesk()
        return
    if request.param == "valkey":
        url = request.getfixturevalue("redis_url")
    else:
        nodes = request.getfixturevalue("shared_cluster")
        for node in nodes:
            node.ask("FLUSHALL")
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
        url = f"redis+cluster://{hosts}" if request.param == "cluster" else nodes[0].url
    link = RedisLink(url, connect=10, call=10)  # the machine may be busy
    with closing(RedisDesk(url, secret="pepper" * 6, link=link)) as desk:
        yield desk


def test_question_reads_back_equal_when_held(desk: Desk) -> None:
    held = desk.hold(PENDING, cap=20, now=NOW)

    assert held == PENDING == desk.pending("default", "p1", now=NOW)


def test_question_is_absent_when_its_time_is_over(desk: Desk) -> None:
    desk.hold(PENDING, cap=20, now=NOW)

    assert desk.pending("default", "p1", now=SOON - MOMENT) == PENDING
    assert desk.pending("default", "p1", now=SOON) is None
    assert desk.pendings("default", "mina", now=SOON) == ()


def test_question_is_absent_when_another_tenant_asks(desk: Desk) -> None:
    desk.hold(PENDING, cap=20, now=NOW)

    assert desk.pending("other", "p1", now=NOW) is None
    assert desk.pendings("other", "mina", now=NOW) == ()


def test_question_is_absent_when_never_held(desk: Desk) -> None:
    assert desk.pending("default", "nothing", now=NOW) is None
    assert desk.pendings("default", "mina", now=NOW) == ()


def test_open_question_wins_when_the_same_is_asked_again(desk: Desk) -> None:
    desk.hold(PENDING, cap=20, now=NOW)
    again = question(2, fingerprint="f1")

    assert desk.hold(again, cap=1, now=NOW) == PENDING
    assert desk.pending("default", "p2", now=NOW) is None


def test_question_is_held_anew_when_the_same_one_has_expired(desk: Desk) -> None:
    desk.hold(PENDING, cap=20, now=NOW)
    again = question(2, fingerprint="f1", expires_at=SOON + MOMENT)

    assert desk.hold(again, cap=1, now=SOON) == again


def test_question_is_held_anew_when_the_same_one_was_settled(desk: Desk) -> None:
    desk.hold(PENDING, cap=20, now=NOW)
    desk.drop(PENDING)
    again = question(2, fingerprint="f1")

    assert desk.hold(again, cap=1, now=NOW) == again


def test_same_question_is_kept_apart_when_another_principal_asks(desk: Desk) -> None:
    desk.hold(PENDING, cap=20, now=NOW)
    theirs = question(2, fingerprint="f1", principal_id="joon", scope_ids=("joon",))

    assert desk.hold(theirs, cap=20, now=NOW) == theirs


def test_question_over_the_cap_is_refused(desk: Desk) -> None:
    desk.hold(question(1), cap=2, now=NOW)
    desk.hold(question(2), cap=2, now=NOW)

    with pytest.raises(TooManyPendingsError):
        desk.hold(question(3), cap=2, now=NOW)
    assert desk.pending("default", "p3", now=NOW) is None


def test_cap_counts_only_what_is_open(desk: Desk) -> None:
    desk.hold(question(1), cap=2, now=NOW)
    desk.hold(question(2, expires_at=NOW + MOMENT), cap=2, now=NOW)
    desk.drop(question(1))
    late = NOW + MOMENT

    assert desk.hold(question(3), cap=2, now=late).pending_id == "p3"
    assert desk.hold(question(4), cap=2, now=late).pending_id == "p4"


def test_cap_is_each_principals_own(desk: Desk) -> None:
    desk.hold(question(1), cap=1, now=NOW)
    theirs = question(2, principal_id="joon", scope_ids=("joon",))

    assert desk.hold(theirs, cap=1, now=NOW) == theirs


def test_cap_holds_when_many_ask_at_once(desk: Desk) -> None:
    def ask(number: int) -> bool:
        try:
            desk.hold(question(number), cap=5, now=NOW)
        except TooManyPendingsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        held = sum(pool.map(ask, range(16)))

    assert held == len(desk.pendings("default", "mina", now=NOW)) == 5


def test_one_question_is_held_when_many_ask_the_same_at_once(desk: Desk) -> None:
    def ask(number: int) -> str:
        return desk.hold(question(number, fingerprint="f"), cap=20, now=NOW).pending_id

    with ThreadPoolExecutor(8) as pool:
        held = set(pool.map(ask, range(16)))

    assert len(held) == 1


def test_own_questions_are_listed_first_to_expire_first(desk: Desk) -> None:
    desk.hold(question(1, expires_at=SOON + MOMENT), cap=20, now=NOW)
    desk.hold(question(2), cap=20, now=NOW)
    desk.hold(question(3, principal_id="joon", scope_ids=("joon",)), cap=20, now=NOW)

    assert [each.pending_id for each in desk.pendings("default", "mina", now=NOW)] == ["p2", "p1"]


def test_questions_of_a_scope_are_listed_once_when_its_approver_looks(desk: Desk) -> None:
    desk.hold(question(1, scope_ids=("mina", "team")), cap=20, now=NOW)
    desk.hold(question(2, principal_id="joon", scope_ids=("team", "lab")), cap=20, now=NOW)

    seen = desk.pendings("default", "joon", scope_ids=("joon", "team", "lab"), now=NOW)

    assert {each.pending_id for each in seen} == {"p1", "p2"}
    assert len(seen) == 2


def test_question_leaves_every_list_when_dropped(desk: Desk) -> None:
    shared = question(1, scope_ids=("mina", "team"))
    desk.hold(shared, cap=20, now=NOW)

    desk.drop(shared)
    desk.drop(shared)

    assert desk.pending("default", "p1", now=NOW) is None
    assert desk.pendings("default", "joon", scope_ids=("team",), now=NOW) == ()


def test_session_reads_back_equal_until_its_time_is_over(desk: Desk) -> None:
    desk.keep_session(SESSION, now=NOW)

    def read(now: datetime) -> Session | None:
        return desk.session("default", "mina", SESSION.session_id, now=now)

    assert (read(NOW), read(SOON - MOMENT), read(SOON)) == (SESSION, SESSION, None)


def test_session_is_replaced_when_kept_again(desk: Desk) -> None:
    desk.keep_session(SESSION, now=NOW)
    later = replace(SESSION, dialog_state={}, pending_ids=("p1",))
    desk.keep_session(later, now=NOW)

    assert desk.session("default", "mina", SESSION.session_id, now=NOW) == later


@pytest.mark.parametrize(("tenant", "principal"), [("other", "mina"), ("default", "joon")])
def test_session_is_absent_when_somebody_else_names_it(
    desk: Desk, tenant: str, principal: str
) -> None:
    desk.keep_session(SESSION, now=NOW)

    assert desk.session(tenant, principal, SESSION.session_id, now=NOW) is None


def test_session_is_absent_when_ended(desk: Desk) -> None:
    desk.keep_session(SESSION, now=NOW)

    desk.end_session("default", "mina", SESSION.session_id)
    desk.end_session("default", "mina", SESSION.session_id)

    assert desk.session("default", "mina", SESSION.session_id, now=NOW) is None


def test_reference_facts_read_back_equal(desk: Desk) -> None:
    desk.keep_reference("default", "mina", REFERENCE, now=NOW)

    assert desk.reference("default", "mina", OWN, now=NOW) == REFERENCE


def test_reference_facts_are_absent_when_half_an_hour_old(desk: Desk) -> None:
    desk.keep_reference("default", "mina", REFERENCE, now=NOW)

    assert desk.reference("default", "mina", OWN, now=SOON) is None


@pytest.mark.parametrize(("epoch", "kept"), [(8, 9), (9, 9), (10, 10), (100, 100)])
def test_reference_facts_of_the_newest_epoch_win(desk: Desk, epoch: int, kept: int) -> None:
    desk.keep_reference("default", "mina", REFERENCE, now=NOW)
    other = replace(REFERENCE, epoch=epoch, rules_version="r2")
    desk.keep_reference("default", "mina", other, now=NOW)

    read = desk.reference("default", "mina", OWN, now=NOW)

    assert read is not None
    assert (read.epoch, read.rules_version) == (kept, "r1" if epoch < 9 else "r2")


def test_reference_facts_are_kept_by_principal_and_space(desk: Desk) -> None:
    desk.keep_reference("default", "mina", REFERENCE, now=NOW)
    team = replace(REFERENCE, space=("team", "Schedule"))
    desk.keep_reference("default", "mina", team, now=NOW)

    assert desk.reference("default", "mina", ("team", "Schedule"), now=NOW) == team
    assert desk.reference("default", "mina", OWN, now=NOW) == REFERENCE
    assert desk.reference("default", "mina", ("mina", "Preference"), now=NOW) is None
    assert desk.reference("default", "joon", OWN, now=NOW) is None
    assert desk.reference("other", "mina", OWN, now=NOW) is None


def test_all_of_a_principal_goes_when_forgotten(desk: Desk) -> None:
    desk.hold(question(1, scope_ids=("mina", "team")), cap=20, now=NOW)
    desk.hold(question(2), cap=20, now=NOW)
    desk.keep_session(SESSION, now=NOW)
    desk.keep_reference("default", "mina", REFERENCE, now=NOW)

    counts = desk.forget("default", "mina")

    assert counts == {"pendings": 2, "cache_keys": 2}
    assert desk.pending("default", "p1", now=NOW) is None
    assert desk.pendings("default", "mina", scope_ids=("team",), now=NOW) == ()
    assert desk.session("default", "mina", SESSION.session_id, now=NOW) is None
    assert desk.reference("default", "mina", OWN, now=NOW) is None


def test_nobody_elses_goes_when_a_principal_is_forgotten(desk: Desk) -> None:
    theirs = question(1, principal_id="joon", scope_ids=("joon", "mina"))
    desk.hold(theirs, cap=20, now=NOW)
    foreign = question(2, tenant_id="other")
    desk.hold(foreign, cap=20, now=NOW)

    assert desk.forget("default", "mina") == {"pendings": 0, "cache_keys": 0}
    assert desk.pending("default", "p1", now=NOW) == theirs
    assert desk.pending("other", "p2", now=NOW) == foreign


@pytest.mark.parametrize("name", ["a:b", "a}b", "{a}", "a%3Ab", "a b", "p=1", "."])
def test_odd_names_stay_apart(desk: Desk, name: str) -> None:
    odd = replace(PENDING, tenant_id=name, principal_id=name, scope_ids=(name,), fingerprint=name)
    desk.hold(odd, cap=20, now=NOW)
    desk.keep_session(replace(SESSION, tenant_id=name, principal_id=name), now=NOW)

    assert desk.pendings(name, "joon", scope_ids=(name,), now=NOW) == (odd,)
    assert desk.forget(name, name) == {"pendings": 1, "cache_keys": 1}


def test_desk_says_ok_when_it_can_be_used(desk: Desk) -> None:
    assert desk.check() == "ok"
