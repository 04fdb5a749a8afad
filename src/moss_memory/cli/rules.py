"""``moss-memory rules``: prove a rule table, lock what it decides, try it on what is stored."""

import argparse
import json
import sys
import time
from pathlib import Path

from moss_memory.cli.lint import stored
from moss_memory.core.errors import MossError, PolicyError
from moss_memory.core.fingerprint import differences, fingerprints
from moss_memory.core.relint import Contest, contests
from moss_memory.core.rules import Policy
from moss_memory.core.verify import check, pieces, promises
from moss_memory.policy import load, read_toml, shipped


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``rules verify [FILE]``, ``rules lock [FILE]`` and ``rules relint EXPORT FILE``."""
    parser = subparsers.add_parser(
        "rules", help="prove the rule table, lock what it decides, try it on what is stored",
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    commands = parser.add_subparsers(dest="rules_command", required=True)
    for name, told in {
        "verify": "prove that a table is total, unambiguous, reachable, and keeps its promises",
        "lock": "print the fingerprints of what a table decides, for rules.lock",
    }.items():
        command = commands.add_parser(name, help=told)
        command.add_argument("file", nargs="?", type=Path, help="rules file (default: as shipped)")
        command.add_argument("--ontology", type=Path, help="ontology file (default: as shipped)")
        command.add_argument("--json", action="store_true", help="print one JSON object")
    relint = commands.add_parser("relint", help="list stored pairs that new rules would ask about")
    relint.add_argument("export", type=Path, help="what moss-memory export --jsonl wrote")
    relint.add_argument("file", type=Path, help="the new rules file")
    relint.add_argument("--current", type=Path, help="the rules in force (default: as shipped)")
    relint.add_argument("--ontology", type=Path, help="ontology file (default: as shipped)")
    relint.add_argument("--timezone", default="UTC", help="the owner's, for floating times")
    relint.add_argument("--json", action="store_true", help="print one JSON object")


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
    if args.rules_command == "relint":
        return _relint(args, policy)
    if args.rules_command == "lock":
        prints = fingerprints(policy.rules)
        print(json.dumps(prints) if args.json else spelled(policy), end="\n" * args.json)
        return 0
    return _proved(policy) if args.json else _verify(policy)


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


def _proved(policy: Policy) -> int:
    """Print what ``_verify`` says as one JSON object."""
    flaws = [str(flaw) for flaw in check(policy.rules)]
    told = {
        "holds": not flaws,
        "flaws": flaws,
        "promises": promises(policy.rules),
        "rules_version": policy.rules_version,
        "changed": differences(read_toml(shipped("rules.lock")), policy.rules),
    }
    print(json.dumps(told, ensure_ascii=False))
    return 1 if flaws else 0


def _relint(args: argparse.Namespace, after: Policy) -> int:
    """Print each pair that the new rules judge more severely; 0 where there is none."""
    try:
        before = load(rules=args.current, ontology=args.ontology)
        memories = stored(args.export, after, args.timezone)
    except (OSError, ValueError, MossError) as error:  # JSON errors and PolicyError among them
        print(f"cannot be read: {error}", file=sys.stderr)
        return 1
    found = contests(memories, before, after)
    if args.json:
        print(json.dumps({"memories": len(memories), "contests": [_shape(each) for each in found]}))
        return 1 if found else 0
    for contest in found:
        then = contest.before.verdict if contest.before else "SUCCESS"
        print(
            f"{contest.newer} over {contest.older}: {then} becomes {contest.after.verdict}"
            f" by {contest.after.rule_id}"
        )
    print(f"{len(memories)} active memories, {len(found)} pairs would now be judged more severely")
    return 1 if found else 0


def _shape(contest: Contest) -> dict[str, object]:
    return {
        "newer": contest.newer,
        "older": contest.older,
        "before": contest.before.verdict if contest.before else "SUCCESS",
        "after": contest.after.verdict,
        "rule_id": contest.after.rule_id,
    }
