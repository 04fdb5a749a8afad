"""How often a principal may chat, with Redis and without."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest
from redis import Redis

from broken_servers import until
from moss_memory.adapters.chat_rate import ChatRate
from moss_memory.app import clock
from moss_memory.core.access import Caller
from moss_memory.core.errors import RateLimitedError

ALICE = Caller(tenant_id="default", principal_id="alice")
BOB = Caller(tenant_id="default", principal_id="bob")
ELSEWHERE = Caller(tenant_id="other", principal_id="alice")
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture(params=["in process", "in redis", "redis is down"])
def rate(request: pytest.FixtureRequest) -> Iterator[ChatRate]:
    url = {"in process": None, "redis is down": NOWHERE}.get(request.param)
    if request.param == "in redis":
        url = request.getfixturevalue("redis_url")
    with closing(ChatRate(2, redis_url=url, clock=clock)) as rate:
        yield rate


def test_utterance_above_the_limit_is_refused_with_the_time_to_wait(rate: ChatRate) -> None:
    rate.admit(ALICE)
    rate.admit(ALICE)
    with pytest.raises(RateLimitedError) as refused:
        rate.admit(ALICE)

    wait = refused.value.members["retry_after"]
    assert isinstance(wait, int)
    assert 1 <= wait <= 60


def test_principals_are_counted_apart_and_tenants_too(rate: ChatRate) -> None:
    for caller in (ALICE, BOB, ELSEWHERE):
        rate.admit(caller)
        rate.admit(caller)


@pytest.fixture
def workers(redis_url: str) -> Iterator[tuple[ChatRate, ChatRate]]:
    with (
        closing(ChatRate(1, redis_url=redis_url, clock=clock)) as one,
        closing(ChatRate(1, redis_url=redis_url, clock=clock)) as other,
    ):
        yield one, other


def test_workers_share_one_count_in_redis(workers: tuple[ChatRate, ChatRate]) -> None:
    one, other = workers
    one.admit(ALICE)
    with pytest.raises(RateLimitedError):
        other.admit(ALICE)


def test_no_connection_to_redis_is_left_when_it_is_closed(
    workers: tuple[ChatRate, ChatRate], redis_url: str
) -> None:
    def clients() -> set[str]:
        with closing(Redis.from_url(redis_url)) as client:
            return {each["id"] for each in client.client_list()} - {str(client.client_id())}

    before = clients()
    workers[0].admit(ALICE)
    ours = clients() - before
    workers[0].close()

    assert ours
    until(lambda: not ours & clients())


def test_redis_is_asked_again_after_a_rest(workers: tuple[ChatRate, ChatRate]) -> None:
    later = [timedelta(0)]
    rate = ChatRate(1, redis_url=NOWHERE, clock=lambda: clock() + later[0])
    rate.admit(ALICE)
    rate._shared = workers[0]._shared

    with pytest.raises(RateLimitedError):
        rate.admit(ALICE)  # by its own count: Redis is left alone
    later[0] = timedelta(seconds=11)
    rate.admit(ALICE)  # the first that Redis counts
