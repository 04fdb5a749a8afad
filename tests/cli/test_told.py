"""Every command explains itself alike: help, examples that parse, ``--json``, exit codes."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from moss_memory.cli.completion import script
from moss_memory.cli.main import available, main, whole_parser
from moss_memory.cli.told import TOLD

PARSER = whole_parser()
NO_JSON = {  # what stands on standard output is a language of its own
    "mcp": "the protocol",
    "completion": "a shell's script",
}


def commands(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command that can be run, with its options."""
    below = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not below:
        yield path, [option for each in parser._actions for option in each.option_strings]
    for action in below:
        for name, each in action.choices.items():
            yield from commands(each, f"{path} {name}".strip())


ALL = dict(commands(PARSER, ""))


def parsed(line: str) -> argparse.Namespace:
    words = shlex.split(line.removeprefix('eval "$(').removesuffix(')"'))
    assert words[0] == "moss-memory"
    return PARSER.parse_args(words[1:])


def test_every_command_has_examples() -> None:
    assert TOLD.keys() == available().keys()


@pytest.mark.parametrize("line", [line for told in TOLD.values() for line in told.examples])
def test_example_is_a_command_that_parses(line: str) -> None:
    assert parsed(line).command in available()


@pytest.mark.parametrize("command", list(available()))
def test_help_shows_examples_and_exit_codes(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    said = capsys.readouterr().out

    assert ended.value.code == 0
    assert said.count("Examples:") == 1
    assert "Exit codes: 0 done; 1 " in said
    assert all(line in said for line in TOLD[command].examples)
    assert "``" not in said


@pytest.mark.parametrize("command", [each for each in ALL if each not in NO_JSON])
def test_command_answers_in_json_where_asked(command: str) -> None:
    assert "--json" in ALL[command]


@pytest.mark.parametrize("module", ["moss_memory", "moss_memory.cli.main"])
def test_module_runs_like_the_command(module: str, tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", module, "--version"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert said.returncode == 0
    assert said.stdout.strip()[0].isdigit()


COMPLETED = [
    ("ex", "export"),
    ("rules ver", "verify"),
    ("rules verify --on", "--ontology"),
    ("import --skip", "--skip-conflicts"),
    ("completion z", "zsh"),
]


@pytest.mark.parametrize(("typed", "word"), COMPLETED)
def test_bash_completes_what_is_typed(typed: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "completion.bash"
    path.write_text(script(PARSER, "bash"))
    words = ["moss-memory", *typed.split(" ")]
    asked = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}"
    program = f"source {path}; {asked}; _moss_memory; echo ${{COMPREPLY[@]}}"
    said = subprocess.run(
        ["bash", "--norc", "-c", program], capture_output=True, text=True, check=True
    )

    assert said.stdout.split() == [word]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_takes_the_script(tmp_path: Path) -> None:
    path = tmp_path / "completion.zsh"
    path.write_text(script(PARSER, "zsh"))
    said = subprocess.run(
        ["zsh", "-fc", f"source {path}; print $_comps[moss-memory]"],
        capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip

    assert "_moss_memory" in said.stdout
