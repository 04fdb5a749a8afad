"""Sixteen writers in two processes for one slot: one wins, nobody fails."""

import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.errors import IdempotencyInProgressError
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import IdempotencyKey, Replay

RACER = Path(__file__).with_name("racer.py")
TENANT = "default"
PROCESSES = 2
WRITERS = 8  # a process


def race(url: str, rounds: int) -> Counter[str]:
    command = [sys.executable, str(RACER), url, str(WRITERS), str(rounds)]
    racers = [
        subprocess.Popen(
            [*command, f"p{number}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for number in range(PROCESSES)
    ]
    for racer in racers:
        assert racer.stdout is not None
        racer.stdout.readline()
    for racer in racers:  # all are ready: go
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    total: Counter[str] = Counter()
    for racer in racers:
        total.update(json.loads(racer.communicate()[0]))
    return total


def nobody_loses_out(url: str, rounds: int, memory: SqlMemory) -> None:
    expected = Counter({"won": rounds, "lost": (PROCESSES * WRITERS - 1) * rounds})

    assert race(url, rounds) == expected
    assert memory.verify(TENANT).ok


def test_moss_m49_one_of_sixteen_writers_gets_the_slot(database_url: str, memory: SqlMemory):
    nobody_loses_out(database_url, 4, memory)


@pytest.mark.campaign
def test_one_of_sixteen_writers_gets_the_slot_a_thousand_times(
    database_url: str, memory: SqlMemory
):
    """F16."""
    nobody_loses_out(database_url, 1000, memory)


def together(works: list[Any]) -> list[Any]:
    """Run all at once; errors are results."""
    results: list[Any] = []
    start = threading.Barrier(len(works))

    def run(work: Any) -> None:
        start.wait()
        try:
            results.append(work())
        except Exception as error:  # noqa: BLE001 - the test looks at it
            results.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("round_", range(3))
def test_equal_requests_at_once_have_one_effect(round_: int, scribe: Any, memory: SqlMemory):
    key = IdempotencyKey("POST /memories", "k", "h")
    drafts = [scribe.draft(scribe.fact()) for _ in range(20)]
    came = together([lambda d=draft: scribe.create(d, idempotency=key) for draft in drafts])
    first = [each for each in came if isinstance(each, Memory)]
    others = [each for each in came if not isinstance(each, Memory)]

    assert len(first) == 1
    assert all(isinstance(each, Replay | IdempotencyInProgressError) for each in others)
    assert {each.receipt.facts for each in others if isinstance(each, Replay)} == {
        ((first[0].memory_id, 1),)
    }


def test_writers_of_two_spaces_in_either_order_do_not_deadlock(scribe: Any, memory: SqlMemory):
    """F17."""

    def write(number: int, owners: tuple[str, str]) -> Any:
        drafts = [scribe.draft(scribe.fact(scope=owner, predicate="note")) for owner in owners]
        return scribe.write(drafts, lint=False, principal_id=owners[number % 2])

    came = together([
        lambda n=n: write(n, ("ana", "team") if n % 4 < 2 else ("team", "ana")) for n in range(16)
    ])  # fmt: skip

    assert [each for each in came if not isinstance(each, Memory)] == []
    assert memory.verify(TENANT).ok
