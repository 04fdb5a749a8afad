"""Small faults put into the pure core, one at a time: the tests of the core must notice.

``pytest -m campaign tests/campaigns`` takes some minutes. Every mutant is one changed operator,
constant or call in one place; ``KNOWN`` names those that change nothing anybody could observe.
"""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "src" / "moss_memory" / "core"
EVERY = int(os.environ.get("MOSS_MUTANTS_EVERY", "3"))  # one in so many is tried
LIMIT_SECONDS = 120

LINTING = ["test_linter.py", "test_moss_flaws.py", "test_case_bank.py", "test_revise.py",
           "test_linter_laws.py"]  # fmt: skip
TESTS = {
    "interval": ["test_interval.py", *LINTING],
    "pairing": LINTING,
    "linter": LINTING,
    "revise": ["test_revise.py"],
    "rules": ["test_linter.py", "test_rules.py", "test_verify.py", "test_fingerprint.py"],
    "boxes": ["test_boxes.py", "test_verify.py"],
    "verify": ["test_verify.py"],
    "values": ["test_values.py"],
    "ontology": ["test_ontology.py", "test_linter.py"],
    "zones": ["test_zones.py", "test_placing.py"],
    "placing": ["test_placing.py", "test_moss_flaws.py"],
    "recurrence": ["test_recurrence.py", "test_placing.py"],
}

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the ways in which one node may be wrong."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        wrong = deepcopy(node)
        wrong.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[assignment]
        yield wrong
    elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in SWAPS:
        wrong = deepcopy(node)
        wrong.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
        yield wrong
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Name) and node.id in CALLS:
        yield ast.Name(CALLS[node.id], ast.Load())
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)


def bodies(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield every node that runs: neither annotations nor decorators nor docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from ast.walk(statement)


def mutants(module: str) -> Iterator[tuple[str, str]]:
    """Yield ``(where and what, source)`` of every mutant of a module."""
    source = (CORE / f"{module}.py").read_text("utf-8")
    tree = ast.parse(source)
    seen: set[tuple[int, int, str]] = set()
    for node in bodies(tree):
        for wrong in changed(node):
            line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
            text = ast.unparse(wrong)
            if (line, column, text) in seen or line == getattr(node, "end_lineno", line) + 1:
                continue
            seen.add((line, column, text))
            yield f"{module}:{line}: {ast.unparse(node)} -> {text}", replaced(source, node, wrong)


def replaced(source: str, node: ast.AST, wrong: ast.AST) -> str:
    """Put the wrong node's text in the place of the right one's."""
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset  # type: ignore[attr-defined]
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset  # type: ignore[attr-defined]
    text = f"({ast.unparse(wrong)})" if not isinstance(wrong, ast.Name) else ast.unparse(wrong)
    whole = b"".join(lines)
    return (whole[:start] + text.encode() + whole[end:]).decode()


KNOWN: frozenset[str] = frozenset()


def noticed(tree: Path, module: str, source: str) -> bool:
    """Run the module's tests over a copy of the package that holds the mutant."""
    (tree / "moss_memory" / "core" / f"{module}.py").write_text(source, "utf-8")
    command = [
        sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
        "-o", f"pythonpath={tree}", *(f"tests/core/{name}" for name in TESTS[module]),
    ]  # fmt: skip
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(
            command, cwd=ROOT, capture_output=True, timeout=LIMIT_SECONDS, check=False,
            env=environment,
        )  # fmt: skip
    except subprocess.TimeoutExpired:  # a fault that never ends is a fault that is noticed
        return True
    return run.returncode != 0


@pytest.mark.campaign
@pytest.mark.parametrize("module", TESTS)
def test_nine_in_ten_faults_are_noticed(module: str, tmp_path: Path) -> None:
    tree = tmp_path / "src"
    shutil.copytree(CORE.parent, tree / "moss_memory", ignore=shutil.ignore_patterns("__pycache__"))
    sound = (CORE / f"{module}.py").read_text("utf-8")
    assert noticed(tree, module, "1/0"), "the tests do not import the copy"
    assert not noticed(tree, module, sound), "the tests fail without any fault"
    tried = [m for m in list(mutants(module))[::EVERY] if m[0].split(": ", 1)[1] not in KNOWN]
    survivors = [name for name, source in tried if not noticed(tree, module, source)]

    told = [f"{module}: {len(tried)} tried, {len(survivors)} survived", *survivors]
    sys.stdout.write("\n  ".join(told) + "\n")
    assert len(survivors) <= len(tried) / 10, survivors
