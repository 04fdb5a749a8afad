"""How often a principal may chat, with Redis and without."""

from datetime import timedelta

import pytest

from moss_memory.adapters.chat_rate import ChatRate
from moss_memory.app import clock
from moss_memory.core.access import Caller
from moss_memory.core.errors import RateLimitedError

ALICE = Caller(tenant_id="default", principal_id="alice")
BOB = Caller(tenant_id="default", principal_id="bob")
ELSEWHERE = Caller(tenant_id="other", principal_id="alice")
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture(params=["in process", "in redis", "redis is down"])
def rate(request: pytest.FixtureRequest) -> ChatRate:
    url = {"in process": None, "redis is down": NOWHERE}.get(request.param)
    if request.param == "in redis":
        url = request.getfixturevalue("redis_url")
    return ChatRate(2, redis_url=url, clock=clock)


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


def test_workers_share_one_count_in_redis(redis_url: str) -> None:
    ChatRate(1, redis_url=redis_url, clock=clock).admit(ALICE)
    with pytest.raises(RateLimitedError):
        ChatRate(1, redis_url=redis_url, clock=clock).admit(ALICE)


def test_redis_is_asked_again_after_a_rest(redis_url: str) -> None:
    later = [timedelta(0)]
    rate = ChatRate(1, redis_url=NOWHERE, clock=lambda: clock() + later[0])
    rate.admit(ALICE)
    rate._shared = ChatRate(1, redis_url=redis_url, clock=clock)._shared

    with pytest.raises(RateLimitedError):
        rate.admit(ALICE)  # by its own count: Redis is left alone
    later[0] = timedelta(seconds=11)
    rate.admit(ALICE)  # the first that Redis counts
