"""What ``moss-memory COMMAND --help`` adds to a command's own words: examples and exit codes.

In one place, so that no command can be without them; a test parses every example.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_DONE: Final = "Exit codes: 0 done; 1 {failed}; 2 asked or set up wrongly; 130 interrupted."


@dataclass(frozen=True, slots=True)
class Told:
    """Lines to type, each a whole command, and when the exit code is 1."""

    examples: tuple[str, ...]
    failed: str = "it failed, and standard error says why"


TOLD: Final[Mapping[str, Told]] = {
    "serve": Told(
        ("moss-memory serve", "moss-memory serve --port 0 --json",
         "moss-memory serve --host 0.0.0.0 --workers 2"),
        "it could not start",
    ),
    "migrate": Told(("moss-memory migrate", "moss-memory migrate --json")),
    "demo": Told(
        ("moss-memory demo --language en", "moss-memory demo --json"),
        "an answer was not the one that the story needs",
    ),
    "compare": Told(("moss-memory compare --turns 40", "moss-memory compare --turns 10 --json")),
    "doctor": Told(
        ("moss-memory doctor", "moss-memory doctor --json"),
        "the service would not start, or not be ready",
    ),
    "rules": Told(
        ("moss-memory rules verify my-rules.toml",
         "moss-memory export --jsonl -o memories.jsonl",
         "moss-memory rules relint memories.jsonl my-rules.toml --timezone Asia/Seoul"),
        "a promise is broken, or a stored pair would be judged more severely",
    ),
    "lint": Told(
        ("moss-memory lint case.json", "moss-memory lint - --rules my-rules.toml"),
        "the case cannot be judged",
    ),
    "keys": Told(
        ("moss-memory keys create alice", "moss-memory keys create admin --all-rights --days 90",
         "moss-memory keys list --json", "moss-memory keys revoke KEY_ID"),
    ),
    "eval": Told(("moss-memory eval context",)),
    "bench": Told(("moss-memory bench lint", "moss-memory bench http")),
    "audit": Told(
        ("moss-memory audit verify", "moss-memory audit verify --tenant default --json"),
        "a chain or an invariant is broken",
    ),
    "erasures": Told(
        ("moss-memory erasures list", "moss-memory erasures apply ledger.jsonl --json"),
    ),
    "sweep": Told(("moss-memory sweep", "moss-memory sweep --tenant default --json")),
    "export": Told(
        ("moss-memory export --jsonl -o memories.jsonl",
         "moss-memory export --jsonl -o memories.jsonl --as-of 2026-07-01T00:00:00Z",
         "moss-memory export --jsonl -o memories.jsonl --resume",
         "moss-memory export --ics -o memories.ics"),
        "the service did not answer, or refused",
    ),
    "import": Told(
        ("moss-memory import --ics calendar.ics --dry-run",
         "moss-memory import --ics calendar.ics --skip-conflicts --overwrite",
         "moss-memory import --jsonl memories.jsonl",
         "moss-memory import --jsonl memories.jsonl --history",
         "moss-memory import --jsonl mem0.json"),
        "something did not pass, and nothing was written; with --history: not all could be",
    ),
    "mcp": Told(("moss-memory mcp --url http://127.0.0.1:8000 --key-file key",)),
    "completion": Told(
        ('eval "$(moss-memory completion bash)"',
         'eval "$(moss-memory completion zsh)"')
    ),
}  # fmt: skip


def tell(parser: argparse.ArgumentParser, command: str) -> None:
    """Give the parser of ``command`` its examples and exit codes."""
    told = TOLD[command]
    lines = "\n".join(f"  {line}" for line in told.examples)
    parts = [parser.epilog or "", f"Examples:\n{lines}", _DONE.format(failed=told.failed)]
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (parser.description or "").replace("``", "")
    parser.epilog = "\n\n".join(part.rstrip() for part in parts if part)
