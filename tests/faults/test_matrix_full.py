"""The disk full under PostgreSQL's tables, under its log, and under an SQLite file."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from moss_memory.adapters.sql_migrate import migrate

MEBIBYTE = 1 << 20


def said(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", answer.json().get("status"))


@pytest.fixture
def small_disk() -> Iterator[Callable[[int], Path]]:
    """How to mount a disk of some MiB; skips where this account may not mount."""
    mounted: list[Path] = []

    def mount(size: int) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="moss-full-"))
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(folder)]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            folder.rmdir()
            pytest.skip("a small disk needs the right to mount a tmpfs")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


def fill(disk: Path) -> Path:
    """Leave no byte free on a disk; return the file that takes them."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (MEBIBYTE, 4096):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                pass
    return filler


def write(service: Any, facts: Any, n: int) -> httpx2.Response:
    """Write a batch of two, all or nothing."""
    pair = [facts["meeting"](2 * n), facts["meeting"](2 * n + 1)]
    answer: httpx2.Response = service.http.post("/memories", json={"facts": pair})
    return answer


def until_refused(service: Any, facts: Any, told: set[str]) -> httpx2.Response:
    """Write until the pages that are there are full; keep the ids that were told."""
    for n in range(1000):
        answer = write(service, facts, n)
        if answer.status_code != 201:
            return answer
        told |= {each["memory_id"] for each in answer.json()["facts"]}
    raise AssertionError("the disk does not fill")


def endure(service: Any, url: str, disk: Path, sound: Any, facts: Any) -> None:
    """Hold the service to what it promises while the disk is full, and when it no longer is."""
    before = write(service, facts, 2000).json()["facts"]
    told = {each["memory_id"] for each in before}
    filler = fill(disk)
    refused = until_refused(service, facts, told)
    reads = [
        service.http.get("/memories"),
        service.http.get(f"/memories/{next(iter(told))}"),
        service.http.post("/context", json={"query": "talk"}),
        service.http.post("/lint", json={"facts": [facts["meeting"](5000)]}),
    ]
    assert said(refused) == (503, "storage_unavailable")
    assert int(refused.headers["Retry-After"]) >= 1
    assert [each.status_code for each in reads] == [200, 200, 200, 200]
    filler.unlink()
    sound(url, ids=told, alone=True)  # no half batch
    assert said(write(service, facts, 3000)) == (201, "SUCCESS")


def test_f19_writes_are_refused_and_reads_go_on_while_the_disk_of_postgresql_is_full(
    node: Any, small_disk: Any, serve: Any, sound: Any, facts: Any
) -> None:
    disk = small_disk(32)
    owner = node.data.stat()
    (disk / "space").mkdir()
    shutil.chown(disk / "space", owner.st_uid, owner.st_gid)
    disk.chmod(0o755)
    node.server.execute(f"CREATE TABLESPACE small LOCATION '{disk / 'space'}'")
    node.server.execute("CREATE DATABASE full_disk TEMPLATE template0 TABLESPACE small")
    url = node.url("full_disk")
    migrate(url)
    try:
        endure(serve(url), url, disk, sound, facts)
    finally:
        (disk / "filler").unlink(missing_ok=True)
        node.server.execute("DROP DATABASE full_disk WITH (FORCE)")
        node.server.execute("DROP TABLESPACE small")


@pytest.fixture
def logging_node(new_node: Any, small_disk: Any) -> Iterator[tuple[Any, Path]]:
    """A PostgreSQL with its write-ahead log on a small disk, stopped before that goes."""
    node, disk = new_node("restart_after_crash=off"), small_disk(40)
    node.stop()
    node.move_log_to(disk)
    node.start()
    yield node, disk
    node.crash()


def test_f19_acknowledged_writes_are_there_after_the_disk_of_the_log_was_full(
    logging_node: tuple[Any, Path], serve: Any, sound: Any, facts: Any
) -> None:
    node, disk = logging_node
    url = node.url("postgres")
    migrate(url)
    service = serve(url)
    told = {each["memory_id"] for each in write(service, facts, 2000).json()["facts"]}
    filler = fill(disk)
    with suppress(psycopg.OperationalError):  # the server ends, rather than go on without a log
        node.server.execute("SELECT pg_switch_wal()")
    refused = until_refused(service, facts, told)
    filler.unlink()
    node.start()

    assert refused.status_code == 503
    assert said(write(service, facts, 3000)) == (201, "SUCCESS")
    sound(url, ids=told)


def test_f19_writes_are_refused_and_reads_go_on_while_the_disk_of_sqlite_is_full(
    small_disk: Any, sqlite_template: Path, serve: Any, sound: Any, facts: Any
) -> None:
    disk = small_disk(8)
    shutil.copy(sqlite_template, disk / "moss.db")
    url = f"sqlite:///{disk / 'moss.db'}"
    service = serve(url)
    assert service.http.get("/memories").status_code == 200

    endure(service, url, disk, sound, facts)
