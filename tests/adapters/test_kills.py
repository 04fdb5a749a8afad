"""``kill -9`` before any step or statement of a write: nothing of it is there, or all of it is.

After each kill the same request comes again, twice, and has one effect in the end. A sample of
the points runs by default, all of them three times as a campaign.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.fact import Memory
from moss_memory.core.interval import Interval
from moss_memory.flow.ports import Query

MORTAL = Path(__file__).with_name("mortal.py")
TENANT = "default"
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
OWNERS = {"create": "cat", "confirm": "dan"}


@pytest.fixture
def mortal(database_url: str) -> Iterator[Callable[[int, str], str]]:
    """Kills a write at a point; says whether it got that far."""
    command = [sys.executable, str(MORTAL), database_url]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()

    def kill(point: int, kind: str) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{point} {kind}\n")
        return process.stdout.readline().strip()

    yield kill
    process.communicate()


def there(memory: SqlMemory, kind: str, point: int) -> list[Memory]:
    """Return the active memories of a kind at the point's own slot."""
    start = START + point * timedelta(days=1)
    slot = Interval(start, start + timedelta(hours=1))
    asked = Query(scopes=(OWNERS[kind],), now=START, overlaps=slot)
    return list(memory.page(TENANT, asked).items)


def standing(scribe: Any, point: int) -> None:
    """Put what a confirm replaces into its slot."""
    start = START + point * timedelta(days=1)
    slot = Interval(start, start + timedelta(hours=1))
    scribe.create(scribe.draft(scribe.fact("old", scope="dan"), slot))


def survive(
    kind: str, points: range, mortal: Any, writes: Any, scribe: Any, memory: SqlMemory
) -> int:
    """Kill and repeat at each point; how many points there were."""
    for point in points:
        if kind == "confirm":
            standing(scribe, point)
        before = [each.fact.object_value for each in there(memory, kind, point)]
        killed = mortal(point, kind)
        after = [each.fact.object_value for each in there(memory, kind, point)]
        whole = ["fresh"] if kind == "create" else ["new"]
        assert after in ([before, whole] if killed == "killed" else [whole]), point

        answers = [writes[kind](scribe, point) for _ in range(2)]
        assert [each.fact.object_value for each in there(memory, kind, point)] == whole, point
        assert not isinstance(answers[1], Memory), point
        if killed == "done":
            assert memory.verify(TENANT).ok
            return point
    assert memory.verify(TENANT).ok
    return points.stop


@pytest.mark.parametrize("kind", OWNERS)
def test_killed_write_is_whole_or_absent(
    kind: str, mortal: Any, writes: Any, scribe: Any, memory: SqlMemory
):
    """F30."""
    survive(kind, range(1, 60, 5), mortal, writes, scribe, memory)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", OWNERS)
def test_write_killed_at_every_step_is_whole_or_absent(
    kind: str, mortal: Any, writes: Any, scribe: Any, memory: SqlMemory
):
    """F30."""
    last = survive(kind, range(1, 100), mortal, writes, scribe, memory)

    assert last > 15  # steps and statements, each one killed at
