"""Dies in the middle of a write: ``python mortal.py URL``, then lines ``POINT KIND`` to stdin.

For each line a child runs the write of that kind and is killed (SIGKILL) at that step, counted
over all steps and statements; the answer is ``killed``, or ``done`` where there were not so many.
"""

import importlib.util
import os
import signal
import sys
import tomllib
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.ontology import Ontology


def writers() -> Any:
    """Return the tests' own writers."""
    path = Path(__file__).with_name("conftest.py")
    spec = importlib.util.spec_from_file_location("writers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def die(url: str, ontology: Ontology, module: Any, point: int, kind: str) -> None:
    """Run one write in this process and kill it at ``point``."""
    steps = count(1)

    def passing(_step: str) -> None:
        if next(steps) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    memory = SqlMemory(url, ontology=ontology, passing=passing)
    module.WRITES[kind](module.Scribe(memory, ontology, f"{kind}{point}-"), point)
    memory.close()


def main(url: str) -> None:
    text = files("moss_memory").joinpath("policy", "ontology.toml").read_text()
    ontology, module = Ontology.from_data(tomllib.loads(text)), writers()
    print("ready", flush=True)  # noqa: T201 - the test reads it
    for line in sys.stdin:
        point, kind = line.split()
        if (child := os.fork()) == 0:
            die(url, ontology, module, int(point), kind)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else "done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
