"""The Desk while Redis is flushed, frozen, gone, or full."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from moss_memory.adapters.breaker import Breaker
from moss_memory.adapters.redis_desk import RedisDesk
from moss_memory.adapters.redis_keys import pending_place
from moss_memory.adapters.redis_link import RedisLink
from moss_memory.core.errors import PendingStoreUnavailableError, TooManyPendingsError
from moss_memory.core.fact import Fact
from moss_memory.flow.ports import Pending, Session

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
SOON = NOW + timedelta(minutes=30)
SECRET = "pepper" * 6
FACT = Fact(
    domain="Schedule",
    subject="Calendar",
    predicate="meeting",
    object_value="치과 예약",
    scope_id="mina",
    observed_at=NOW,
)
PENDING = Pending(
    pending_id="p1",
    tenant_id="default",
    principal_id="mina",
    scope_ids=("mina",),
    operation="create",
    facts=(FACT,),
    shown=(),
    actions=("keep_both", "cancel"),
    decision_id="d1",
    expires_at=SOON,
    fingerprint="f1",
    rules_version="r1",
    timezone="UTC",
    locale="ko",
)
SESSION = Session(session_id="s", tenant_id="default", principal_id="mina", expires_at=SOON)
PLACE = pending_place("default", "mina", "p1")


class Watch:
    """A clock that stands still until it is set on."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def desk(valkey_node: Any, watch: Watch) -> Iterator[RedisDesk]:
    with closing(patient_desk(valkey_node.url, watch)) as desk:
        yield desk


def patient_desk(url: str, watch: Watch) -> RedisDesk:
    """Make a Desk that bears with a busy machine, and times its breaker by ``watch``."""
    link = RedisLink(url, connect=1, call=1, breaker=lambda: Breaker(monotonic=watch))
    return RedisDesk(url, secret=SECRET, link=link)


def hold(desk: RedisDesk, pending: Pending = PENDING, cap: int = 20) -> Pending:
    return desk.hold(pending, cap=cap, now=NOW)


def read(desk: RedisDesk) -> Pending | None:
    return desk.pending("default", "p1", now=NOW)


def refused(call: Callable[[], object]) -> bool:
    try:
        call()
    except PendingStoreUnavailableError:
        return True
    return False


def test_question_is_absent_and_can_be_asked_again_when_flushed(
    desk: RedisDesk, valkey_node: Any
) -> None:
    hold(desk)
    valkey_node.ask("FLUSHALL")
    valkey_node.ask("SCRIPT", "FLUSH")

    assert read(desk) is None
    assert hold(desk) == PENDING


def test_calls_are_refused_when_redis_is_down(desk: RedisDesk, valkey_node: Any) -> None:
    hold(desk)
    valkey_node.stop()

    assert refused(lambda: read(desk))
    assert refused(lambda: hold(desk))
    assert refused(lambda: desk.keep_session(SESSION, now=NOW))
    assert desk.check() == "unavailable"


def test_first_call_succeeds_when_redis_is_back_before_the_breaker_opened(
    desk: RedisDesk, valkey_node: Any
) -> None:
    hold(desk)
    valkey_node.stop()
    assert refused(lambda: read(desk))
    valkey_node.start()

    assert read(desk) is None
    assert hold(desk) == PENDING


def test_redis_is_left_alone_when_it_failed_five_times(
    desk: RedisDesk, valkey_node: Any, watch: Watch
) -> None:
    """F01."""
    valkey_node.stop()
    assert all(refused(lambda: read(desk)) for _ in range(5))
    valkey_node.start()

    assert refused(lambda: read(desk))
    watch.seconds = 9.9
    assert refused(lambda: read(desk))
    watch.seconds = 10.0
    assert read(desk) is None
    assert desk.check() == "ok"


def test_one_timeout_is_enough_when_redis_is_frozen(
    desk: RedisDesk, valkey_node: Any, watch: Watch
) -> None:
    """F02: one caller waits, once a breaker's window."""
    hold(desk)
    with valkey_node.frozen():
        assert refused(lambda: read(desk))

    assert refused(lambda: read(desk))  # thawed, and still left alone
    watch.seconds = 1.0
    assert read(desk) == PENDING


def test_unanswered_order_of_a_frozen_redis_leaves_no_wrong_answer_behind(
    desk: RedisDesk, valkey_node: Any, watch: Watch
) -> None:
    hold(desk)
    with valkey_node.frozen():
        assert refused(lambda: desk.session("default", "mina", "s", now=NOW))
    watch.seconds = 1.0

    assert read(desk) == PENDING  # not the late answer to the question about the session
    assert desk.session("default", "mina", "s", now=NOW) is None


def test_nothing_listens_twice_when_the_breaker_is_open(watch: Watch) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as mute:
        url = f"redis://127.0.0.1:{mute.getsockname()[1]}"
        with closing(patient_desk(url, watch)) as desk:
            assert all(refused(lambda: read(desk)) for _ in range(20))
        mute.setblocking(False)

        mute.accept()[0].close()
        with pytest.raises(BlockingIOError):
            mute.accept()


def test_many_threads_are_refused_and_none_hangs_when_redis_is_frozen(
    desk: RedisDesk, valkey_node: Any
) -> None:
    results: list[bool] = []
    with valkey_node.frozen():
        calls = [lambda: results.append(refused(lambda: read(desk)))] * 40
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert results == [True] * 40


def test_new_question_is_refused_and_old_ones_stay_when_redis_is_full(
    desk: RedisDesk, valkey_node: Any
) -> None:
    """F05."""
    hold(desk)
    valkey_node.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    valkey_node.ask("CONFIG", "SET", "maxmemory", "1")

    other = replace(PENDING, pending_id="p2", fingerprint="f2")
    assert all(refused(lambda: hold(desk, other)) for _ in range(6))
    assert read(desk) == PENDING
    desk.drop(PENDING)
    assert read(desk) is None
    valkey_node.ask("CONFIG", "SET", "maxmemory", "0")
    assert hold(desk, other) == other


def test_writes_are_refused_and_reads_answered_when_redis_is_a_replica(
    desk: RedisDesk, valkey_node: Any
) -> None:
    hold(desk)
    valkey_node.ask("REPLICAOF", "127.0.0.1", "1")

    assert refused(lambda: desk.keep_session(SESSION, now=NOW))
    assert read(desk) == PENDING


def test_question_lost_alone_counts_no_more_and_is_held_anew(
    desk: RedisDesk, valkey_node: Any
) -> None:
    hold(desk)
    valkey_node.ask("DEL", PLACE.key)

    other = replace(PENDING, pending_id="p2", fingerprint="f2")
    assert hold(desk, other, cap=1) == other
    with pytest.raises(TooManyPendingsError):
        hold(desk, cap=1)


def test_lost_question_is_replaced_when_the_same_is_asked(
    desk: RedisDesk, valkey_node: Any
) -> None:
    hold(desk)
    valkey_node.ask("DEL", PLACE.key)
    again = replace(PENDING, pending_id="p2")

    assert hold(desk, again) == again
    assert desk.pendings("default", "mina", now=NOW) == (again,)


def test_every_key_names_its_tenant_and_ends_by_itself(desk: RedisDesk, valkey_node: Any) -> None:
    hold(desk)
    desk.keep_session(SESSION, now=NOW)

    found = valkey_node.ask("KEYS", "*")

    assert all(key.startswith(b"moss:{default}:") for key in found)
    assert all(0 < valkey_node.ask("PTTL", key) <= 1_800_000 for key in found)


def test_nothing_is_left_when_a_principal_is_forgotten(desk: RedisDesk, valkey_node: Any) -> None:
    hold(desk, replace(PENDING, scope_ids=("mina", "team")))
    desk.keep_session(SESSION, now=NOW)

    desk.forget("default", "mina")

    assert valkey_node.ask("KEYS", "*") == []


def tenant_on(cluster: list[Any], number: int) -> str:
    """Find a tenant whose keys one node of the cluster holds."""
    first, last = 16384 * number // 3, 16384 * (number + 1) // 3 - 1
    names = (f"tenant{each}" for each in range(1000))
    slot = cluster[0].ask
    return next(name for name in names if first <= slot("CLUSTER", "KEYSLOT", name) <= last)


def test_tenants_of_the_other_nodes_go_on_when_one_node_is_frozen(
    valkey_cluster: list[Any], watch: Watch
) -> None:
    lost, kept = (replace(PENDING, tenant_id=tenant_on(valkey_cluster, n)) for n in (1, 2))
    url = "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in valkey_cluster)
    with closing(patient_desk(url, watch)) as desk:
        hold(desk, lost)
        with valkey_cluster[1].frozen():
            assert refused(lambda: hold(desk, replace(lost, pending_id="p2", fingerprint="f2")))
            assert hold(desk, kept) == kept
            assert refused(lambda: desk.pending(lost.tenant_id, "p1", now=NOW))
        watch.seconds = 1.0

        assert desk.pending(lost.tenant_id, "p1", now=NOW) == lost


def test_calls_are_refused_when_no_node_of_a_cluster_answers(watch: Watch) -> None:
    with closing(patient_desk("redis+cluster://127.0.0.1:1,127.0.0.1:2", watch)) as desk:
        assert refused(lambda: hold(desk))
        assert desk.check() == "unavailable"


@pytest.mark.parametrize("secret", ["", b""])
def test_desk_without_a_secret_is_refused(secret: str | bytes) -> None:
    with pytest.raises(ValueError, match="secret"):
        RedisDesk("redis://127.0.0.1:1", secret=secret)


def test_desk_works_when_its_user_may_touch_its_own_keys_alone(
    valkey_node: Any, watch: Watch
) -> None:
    word = "only for this test".replace(" ", "-")
    rights = ("~moss:*", "+@all", "-@dangerous", "-@admin")
    valkey_node.ask("ACL", "SETUSER", "moss", "on", f">{word}", *rights)
    url = f"redis://moss:{word}@127.0.0.1:{valkey_node.port}/0"

    with closing(patient_desk(url, watch)) as desk:
        assert hold(desk) == PENDING
        assert desk.pendings("default", "mina", now=NOW) == (PENDING,)
        assert desk.forget("default", "mina") == {"pendings": 1, "cache_keys": 0}
