"""Two proposals for one slot over real connections, in every order of their steps.

Each writer stops before its next step until the schedule lets it go; one that waits in the
database lets the other go on. Whatever the order, one memory stands at the end. A sample runs by
default, all schedules as a campaign.
"""

import itertools
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from moss_memory.adapters.sql_database import Database
from moss_memory.adapters.sql_engine import connect
from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.adapters.sql_types import micros
from moss_memory.core.errors import PrincipalErasedError
from moss_memory.core.interval import Interval

TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
PATIENCE = 0.03  # seconds until a step counts as waiting in the database

Work = Callable[[Callable[[str], None]], object]


def schedules(first: int, second: int) -> list[tuple[int, ...]]:
    """Return every order of so many steps of writer 0 and of writer 1."""
    places = itertools.combinations(range(first + second), first)
    return [tuple(0 if at in zeros else 1 for at in range(first + second)) for zeros in places]


class Writer:
    """A thread that stops at each step until it may go on."""

    def __init__(self, work: Work) -> None:
        self._may_go = threading.Semaphore(0)
        self._arrived = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self.result: object = None
        self._thread.start()
        self._arrived.wait(5)

    def _run(self, work: Work) -> None:
        try:
            self.result = work(self.stop)
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.result = error
        self._arrived.set()

    def stop(self, _step: str) -> None:
        self._arrived.set()
        assert self._may_go.acquire(timeout=10)

    def step(self) -> None:
        """Let it go on to its next stop, its end, or until it waits in the database."""
        self._arrived.clear()
        self._may_go.release()
        self._arrived.wait(PATIENCE)

    def finish(self) -> object:
        for _ in range(50):  # retries stop again at each step
            self._may_go.release()
        self._thread.join(10)
        assert not self._thread.is_alive()
        return self.result


def play(schedule: Sequence[int], *works: Work) -> list[object]:
    writers = [Writer(work) for work in works]
    for number in schedule:
        writers[number].step()
    return [writer.finish() for writer in writers]


def local_stop(local: threading.local) -> Callable[[str], None]:
    """Return the stop of whichever writer's thread asks."""
    return lambda step: None if step == "statement" else local.stop(step)


@pytest.fixture
def proposing(open_memory: Any, scribe_on: Any) -> Callable[[int, str], Work]:
    """Makes the work of one proposal: a meeting at the hour of its round."""
    local = threading.local()
    stores = [open_memory(passing=local_stop(local)) for _ in range(2)]

    def propose(number: int, owner: str) -> Work:
        scribe = scribe_on(stores[number], f"{owner}w{number}")

        def work(stop: Callable[[str], None]) -> object:
            local.stop = stop
            return scribe.create(scribe.draft(scribe.fact(scope=owner)))

        return work

    return propose


def standing(memory: SqlMemory, scribe: Any, owner: str) -> int:
    probes = scribe.probes([scribe.draft(scribe.fact(scope=owner))])
    return len(memory.candidates(TENANT, probes)[0])


STEPS = 4  # before claim, load, decide, commit


def one_stands(
    picked: Sequence[Sequence[int]], proposing: Any, memory: SqlMemory, scribe: Any
) -> None:
    for round_, schedule in enumerate(picked):
        owner = f"p{round_}"
        results = play(schedule, proposing(0, owner), proposing(1, owner))
        won = [each for each in results if getattr(each, "active", False)]
        lost = [each for each in results if isinstance(each, list)]

        assert (len(won), len(lost)) == (1, 1), (schedule, results)
        assert standing(memory, scribe, owner) == 1, schedule


def test_one_of_two_proposals_stands(proposing: Any, memory: SqlMemory, scribe: Any):
    """Property 29."""

    one_stands(schedules(STEPS, STEPS)[::10], proposing, memory, scribe)


@pytest.mark.campaign
def test_one_of_two_proposals_stands_in_every_order(proposing: Any, memory: SqlMemory, scribe: Any):
    one_stands(schedules(STEPS, STEPS), proposing, memory, scribe)


def rogue(url: str, memory_id: str, *, isolation: str = "") -> Work:
    """Return the work of a writer that never lints: it moves a memory's window onto the slot."""
    moved = {
        "start": micros(START),
        "end": micros(START + HOUR),
        "memory_id": memory_id,
    }

    def work(stop: Callable[[str], None]) -> object:
        engine = connect(url)
        try:
            with engine.connect() as connection:
                stop("begin")
                begin = "BEGIN" if connection.dialect.name == "sqlite" else f"BEGIN {isolation}"
                connection.execute(text(begin))
                stop("read")
                connection.execute(text("SELECT count(*) FROM occurrence")).all()
                stop("write")
                connection.execute(
                    text("UPDATE occurrence SET starts_at = :start, lint_from = :start,"
                         " ends_at = :end, lint_until = :end WHERE memory_id = :memory_id"), moved,
                )  # fmt: skip
                stop("commit")
                connection.execute(text("COMMIT"))
                return "moved"
        finally:
            engine.dispose()

    return work


def rogue_is_kept_out(
    picked: Sequence[Sequence[int]], isolation: str, url: str, proposing: Any, memory: SqlMemory,
    scribe: Any, **fields: Any,
) -> None:  # fmt: skip
    for round_, schedule in enumerate(picked):
        owner = f"p{round_}"
        aside = Interval(START + 9 * DAY, START + 9 * DAY + HOUR)
        other = scribe.create(scribe.draft(scribe.fact(scope=owner, **fields), aside))
        play(schedule, proposing(0, owner), rogue(url, other.memory_id, isolation=isolation))

        assert standing(memory, scribe, owner) == 1, schedule


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ"])
def test_writer_that_never_lints_books_nothing_twice(
    isolation: str, database_url: str, proposing: Any, memory: SqlMemory, scribe: Any
):
    picked = schedules(STEPS, STEPS)[3::12]

    rogue_is_kept_out(
        picked, f"ISOLATION LEVEL {isolation}", database_url, proposing, memory, scribe
    )


def test_vacation_that_is_never_linted_is_not_laid_over_a_meeting(
    database_url: str, proposing: Any, memory: SqlMemory, scribe: Any
):
    level, vacation = "ISOLATION LEVEL READ COMMITTED", {"predicate": "vacation"}
    picked = schedules(STEPS, STEPS)[5::12]

    rogue_is_kept_out(picked, level, database_url, proposing, memory, scribe, **vacation)


@pytest.mark.campaign
@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ"])
def test_writer_that_never_lints_books_nothing_twice_in_any_order(
    isolation: str, database_url: str, proposing: Any, memory: SqlMemory, scribe: Any
):
    picked = schedules(STEPS, STEPS)

    rogue_is_kept_out(
        picked, f"ISOLATION LEVEL {isolation}", database_url, proposing, memory, scribe
    )


def erasing(url: str, owner: str) -> Work:
    """Makes the work of an erasure, which stops where a write does."""

    def work(stop: Callable[[str], None]) -> object:
        database = Database(url, passing=lambda step: None if step == "statement" else stop(step))
        try:
            return SqlErasures(database).erase(TENANT, owner, erasure_id=f"e{owner}", by="admin")
        finally:
            database.close()

    return work


def nothing_outlives_it(
    picked: Sequence[Sequence[int]], url: str, proposing: Any, memory: SqlMemory
) -> None:
    for round_, schedule in enumerate(picked):
        owner = f"p{round_}"  # new, and so is the space that is written into
        wrote, erased = play(schedule, proposing(0, owner), erasing(url, owner))
        with memory.database.engine.connect() as connection:
            words = connection.execute(
                text("SELECT count(*) FROM payload JOIN memory_head USING (tenant_id, memory_id)"
                     " WHERE owner = :owner"), {"owner": owner},
            ).scalar()  # fmt: skip

        assert words == 0, (schedule, wrote, erased)
        assert isinstance(erased, dict), (schedule, erased)
        assert isinstance(wrote, PrincipalErasedError) or erased["memories"] == 1, schedule
    assert memory.verify(TENANT).ok


def test_write_into_a_new_space_never_outlives_an_erasure(
    database_url: str, proposing: Any, memory: SqlMemory
):
    nothing_outlives_it(schedules(STEPS, STEPS)[::8], database_url, proposing, memory)


@pytest.mark.campaign
def test_write_into_a_new_space_never_outlives_an_erasure_in_any_order(
    database_url: str, proposing: Any, memory: SqlMemory
):
    nothing_outlives_it(schedules(STEPS, STEPS), database_url, proposing, memory)
