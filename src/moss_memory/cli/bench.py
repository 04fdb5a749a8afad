"""``moss-memory bench``: measure on this machine, and say it beside the target."""

import argparse

from moss_memory.cli import bench_context, bench_http, bench_lint
from moss_memory.policy import load


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``bench lint``, ``bench http`` and ``bench context``."""
    parser = subparsers.add_parser("bench", help="measure speed on this machine")
    benches = parser.add_subparsers(dest="bench", required=True)
    lint = benches.add_parser("lint", help="the pure linter, recurrence, and the proof")
    lint.add_argument("--rounds", type=int, default=200, help="how often each is run")
    lint.add_argument("--json", action="store_true", help="one JSON object on standard output")
    bench_http.add_parser(benches)
    bench_context.add_parser(benches)


def run(args: argparse.Namespace) -> int:
    """Print the figures; ``lint``: 0 where every target holds, 1 where one does not."""
    if args.bench == "http":
        return bench_http.run(args)
    if args.bench == "context":
        return bench_context.run(args)
    timings = bench_lint.measure(load(), rounds=args.rounds)
    print(bench_lint.told(timings) if args.json else bench_lint.report(timings))
    return 0 if all(timing.holds for timing in timings) else 1
