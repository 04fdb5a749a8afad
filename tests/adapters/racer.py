"""One process of a race: ``python racer.py URL WRITERS ROUNDS PREFIX``.

In each round all writers go for one slot of the round's own principal at once; processes keep in
step by the round's number alone. Prints one JSON object: how often a writer won, lost, and failed.
"""

import importlib.util
import json
import sys
import threading
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.ontology import Ontology


def scribes() -> Any:
    """Return the tests' own Scribe."""
    spec = importlib.util.spec_from_file_location(
        "scribes", Path(__file__).with_name("conftest.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Scribe


def main(url: str, writers: int, rounds: int, prefix: str) -> None:
    text = files("moss_memory").joinpath("policy", "ontology.toml").read_text()
    ontology = Ontology.from_data(tomllib.loads(text))
    memory = SqlMemory(url, ontology=ontology, pool_size=writers)
    counts: Counter[str] = Counter()
    start = threading.Barrier(writers)
    print("ready", flush=True)  # noqa: T201 - the test reads it
    sys.stdin.readline()

    def race(number: int) -> None:
        scribe = scribes()(memory, ontology, f"{prefix}{number}-")
        for round_ in range(rounds):
            start.wait()
            try:
                came = scribe.create(scribe.draft(scribe.fact(scope=f"r{round_}")))
                counts["lost" if isinstance(came, list) else "won"] += 1
            except Exception as error:  # noqa: BLE001 - counted, and named to the test
                counts[type(error).__name__] += 1

    threads = [threading.Thread(target=race, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memory.close()
    print(json.dumps(counts), flush=True)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
