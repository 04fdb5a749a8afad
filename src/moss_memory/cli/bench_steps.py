"""The operations of ``bench http``, each as a call over one kept-alive connection."""

import itertools
import json
from collections.abc import Iterable
from typing import Final

from moss_memory.cli.bench_client import Client
from moss_memory.cli.bench_facts import proposed
from moss_memory.cli.bench_floor import Step

QUESTION: Final = "When is the budget roadmap note?"


def echoer(port: int) -> Step:
    """Send what a write sends to the JSON echo."""
    return _again(Client(port, "me"), 200, "POST", "/echo", {"facts": [proposed(7)]})


def writer(port: int, who: str, numbers: Iterable[float] | None = None) -> Step:
    """Write one meeting after another; by default of a principal that has none."""
    client, chosen = Client(port, who), iter(numbers or itertools.count())

    def step() -> None:
        _expect(201, client.call("POST", "/memories", {"facts": [proposed(next(chosen))]}))

    return step


def linter(port: int, who: str, number: float) -> Step:
    """Have one meeting judged that is not written."""
    return _again(Client(port, who), 200, "POST", "/lint", {"facts": [proposed(number)]})


def lister(port: int, who: str) -> Step:
    """Read the first page of the principal's memories."""
    return _again(Client(port, who), 200, "GET", "/memories?limit=100")


def getter(port: int, who: str) -> Step:
    """Read the principal's newest memory by its id."""
    client = Client(port, who)
    _, body = client.call("GET", "/memories?limit=1")
    named = json.loads(body)["items"][0]["memory_id"]
    return _again(client, 200, "GET", f"/memories/{named}")


def asker(port: int, who: str) -> Step:
    """Ask for a context."""
    return _again(Client(port, who), 200, "POST", "/context", {"query": QUESTION})


def _again(client: Client, status: int, verb: str, path: str, body: object = None) -> Step:
    return lambda: _expect(status, client.call(verb, path, body))


def _expect(status: int, answer: tuple[int, bytes]) -> None:
    if answer[0] != status:
        raise SystemExit(f"bench: {answer[0]} in place of {status}")
