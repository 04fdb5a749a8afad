"""Each promised property and each row of the question's table is named by a test that shows it."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"\b(Propert(?:y|ies)|Rows?) ((?:\d+(?:, | and )?)+)")


def shown(kind: str) -> set[int]:
    """Return the numbers that docstrings and names of tests give for ``property`` or ``row``."""
    found: set[int] = set()
    for module in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                spoken = f"{ast.get_docstring(node) or ''} {as_words(node.name)}"
                for word, numbers in NAMED.findall(spoken):
                    if word.lower().startswith(kind[:4]):
                        found |= set(map(int, re.findall(r"\d+", numbers)))
    return found


def as_words(name: str) -> str:
    """Read ``test_rows_12_and_22_...`` as a docstring would say it."""
    start = re.match(r"test_rows?_(\d+(?:_and_\d+)*)_", name)
    return f"Rows {start[1].replace('_', ' ')}" if start else ""


@pytest.mark.parametrize(("kind", "last"), [("property", 42), ("row", 32)])
def test_every_number_is_shown_by_a_test(kind: str, last: int) -> None:
    assert sorted(set(range(1, last + 1)) - shown(kind)) == []
