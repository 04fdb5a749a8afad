"""The Desk while somebody else writes to its Redis: what is not ours is absent."""

import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis

from moss_memory.adapters.desk_values import SCHEMA
from moss_memory.adapters.redis_desk import RedisDesk
from moss_memory.adapters.redis_keys import pending_place
from moss_memory.adapters.redis_link import RedisLink
from moss_memory.adapters.redis_seal import Seal
from moss_memory.core.errors import PendingStoreUnavailableError
from moss_memory.core.fact import Fact
from moss_memory.flow.ports import Pending, ReferenceFacts, Session

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
    actions=("cancel",),
    decision_id="d1",
    expires_at=SOON,
    fingerprint="f1",
    rules_version="r1",
    timezone="UTC",
    locale="ko",
)
SESSION = Session(session_id="s", tenant_id="default", principal_id="mina", expires_at=SOON)
PLACE = pending_place("default", "mina", "p1")


@pytest.fixture
def desk(redis_url: str) -> Iterator[RedisDesk]:
    link = RedisLink(redis_url, connect=10, call=10)  # the machine may be busy
    with closing(RedisDesk(redis_url, secret=SECRET, link=link)) as desk:
        yield desk


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    with closing(redis.Redis.from_url(redis_url, protocol=2)) as connected:
        yield connected


def hold(desk: RedisDesk, pending: Pending = PENDING) -> Pending:
    return desk.hold(pending, cap=20, now=NOW)


def read(desk: RedisDesk) -> Pending | None:
    return desk.pending("default", "p1", now=NOW)


def resealed(key: str, **head: object) -> str:
    """Seal a question with our own secret, another head."""
    seal = Seal(SECRET)
    content = seal.close(PLACE, PENDING, SOON).partition(" ")[2]
    for name, value in head.items():
        known = {"schema": SCHEMA, "kind": "Pending", "tenant": "default", "principal": "mina"}
        content = content.replace(f'"{name}":"{known[name]}"', f'"{name}":"{value}"', 1)
    return f"{seal._mac(key, content.encode())} {content}"


def flipped(sealed: str) -> str:
    return sealed.replace("meeting", "meetinG")


FORGERIES = {
    "no seal at all": ("anything", None),
    "not even text": (b"\xff\xfe \xff", None),
    "nothing": ("", None),
    "another secret": (Seal("salt" * 8).close(PLACE, PENDING, SOON), "mac"),
    "a changed word": (flipped(resealed(PLACE.key)), "mac"),
    "another key's value": (resealed(PLACE.key + "0"), "mac"),
    "another release": (resealed(PLACE.key, schema="0123456789ab"), "schema"),
    "another kind": (resealed(PLACE.key, kind="Session"), "kind"),
    "another tenant": (resealed(PLACE.key, tenant="other"), "tenant"),
    "another principal": (resealed(PLACE.key, principal="joon"), "principal"),
}


@pytest.mark.parametrize(("value", "fault"), FORGERIES.values(), ids=FORGERIES)
def test_value_that_is_not_ours_is_absent_and_named_without_its_words(
    desk: RedisDesk,
    client: Any,
    caplog: pytest.LogCaptureFixture,
    value: str | bytes,
    fault: str | None,
) -> None:
    """F07."""
    hold(desk)
    client.execute_command("SET", PLACE.key, value)

    with caplog.at_level(logging.WARNING):
        assert read(desk) is None
    assert caplog.messages == [f"desk value refused: {fault or 'mac'}"]


def test_value_sealed_as_it_should_be_is_read(desk: RedisDesk, client: Any) -> None:
    hold(desk)
    client.execute_command("SET", PLACE.key, resealed(PLACE.key))

    assert read(desk) == PENDING


@pytest.mark.parametrize("value", ["anything", resealed(PLACE.key, schema="0123456789ab")])
def test_forged_question_does_not_stand_for_the_same_one(
    desk: RedisDesk, client: Any, value: str
) -> None:
    hold(desk)
    client.execute_command("SET", PLACE.key, value)
    again = replace(PENDING, pending_id="p2")

    assert desk.pendings("default", "mina", now=NOW) == ()
    assert hold(desk, again) == again


def test_question_of_another_is_not_listed_when_a_list_was_forged(
    desk: RedisDesk, client: Any
) -> None:
    hold(desk)
    client.execute_command("ZADD", "moss:{default}::scope:joon", 9e15, "mina p1")

    assert desk.pendings("default", "joon", scope_ids=("joon",), now=NOW) == ()


def test_foreign_kind_of_value_is_absent_and_overwritten(desk: RedisDesk, client: Any) -> None:
    key = "moss:{default}:mina:session:s"
    client.execute_command("RPUSH", key, "words")

    assert desk.session("default", "mina", "s", now=NOW) is None
    desk.keep_session(SESSION, now=NOW)
    assert desk.session("default", "mina", "s", now=NOW) == SESSION


def test_holding_is_refused_when_a_list_is_something_else(desk: RedisDesk, client: Any) -> None:
    client.execute_command("SET", "moss:{default}:mina:pendings", "words")

    with pytest.raises(PendingStoreUnavailableError):
        hold(desk)
    assert desk.check() == "ok"


def test_forged_epoch_keeps_nothing_out_for_long(desk: RedisDesk, client: Any) -> None:
    facts = ReferenceFacts(
        space=("mina", "Schedule"),
        epoch=1,
        rules_version="r",
        grants_hash="g",
        read_at=NOW,
        memories=(),
    )
    client.execute_command("SET", "moss:{default}:mina:reference:Schedule", '{"epoch":9,"x":1}')

    desk.keep_reference("default", "mina", facts, now=NOW)

    assert desk.reference("default", "mina", ("mina", "Schedule"), now=NOW) == facts
