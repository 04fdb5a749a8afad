"""No secret and no contact comes to rest anywhere, whatever way it came in and whatever failed.

Every text is brought in by every entry, on SQLite and on PostgreSQL with Valkey; then everything
that the service left is searched: log, metrics, Redis, the tables, the files, the write-ahead log.
A word that must be found is the control: a search that finds nothing would prove nothing.
"""

import asyncio
import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from langgraph.store.base import PutOp
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from left_behind import SEOUL, Stage, item, meeting, said, staged, taste
from moss_memory.core.errors import MossError, TextRefusedError
from moss_memory.core.screening import redact, screen
from moss_memory.integrations.client import MossClient
from moss_memory.integrations.langgraph_store import MossStore

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "pii_credentials.jsonl"
COMMAND = "import sys; from moss_memory.cli.main import main; sys.exit(main())"


def own_texts() -> list[str]:
    """Return texts with something to refuse or to mask, fresh at every run."""
    a, n = secrets.token_hex(20), f"{secrets.randbelow(10**8):08d}"
    return [
        "push with gh" + f"p_{a[:36]}",
        "와이파이 비밀" + f"번호는 k{a[:9]} 이야",
        "the door code " + f"is {n[:4]}#{n[4:]}",
        "인증" + f"번호 {n} 입력",
        "postgres://moss:" + f"p{a[:12]}@db.example/x",
        "주민" + f"번호 010203-3{n[:6]}",
        f"write to m{a[:10]}@example.org",
        f"연락처 010-{n[:4]}-{n[4:]}",
    ]


def labelled_texts() -> list[str]:
    lines = DATA.read_text("utf-8").split("\n") if DATA.exists() else []
    found = [json.loads(line) for line in lines if line]
    kept = [one for one in found if one["action"] != "allow"]
    return ["".join(one.get("text_parts") or [one["text"]]) for one in kept]


def values(text: str) -> set[bytes]:
    """Return what must not be found of a text: its drawn runs, and its runs of digits."""
    runs = re.findall(r"[!-~]*\d[!-~]{4,}|[!-~]{4,}\d[!-~]*|[!-~]+@[!-~]+|\d[\d ]{8,}\d", text)
    return {run.encode() for run in runs} or {text.encode()}


def alone(text: str) -> str:
    """Return what of a text is a secret without its words, as an id may be spelled."""
    plain = (re.sub(r"[^A-Za-z0-9._-]", "", value.decode()) for value in values(text))
    return next((one for one in plain if redact(one) != one), "plain")


def credential(text: str) -> str:
    """Return what ``alone`` does where it is refused; an id may be somebody's address."""
    try:
        screen(alone(text), field="session_id")
    except TextRefusedError:
        return alone(text)
    return "plain"


ENTRIES: dict[str, Callable[[str], tuple[str, str, dict[str, Any]]]] = {
    "chat": lambda t: ("POST", "/chat", {"json": {"text": f"Lunch tomorrow, {t}", **SEOUL}}),
    "session": lambda t: (
        "POST",
        "/chat",
        {"json": {"text": "Lunch", "session_id": credential(t)}},
    ),
    "value": lambda t: ("POST", "/memories", {"json": {"facts": [meeting(object_value=t)]}}),
    "subject": lambda t: ("POST", "/memories", {"json": {"facts": [taste(subject=t)]}}),
    "source": lambda t: ("POST", "/memories", {"json": {"facts": [taste(source_ref=t)]}}),
    "item": lambda t: ("POST", "/memories", {"json": {"facts": [item(t)]}}),
    "label": lambda t: ("POST", "/memories", {"json": {"facts": [item("x", subject=f"a/{t}")]}}),
    "wrong": lambda t: ("POST", "/memories", {"json": {"facts": [{"domain": t, t: t}]}}),
    "lint": lambda t: ("POST", "/lint", {"json": {"facts": [meeting(object_value=t)]}}),
    "section": lambda t: (
        "POST",
        "/context",
        {"json": {"query": t, "sections": [{"priority": "P1", "label": "x", "text": t}]}},
    ),
    "confirm": lambda t: ("POST", "/confirm", {"json": {"pending_id": t, "action": t}}),
    "principal": lambda t: ("POST", "/keys", {"json": {"principal_id": t}}),
    "scope": lambda t: ("PUT", f"/scopes/{credential(t)}", {"json": {"kind": "team"}}),
    "grantee": lambda t: (
        "PUT",
        f"/scopes/plain/grants/{credential(t)}",
        {"json": {"visible": True, "writable": True}},
    ),
    "path": lambda t: ("GET", f"/memories/{alone(t)}", {}),
    "query": lambda t: ("GET", "/memories", {"params": {"subject": t}}),
    "prefix": lambda t: ("GET", "/namespaces", {"params": {"prefix": t}}),
    "correction": lambda t: ("PATCH", "/memories/{}", {"json": {"object_value": t}}),
    "restore": lambda t: ("POST", "/memories/{}/restore", {"json": {"revision": t}}),
    "key": lambda t: (
        "POST",
        "/memories",
        {"json": {"facts": [taste()]}, "headers": {"Idempotency-Key": f"order {alone(t)}"}},
    ),
    "request id": lambda t: ("GET", "/me", {"headers": {"X-Request-ID": alone(t)}}),
    "credential": lambda t: ("GET", "/me", {"headers": {"Authorization": ascii(f"Bearer {t}")}}),
}


def entered(stage: Stage, http: httpx2.Client, text: str) -> None:
    """Bring a text in by every entry; no answer but one that masks or refuses repeats it."""
    memory_id = http.get("/memories").json()["items"][-1]["memory_id"]
    for name, entry in ENTRIES.items():
        stage.server.steps = [said("QUERY"), {"text": text}]
        method, path, sent = entry(text)
        headers = {"If-Match": '"1"', **sent.pop("headers", {})}
        answer = http.request(method, path.format(memory_id), headers=headers, **sent)
        echoed = name in ECHOED
        assert echoed or not found(answer.content, text), (name, answer.text)


ECHOED = {"section"}  # the caller's own words, not kept: given back as they came


def found(left: bytes, text: str) -> list[bytes]:
    return [value for value in values(text) if value in left]


def made_up(stage: Stage, http: httpx2.Client, text: str) -> None:
    """Let the model say the secret where the utterance holds none, in each place of its reply."""
    for step in (
        said(object_value=text),
        said(**taste(subject=text)),
        said(time_text=text),
        said(predicate=text),
        {"text": text},
        {"status": 500, "error": {"message": text}},
        {"status": 400, "error": {"message": text}},
        {"body": text.encode()},
    ):
        stage.server.steps = [step]
        answer = http.post("/chat", json={"text": "Lunch on Friday at 10 am", **SEOUL})
        assert not found(answer.content, text), answer.text


def adapted(stage: Stage, http: httpx2.Client, text: str) -> None:
    """Bring a text in by the client, the LangGraph store and the MCP mount."""
    key = http.headers["authorization"].removeprefix("Bearer ")
    with MossClient(stage.base, key) as client:
        with suppress(MossError, Exception):  # refused or masked: what is kept is looked at later
            client.remember(meeting(object_value=text))  # type: ignore[arg-type]
        store = MossStore(client=client)
        with suppress(Exception):
            store.batch([PutOp(("notes",), "k", {"note": text})])
    asyncio.run(spoken(stage.base, dict(http.headers), text))


async def spoken(base: str, headers: dict[str, str], text: str) -> None:
    kept = {"authorization": headers["authorization"]}
    async with (
        httpx2.AsyncClient(headers=kept, verify=False) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        told = await client.call_tool("remember", {"facts": [taste(object_value=text)]})
        assert not found(str(told).encode(), text)


def imported(stage: Stage, texts: list[str], folder: Path) -> None:
    """Bring the texts in by the import command, each in a file of its own kind."""
    for number, chosen in enumerate((texts, [text for text in texts if "@" in text])):
        path = folder / f"{number}.jsonl"
        rows = [json.dumps(taste(object_value=text)) for text in chosen]
        path.write_text("\n".join(rows) + "\n", "utf-8")
        environment = {**os.environ, "MOSS_DATABASE_URL": stage.url}
        command = [sys.executable, "-c", COMMAND, "import", "--jsonl", str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert not [one for text in chosen for one in found(done.stdout + done.stderr, text)]


def swept(stage: Stage, texts: list[str], folder: Path) -> None:
    control = f"ocelot{secrets.token_hex(4)}"
    http = stage.meet("kim")
    kept = http.post("/memories", json={"facts": [meeting(object_value=control)]})
    assert kept.status_code == 201
    rival = http.post("/memories", json={"facts": [meeting(object_value=f"Also {control}")]})
    assert rival.status_code == 202
    for text in texts:
        entered(stage, http, text)
        made_up(stage, http, text)
        adapted(stage, http, text)
    imported(stage, texts, folder)
    left = stage.left()

    for place, kept in left.items():
        assert [text for text in texts if found(kept, text)] == [], place
    places = {place for place, kept in left.items() if control.encode() in kept}
    if stage.redis_url is None:
        assert places & {"moss.db", "moss.db-wal"}
    else:
        assert places == left.keys() - {"log", "metrics"}


def test_nothing_of_a_secret_or_a_contact_is_left(stage: Stage, tmp_path: Path) -> None:
    swept(stage, own_texts(), tmp_path)


@pytest.mark.campaign
@pytest.mark.skipif(not DATA.exists(), reason="the labelled set lies beside the repository")
def test_nothing_of_the_labelled_secrets_is_left(stage: Stage, tmp_path: Path) -> None:
    swept(stage, labelled_texts(), tmp_path)


def test_nothing_of_a_secret_is_told_while_the_database_is_away(tmp_path: Path) -> None:
    nowhere = "postgresql+psycopg://moss@127.0.0.1:9/moss?connect_timeout=1"
    texts = own_texts()[:3]
    with staged(tmp_path, nowhere, None) as stage:
        http = stage.meet("kim")
        for text in texts:
            for name, entry in ENTRIES.items():
                method, path, sent = entry(text)
                answer = http.request(method, path.format("x"), **sent)
                assert answer.status_code >= 400 or name == "request id"
                assert not found(answer.content, text), answer.text

    assert not [text for text in texts if found((tmp_path / "log").read_bytes(), text)]
