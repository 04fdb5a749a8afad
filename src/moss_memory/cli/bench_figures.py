"""What ``bench http`` found: figures, what they come to beside each other, and a table of them."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

ECHO: Final = "JSON echo"
WRITE: Final = "write"
GROWN: Final = "write, grown"
DEEP_WRITE: Final = "write, deep"
DEEP_LINT: Final = "lint, deep"


@dataclass(frozen=True, slots=True)
class Figure:
    """One operation: times in milliseconds, and the same over the controls of its own rounds.

    ``memories`` are the principal's that is read; of a deep one those in its slot, of a grown one
    all in the database. ``cpu_ms`` is the processor time of the server for each operation, None
    where the system does not tell.
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


@dataclass(frozen=True, slots=True)
class Growth:
    """One operation at the most memories beside the same at the fewest.

    ``median`` and ``cpu`` say how many times as long; the exponents e, that they are the sizes'
    ratio to the power of e. None where the system tells no processor time.
    """

    name: str
    clients: int
    fewest: int
    most: int
    median: float
    exponent: float
    cpu: float | None
    cpu_exponent: float | None


def growths(figures: Sequence[Figure]) -> list[Growth]:
    """Compare each operation that was measured at several sizes."""
    series: dict[tuple[str, int], list[Figure]] = {}
    for each in figures:
        series.setdefault((each.name, each.clients), []).append(each)
    ordered = [sorted(some, key=lambda each: each.memories) for some in series.values()]
    return [_growth(some[0], some[-1]) for some in ordered if some[0].memories < some[-1].memories]


def _growth(few: Figure, many: Figure) -> Growth:
    sizes = math.log(many.memories / few.memories)
    median = many.median_ms / few.median_ms
    cpu = many.cpu_ms / few.cpu_ms if many.cpu_ms and few.cpu_ms else None
    return Growth(
        name=few.name,
        clients=few.clients,
        fewest=few.memories,
        most=many.memories,
        median=round(median, 2),
        exponent=round(math.log(median) / sizes, 3),
        cpu=None if cpu is None else round(cpu, 2),
        cpu_exponent=None if cpu is None else round(math.log(cpu) / sizes, 3),
    )


def table(figures: Sequence[Figure]) -> str:
    """Lay the figures out for a terminal."""
    head = f"{'':12}{'memories':>9}{'clients':>8}{'median ms':>11}{'p99 ms':>9}{'per s':>8}"
    lines = [f"{head}{'cpu ms':>8}{': insert':>10}{': governed':>12}{': echo cpu':>12}"]
    echoes = {each.clients: each.cpu_ms for each in figures if each.name == ECHO}
    lines += [_line(each, echoes.get(each.clients)) for each in figures]
    first = figures[0]
    lines.append(f"raw insert {first.insert_ms} ms, raw governed write {first.governed_ms} ms")
    lines += [_said(each) for each in growths(figures)]
    return "\n".join(lines)


def _line(each: Figure, echoed: float | None) -> str:
    told = each.told()
    cpu = "-" if each.cpu_ms is None else f"{each.cpu_ms:.2f}"
    over = "-" if each.cpu_ms is None or not echoed else f"{each.cpu_ms / echoed:.1f}"
    return (
        f"{each.name:12}{each.memories:>9}{each.clients:>8}{each.median_ms:>11.2f}"
        f"{each.p99_ms:>9.2f}{each.per_second:>8.0f}{cpu:>8}{told['to_insert']:>10.1f}"
        f"{told['to_governed']:>12.1f}{over:>12}"
    )


def _said(each: Growth) -> str:
    cpu = "" if each.cpu is None else f"; cpu {each.cpu} times, exponent {each.cpu_exponent}"
    return (
        f"{each.name}, {each.clients} clients, {each.most:,} memories beside {each.fewest:,}:"
        f" {each.median} times, exponent {each.exponent}{cpu}"
    )
