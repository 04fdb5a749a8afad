"""The README is kept true: what it lists is all there is, and what it names exists."""

import re
from pathlib import Path

from moss_memory.api.problems import STATUS
from moss_memory.cli.main import available
from moss_memory.settings import variables

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def section(title: str) -> str:
    return re.split(r"^## ", README.split(f"## {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def test_every_setting_is_listed() -> None:
    named = set(re.findall(r"`((?:MOSS|GEMINI|OPENAI)_[A-Z_]+)`", section("Settings")))

    assert named == set(variables().values())


def test_every_code_is_listed_under_its_status() -> None:
    listed: dict[str, set[int]] = {}
    for status, codes in re.findall(r"^\| (\d{3}) \| (.*) \|$", section("Errors"), re.MULTILINE):
        for code in re.findall(r"`([a-z_]+)`", codes):
            listed.setdefault(code, set()).add(int(status))

    assert listed.pop("revision_conflict") == {409, 412}
    others = {code: {status.value} for code, status in STATUS.items()}
    del others["revision_conflict"]
    assert listed == others


def test_every_command_is_listed() -> None:
    words = set(re.findall(r"[a-z]+", " ".join(re.findall(r"`([^`]+)`", section("Commands")))))

    assert available().keys() <= words


def test_decisions_are_numbered_and_what_enforces_them_exists() -> None:
    rows = re.findall(r"^\| (\d+) \|.*\| ([^|]+) \|$", section("Decisions"), re.MULTILINE)
    files = [name for _, enforced in rows for name in re.findall(r"`([\w./-]+/[\w.]+)`", enforced)]

    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    assert files
    assert [
        name
        for name in files
        if not (ROOT / name).exists() and not (ROOT / "src" / "moss_memory" / name).exists()
    ] == []


def test_the_two_commands_exist() -> None:
    assert {"scripts/run", "scripts/test"} <= set(re.findall(r"scripts/\w+", section("One minute")))
    assert (ROOT / "scripts" / "run").exists()
    assert (ROOT / "scripts" / "test").exists()
