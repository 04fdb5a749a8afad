"""``kill -9`` at every statement and Desk call of a request; then it is asked again, three times.

A sample of the points runs by default, all of them three times over as a campaign.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
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
        asked = {name: getattr(promise, name) for name in ("path", "body", "key", "principal")}
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
        self.who = f"ann{n}"  # of its own: open questions are limited
        self._named = {"Authorization": f"Bearer dev:{self.who}"}

    def promise(self, kind: str) -> Any:
        """Prepare what a request of a kind needs, and return the request."""
        meeting = {"facts": [self.facts["meeting"](self.at)]}
        if kind == "create":
            return self._promise("/memories", meeting, "create", self.who)
        self.post("/memories", {"facts": [self.facts["day_off"](self.at)]})
        if kind == "hold":
            return self._promise("/memories", meeting, "hold", self.who)
        held = self.post("/memories", meeting).json()["pending"]
        press = {"pending_id": held["pending_id"], "action": kind}
        return self._promise("/confirm", press, kind, self.who)

    def post(self, path: str, body: dict[str, Any]) -> httpx2.Response:
        answer: httpx2.Response = self.service.http.post(path, json=body, headers=self._named)
        return answer

    def meetings(self) -> int:
        """Count the meetings of its principal, of every status."""
        query = {"predicate": "meeting", "status": "all"}
        answer = self.service.http.get("/memories", params=query, headers=self._named)
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
            again = day.post("/confirm", promise.body)
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

    assert 10 <= last < 200
