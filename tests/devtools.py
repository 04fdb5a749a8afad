"""A real Chromium, spoken to in its own DevTools protocol.

``TEST_CHROMIUM`` names another browser. Every tab has a browser context of its own: no storage, no
cache and no history of another's.
"""

import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from websockets.sync.client import ClientConnection, connect

PATIENCE: Final = 20.0  # seconds for what a page should do at once; the machine may be busy
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--remote-debugging-port=0", "--lang=en-US",
)  # fmt: skip
_KEYS: Final = {
    "Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, ""),
    "ArrowRight": ("ArrowRight", 39, ""), "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""), "ArrowDown": ("ArrowDown", 40, ""), "Home": ("Home", 36, ""),
    "End": ("End", 35, ""), " ": ("Space", 32, " "),
}  # fmt: skip


def browser_path() -> str | None:
    """Return the browser that the tests drive, or None where there is none."""
    if named := os.environ.get("TEST_CHROMIUM"):
        return named
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


class DevTools:
    """One socket to a browser; answers and events are read by whoever waits."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.heard: dict[str | None, list[dict[str, Any]]] = {}

    def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a command and return its result; events met on the way are kept."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._socket.send(json.dumps(message))
        while True:
            told = json.loads(self._socket.recv(timeout=60))
            if told.get("id") == number:
                assert "error" not in told, f"{method}: {told['error']}"
                result: dict[str, Any] = told["result"]
                return result
            if "method" in told:
                self.heard.setdefault(told.get("sessionId"), []).append(told)


class Tab:
    """A page in a browser context of its own; what a person does, and what a person sees."""

    def __init__(self, tools: DevTools, base: str) -> None:
        self._tools = tools
        self._base = base
        self._context = tools.ask("Target.createBrowserContext")["browserContextId"]
        target = tools.ask(
            "Target.createTarget", url="about:blank", browserContextId=self._context
        )["targetId"]
        attached = tools.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.cdp(f"{domain}.enable")
        self.shape()

    def cdp(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of the protocol to this page."""
        return self._tools.ask(method, self._session, **params)

    def close(self) -> None:
        """Throw the page and its context away."""
        self._tools.ask("Target.disposeBrowserContext", browserContextId=self._context)

    def shape(self, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        """Take a window's size in CSS pixels, and a colour scheme."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.cdp("Emulation.setDeviceMetricsOverride", **metrics)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.cdp("Emulation.setEmulatedMedia", features=[feature])

    def before(self, script: str) -> None:
        """Run ``script`` in every document before its own scripts."""
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, view: str = "") -> "Tab":
        """Go to the console, at a view, and wait until somebody is signed in or asked to."""
        self.cdp("Page.navigate", url=f"{self._base}/console/{f'#{view}' if view else ''}")
        self.until("document.querySelector('#tabs:not([hidden]), #sign-in:not([hidden])')")
        return self

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page; a promise is awaited, a value comes back as JSON."""
        told = self.cdp(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def until(self, script: str, patience: float = PATIENCE) -> Any:
        """Wait until an expression is true; return what it became."""
        deadline = time.monotonic() + patience
        asked = f"(() => {{ const it = {script}; return it instanceof Node ? true : it; }})()"
        while not (value := self.run(asked)):
            assert time.monotonic() < deadline, f"never true: {script}\n{self.text()}"
            time.sleep(0.03)
        return value

    def text(self, selector: str = "body") -> str:
        """Return the visible words of an element; empty where there is none."""
        name = json.dumps(selector)
        return str(self.run(f"document.querySelector({name})?.innerText ?? ''"))

    def texts(self, selector: str) -> list[str]:
        """Return the visible words of every such element."""
        name = json.dumps(selector)
        found: list[str] = self.run(
            f"[...document.querySelectorAll({name})].map((each) => each.innerText)"
        )
        return found

    def click(self, selector: str, times: int = 1) -> None:
        """Press the mouse where a person would, in the middle of an element."""
        name = json.dumps(selector)
        self.until(f"document.querySelector({name})?.getClientRects().length")
        x, y = self.run(
            f"(() => {{ const it = document.querySelector({name});"
            " it.scrollIntoView({block: 'center', behavior: 'instant'});"
            " const box = it.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.cdp(
                    "Input.dispatchMouseEvent",
                    type=kind, x=x, y=y, button="left", clickCount=count,
                )  # fmt: skip

    def type(self, selector: str, text: str) -> None:
        """Replace what a field holds."""
        name = json.dumps(selector)
        self.run(f"{{ const it = document.querySelector({name}); it.focus(); it.select?.(); }}")
        self.cdp("Input.insertText", text=text)

    def choose(self, selector: str, value: object) -> None:
        """Choose or set a value as the control's own menu, picker or thumb would."""
        self.run(
            f"(() => {{ const it = document.querySelector({json.dumps(selector)});"
            f" it.value = {json.dumps(value)};"
            " it.dispatchEvent(new Event('input', {bubbles: true}));"
            " it.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key of the keyboard."""
        code, number, text = _KEYS[key]
        held = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        held["modifiers"] = 8 if shift else 0
        self.cdp("Input.dispatchKeyEvent", type="keyDown", text=text, **held)
        self.cdp("Input.dispatchKeyEvent", type="keyUp", **held)

    def heard(self, *methods: str) -> list[dict[str, Any]]:
        """Return the parameters of the events of these kinds so far."""
        self.cdp("Runtime.evaluate", expression="0")  # whatever happened before is read with it
        told = self._tools.heard.get(self._session, [])
        return [each["params"] for each in told if each["method"] in methods]

    def requests(self) -> list[dict[str, Any]]:
        """Return what the page asked of the network: url, method, headers, postData."""
        return [each["request"] for each in self.heard("Network.requestWillBeSent")]

    def foreign(self) -> list[str]:
        """Return what was asked of anybody but the service."""
        known = (f"{self._base}/", "about:", "chrome-error:", "data:")  # data: a date field's icon
        return [each["url"] for each in self.requests() if not each["url"].startswith(known)]

    def complaints(self) -> list[str]:
        """Return exceptions, console errors and refused loads: a healthy page has none."""
        thrown = [each["exceptionDetails"] for each in self.heard("Runtime.exceptionThrown")]
        found = [each.get("exception", {}).get("description") or each["text"] for each in thrown]
        found += [
            f"{each['type']}: {each['args']}"
            for each in self.heard("Runtime.consoleAPICalled")
            if each["type"] in {"error", "warning", "assert"}
        ]
        entries = [each["entry"] for each in self.heard("Log.entryAdded")]
        return found + [
            f"{each['source']}: {each['text']} {each.get('url', '')}"
            for each in entries
            if each["level"] in {"error", "warning"} and each["source"] != "network"
        ]

    def say(self, text: str) -> None:
        """Say something in the chat and wait for the answer."""
        before = len(self.texts("#view-chat .log .it"))
        self.type("#utterance", text)
        self.click("#say button")
        self.until(f"document.querySelectorAll('#view-chat .log .it').length > {before}")

    def last(self) -> str:
        """Return the last reply."""
        return self.texts("#view-chat .log .it .said")[-1]

    def go(self, view: str) -> None:
        """Go to a view by its tab."""
        self.click(f"#tab-{view}")
        self.until(f"!document.querySelector('#view-{view}').hidden")

    def settle(self, view: str) -> None:
        """Go to a view of the full page, and wait until it shows what it has."""
        shown = {
            "chat": ".question",
            "memory": "#memories [data-id]",
            "timeline": ".waiver",
            "context": ".trace",
            "rules": "tr[data-rule]",
        }[view]
        self.go(view)
        self.until(f"document.querySelector('#view-{view} {shown}')")


@contextmanager
def chromium(path: str) -> Iterator[DevTools]:
    """Start a browser with an empty profile; end it and throw the profile away."""
    with tempfile.TemporaryDirectory(prefix="moss-chromium-", ignore_cleanup_errors=True) as folder:
        argv = [path, *_FLAGS, f"--user-data-dir={folder}", "about:blank"]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(argv, **quiet)
        try:
            address = Path(folder) / "DevToolsActivePort"
            deadline = time.monotonic() + 60
            while not (address.exists() and address.read_text().count("\n")):
                assert process.poll() is None, f"{path} ended with {process.returncode}"
                assert time.monotonic() < deadline, f"{path} does not answer"
                time.sleep(0.05)
            port, place = address.read_text().split("\n")[:2]
            with connect(
                f"ws://127.0.0.1:{port}{place}", max_size=None, compression=None, proxy=None,
                ping_interval=None,
            ) as socket:  # fmt: skip
                tools = DevTools(socket)
                yield tools
                tools.ask("Browser.close")
            process.wait(20)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(20)
