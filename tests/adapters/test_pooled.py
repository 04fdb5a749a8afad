"""Through a real PgBouncer in transaction mode: nothing of one tenant reaches another.

Runs where the program is installed (Debian's package, or TEST_PGBOUNCER names it).
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from socket import create_connection, create_server
from typing import Any
from urllib.parse import urlsplit

import pytest

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.flow.ports import Query

PROGRAM = os.environ.get("TEST_PGBOUNCER") or shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
START = datetime(2026, 7, 17, 10, tzinfo=UTC)
TENANTS = ("a", "b", "c")

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed")


@pytest.fixture
def pooled_url(postgres_url: str, tmp_path: Path) -> Iterator[str]:
    """The test's database behind a pool of three server connections."""
    parts = urlsplit(postgres_url)
    with closing(create_server(("127.0.0.1", 0))) as probe:
        port = probe.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="moss-pgb-"))
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"""
        [databases]
        * = host=127.0.0.1 port={parts.port} user={parts.username}
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = {port}
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 3
        ignore_startup_parameters = extra_float_digits
    """.replace("\n        ", "\n")
    )
    account: dict[str, Any] = {}
    if os.geteuid() == 0:  # it refuses root as PostgreSQL does
        nobody = pwd.getpwnam("nobody")
        account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        os.chown(settings, nobody.pw_uid, nobody.pw_gid)
    with subprocess.Popen(
        [PROGRAM or "", str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        **account,
    ) as server:  # fmt: skip
        _wait(port)
        yield postgres_url.replace(f":{parts.port}/", f":{port}/")
        server.send_signal(signal.SIGINT)
    shutil.rmtree(folder)


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise pytest.UsageError("pgbouncer did not start")


@pytest.fixture
def pooled(pooled_url: str, ontology: Any) -> Iterator[SqlMemory]:
    """A store behind the pool."""
    memory = SqlMemory(pooled_url, ontology=ontology, pgbouncer=True)
    yield memory
    memory.close()


def probe(memory: SqlMemory, scribe: Any, rounds: int) -> list[str]:
    """Write and read as many tenants at once; return every memory that was seen from elsewhere."""
    leaked: list[str] = []

    def live(tenant: str) -> None:
        for round_ in range(rounds):
            scope = f"p{round_}"
            scribe.create(scribe.draft(scribe.fact(tenant, scope=scope), tenant=tenant))
            if round_ % 7 == 0:  # a transaction that fails binds nothing either
                wrong = scribe.draft(scribe.fact(scope=scope), tenant=tenant)
                with pytest.raises(ValueError, match="claimed"):
                    scribe.create(wrong, writes=frozenset({("x", "Schedule")}), lint=False)
            page = memory.page(tenant, Query(scopes=(scope,), now=START))
            leaked.extend(m.memory_id for m in page.items if m.fact.object_value != tenant)
            assert len(page.items) == 1

    threads = [threading.Thread(target=live, args=(tenant,)) for tenant in TENANTS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return leaked


def test_pooled_connection_carries_no_tenant_over(pooled: SqlMemory, scribe_on: Any):
    scribe = scribe_on(pooled)

    assert probe(pooled, scribe, 20) == []
    assert [pooled.verify(tenant).checked for tenant in TENANTS] == [20] * len(TENANTS)


@pytest.mark.campaign
def test_pooled_connections_carry_no_tenant_over_in_3000_probes(pooled: SqlMemory, scribe_on: Any):
    assert probe(pooled, scribe_on(pooled), 1000) == []


def test_pooled_store_has_no_fault(pooled: SqlMemory):
    assert pooled.self_check() == ()
