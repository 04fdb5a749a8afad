"""``moss-memory completion``: print what a shell needs to complete commands and options.

Made from the parsers themselves. Put the line of the example into ~/.bashrc or ~/.zshrc.
"""

import argparse
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_SCRIPT: Final = """\
_moss_memory() {{
  local path="" each now=${{COMP_WORDS[COMP_CWORD]}}
  for each in "${{COMP_WORDS[@]:1:$((COMP_CWORD - 1))}}"; do
    case "$path $each" in
      {known}) path="$path $each" ;;
    esac
  done
  case "$path" in
{cases}
  esac
}}
complete -o default -F _moss_memory moss-memory
"""
_CASE: Final = '    "{path}") COMPREPLY=($(compgen -W "{words}" -- "$now")) ;;'
_ZSH: Final = """\
(( $+functions[compdef] )) || { autoload -U compinit && compinit -i }
autoload -U bashcompinit && bashcompinit
"""
_PLAIN: Final = re.compile(r"[\w-]+")


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("completion", description=__doc__)
    parser.add_argument("shell", choices=("bash", "zsh"))


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from moss_memory.cli.main import whole_parser

    print(script(whole_parser(), args.shell), end="")
    return 0


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the completion script for a parser with all its subcommands."""
    words = dict(_words(parser, ""))
    cases = "\n".join(_CASE.format(path=path, words=" ".join(each)) for path, each in words.items())
    known = "|".join(f'"{path}"' for path in words if path)
    made = _SCRIPT.format(known=known, cases=cases)
    return _ZSH + made if shell == "zsh" else made


def _words(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what may follow each chain of subcommands, ``path`` first."""
    below: Mapping[str, argparse.ArgumentParser] = {}
    words: list[str] = []
    for action in parser._actions:  # noqa: SLF001 - argparse shows its actions to nobody else
        words += action.option_strings
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            below = action.choices
        if not action.option_strings and action.choices is not None:
            words += [str(each) for each in action.choices]
    yield path, [word for word in words if _PLAIN.fullmatch(word)]
    for name, each in below.items():
        yield from _words(each, f"{path} {name}")
