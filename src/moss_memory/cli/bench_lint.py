"""``moss-memory bench lint``: how long the pure parts take, against the stated targets."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from statistics import median, quantiles
from typing import Final
from uuid import UUID

from moss_memory.cli import bench_store
from moss_memory.core.fact import Fact, Known, Memory, Proposal, Provenance
from moss_memory.core.interval import Interval
from moss_memory.core.linter import lint
from moss_memory.core.placing import place
from moss_memory.core.rules import Policy
from moss_memory.core.verify import check
from moss_memory.core.when import Instant, Series, WallClock

START: Final = datetime(2026, 7, 16, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of processor time a call, so that a busy machine does not count.

    ``target`` is for the median.
    """

    name: str
    median: float
    p95: float
    target: float

    @property
    def holds(self) -> bool:
        """Tell whether the target is met."""
        return self.median < self.target


def measure(policy: Policy, *, rounds: int = 200, stored: int = bench_store.STORED) -> list[Timing]:
    """Time linting, recurrence and proof on fixed inputs; some seconds, most to fill the store."""
    new = _proposal(START + 500 * HOUR)
    apart = [_known(n, START + 10 * n * HOUR) for n in range(100)]
    crowd = [_known(n, START + 500 * HOUR) for n in range(100)]
    weekly = WallClock(
        datetime(2026, 7, 16, 9),  # noqa: DTZ001  a wall time
        minutes=30,
        zone="Europe/Berlin",
        series=Series("FREQ=WEEKLY;COUNT=52"),
    )
    timed: list[tuple[str, Callable[[], object], float, int]] = [
        ("lint, 100 memories over six weeks", lambda: lint([new], apart, policy), 300e-6, rounds),
        ("lint, 100 memories at one hour", lambda: lint([new], crowd, policy), 10e-3, rounds),
        ("a weekly rule over a year", lambda: _placed(weekly), 3e-3, rounds),
        ("proof of the rule table", lambda: check(policy.rules), 1.0, 5),
    ]
    with bench_store.filled(policy, [_stored(n) for n in range(stored)], START) as store:
        judging = bench_store.judging(store, new, policy)
        from_database = _timed(f"lint, {stored:,} memories in SQLite", judging, 2e-3, rounds)
    return [*(_timed(*case) for case in timed), from_database]


def _stored(number: int) -> Memory:
    """Return one of 10,000 meetings of half an hour, one an hour: over a year of them."""
    start = START + number * HOUR
    window = Interval(start, start + HOUR / 2)
    memory = _known(number, start).memory
    when = Instant(window.start, window.end)
    return replace(
        memory, memory_id=str(UUID(int=number)), windows=(window,), valid_until=window.end,
        epoch=1, fact=replace(memory.fact, when=when),
    )  # fmt: skip


def _placed(when: WallClock) -> object:
    return place(when, owner_zone="UTC", default_minutes=60, horizon=START)


def _timed(name: str, call: Callable[[], object], target: float, rounds: int) -> Timing:
    times = []
    for _ in range(rounds):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return Timing(name, median(times), quantiles(times, n=20)[-1], target)


def _fact(start: datetime, title: str) -> Fact:
    return Fact(
        domain="Schedule", subject="Calendar", predicate="meeting", object_value=title,
        scope_id="me", observed_at=START, when=Instant(start, start + HOUR),
    )  # fmt: skip


def _proposal(start: datetime) -> Proposal:
    return Proposal(
        _fact(start, "New"), "me", (Interval(start, start + HOUR),), start, start + HOUR
    )


def _known(number: int, start: datetime) -> Known:
    memory = Memory(
        memory_id=f"m{number}", revision=1, tenant_id="default", principal_id="me", owner="me",
        fact=_fact(start, f"Meeting {number}"), windows=(Interval(start, start + HOUR),),
        valid_from=start, valid_until=start + HOUR, recorded_at=START, created_at=START,
        provenance=Provenance(decision_id="bench"),
    )  # fmt: skip
    return Known(memory)


def report(timings: Sequence[Timing]) -> str:
    """Say each figure beside its target."""
    lines = [
        f"{t.name:40s} {t.median * 1e6:10.0f} us  p95 {t.p95 * 1e6:8.0f} us"
        f"  target {t.target * 1e6:.0f} us  {'holds' if t.holds else 'MISSED'}"
        for t in timings
    ]
    return "\n".join(lines)


def told(timings: Sequence[Timing]) -> str:
    """Return the figures as one JSON object: seconds of processor time, and what holds."""
    return json.dumps({"figures": [asdict(each) | {"holds": each.holds} for each in timings]})
