"""Dies in the middle of a request: ``python mortal_house.py URL REDIS``, then lines to stdin.

A line is ``POINT KIND WHO PENDING``: a child runs the request of that kind for that person and is
killed (SIGKILL) at that step, counted over all steps, statements and calls of the Desk, before
each and behind each of the Desk's. The answer is ``killed``, or ``done`` where there were not so
many. Imported, it gives the same requests to the test.
"""

import os
import secrets
import signal
import sys
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import resources
from itertools import count
from typing import Any

from moss_memory.adapters.redis_desk import RedisDesk
from moss_memory.adapters.redis_link import RedisLink
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.access import Caller
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant
from moss_memory.flow import record, settle
from moss_memory.flow.ports import Defaults, House, IdempotencyKey
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ProposeRequest

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
SECRET = "of the killed and of the living " * 2
Passing = Callable[[str], None]


class PassingDesk:
    """A Desk that says so before and behind each call."""

    def __init__(self, desk: RedisDesk, passing: Passing) -> None:
        self._desk = desk
        self._passing = passing

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._desk, name)

        def passed(*args: Any, **given: Any) -> Any:
            self._passing(f"before {name}")
            answer = call(*args, **given)
            self._passing(f"behind {name}")
            return answer

        return passed


def policy() -> Policy:
    shipped = resources.files("moss_memory") / "policy"
    texts = [(shipped / f"{name}.toml").read_text("utf-8") for name in ("ontology", "rules")]
    return Policy.from_data(*map(tomllib.loads, texts))


def house(url: str, redis_url: str, rules: Policy, passing: Passing = lambda _step: None) -> House:
    patient = RedisLink(redis_url, connect=5, call=5)  # a busy machine is no outage
    return House(
        memory=SqlMemory(url, ontology=rules.ontology, passing=passing),
        desk=PassingDesk(RedisDesk(redis_url, secret=SECRET, link=patient), passing),
        parser=None,  # type: ignore[arg-type]  # nothing is said here
        writer=None,
        policy=rules,
        clock=lambda: NOW,
        ids=lambda: secrets.token_hex(16),
        secret=lambda: secrets.token_hex(16),
        defaults=Defaults(lint_from="cache"),
    )


def fact(title: str, predicate: str = "meeting", hour: int = 10) -> FactIn:
    at = datetime(2026, 7, 17, hour, tzinfo=UTC)
    return FactIn(domain="Schedule", subject="Calendar", predicate=predicate, object_value=title,
                  when=Instant(at))  # fmt: skip


def around(what: str) -> Circumstances:
    return Circumstances(request_id="r", key=IdempotencyKey("r", what, "h"))


def propose(here: House, who: str, *facts: FactIn, what: str = "") -> Answer:
    caller = Caller(tenant_id="default", principal_id=who)
    return record.propose(
        here, caller, ProposeRequest(facts=facts), around(what or facts[0].object_value)
    )


def request(here: House, kind: str, who: str, pending_id: str) -> Answer:
    """Run the request of a kind; each may be repeated."""
    if kind == "write":
        return propose(here, who, fact("new"), fact("note", "note"))
    if kind == "ask":
        return propose(here, who, fact("new"))
    caller = Caller(tenant_id="default", principal_id=who)
    return settle.confirm(here, caller, pending_id, kind, around(kind))  # type: ignore[arg-type]


def die(url: str, redis_url: str, rules: Policy, point: int, words: list[str]) -> None:
    steps = count(1)

    def passing(_step: str) -> None:
        if next(steps) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    here = house(url, redis_url, rules, passing)
    request(here, *words)


def main(url: str, redis_url: str) -> None:
    rules = policy()
    print("ready", flush=True)  # noqa: T201 - the test reads it
    for line in sys.stdin:
        point, *words = line.split()
        if (child := os.fork()) == 0:
            die(url, redis_url, rules, int(point), words)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else "done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
