"""One Desk in several processes, behind TLS, on a moving cluster; and both Desks side by side."""

import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from socket import create_connection, create_server, socket
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis
from redis.crc import key_slot

from moss_memory.adapters.local_desk import LocalDesk
from moss_memory.adapters.redis_desk import RedisDesk
from moss_memory.adapters.redis_link import RedisLink
from moss_memory.core.errors import TooManyPendingsError
from moss_memory.flow.ports import Desk, Pending, ReferenceFacts, Session

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
SECRET = "pepper" * 6
PENDING = Pending(
    pending_id="p1",
    tenant_id="default",
    principal_id="mina",
    scope_ids=("mina",),
    operation="create",
    facts=(),
    shown=(),
    actions=("cancel",),
    decision_id="d1",
    expires_at=NOW + timedelta(minutes=30),
    fingerprint="f1",
    rules_version="r1",
    timezone="UTC",
    locale="ko",
)
OTHER_WORKER = """
import sys
from datetime import datetime
from moss_memory.adapters.redis_desk import RedisDesk
from moss_memory.adapters.redis_link import RedisLink
link = RedisLink(sys.argv[1], connect=10, call=10)
desk = RedisDesk(sys.argv[1], secret=sys.argv[2], link=link)
pending = desk.pending("default", "p1", now=datetime.fromisoformat(sys.argv[3]))
print(pending and pending.fingerprint)
if pending:
    desk.drop(pending)
"""


def patient_desk(url: str) -> RedisDesk:
    """Make a Desk that waits for a busy machine."""
    return RedisDesk(url, secret=SECRET, link=RedisLink(url, connect=10, call=10))


def ask_other_worker(url: str, secret: str) -> str:
    argv = [sys.executable, "-c", OTHER_WORKER, url, secret, NOW.isoformat()]
    return subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize(("secret", "found", "left"), [(SECRET, "f1", 0), ("salt" * 8, "None", 1)])
def test_question_is_shared_by_workers_of_one_secret(
    redis_url: str, secret: str, found: str, left: int
) -> None:
    with closing(patient_desk(redis_url)) as desk:
        desk.hold(PENDING, cap=20, now=NOW)

        assert ask_other_worker(redis_url, secret).strip() == found
        assert len(desk.pendings("default", "mina", now=NOW)) == left


def certificate(folder: Path) -> Path:
    """Write a key and a certificate of 127.0.0.1 that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "moss")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    names = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    signed = (
        builder.not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(names, critical=False)
        .sign(key, SHA256())
    )
    path = folder / "tls.pem"
    path.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + signed.public_bytes(Encoding.PEM)
    )
    return path


def copy(source: socket, sink: socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.close()


@pytest.fixture
def tls_url(redis_url: str, tmp_path: Path) -> Iterator[str]:
    """A Valkey behind a proxy that ends TLS."""
    pem = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    port = int(redis_url.rpartition(":")[2].split("/")[0])
    with ExitStack() as stack:
        listener = stack.enter_context(create_server(("127.0.0.1", 0)))

        def serve() -> None:
            with suppress(OSError):
                plain, _ = listener.accept()
                secure = stack.enter_context(context.wrap_socket(plain, server_side=True))
                behind = stack.enter_context(create_connection(("127.0.0.1", port)))
                threading.Thread(target=copy, args=(behind, secure), daemon=True).start()
                copy(secure, behind)

        threading.Thread(target=serve, daemon=True).start()
        yield f"rediss://127.0.0.1:{listener.getsockname()[1]}/0?ssl_ca_certs={pem}"


def test_question_is_held_over_tls(tls_url: str) -> None:
    with closing(patient_desk(tls_url)) as desk:
        desk.hold(PENDING, cap=20, now=NOW)

        assert desk.pending("default", "p1", now=NOW) == PENDING


def test_desk_follows_when_a_tenant_moves_to_another_node(valkey_cluster: list[Any]) -> None:
    url = "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in valkey_cluster)
    slot = key_slot(b"default")
    ids = [node.ask("CLUSTER", "MYID").decode() for node in valkey_cluster]
    with closing(patient_desk(url)) as desk:
        desk.check()
        assert desk.pending("default", "p1", now=NOW) is None
        home = slot * 3 // 16384
        for node in valkey_cluster:
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", ids[(home + 1) % 3])

        assert desk.hold(PENDING, cap=20, now=NOW) == PENDING
        assert desk.pendings("default", "mina", now=NOW) == (PENDING,)


def hold(desk: Desk, who: str, number: int, word: int, minutes: int, now: datetime) -> object:
    pending = replace(
        PENDING,
        pending_id=f"p{number}",
        principal_id=who,
        scope_ids=(who, "team"),
        fingerprint=f"f{word}",
        expires_at=now + timedelta(minutes=minutes),
    )
    try:
        return desk.hold(pending, cap=3, now=now)
    except TooManyPendingsError:
        return "full"


def drop(desk: Desk, who: str, number: int, now: datetime) -> object:
    found = desk.pending("default", f"p{number}", now=now)
    if found is not None:
        desk.drop(found)
    return found


def keep(desk: Desk, who: str, number: int, epoch: int, now: datetime) -> object:
    desk.keep_session(
        Session(
            session_id=f"s{number}",
            tenant_id="default",
            principal_id=who,
            dialog_state={"epoch": epoch},
            expires_at=now + timedelta(minutes=epoch),
        ),
        now=now,
    )
    facts = ReferenceFacts(
        space=(who, "Schedule"),
        epoch=epoch,
        rules_version="r",
        grants_hash="g",
        read_at=now,
        memories=(),
    )
    desk.keep_reference("default", who, facts, now=now)
    return desk.reference("default", who, (who, "Schedule"), now=now)


def look(desk: Desk, who: str, number: int, now: datetime) -> object:
    return (
        desk.pendings("default", who, scope_ids=("team",), now=now),
        desk.session("default", who, f"s{number}", now=now),
    )


whos = st.sampled_from(["mina", "joon"])
numbers = st.integers(0, 4)
steps = st.lists(
    st.one_of(
        st.tuples(st.just(hold), whos, numbers, st.integers(0, 3), st.integers(1, 9)),
        st.tuples(st.just(drop), whos, numbers),
        st.tuples(st.just(keep), whos, numbers, st.integers(1, 9)),
        st.tuples(st.just(look), whos, numbers),
    ),
    max_size=25,
)


def distinct(history: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Give each principal ids of its own, as random ids are."""
    return [(act, who, args[0] + 100 * (who == "joon"), *args[1:]) for act, who, *args in history]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(history=steps, leaps=st.lists(st.integers(0, 4), min_size=25, max_size=25))
def test_both_desks_answer_the_same_whatever_happens(
    redis_url: str, history: list[tuple[Callable[..., object], Any]], leaps: list[int]
) -> None:
    local = LocalDesk()
    now = NOW
    with closing(Redis.from_url(redis_url)) as client:
        client.flushdb()  # each history begins anew, and its clock goes back
    with closing(patient_desk(redis_url)) as shared:
        for (act, *args), leap in zip(distinct(history), leaps, strict=False):
            now += timedelta(minutes=leap)
            assert act(local, *args, now) == act(shared, *args, now)
