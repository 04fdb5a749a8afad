"""Dies in the middle of a request: ``python mortal_service.py DATABASE REDIS``, then JSON lines.

For each line ``{"point", "path", "body", "key", "principal"}`` on stdin a child serves one
request, and is killed (SIGKILL) at that point: counted over every step and statement of the store,
and before and after every call of the Desk. The answer is ``killed``, or ``done`` where there were
not so many.
"""

import io
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import httpx2
from pydantic import SecretStr

from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.settings import Settings


class MortalDesk:
    """A Desk each of whose calls is two points to die at."""

    def __init__(self, desk: Any, passing: Callable[[str], None]) -> None:
        self._desk, self._passing = desk, passing

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._desk, name)

        def call(*args: Any, **named: Any) -> Any:
            self._passing(name)
            came = found(*args, **named)
            self._passing(name)
            return came

        return call


def die(app: Any, order: dict[str, Any]) -> None:
    """Serve one request in this process and kill it at the point."""
    points = count(1)

    def passing(_step: str) -> None:
        if next(points) == order["point"]:
            os.kill(os.getpid(), signal.SIGKILL)

    house = app.state.house
    house.memory.database.passing = passing
    app.state.house = replace(house, desk=MortalDesk(house.desk, passing))
    named = {
        "Authorization": f"Bearer dev:{order['principal']}",
        "Idempotency-Key": order["key"],
    }
    with in_background(app) as base, httpx2.Client(base_url=base, verify=False) as http:
        http.post(order["path"], json=order["body"], headers=named, timeout=30)


def main(database_url: str, redis_url: str) -> None:
    settings = Settings(database_url=SecretStr(database_url), redis_url=SecretStr(redis_url))
    app = create_app(settings, lines=io.StringIO())
    app.state.house.memory.database.close()  # a child inherits no connection
    print("ready", flush=True)  # noqa: T201 - the test reads it
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            die(app, json.loads(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else "done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
