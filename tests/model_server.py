"""A plugin of these tests: a scripted model server that real clients talk to."""

import json
import socket
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest

Step = dict[str, Any]
FINISHES = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}  # OpenAI: Gemini


class ModelHandler(BaseHTTPRequestHandler):
    """Answers by the script of the server that it was made for."""

    protocol_version = "HTTP/1.1"
    script: "ModelServer"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        step = self.script.next({"path": self.path, "headers": headers, "body": body})
        if step.get("silent"):
            self.script.over.wait(30)
            self.close_connection = True
        elif step.get("reset"):
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
        else:
            gemini = "generateContent" in self.path
            self.answer(step, step.get("body", spoken(step, gemini=gemini)))

    def answer(self, step: Step, body: bytes) -> None:
        self.send_response(step.get("status", 200))
        for name, value in step.get("headers", {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", step.get("type", "application/json"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not step.get("trickle"):
            self.wfile.write(body)
            return
        for byte in body:
            self.wfile.write(bytes([byte]))
            if self.script.over.wait(0.05):
                self.close_connection = True
                return

    def log_message(self, *_: object) -> None:
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:  # a client that gave up is no error here
        pass


class ModelServer:
    """A scripted model server that speaks both dialects: Gemini's and OpenAI's.

    Each request takes the next step, the last step for ever: ``{"text": ..., "finish": "stop" |
    "length" | "content_filter"}``, ``{"status": 429, "headers": {...}}``, ``{"body": bytes}``,
    ``{"blocked": True}``, ``{"silent": True}``, ``{"trickle": True}``, ``{"reset": True}``.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.requests: list[dict[str, Any]] = []
        self.over = threading.Event()
        self.asked = threading.Event()
        self._lock = threading.Lock()
        handler = type("Handler", (ModelHandler,), {"script": self})
        self._server = QuietServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next(self, request: dict[str, Any]) -> Step:
        with self._lock:
            self.requests.append(request)
            self.asked.set()
            return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]


def spoken(step: Step, *, gemini: bool) -> bytes:
    """Say a step as a server of its dialect would."""
    if step.get("status", 200) != 200:
        error = {"code": step["status"], "message": "scripted", "status": "SCRIPTED"}
        return json.dumps({"error": error | step.get("error", {})}).encode()
    text, finish = step.get("text", ""), step.get("finish", "stop")
    if gemini:
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
        answer: dict[str, Any] = {"usageMetadata": usage, "modelVersion": "scripted-1"}
        if step.get("blocked"):
            return json.dumps(answer | {"promptFeedback": {"blockReason": "SAFETY"}}).encode()
        content = {"role": "model", "parts": [{"text": text}]}
        answer["candidates"] = [{"content": content, "finishReason": FINISHES[finish]}]
        return json.dumps(answer).encode()
    message = {"role": "assistant", "content": text}
    if step.get("blocked"):
        message |= {"content": "", "refusal": "no"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps({"model": "scripted-1", "choices": [choice], "usage": usage}).encode()


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model server with no step yet."""
    with ModelServer() as server:
        yield server
