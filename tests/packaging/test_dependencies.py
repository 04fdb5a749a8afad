"""What is installed has a use, and what is said to operators is safe advice."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
IMPORTED_AS = {"pyjwt": "jwt", "google-genai": "google", "prometheus-client": "prometheus_client",
               "typing-extensions": "typing_extensions"}  # fmt: skip
NOT_IMPORTED = {"httptools": "uvicorn's parser", "tzdata": "zoneinfo's data"}


def names(requirements: list[str]) -> list[str]:
    return [re.split(r"[\[<>=~! ]", each, maxsplit=1)[0].lower() for each in requirements]


def imported() -> set[str]:
    found: set[str] = set()
    for module in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found


def test_moss_m56_every_runtime_dependency_is_used() -> None:
    wanted = set(names(PROJECT["dependencies"])) - NOT_IMPORTED.keys()

    assert {name for name in wanted if IMPORTED_AS.get(name, name) not in imported()} == set()


def test_moss_m53_nobody_is_advised_to_hand_out_more_than_is_needed() -> None:
    text = (ROOT / "README.md").read_text() + (ROOT / ".env.example").read_text()

    assert not re.search(
        r"roles?/owner|administrator role|chmod 777|--privileged", text, re.IGNORECASE
    )
