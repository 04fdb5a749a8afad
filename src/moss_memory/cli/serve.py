"""``moss-memory serve``: run the HTTP service."""

import argparse
import os
import sys
from typing import Any

from moss_memory.settings import Settings, check, load_settings, unknown


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("serve", description=__doc__)
    parser.add_argument("--host", help="where to listen; default MOSS_HOST")
    parser.add_argument("--port", type=int, help="0 takes a free one; default MOSS_PORT")
    parser.add_argument("--workers", type=int, default=1, help="processes; need MOSS_REDIS_URL")


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; what is in flight may take 10 seconds more."""
    settings = load_settings()
    host = args.host or settings.host
    port = settings.port if args.port is None else args.port
    check(settings, host=host, workers=args.workers)
    for name in unknown(os.environ):
        print(f"moss-memory: {name} is no setting, ignored", file=sys.stderr)
    if args.workers > 1:
        return _serve_with_workers(host, port, args.workers)
    return _serve(settings, host, port)


def _serve(settings: Settings, host: str, port: int) -> int:
    from moss_memory.app import create_app
    from moss_memory.cli.listening import Server, configuration

    server = Server(configuration(create_app(settings), host=host, port=port), _announce)
    server.run()
    return 0 if server.started else 1


def _serve_with_workers(host: str, port: int, workers: int) -> int:
    from uvicorn.supervisors import Multiprocess

    from moss_memory.cli.listening import configuration

    config = configuration("moss_memory.app:create_app", host=host, port=port, workers=workers)
    listener = config.bind_socket()
    listener.listen(config.backlog)  # who comes before the workers are up waits, and is not refused
    _announce(host, listener.getsockname()[1])
    Multiprocess(config, sockets=[listener]).run()
    return 0


def _announce(host: str, port: int) -> None:
    shown = f"[{host}]" if ":" in host else host
    print(f"moss-memory listens on http://{shown}:{port}", flush=True)
