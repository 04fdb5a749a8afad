"""``moss-memory bench http``: governed writes, reads and contexts over HTTP, beside raw controls.

A server of its own runs on a free port over the database named; every client speaks for a
principal of its own, so that nothing conflicts. The controls use the bare driver in the same
run: times drift on a shared machine, ratios do not.
"""

import argparse
import http.client
import json
import os
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

_START: Final = datetime(2030, 1, 1, tzinfo=UTC)
_WARM: Final = 20
_MAIN: Final = "import sys; from moss_memory.cli.main import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Figure:
    """Milliseconds at the median and the 99th percentile, and operations a second."""

    name: str
    clients: int
    memories: int
    median_ms: float
    p99_ms: float
    per_second: float


def add_parser(benches: Any) -> None:
    """Add ``bench http``."""
    parser = benches.add_parser("http", help="writes, reads and contexts over HTTP")
    parser.add_argument("--database", help="postgresql+psycopg://...; default: a SQLite file")
    parser.add_argument("--memories", type=int, default=1000, help="of one principal, to read")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def run(args: argparse.Namespace) -> int:
    """Measure and print; the exit code says nothing about speed."""
    with tempfile.TemporaryDirectory() as folder:
        url = args.database or f"sqlite:///{Path(folder) / 'bench.sqlite3'}"
        with _server(url, folder) as port:
            figures = list(_measured(args, port, url, folder))
    shown = [asdict(figure) for figure in figures]
    print(json.dumps({"figures": shown}) if args.json else _table(figures))
    return 0


def _measured(args: argparse.Namespace, port: int, url: str, folder: str) -> Iterator[Figure]:
    _fill(port, args.memories)
    yield _figure("raw insert and commit", 1, 0, _repeat(_raw(url, folder), args.seconds))
    for clients in args.clients:
        for name, make in (("write", _writer), ("read 100", _reader), ("context", _asker)):
            print(f"{name}, {clients} clients", file=sys.stderr)
            spent = _together(clients, partial(make, port), args.seconds)
            yield _figure(name, clients, args.memories, spent)


def free_port() -> int:
    """Return a port of the loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def _server(url: str, folder: str) -> Iterator[int]:
    port = free_port()
    environment = os.environ | {"MOSS_DATABASE_URL": url, "MOSS_AUTH": "dev"}
    command = [sys.executable, "-c", _MAIN]
    subprocess.run(  # noqa: S603 - our own interpreter and module
        [*command, "migrate"],
        env=environment,
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with Path(folder, "log").open("wb") as log:
        server = subprocess.Popen(  # noqa: S603 - as above
            [*command, "serve", "--port", str(port)],
            env=environment,
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            _wait(port)
            yield port
        finally:
            server.terminate()
            server.wait(20)


def _wait(port: int) -> None:
    for _ in range(400):
        try:
            if _call(http.client.HTTPConnection("127.0.0.1", port), "GET", "/readyz", "me")[0]:
                return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the server did not start")


def _call(
    connection: http.client.HTTPConnection, verb: str, path: str, who: str, body: Any = None
) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer dev:{who}", "Content-Type": "application/json"}
    connection.request(verb, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def _meeting(number: int) -> dict[str, Any]:
    start = _START + timedelta(hours=2 * number)
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": f"meeting {number}",
        "when": {"start": start.isoformat()},
    }


def _fill(port: int, memories: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for first in range(0, memories, 10):
        facts = [_meeting(number) for number in range(first, min(first + 10, memories))]
        status, _ = _call(connection, "POST", "/memories", "reader", {"facts": facts})
        if status not in {200, 201}:
            raise SystemExit(f"filling: {status}")
        if first % 5000 == 0:
            print(f"filled {first} of {memories}", file=sys.stderr)


def _writer(port: int, client: int) -> Callable[[], None]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    numbers = iter(range(10_000_000))
    who = f"writer-{client}-{time.monotonic_ns()}"

    def write() -> None:
        body = {"facts": [_meeting(next(numbers))]}
        status, _ = _call(connection, "POST", "/memories", who, body)
        if status != http.client.CREATED:
            raise SystemExit(f"write: {status}")

    return write


def _reader(port: int, _client: int) -> Callable[[], None]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    return lambda: _expect_ok(_call(connection, "GET", "/memories?limit=100", "reader"))


def _asker(port: int, _client: int) -> Callable[[], None]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = {"query": "meeting 7", "reference_time": _START.isoformat()}
    return lambda: _expect_ok(_call(connection, "POST", "/context", "reader", body))


def _expect_ok(answer: tuple[int, bytes]) -> None:
    if answer[0] != http.client.OK:
        raise SystemExit(f"read: {answer[0]}")


def _raw(url: str, folder: str) -> Callable[[], None]:
    """Return the floor: one row inserted and committed on the bare driver, durably."""
    insert = "INSERT INTO bench_floor (body) VALUES ('x')"
    if url.startswith("sqlite"):
        floor = sqlite3.connect(str(Path(folder) / "floor.sqlite3"), isolation_level=None)
        floor.execute("PRAGMA journal_mode=WAL")
        floor.execute("PRAGMA synchronous=FULL")
        floor.execute("CREATE TABLE bench_floor (body TEXT)")
        return lambda: _done(floor.execute(insert))
    import psycopg

    raw = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)
    raw.execute("CREATE TABLE IF NOT EXISTS bench_floor (body text)")
    return lambda: _done(raw.execute(insert))


def _done(_result: object) -> None:
    """Drop what a statement returned."""


def _repeat(step: Callable[[], None], seconds: float) -> list[float]:
    for _ in range(_WARM):
        step()
    spent = []
    until = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < until:
        step()
        spent.append(time.perf_counter() - begun)
    return spent


def _together(
    clients: int, make: Callable[[int], Callable[[], None]], seconds: float
) -> list[float]:
    spent: list[float] = []
    threads = [
        threading.Thread(target=lambda n=n: spent.extend(_repeat(make(n), seconds)))
        for n in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return spent


def _figure(name: str, clients: int, memories: int, spent: list[float]) -> Figure:
    ordered = sorted(spent)
    return Figure(
        name=name,
        clients=clients,
        memories=memories,
        median_ms=round(1000 * statistics.median(ordered), 3),
        p99_ms=round(1000 * ordered[int(len(ordered) * 0.99)], 3),
        per_second=round(clients * len(ordered) / sum(ordered), 1),
    )


def _table(figures: list[Figure]) -> str:
    floor = figures[0].median_ms
    lines = [f"{'':24}{'clients':>8}{'median ms':>11}{'p99 ms':>9}{'per s':>9}{'x floor':>9}"]
    lines += [
        f"{f.name:24}{f.clients:>8}{f.median_ms:>11.2f}{f.p99_ms:>9.2f}{f.per_second:>9.0f}"
        f"{f.median_ms / floor:>9.1f}"
        for f in figures
    ]
    return "\n".join(lines)
