"""``moss-memory bench http`` measures what it was asked to; how fast is not asked here."""

import json
import subprocess
import sys

import pytest


@pytest.mark.campaign
@pytest.mark.parametrize("engine", [[], ["--postgres"]], ids=["sqlite", "postgres"])
def test_bench_tells_every_operation_at_every_size(engine: list[str]) -> None:
    sizes = ["--memories", "3", "6", "--depth", "2", "4", "--grow", "5", "1010"]
    bench = [sys.executable, "-m", "moss_memory", "bench", "http", *engine, *sizes]
    ran = subprocess.run(
        [*bench, "--clients", "1", "--seconds", "0.1", "--json"], stdout=subprocess.PIPE, check=True
    )

    told = json.loads(ran.stdout)
    assert [(each["name"], each["memories"]) for each in told["figures"]] == [
        ("write, grown", 5), ("write, grown", 1010),
        ("lint, deep", 2), ("write, deep", 2), ("lint, deep", 4), ("write, deep", 4),
        ("JSON echo", 0), ("write", 0),
        ("read 100", 3), ("read one", 3), ("context", 3),
        ("read 100", 6), ("read one", 6), ("context", 6),
    ]  # fmt: skip
    assert [(each["name"], each["fewest"], each["most"]) for each in told["growths"]] == [
        ("write, grown", 5, 1010), ("lint, deep", 2, 4), ("write, deep", 2, 4),
        ("read 100", 3, 6), ("read one", 3, 6), ("context", 3, 6),
    ]  # fmt: skip
