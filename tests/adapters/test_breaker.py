"""The circuit breaker, told by a clock that stands still."""

from collections.abc import Callable

import pytest

from moss_memory.adapters.breaker import Breaker


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def breaker(watch: Watch) -> Breaker:
    return Breaker(monotonic=watch)


def times(number: int, act: Callable[[], object]) -> None:
    for _ in range(number):
        act()


def test_circuit_is_closed_at_first(breaker: Breaker) -> None:
    assert breaker.allow()
    assert breaker.wait() == 0


@pytest.mark.parametrize(("failures", "open_"), [(4, False), (5, True), (6, True)])
def test_circuit_opens_at_the_fifth_failure_in_a_row(
    breaker: Breaker, failures: int, *, open_: bool
) -> None:
    times(failures, breaker.fail)

    assert breaker.allow() is not open_


def test_a_success_between_failures_starts_the_count_anew(breaker: Breaker) -> None:
    times(4, breaker.fail)
    breaker.succeed()
    times(4, breaker.fail)

    assert breaker.allow()


def test_one_caller_at_a_time_is_let_through_when_the_rest_is_over(
    breaker: Breaker, watch: Watch
) -> None:
    times(5, breaker.fail)
    watch.seconds = 10.0

    assert [breaker.allow() for _ in range(3)] == [True, False, False]


def test_another_caller_is_let_through_when_the_trial_never_comes_back(
    breaker: Breaker, watch: Watch
) -> None:
    times(5, breaker.fail)
    watch.seconds = 10.0
    breaker.allow()
    watch.seconds = 11.0

    assert breaker.allow()


def test_circuit_rests_again_when_the_trial_fails(breaker: Breaker, watch: Watch) -> None:
    times(5, breaker.fail)
    watch.seconds = 10.0
    breaker.allow()
    breaker.fail()
    watch.seconds = 19.9

    assert not breaker.allow()


def test_circuit_closes_when_the_trial_succeeds(breaker: Breaker, watch: Watch) -> None:
    times(5, breaker.fail)
    watch.seconds = 10.0
    breaker.allow()
    breaker.succeed()

    assert [breaker.allow() for _ in range(3)] == [True, True, True]


def test_one_slow_failure_pauses_for_a_second(breaker: Breaker, watch: Watch) -> None:
    breaker.fail(slow=True)

    assert not breaker.allow()
    assert breaker.wait() == 1.0
    watch.seconds = 1.0
    assert breaker.allow()
