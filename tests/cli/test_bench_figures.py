"""What figures come to beside each other, and how they are told."""

from dataclasses import replace

import pytest

from moss_memory.cli.bench_figures import ECHO, WRITE, Figure, growths, table

FIGURE = Figure(
    name=WRITE, clients=1, memories=1000, median_ms=4.0, p99_ms=9.0, per_second=250.0, cpu_ms=2.0,
    insert_ms=0.5, governed_ms=1.0,
)  # fmt: skip


def test_figure_is_told_with_its_ratios() -> None:
    told = FIGURE.told()
    assert (told["to_insert"], told["to_governed"]) == (8.0, 4.0)


def test_same_operation_at_two_sizes_is_a_growth() -> None:
    larger = replace(FIGURE, memories=1_000_000, median_ms=8.0, cpu_ms=2.0)
    (found,) = growths([larger, replace(FIGURE, name=ECHO, memories=0), FIGURE])

    assert (found.name, found.fewest, found.most) == (WRITE, 1000, 1_000_000)
    assert (found.median, found.cpu, found.cpu_exponent) == (2.0, 1.0, 0.0)
    assert found.exponent == pytest.approx(0.1, abs=0.001)  # 1,000 times as many, twice as long


def test_growth_is_told_without_processor_time_where_none_is_known() -> None:
    figures = [replace(FIGURE, cpu_ms=None, memories=size) for size in (10, 100)]
    (found,) = growths(figures)
    assert (found.median, found.cpu, found.cpu_exponent) == (1.0, None, None)


@pytest.mark.parametrize("clients", [1, 8])
def test_other_numbers_of_clients_are_no_growth(clients: int) -> None:
    figures = [FIGURE, replace(FIGURE, clients=clients)]
    assert growths(figures) == []


def test_table_has_a_line_for_each_figure_and_each_growth() -> None:
    shown = table([replace(FIGURE, name=ECHO, memories=0, cpu_ms=0.5), FIGURE,
                   replace(FIGURE, memories=2000)])  # fmt: skip
    lines = shown.splitlines()
    assert len(lines) == 1 + 3 + 1 + 1
    assert lines[2].split()[-1] == "4.0"  # of the echo's processor time
    assert "2,000 memories beside 1,000: 1.0 times" in lines[-1]
