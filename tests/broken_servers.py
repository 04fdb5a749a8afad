"""What stands for a network and a server that fail: a TCP proxy, and a PostgreSQL of one's own.

A plain module: the fault tests' fixtures make these.
"""

import os
import select
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg


def until(true: Callable[[], object], seconds: float = 60) -> None:
    """Return when something is true; it is an error when it never is."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


class Wire:
    """A TCP proxy: ``down`` refuses, ``deaf`` passes nothing on, ``delay`` waits (seconds).

    ``cut_answer()`` passes the next thing that is asked, and cuts in place of its answer;
    ``lead_to`` takes the next connections elsewhere. ``asked`` counts bytes from clients.
    """

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.down = self.deaf = self._cutting = False
        self.delay, self.asked = 0.0, 0
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = None if self.down else socket.create_connection(self._target)
                except OSError:
                    server = None
                if server is None:
                    client.close()
                    continue
                for each in (client, server):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._pairs.append((client, server))
                threading.Thread(target=self._pass, args=(client, server), daemon=True).start()

    def _pass(self, client: socket.socket, server: socket.socket) -> None:
        cutting = False
        with suppress(OSError), client, server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    data = ready.recv(65536)
                    if not data or (cutting and ready is server):
                        return
                    if self.deaf:
                        continue
                    time.sleep(self.delay)
                    if ready is client:
                        self.asked += len(data)
                        cutting, self._cutting = cutting or self._cutting, False
                    (server if ready is client else client).sendall(data)

    def cut_answer(self) -> None:
        self._cutting = True

    def cut_all(self) -> None:
        for pair in self._pairs:
            for each in pair:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        self._pairs.clear()

    def lead_to(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self.cut_all()

    def close(self) -> None:
        self._listener.close()
        self.cut_all()


class PostgresNode:
    """A PostgreSQL that one test stops, crashes, freezes and fills; its data and port stay."""

    def __init__(self, server: Any, kept: Any) -> None:
        self.server, self._kept = server, kept
        self.data = kept.folder / "data"

    def url(self, database: str) -> str:
        return str(self.server.url(database))

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def signal(self, number: int) -> None:
        """Send the postmaster a signal and wait until it has ended."""
        pid = self.pid
        os.kill(pid, number)
        until(lambda: state(pid) == "Z")

    def stop(self) -> None:
        self.signal(signal.SIGINT)

    def crash(self) -> None:
        """End at once, as ``pg_ctl stop -m immediate`` does: nothing is flushed, no checkpoint."""
        self.signal(signal.SIGQUIT)

    def start(self) -> None:
        self._kept.again()
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.server.execute("SELECT 1")
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, (self._kept.folder / "log").read_text()[-2000:]
                time.sleep(0.05)

    def mark(self, name: str, words: str = "") -> None:
        """Write a file into the data folder, as its owner's."""
        owner = self.data.stat()
        (self.data / name).write_text(words)
        os.chown(self.data / name, owner.st_uid, owner.st_gid)

    def move_log_to(self, disk: Path) -> None:
        """Keep the write-ahead log of a stopped server on another disk."""
        subprocess.run(["mv", str(self.data / "pg_wal"), str(disk)], check=True)
        (self.data / "pg_wal").symlink_to(disk / "pg_wal")

    def become_standby_of(self, primary: "PostgresNode") -> None:
        """Start on a copy of a stopped primary's data, to follow it an hour behind."""
        self.stop()
        shutil.rmtree(self.data)
        subprocess.run(["cp", "-a", str(primary.data), str(self.data)], check=True)
        port = urlsplit(primary.url("postgres")).port
        line = f"primary_conninfo = 'host=127.0.0.1 port={port} user=postgres'\n"
        self.mark("postgresql.auto.conf", f"{line}recovery_min_apply_delay = '1h'\n")
        self.mark("standby.signal")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the time of the server and of all its backends; connections stay open."""
        stopped = [self.pid]
        os.kill(self.pid, signal.SIGSTOP)
        for child in children(self.pid):
            os.kill(child, signal.SIGSTOP)
            stopped.append(child)
        try:
            yield
        finally:
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)


def state(pid: int) -> str:
    """Return the state of a process by one letter: Z has ended and its parent has not looked."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def children(pid: int) -> list[int]:
    """Return the processes that ``pid`` has started itself."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(each) for each in listed]
