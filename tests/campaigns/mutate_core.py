"""Put small faults into the pure core, one at a time, and see whether its tests notice.

``python tests/campaigns/mutate_core.py linter revise --every 3`` prints, as JSON, how many were
tried and which survived. Every mutant is one changed operator, constant or call in one place. A
child process per mutant imports the core from a copy that holds the fault; what is heavy to
import (pytest, hypothesis) was imported before the fork.
"""

import argparse
import ast
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import hypothesis.extra
import hypothesis.strategies
import pytest
from dateutil import rrule

PRELOADED = (hypothesis.extra, hypothesis.strategies, rrule)
ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "src" / "moss_memory" / "core"
LIMIT_SECONDS = 120

LINTING = ["test_linter.py", "test_moss_flaws.py", "test_case_bank.py", "test_revise.py"]
TESTS = {
    "interval": ["test_interval.py", "test_linter.py"],
    "pairing": LINTING,
    "linter": LINTING,
    "revise": ["test_revise.py"],
    "rules": ["test_linter.py", "test_rules.py", "test_verify.py", "test_fingerprint.py"],
    "boxes": ["test_boxes.py", "test_verify.py"],
    "verify": ["test_verify.py"],
    "fingerprint": ["test_fingerprint.py"],
    "values": ["test_values.py"],
    "ontology": ["test_ontology.py", "test_linter.py"],
    "zones": ["test_zones.py", "test_placing.py"],
    "placing": ["test_placing.py", "test_moss_flaws.py"],
    "recurrence": ["test_placing.py", "test_recurrence.py"],
    "when": ["test_when.py"],
}

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


def changed(node: Any) -> Iterator[ast.AST]:
    """Yield the ways in which one node may be wrong."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        wrong: Any = deepcopy(node)
        wrong.ops[0] = SWAPS[type(node.ops[0])]()
        yield wrong
    elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in SWAPS:
        wrong = deepcopy(node)
        wrong.op = SWAPS[type(node.op)]()
        yield wrong
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Name) and node.id in CALLS:
        yield ast.Name(CALLS[node.id], ast.Load())
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant):
        yield from other_constant(node.value)


def other_constant(value: object) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)


def running(tree: ast.Module) -> Iterator[Any]:
    """Yield every node of a function's body: no annotations, decorators or docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                yield from ast.walk(statement)


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield ``(where and what, source)`` of every mutant of a module."""
    seen: set[tuple[int, int, str]] = set()
    for node in running(ast.parse(source)):
        for wrong in changed(node):
            place = (node.lineno, node.col_offset, ast.unparse(wrong))
            if place not in seen:
                seen.add(place)
                what = f"{node.lineno}: {ast.unparse(node)} -> {ast.unparse(wrong)}"
                yield what, replaced(source, node, wrong)


def replaced(source: str, node: Any, wrong: ast.AST) -> str:
    """Put the wrong node's text in the place of the right one's."""
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    text = ast.unparse(wrong) if isinstance(wrong, ast.Name) else f"({ast.unparse(wrong)})"
    whole = b"".join(lines)
    return (whole[:start] + text.encode() + whole[end:]).decode()


def noticed(tree: Path, module: str, source: str) -> bool:
    """Run the module's tests over a copy of the package that holds the mutant."""
    (tree / "moss_memory" / "core" / f"{module}.py").write_text(source, "utf-8")
    child = os.fork()
    if child == 0:
        failed = True
        try:
            failed = run_tests(tree, TESTS[module]) != 0
        finally:  # whatever happens, the parent's clean-up is not the child's
            os._exit(int(failed))
    deadline = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)  # a fault that never ends is a fault that is noticed
    os.waitpid(child, 0)
    return True


def run_tests(tree: Path, names: list[str]) -> int:
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.dont_write_bytecode = True
    options = ["-q", "-x", "-p", "no:cacheprovider", "-o", f"pythonpath={tree}"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # imported before the fork
    tests = tree / "tests"
    options += ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={tree}", f"--confcutdir={tests}"]
    return int(pytest.main([*options, *(str(tests / name) for name in names)]))


def campaign(module: str, every: int) -> dict[str, Any]:
    """Try one in ``every`` mutants of a module."""
    sound = (CORE / f"{module}.py").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", "migrations", "console")
        shutil.copytree(CORE.parent, tree / "moss_memory", ignore=ignored)
        shutil.copytree(ROOT / "tests" / "core", tree / "tests", ignore=ignored)
        if not noticed(tree, module, "1/0") or noticed(tree, module, sound):
            raise SystemExit(f"{module}: its tests do not import the copy, or fail without a fault")
        tried = list(mutants(sound))[::every]
        survivors = [what for what, source in tried if not noticed(tree, module, source)]
    return {"module": module, "tried": len(tried), "survivors": survivors}


def main() -> None:
    """Print one JSON line a module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", choices=[[], *TESTS], default=list(TESTS))
    parser.add_argument("--every", type=int, default=3, help="one in so many is tried")
    args = parser.parse_args()
    for module in args.modules:
        sys.stdout.write(json.dumps(campaign(module, args.every), ensure_ascii=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
