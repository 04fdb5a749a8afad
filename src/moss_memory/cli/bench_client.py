"""A small HTTP client over one socket: a general one costs as much as what is measured."""

import json
import socket
import time
from typing import Any, Final

_FRESH_SECONDS: Final = 3.0  # the server closes an idle connection after five
_CHUNK: Final = 1 << 18


class Client:
    """One principal's connection of dev mode, kept alive."""

    def __init__(self, port: int, principal: str) -> None:
        self._port = port
        self._principal = principal
        self._used = time.monotonic()
        self._socket = self._opened()

    def call(self, verb: str, path: str, body: Any = None) -> tuple[int, bytes]:
        """Send one request and return the status and the body of its answer.

        Raises:
            OSError: the server closed the connection.
        """
        if time.monotonic() - self._used > _FRESH_SECONDS:
            self._socket.close()
            self._socket = self._opened()
        self._used = time.monotonic()
        sent = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{verb} {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer dev:{self._principal}"
        )
        head += f"\r\ncontent-type: application/json\r\ncontent-length: {len(sent)}\r\n\r\n"
        self._socket.sendall(head.encode() + sent)
        return self._answer()

    def _opened(self) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self._port))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def _answer(self) -> tuple[int, bytes]:
        read = b""
        while b"\r\n\r\n" not in read:
            read += self._more()
        head, _, body = read.partition(b"\r\n\r\n")
        _, _, after = head.lower().partition(b"content-length:")
        size = int(after.partition(b"\r\n")[0])
        while len(body) < size:
            body += self._more()
        return int(head.split(None, 2)[1]), body

    def _more(self) -> bytes:
        if not (read := self._socket.recv(_CHUNK)):
            raise ConnectionResetError("the server closed the connection")
        return read
