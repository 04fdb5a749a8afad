"""F50 to F61: clients, bodies, logs and scrapers at their worst, against a serving process.

F50 with the bounds shortened is in tests/cli/test_listening.py and tests/api/test_guard.py, F55 in
tests/journeys/test_bad_input.py. Figures go into the report as properties; no time is asserted.
"""

import fcntl
import gzip
import json
import os
import resource
import selectors
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from moss_memory.app import build_house
from moss_memory.cli.bench_fill import fill
from moss_memory.settings import Settings

MAIN = "import sys; from moss_memory.cli.main import main; sys.exit(main())"
CREDENTIAL = {"Authorization": "Bearer dev:ann"}
JSON_TYPE = {"Content-Type": "application/json"}
MIB = 1024 * 1024
MEETING = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "sync",
    "when": {"start": "2027-08-02T10:00:00Z"},
}
Record = Callable[[str, object], None]


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Served:
    """A serving process, by its port."""

    process: "subprocess.Popen[bytes]"
    port: int

    def connect(self, *sent: bytes) -> socket.socket:
        wire = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        for part in sent:
            wire.sendall(part)
        return wire

    def ask(self, method: str, path: str, **options: Any) -> httpx2.Response:
        return httpx2.request(
            method, f"http://127.0.0.1:{self.port}{path}", headers=CREDENTIAL, timeout=60, **options
        )

    def metric(self, series: str) -> float:
        lines = self.ask("GET", "/metrics").text.splitlines()
        return next(float(each.rpartition(" ")[2]) for each in lines if each.startswith(series))

    def peak(self) -> int:
        """Return the most memory that the process has held, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [each for each in status.splitlines() if each.startswith("VmHWM")]
        return int(line.split()[1]) * 1024


def open_files(count: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, most), most))


def serve(database: Path, stdout: Any) -> Iterator[Served]:
    port = free_port()
    kept = {name: text for name, text in os.environ.items() if not name.startswith("MOSS_")}
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "serve", "--port", str(port)],
        env=kept | {"MOSS_DATABASE_URL": f"sqlite:///{database}"},
        stdout=stdout, stderr=subprocess.DEVNULL, cwd=database.parent,
        preexec_fn=lambda: open_files(30_000),  # noqa: PLW1509 - for ten thousand connections
    )  # fmt: skip
    try:
        yield listening(Served(process, port))
    finally:
        process.terminate()
        process.wait(60)


def listening(served: Served) -> Served:
    deadline = time.monotonic() + 60
    while True:
        try:
            served.connect().close()
        except OSError:
            assert served.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return served


@pytest.fixture
def database(sqlite_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sqlite_template, tmp_path / "moss.db"))


@pytest.fixture(scope="module")
def served(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A serving process for the tests that leave it as it was."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copy(sqlite_template, folder / "moss.db")
    yield from serve(folder / "moss.db", subprocess.DEVNULL)


def slow_clients() -> dict[str, tuple[bytes, ...]]:
    head = b"POST /chat HTTP/1.1\r\nHost: moss\r\nAuthorization: Bearer dev:ann\r\n"
    return {
        "silent": (),
        "half a line": (b"POST /ch",),
        "headers without an end": (head + b"X-Slow: a\r\n",),
        "a body that does not come": (head + b"Content-Type: application/json\r\n"
                                      b"Content-Length: 20\r\n\r\n{",),
        "a chunk that does not come": (head + b"Content-Type: application/json\r\n"
                                       b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"te',),
    }  # fmt: skip


@pytest.mark.campaign
def test_f50_slow_clients_by_the_hundred_are_all_closed(
    served: Served, record_property: Record
) -> None:
    began = time.monotonic()
    took: list[float] = []
    with selectors.DefaultSelector() as waiting, ExitStack() as stack:
        for number in range(500):
            sent = list(slow_clients().values())[number % 5]
            wire = stack.enter_context(closing(served.connect(*sent)))
            waiting.register(wire, selectors.EVENT_READ)
        while waiting.get_map() and time.monotonic() - began < 60:
            for key, _ in waiting.select(timeout=1):
                if not key.fileobj.recv(65_536):  # type: ignore[union-attr]
                    took.append(time.monotonic() - began)
                    waiting.unregister(key.fileobj)

    record_property("seconds until the last was closed", round(max(took), 1))
    assert len(took) == 500


@pytest.mark.campaign
def test_f51_ten_thousand_idle_connections_keep_nobody_out(
    served: Served, record_property: Record
) -> None:
    open_files(30_000)
    before, asked = served.peak(), []
    with ExitStack() as stack:
        for _ in range(10_000):
            stack.enter_context(closing(served.connect()))
        with httpx2.Client(base_url=f"http://127.0.0.1:{served.port}", timeout=30) as client:
            for _ in range(300):
                began = time.perf_counter()
                assert client.get("/livez").status_code == 200
                asked.append(time.perf_counter() - began)

    record_property("livez p99 ms", round(quantiles(asked, n=100)[98] * 1000, 2))
    record_property("kB a connection", round((served.peak() - before) / 10_000 / 1000, 1))


def test_f52_idle_connections_do_not_keep_health_or_work_out(served: Served) -> None:
    with ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(closing(served.connect()))

        assert served.ask("GET", "/livez").status_code == 200
        assert served.ask("GET", "/me").status_code == 200


def chunks(mebibytes: int) -> Iterator[bytes]:
    for _ in range(mebibytes * 16):
        yield b"x" * 65_536


def test_f53_body_of_a_hundred_mebibytes_is_refused_in_flat_memory(served: Served) -> None:
    served.ask("GET", "/me")
    before = served.peak()

    streamed = served.ask("POST", "/chat", content=chunks(100))
    announced = served.ask("POST", "/chat", content=b"x" * (100 * MIB))

    assert (streamed.status_code, announced.status_code) == (413, 413)
    assert streamed.json()["code"] == "body_too_large"
    assert served.peak() - before < 16 * MIB


def test_f54_header_of_two_hundred_kilobytes_is_refused(served: Served) -> None:
    head = b"GET /me HTTP/1.1\r\nHost: moss\r\nAuthorization: Bearer dev:ann\r\nX-Long: "
    with closing(served.connect()) as wire:
        try:
            wire.sendall(head + b"a" * 200_000 + b"\r\n\r\n")
            said = wire.recv(65_536)
        except ConnectionError:  # it closed while we were still sending
            said = b"HTTP/1.1 431"

    assert said.startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_f56_compressed_body_is_not_unpacked(served: Served, encoding: str) -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * (50 * MIB)))
    before = served.peak()

    said = httpx2.post(
        f"http://127.0.0.1:{served.port}/chat", content=bomb,
        headers=CREDENTIAL | JSON_TYPE | {"Content-Encoding": encoding},
    )  # fmt: skip

    assert (said.status_code, said.json()["code"]) == (415, "unsupported_media_type")
    assert served.peak() - before < 16 * MIB


@pytest.mark.campaign
def test_f57_ten_thousand_memories_fit_the_prompt_and_the_page(database: Path) -> None:
    built = build_house(Settings(database_url=SecretStr(f"sqlite:///{database}")))
    fill(built.house, "ann", 10_000)
    for close in built.close:
        close()

    for served in serve(database, subprocess.DEVNULL):
        for budget in (0, 64, 1024, 8192):
            asked = {"query": "what do I like?", "token_budget": budget}
            context = served.ask("POST", "/context", json=asked)
            assert context.status_code == 200
            assert context.json()["tokens"] <= budget
            assert len(context.json()["excluded"]) <= 50
        page = served.ask("GET", "/memories?limit=100").json()
        assert (len(page["items"]), page["next_cursor"] is None) == (100, False)
        assert served.ask("GET", "/memories?limit=101").status_code == 422


def test_f58_others_are_answered_while_huge_bodies_come(
    served: Served, record_property: Record
) -> None:
    refused: list[int] = []

    def send() -> None:
        refused.append(served.ask("POST", "/chat", content=chunks(100)).status_code)

    senders = [threading.Thread(target=send) for _ in range(2)]
    for each in senders:
        each.start()
    asked = []
    with httpx2.Client(base_url=f"http://127.0.0.1:{served.port}", timeout=30) as client:
        while any(each.is_alive() for each in senders) or not asked:
            began = time.perf_counter()
            assert client.get("/livez").status_code == 200
            asked.append(time.perf_counter() - began)
    for each in senders:
        each.join()

    record_property("livez worst ms", round(max(asked) * 1000, 1))
    assert refused == [413, 413]


@pytest.fixture
def fifo(tmp_path: Path) -> Iterator[int]:
    """The writing end of a pipe of one page that nobody reads, full already."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, b"x" * 4000)
    yield writing
    os.close(writing)
    os.close(reading)


def pipelined(served: Served, count: int) -> int:
    """Ask for /livez many times on one connection; how many answers were 200."""
    request = b"GET /livez HTTP/1.1\r\nHost: moss\r\n\r\n"
    last = b"GET /livez HTTP/1.1\r\nHost: moss\r\nConnection: close\r\n\r\n"
    with closing(served.connect()) as wire:
        sender = threading.Thread(target=wire.sendall, args=(request * (count - 1) + last,))
        sender.start()
        said = b"".join(iter(lambda: wire.recv(65_536), b""))
        sender.join()
    return said.count(b"HTTP/1.1 200")


def test_f60_log_that_nobody_reads_holds_no_request_up(database: Path, fifo: int) -> None:
    for served in serve(database, fifo):
        written = served.ask("POST", "/memories", json={"facts": [MEETING]})

        assert written.status_code == 201
        assert pipelined(served, 500) == 500
        assert served.ask("GET", "/memories").json()["items"] != []


@pytest.mark.campaign
def test_f60_lines_that_a_full_pipe_does_not_take_are_counted(database: Path, fifo: int) -> None:
    for served in serve(database, fifo):
        for _ in range(10):
            assert pipelined(served, 2_500) == 2_500

        assert served.metric("moss_log_lines_total") > 0


def test_f60_full_disk_of_logs_is_counted_and_holds_no_request_up(database: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        for served in serve(database, full):
            written = served.ask("POST", "/memories", json={"facts": [MEETING]})
            dropped = 0.0
            while not dropped:
                dropped = served.metric('moss_log_lines_total{fate="dropped"}')

    assert written.status_code == 201
    assert dropped >= 1


def test_f61_scraper_that_does_not_read_disturbs_nobody(served: Served) -> None:
    request = b"GET /metrics HTTP/1.1\r\nHost: moss\r\n\r\n" * 20
    with ExitStack() as stack:
        for _ in range(50):
            wire = stack.enter_context(closing(socket.socket()))
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            wire.connect(("127.0.0.1", served.port))
            wire.sendall(request)

        asked = [served.ask("GET", "/me").status_code for _ in range(5)]
        scraped = served.ask("GET", "/metrics")

    assert asked == [200] * 5
    assert "moss_requests_total" in scraped.text


@pytest.mark.parametrize("raw", [json.dumps({"text": "hello"}).encode("utf-16"), b'{"text": NaN}'])
def test_f55_odd_json_is_malformed_here_too(served: Served, raw: bytes) -> None:
    said = httpx2.post(
        f"http://127.0.0.1:{served.port}/chat", content=raw, headers=CREDENTIAL | JSON_TYPE
    )

    assert (said.status_code, said.json()["code"]) == (400, "malformed_body")
