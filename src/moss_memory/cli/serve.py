"""``moss-memory serve``: run the HTTP service."""

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from moss_memory.settings import Settings, check, load_settings, unknown

if TYPE_CHECKING:
    from fastapi import FastAPI

Announce = Callable[[str, int], None]


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("serve", description=__doc__)
    parser.add_argument("--host", help="where to listen; default MOSS_HOST")
    parser.add_argument("--port", type=int, help="0 takes a free one; default MOSS_PORT")
    parser.add_argument("--workers", type=int, default=1, help="processes; need MOSS_REDIS_URL")
    parser.add_argument("--json", action="store_true", help='say {"listens_on": URL} when it does')


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; what is in flight may take 10 seconds more."""
    settings = load_settings()
    host = args.host or settings.host
    port = settings.port if args.port is None else args.port
    check(settings, host=host, workers=args.workers)
    for name in unknown(os.environ):
        print(f"moss-memory: {name} is no setting, ignored", file=sys.stderr)
    announce = _announce_json if args.json else _announce
    if args.workers > 1:
        return _serve_with_workers(host, port, args.workers, announce)
    return _serve(settings, host, port, announce)


def _serve(settings: Settings, host: str, port: int, announce: Announce) -> int:
    app = application(settings)
    from moss_memory.cli.listening import Server, configuration

    server = Server(configuration(app, host=host, port=port), announce)
    server.run()
    return 0 if server.started else 1


def _serve_with_workers(host: str, port: int, workers: int, announce: Announce) -> int:
    from uvicorn.supervisors import Multiprocess

    from moss_memory.cli.listening import configuration

    config = configuration(
        "moss_memory.cli.serve:application", host=host, port=port, workers=workers
    )
    listener = config.bind_socket()
    listener.listen(config.backlog)  # who comes before the workers are up waits, and is not refused
    announce(host, listener.getsockname()[1])
    Multiprocess(config, sockets=[listener]).run()
    return 0


def application(settings: Settings | None = None) -> "FastAPI":
    """Return the application of a process that only serves it (None: of the environment)."""
    with _for_good():
        from moss_memory.app import create_app

        return create_app(settings)


@contextmanager
def _for_good() -> Iterator[None]:
    """Make what lives as long as the process, and is no garbage.

    The collector would go through all of it dozens of times while it is made, a tenth of a start,
    and later, for a tenth of a second each time, in the midst of requests.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _announce(host: str, port: int) -> None:
    with suppress(OSError):  # a disk of logs that is full is no reason not to serve
        print(f"moss-memory listens on {_url(host, port)}", flush=True)


def _announce_json(host: str, port: int) -> None:
    with suppress(OSError):
        print(json.dumps({"listens_on": _url(host, port)}), flush=True)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
