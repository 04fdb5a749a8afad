"""What the tree promises: small modules, names that say something, one owner of clock and ids."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "moss_memory"
MODULES = sorted(PACKAGE.rglob("*.py"))
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "common", "base", "manager", "service", "misc"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_is_at_most_400_lines(module: Path) -> None:
    assert len(module.read_text().splitlines()) <= 400


def test_function_is_at_most_50_lines() -> None:
    long = [
        f"{module.relative_to(PACKAGE)}:{node.name}"
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _body_lines(node) > 50
    ]

    assert long == []


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count from the ``def`` to the last line, decorators and docstring left out."""
    first = node.body[0]
    docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    described = (first.end_lineno or 0) - first.lineno + 1 if docstring else 0
    return (node.end_lineno or 0) - node.lineno + 1 - described


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [path.name for path in MODULES if set(path.stem.split("_")) & EMPTY_WORDS] == []


def test_clock_and_ids_are_read_in_one_place() -> None:
    reads = re.compile(r"datetime\.now\(|date\.today\(|time\.time\(|uuid4\(|utcnow\(")

    assert [path.name for path in MODULES if reads.search(path.read_text())] == ["app.py"]


def test_service_on_sqlite_does_not_load_what_it_does_not_use() -> None:
    program = (
        "import sys; from moss_memory.app import create_app; from moss_memory.settings import load;"
        "create_app(load({})); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    heavy = {"google", "redis", "limits", "mcp", "langgraph", "icalendar", "jwt", "hypothesis"}

    assert heavy & set(loaded.stdout.decode().split()) == set()
