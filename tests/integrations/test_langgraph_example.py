"""The example in examples/langgraph_approval.py, run as its reader would."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "langgraph_approval.py"


def ran(url: str, principal: str, choice: str) -> list[str]:
    """Run the example's main in a process of its own and return its lines."""
    told = (
        "import runpy, sys; "
        "story = runpy.run_path(sys.argv[1])['main']; "
        "print(*story(*sys.argv[2:]), sep=chr(10))"
    )
    arguments = [sys.executable, "-c", told, str(EXAMPLE), url, f"dev:{principal}", choice]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("choice", "status", "diet"),
    [
        ("replace_old", "SUCCESS_WITH_OVERWRITE", "{'nuts': 'fine'}"),
        ("cancel", "CANCELLED", "{'nuts': 'never'}"),
    ],
)
def test_graph_stops_for_a_person_and_goes_on_with_the_answer(
    service: Any, choice: str, status: str, diet: str
):
    assert ran(service.url, service.principal(), choice) == [
        "thread A: written",
        "thread B read: {'nuts': 'never'}",
        "thread B asks: replace_old, cancel",
        f"thread B: {status}",
        f"now: {diet}",
    ]
