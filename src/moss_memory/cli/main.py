"""The ``moss-memory`` command: one module a subcommand, imported only where it is asked for."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from moss_memory.cli.told import tell
from moss_memory.core.errors import MossError, PolicyError, StorageUnavailableError
from moss_memory.settings import SettingsError

COMMANDS: Final = {  # subcommand -> what the overview says of it
    "serve": "run the HTTP service",
    "migrate": "bring the database to the newest schema",
    "demo": "play the story of the vacation and the meeting, in English and in Korean",
    "compare": "run the control experiment: a growing chat log against governed memory",
    "doctor": "check settings, database, Redis and model, and say what is wrong",
    "rules": "show or verify the rule table",
    "lint": "judge facts in a file against each other",
    "keys": "create, list and revoke keys",
    "eval": "measure understanding against labelled sentences",
    "bench": "measure speed against controls on this machine",
    "audit": "verify the hash chains and every invariant",
    "sweep": "apply retention",
    "erasures": "copy the ledger of erasures, and re-apply it after a restore",
    "export": "write memories to a file",
    "import": "read memories from a file",
    "mcp": "serve the memory over MCP on standard input and output",
    "completion": "print the completion script of a shell",
}
_MODULES: Final = {"import": "import_"}  # where the word cannot name a module
_OPTIONAL: Final = {"mcp": "mcp", "icalendar": "calendar", "langgraph": "langgraph"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code: 0 done, 1 it failed, 2 asked wrongly."""
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in words if not word.startswith("-")), "")
    parser, subparsers = _bare_parser()
    try:
        module = _load(chosen) if chosen in available() else None
        if module is None:
            parser.parse_args(words)  # prints the help, or says what is wrong, and exits
            return 2
        _add(subparsers, chosen, module)
        code: int = module.run(parser.parse_args(words))
    except StorageUnavailableError:
        told = "the database does not answer, or is not migrated: moss-memory doctor says which"
        print(f"moss-memory: {told}", file=sys.stderr)
        return 1
    except (SettingsError, PolicyError, MossError) as error:
        print(f"moss-memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def whole_parser() -> argparse.ArgumentParser:
    """Return the parser with every command whose extra is installed."""
    parser, subparsers = _bare_parser()
    for name in available():
        try:
            _add(subparsers, name, _load(name))
        except SettingsError:
            continue
    return parser


def _bare_parser() -> tuple[argparse.ArgumentParser, Any]:
    parser = argparse.ArgumentParser(prog="moss-memory", description=__doc__.replace("``", ""))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _overview()
    parser.add_argument("--version", action="version", version=version("moss-memory"))
    return parser, parser.add_subparsers(dest="command", metavar="COMMAND", required=True)


def _add(subparsers: Any, name: str, module: ModuleType) -> None:
    module.add_parser(subparsers)
    tell(subparsers.choices[name], name)


def available() -> dict[str, str]:
    """Return the commands of this version: those whose module is there."""
    return {name: what for name, what in COMMANDS.items() if find_spec(_module(name))}


def _module(command: str) -> str:
    return f"moss_memory.cli.{_MODULES.get(command, command)}"


def _load(command: str) -> ModuleType:
    """Import a command's module.

    Raises:
        SettingsError: it needs an extra that is not installed.
    """
    try:
        return importlib.import_module(_module(command))
    except ModuleNotFoundError as error:
        extra = _OPTIONAL.get(str(error.name).partition(".")[0])
        if extra is None:
            raise
        raise SettingsError(f"{command} needs: pip install 'moss-memory[{extra}]'") from error


def _overview() -> str:
    commands = available()
    width = max(map(len, commands))
    lines = (f"  {name:<{width}}  {what}" for name, what in commands.items())
    return "commands:\n" + "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
