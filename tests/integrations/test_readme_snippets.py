"""The README's own lines, all of them, run in order as a reader would who types them in.

A fence says what it is: ``bash`` is run in one shell from top to bottom, ``bash terminal`` runs on
in a terminal of its own, ``python`` is a program, ``json`` the configuration of an MCP client, and
``text`` what the block before it printed (``...`` stands for anything, ids and times for any).
Nothing to run is ``text tree``. Not run here: ``bash docker`` (parsed alone, there is no container
engine), ``bash install`` (the extras are installed already; tests/packaging installs them in its
campaign) and ``bash whole-suite`` (it is what runs this test).
"""

import asyncio
import json
import os
import re
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mcp
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FENCE = re.compile(r"^```(\w*) ?([\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORTS = ("8000", "8001")  # that the README names, each a free one here
ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}\b|\b[0-9a-f]{32}\b")
NORMAL = [
    (ID, "ID"),
    (re.compile(r"\b\d+ ms\b"), "N ms"),
    (re.compile(r"version [0-9a-f]{16}\b"), "version V"),
    (re.compile(r"\b\d{2,4} of 1024 tokens"), "N of 1024 tokens"),
]
PARSED_ONLY = {"docker", "install", "whole-suite"}
PATIENCE = 240  # seconds for one block: on a busy machine every command starts slowly


@dataclass(frozen=True)
class Block:
    """A fenced block, with the line that it begins in."""

    line: int
    language: str
    tag: str
    text: str


def blocks(readme: str) -> list[Block]:
    return [
        Block(readme.count("\n", 0, found.start()) + 1, *found.groups())
        for found in FENCE.finditer(readme)
    ]


def normal(text: str) -> str:
    for pattern, word in NORMAL:
        text = pattern.sub(word, text)
    return text.strip()


def matches(expected: str, printed: str) -> bool:
    """Say whether a block shows what was printed."""
    parts = (re.escape(part) for part in normal(expected).split("..."))
    return re.fullmatch(r"[\s\S]*?".join(parts), normal(printed)) is not None


class Reader:
    """Somebody who follows a README in a folder that holds a copy of this repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
        # VENV would have scripts/run install this copy over the environment that runs the tests.
        kept = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith("MOSS_") and name not in {"VENV", "PYTHON"}
        }
        self.env = kept | {"MOSS_PORT": self.ports["8000"], "MOSS_URL": self.here(URL)}
        self.terminals: list[subprocess.Popen[bytes]] = []
        self.printed = ""
        self.shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=folder, env=self.env, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        self.typed("set -o pipefail; trap 'failed=$?' ERR; curl() { command curl -f \"$@\"; }")

    def here(self, text: str) -> str:
        """Put free ports for those of the README."""
        for port, free in self.ports.items():
            text = re.sub(rf"(127\.0\.0\.1:|--port ){port}\b", rf"\g<1>{free}", text)
        return text

    def follow(self, block: Block) -> str | None:
        """Do what a block says; None, or what went wrong."""
        if block.tag in PARSED_ONLY:
            return self.parsed(block.text)
        if block.tag == "tree":
            return None
        if block.language == "text":
            return None if matches(block.text, self.printed) else f"printed:\n{self.printed}"
        kinds = {"bash": self.typed, "python": self.program, "json": self.configured}
        if block.tag == "terminal":
            return self.running(self.here(block.text))
        if block.language not in kinds:
            return f"a fence of no known kind: {block.language!r}"
        return kinds[block.language](self.here(block.text))

    def parsed(self, text: str) -> str | None:
        said = subprocess.run(
            ["bash", "-n"], input=text, capture_output=True, text=True, check=False
        )
        return said.stderr or None

    def typed(self, text: str) -> str | None:
        """Type commands into the shell; each of them has to succeed."""
        mark = f"done-{secrets.token_hex(8)}"
        assert self.shell.stdin is not None
        self.shell.stdin.write(f"failed=0\n{text}\nprintf '\\n%s %s\\n' {mark} $failed\n".encode())
        printed = self.until(mark)
        head, _, code = printed.rpartition(f"\n{mark} ")
        self.printed = head
        return None if code.strip() == "0" else f"exit code {code.strip() or 'none'}:\n{printed}"

    def until(self, mark: str) -> str:
        """Return what the shell prints up to the line of the mark."""
        assert self.shell.stdout is not None
        printed, deadline = b"", time.monotonic() + PATIENCE
        while not re.search(rb"\n" + mark.encode() + rb" \d+\n", printed):
            os.set_blocking(self.shell.stdout.fileno(), False)
            chunk = self.shell.stdout.read(65536)
            if chunk == b"" or time.monotonic() > deadline:
                return printed.decode()
            printed += chunk or b""
            if chunk is None:
                time.sleep(0.01)
        return printed.decode()

    def running(self, text: str) -> str | None:
        """Start what goes on in a terminal of its own, and wait until it listens."""
        with (self.folder / "terminal.log").open("wb") as log:
            self.terminals.append(
                subprocess.Popen(
                    ["bash", "-c", text], cwd=self.folder, env=self.env,
                    stdout=log, stderr=log, start_new_session=True,
                )
            )  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while "Try:" not in (told := (self.folder / "terminal.log").read_text()):
            if time.monotonic() > deadline or self.terminals[-1].poll() is not None:
                return told
            time.sleep(0.05)
        offered = re.findall(r"^  curl .*$", told, re.MULTILINE)
        faults = [self.typed(line) for line in offered]
        return None if faults == [None] * 3 else f"{faults}\n{told}"

    def program(self, text: str) -> str | None:
        said = subprocess.run(
            [sys.executable, "-c", text], cwd=self.folder, env=self.env,
            capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        self.printed = said.stdout
        return said.stderr if said.returncode else None

    def configured(self, text: str) -> str | None:
        """Start each MCP server as a client would, and ask for its tools."""
        for told in json.loads(text)["mcpServers"].values():
            path = f"{self.folder / '.venv' / 'bin'}:{self.env['PATH']}"
            env = self.env | told["env"] | {"PATH": path}
            command = shutil.which(told["command"], path=path) or told["command"]
            server = mcp.StdioServerParameters(command=command, args=told["args"], env=env)
            if not {"remember", "recall"} <= set(asyncio.run(tools(server))):
                return "the server lacks its tools"
        return None

    def close(self) -> None:
        for process in [self.shell, *self.terminals]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=30)


URL = "http://127.0.0.1:8000"


async def tools(server: mcp.StdioServerParameters) -> list[str]:
    async with (
        mcp.client.stdio.stdio_client(server) as (read, write),
        mcp.ClientSession(read, write) as session,
    ):
        await session.initialize()
        return [tool.name for tool in (await session.list_tools()).tools]


def free_ports(count: int) -> list[str]:
    taken = [socket.socket() for _ in range(count)]
    for each in taken:
        each.bind(("127.0.0.1", 0))
    ports = [str(each.getsockname()[1]) for each in taken]
    for each in taken:
        each.close()
    return ports


def program_at(path: Path, *words: str) -> None:
    quoted = " ".join(f"'{word}'" for word in words)
    path.write_text(f'#!/bin/sh\nexec {quoted} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """A reader whose copy has its environment already: this one, lent under the usual name."""
    for name in ("scripts", "deploy", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("pyproject.toml", "README.md", "docker-compose.yml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    program_at(programs / "python", sys.executable)
    program_at(programs / "moss-memory", sys.executable, "-m", "moss_memory")
    stamp = 'cat pyproject.toml - <<<" $(pwd)" | cksum'  # as scripts/environment leaves it
    made = subprocess.run(
        ["bash", "-c", stamp], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (programs.parent / ".installed").write_text(made.stdout)
    reading = Reader(tmp_path)
    yield reading
    reading.close()


def read(reader: Reader, text: str) -> list[str]:
    """Follow a whole text; what went wrong, each with its line."""
    faults = ((block.line, reader.follow(block)) for block in blocks(text))
    return [f"README.md:{line}: {fault}" for line, fault in faults if fault is not None]


def test_every_block_of_the_readme_does_what_it_says(reader: Reader) -> None:
    faults = read(reader, README.read_text())

    assert not faults, "\n\n".join(faults)


def test_every_fence_says_what_it_is() -> None:
    found = blocks(README.read_text())

    assert len(found) == README.read_text().count("\n```") / 2
    assert {(each.language, each.tag) for each in found} <= {
        *(("bash", tag) for tag in ("", "terminal", *PARSED_ONLY)),
        ("python", ""), ("json", ""), ("text", ""), ("text", "tree"),
    }  # fmt: skip


BROKEN = {
    "a command that is not there": "```bash\nmoss-memory explode\n```",
    "a command that fails before one that does not": "```bash\nfalse\ntrue\n```",
    "a pipe that breaks": "```bash\nfalse | cat\n```",
    "a server that is away": f"```bash\ncurl -s {URL}/livez\n```",
    "an answer that is another": "```bash\necho yes\n```\n```text\nno\n```",
    "an answer that says more": "```bash\necho yes\n```\n```text\nyes\nand more\n```",
    "a program that fails": "```python\nraise SystemExit(1)\n```",
    "a client that is renamed": "```python\nfrom moss_memory import MossClient\n```",
    "docker that does not parse": "```bash docker\nfor name in a; do\n```",
    "a fence without a name": "```\nmoss-memory doctor\n```",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_block_is_noticed(reader: Reader, text: str) -> None:
    assert len(read(reader, f"{text}\n")) == 1


def test_docker_block_makes_the_secrets_that_compose_asks_for() -> None:
    (docker,) = [each.text for each in blocks(README.read_text()) if each.tag == "docker"]
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    wanted = {each["file"].rpartition("/")[2] for each in compose["secrets"].values()}
    loop = re.search(r"for name in ([\w ]+); do", docker)
    assert loop is not None
    made = set(re.findall(r"> secrets/(\w+)", docker)) | set(loop.group(1).split())

    assert made == wanted


def test_table_of_the_control_experiment_is_what_is_measured() -> None:
    rows = re.findall(r"^\| (\d+) \| ([\d,]+) \| (\d+) \| (\d+) \| (\d+) \|$",
                      README.read_text(), re.MULTILINE)  # fmt: skip
    said = subprocess.run(
        [sys.executable, "-m", "moss_memory", "compare", "--turns", "40", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    measured = {each["turn"]: each for each in json.loads(said.stdout)["rows"]}

    assert len(rows) == 5
    for turn, log, governed, contradictions, ours in rows:
        now = measured[int(turn)]
        assert int(log.replace(",", "")) == now["log_tokens"]
        assert int(governed) == pytest.approx(now["governed_tokens"], rel=0.1)
        assert (int(contradictions), int(ours)) == (
            now["log_contradictions"], now["governed_contradictions"],
        )  # fmt: skip
