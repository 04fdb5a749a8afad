"""``kill -9`` at any step of a request, its calls of the Desk included: the promises hold.

A request that writes, one that asks, and both answers to a question die before each statement,
before and behind each call of the Desk, and come again twice. A sample of the points runs by
default; all of them, three times over, as a campaign.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from moss_memory.adapters.sql_audit import audit
from moss_memory.core.access import Caller
from moss_memory.flow import reading, settle
from moss_memory.flow.ports import House
from moss_memory.flow.requests import Circumstances, ListRequest

MORTAL = Path(__file__).with_name("mortal_house.py")
TENANT = "default"
KINDS = ("write", "ask", "keep_both", "replace_old", "cancel")
WHOLE = {
    "write": ["new", "note"],
    "ask": ["old"],
    "keep_both": ["new", "old"],
    "replace_old": ["new"],
    "cancel": ["old"],
}


@pytest.fixture(scope="session")
def mortals() -> ModuleType:
    """The requests that are killed."""
    spec = importlib.util.spec_from_file_location("mortal_house", MORTAL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def living(database_url: str, redis_url: str, mortals: ModuleType) -> Iterator[House]:
    """The house of those who survive."""
    house = mortals.house(database_url, redis_url, mortals.policy())
    yield house
    house.memory.close()
    house.desk.close()


@pytest.fixture
def kill(database_url: str, redis_url: str) -> Iterator[Callable[..., str]]:
    """Kills a request at a point; says whether it got that far."""
    process = subprocess.Popen(
        [sys.executable, str(MORTAL), database_url, redis_url],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None
    assert stdout.readline() == "ready\n"

    def dies(*words: object) -> str:
        stdin.write(" ".join(map(str, words)) + "\n")
        return stdout.readline().strip()

    yield dies
    process.communicate()


def titles(house: House, who: str) -> list[str]:
    caller = Caller(tenant_id=TENANT, principal_id=who)
    found = reading.listing(house, caller, ListRequest()).items
    return sorted(memory.fact.object_value for memory in found)


def questions(house: House, who: str) -> list[str]:
    caller = Caller(tenant_id=TENANT, principal_id=who)
    around = Circumstances(request_id="r")
    return [each.pending_id for each in settle.open_questions(house, caller, around)]


def prepared(house: House, mortals: Any, kind: str, who: str) -> str:
    """Bring about what a request needs; return the question that it answers, or a word for none."""
    if kind == "write":
        return "none"
    mortals.propose(house, who, mortals.fact("old"))
    if kind == "ask":
        return "none"
    asked = mortals.propose(house, who, mortals.fact("new"), what="asked")
    return str(asked.pending.pending_id)


def survive(kind: str, points: range, round_: int, house: House, mortals: Any, kill: Any) -> int:
    """Kill and repeat at each point; return how many points there were."""
    for point in points:
        who = f"{kind}-{round_}-{point}"
        pending_id = prepared(house, mortals, kind, who)
        before = titles(house, who)
        killed = kill(point, kind, who, pending_id)
        after = titles(house, who)
        assert after in ([before, WHOLE[kind]] if killed == "killed" else [WHOLE[kind]]), who

        first, second = (mortals.request(house, kind, who, pending_id) for _ in range(2))
        assert titles(house, who) == WHOLE[kind], who
        assert (first.status, first.decision_id) == (second.status, second.decision_id), who
        assert len(questions(house, who)) == (kind == "ask"), who
        assert house.memory.decision(TENANT, decision_id=first.decision_id), who
        if killed == "done":
            return point
    return points.stop


def broken(house: Any) -> dict[str, object]:
    """Return what is broken in the store, by its name."""
    found: dict[str, object] = dict(audit(house.memory.database, TENANT))
    found["first_bad"] = house.memory.verify(TENANT).first_bad
    return {name: value for name, value in found.items() if value}


@pytest.mark.parametrize("kind", KINDS)
def test_killed_request_keeps_every_promise(kind: str, living: House, mortals: Any, kill: Any):
    """Property 32. Rows 28 and 29."""
    survive(kind, range(1, 60, 11), 0, living, mortals, kill)

    assert broken(living) == {}


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
def test_request_killed_at_every_step_three_times_keeps_every_promise(
    kind: str, living: House, mortals: Any, kill: Any
):
    for round_ in range(3):
        assert survive(kind, range(1, 200), round_, living, mortals, kill) > 20
        assert broken(living) == {}
