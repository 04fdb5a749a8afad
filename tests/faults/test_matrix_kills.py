"""``kill -9`` at every statement and Desk call of a request; then it is asked again, three times.

A sample of the points runs by default, all of them three times over as a campaign.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

MORTAL = Path(__file__).with_name("mortal_service.py")
Kill = Callable[[int, Any], str]


@pytest.fixture
def kill(postgres_url: str, redis_url: str) -> Iterator[Kill]:
    """Return how to ask a promise of a service that dies at a point; says whether it did."""
    command = [sys.executable, str(MORTAL), postgres_url, redis_url]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()

    def at(point: int, promise: Any) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        asked = {"path": promise.path, "body": promise.body, "key": promise.key}
        process.stdin.write(json.dumps(asked | {"point": point}) + "\n")
        return process.stdout.readline().strip()

    yield at
    process.communicate()


@pytest.fixture
def service(serve: Any, postgres_url: str, redis_url: str) -> Any:
    """A service that lives, on the same database and Desk."""
    return serve(postgres_url, redis_url=SecretStr(redis_url))


class Day:
    """A day of its own for each point, with a meeting in its middle."""

    def __init__(self, service: Any, facts: Any, promise: Any, n: int) -> None:
        self.service, self.facts, self.n, self._promise = service, facts, n, promise
        self.at = 24 * n + 10

    def promise(self, kind: str) -> Any:
        """Prepare what a request of a kind needs, and return the request."""
        meeting = {"facts": [self.facts["meeting"](self.at)]}
        if kind == "create":
            return self._promise("/memories", meeting, f"create-{self.n}")
        self.service.http.post("/memories", json={"facts": [self.facts["day_off"](self.at)]})
        if kind == "hold":
            return self._promise("/memories", meeting, f"hold-{self.n}")
        held = self.service.http.post("/memories", json=meeting).json()["pending"]
        press = {"pending_id": held["pending_id"], "action": kind}
        return self._promise("/confirm", press, f"{kind}-{self.n}")

    def meetings(self) -> int:
        """Count the meetings of this day, of every status."""
        window = self.facts["meeting"](self.at)["when"]
        query = {"predicate": "meeting", "from": window["start"], "to": window["end"]}
        answer = self.service.http.get("/memories", params=query | {"status": "all"})
        return len(answer.json()["items"])


EFFECT = {"create": 1, "hold": 0, "keep_both": 1, "cancel": 0}


def survive(
    kind: str, points: range, kill: Kill, make_day: Callable[[int], Day], first: int = 0
) -> int:
    """Kill and repeat at each point; return the first that there was not, or the range's end.

    ``first`` is the day of point 0.
    """
    for point in points:
        day = make_day(first + point)
        promise = day.promise(kind)
        fate = kill(point, promise)
        assert day.meetings() in ({0, EFFECT[kind]} if fate == "killed" else {EFFECT[kind]}), point
        assert all(promise.ask_again(day.service.http) for _ in range(3)), (point, promise)
        assert day.meetings() == EFFECT[kind], point
        if kind in {"keep_both", "cancel"}:  # and under another key
            again = day.service.http.post("/confirm", json=promise.body)
            assert again.content == promise.told.content, point
        if fate == "done":
            return point
    return points.stop


@pytest.fixture
def make_day(service: Any, facts: Any, promise: Any) -> Callable[[int], Day]:
    return lambda n: Day(service, facts, promise, n)


def test_f30_request_killed_on_its_way_is_whole_or_absent_and_repeatable(
    kill: Kill, make_day: Any, sound: Any, postgres_url: str
) -> None:
    survive("create", range(2, 40, 9), kill, make_day)
    survive("hold", range(3, 70, 16), kill, make_day, first=100)
    survive("keep_both", range(4, 70, 13), kill, make_day, first=200)
    sound(postgres_url)


@pytest.mark.campaign
@pytest.mark.parametrize("round_", range(3))
@pytest.mark.parametrize("kind", EFFECT)
def test_f30_request_killed_at_every_point_is_whole_or_absent_and_repeatable(
    kind: str, round_: int, kill: Kill, make_day: Any, sound: Any, postgres_url: str
) -> None:
    last = survive(kind, range(1, 200), kill, make_day)
    print(f"F30 {kind}: {last - 1} points")  # noqa: T201
    sound(postgres_url)

    assert 20 <= last < 200
