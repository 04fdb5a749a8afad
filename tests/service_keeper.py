"""Run one server until standard input closes, then stop it and remove its folder.

``python service_keeper.py FOLDER UID GID SIGNAL [PREPARE... ::] ARGV...``. The tests hold the
other end of the pipe: it closes when they end, also by ``kill -9``, so no server and no folder
outlives them. Should this process be killed, the kernel signals the server (PR_SET_PDEATHSIG).
A line ``again`` through the pipe waits for the server's end, and starts it anew as it was left.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PR_SET_PDEATHSIG = 1


def die_with_parent(number: int) -> Callable[[], None]:
    """Return what a child runs before its program; after setuid, which would clear the request."""
    library = ctypes.CDLL(None)
    return lambda: library.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0) and None


def account(uid: int, gid: int) -> dict[str, object]:
    """Return how to become ``uid``; nothing where that is already so."""
    return {} if uid == os.geteuid() else {"user": uid, "group": gid, "extra_groups": []}


def _split(argv: list[str]) -> list[list[str]]:
    commands: list[list[str]] = [[]]
    for word in argv:
        if word == "::":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def main(folder: Path, uid: int, gid: int, number: int, argv: list[str]) -> None:
    """Keep ``argv`` running in ``folder`` until standard input closes."""
    for keyboard in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C reaches the tests, they close us
        signal.signal(keyboard, signal.SIG_IGN)
    *before, argv = _split(argv)
    with (folder / "log").open("wb") as log:
        for each in before:
            subprocess.run(each, cwd="/", stdout=log, stderr=log, **account(uid, gid), check=True)

        def start() -> "subprocess.Popen[bytes]":
            return subprocess.Popen(
                argv,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent(number),  # noqa: PLW1509 - this process has one thread
                **account(uid, gid),
            )

        server = start()
        for order in sys.stdin.buffer:
            if order == b"again\n":
                server.wait()
                server = start()
        server.send_signal(number)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:5]), sys.argv[5:])
