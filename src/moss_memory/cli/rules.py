"""``moss-memory rules``: prove a rule table, and lock what it decides."""

import argparse
import sys
import time
from pathlib import Path

from moss_memory.core.errors import PolicyError
from moss_memory.core.fingerprint import differences, fingerprints
from moss_memory.core.rules import Policy
from moss_memory.core.verify import check, pieces, promises
from moss_memory.policy import read_toml, shipped


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``rules verify [FILE]`` and ``rules lock [FILE]``."""
    parser = subparsers.add_parser("rules", help="prove the rule table, or lock what it decides")
    commands = parser.add_subparsers(dest="rules_command", required=True)
    for name, told in {
        "verify": "prove that a table is total, unambiguous, reachable, and keeps its promises",
        "lock": "print the fingerprints of what a table decides, for rules.lock",
    }.items():
        command = commands.add_parser(name, help=told)
        command.add_argument("file", nargs="?", type=Path, help="rules file (default: as shipped)")
        command.add_argument("--ontology", type=Path, help="ontology file (default: as shipped)")


def run(args: argparse.Namespace) -> int:
    """Answer 0 where the table holds, 1 with every flaw in words where it does not."""
    try:
        policy = Policy.from_data(
            read_toml(args.ontology or shipped("ontology.toml")),
            read_toml(args.file or shipped("rules.toml")),
        )
    except PolicyError as error:
        print(f"not a policy: {error}", file=sys.stderr)
        return 1
    if args.rules_command == "lock":
        print(spelled(policy), end="")
        return 0
    return _verify(policy)


def spelled(policy: Policy) -> str:
    """Spell the fingerprints as rules.lock holds them."""
    lines = [f'"{name}" = "{print_}"' for name, print_ in fingerprints(policy.rules).items()]
    return "\n".join(["# moss-memory rules lock > rules.lock; a test compares it.", *lines, ""])


def _verify(policy: Policy) -> int:
    began = time.perf_counter()
    flaws = check(policy.rules)
    took = (time.perf_counter() - began) * 1000
    for flaw in flaws:
        print(flaw, file=sys.stderr)
    if flaws:
        print(f"{len(flaws)} promises are broken.", file=sys.stderr)
        return 1
    for table in policy.rules.tables.values():
        print(f"{table.domain}: {len(table.rules)} rules, {len(pieces(table))} cases")
    changed = differences(read_toml(shipped("rules.lock")), policy.rules)
    print(f"{promises(policy.rules)} promises hold ({took:.0f} ms); version {policy.rules_version}")
    print(f"decided otherwise than as shipped: {', '.join(changed) or 'nothing'}")
    return 0
