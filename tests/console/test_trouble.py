"""What goes wrong while a page is open: it is said, nothing is lost, and the page goes on."""

import io
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from moss_memory.app import create_app
from moss_memory.cli.listening import Server, configuration
from moss_memory.settings import Settings

KEY = "mk-" + "6" * 32
DAY_OFF = "I'm taking all day off tomorrow."
ASK = """(document.querySelector('#utterance') && (
  document.querySelector('#utterance').value = 'What do I have tomorrow?',
  document.querySelector('#say').requestSubmit()))"""
MEETING = "Schedule a team meeting for tomorrow at 10 AM."


@contextmanager
def on_port(store: Path, port: int) -> Iterator[None]:
    """Serve a store on a port, as a service that was started again does."""
    app = create_app(Settings(database_url=SecretStr(f"sqlite:///{store}")), lines=io.StringIO())
    ready = threading.Event()
    server = Server(configuration(app, host="127.0.0.1", port=port), lambda *_: ready.set())
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield
    finally:
        app.state.draining.asked = True
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def store(sqlite_template: Path, tmp_path: Path) -> Path:
    """An empty store of one's own, which outlives a service."""
    return Path(shutil.copy(sqlite_template, tmp_path / "moss.db"))


@pytest.fixture
def port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found: int = free.getsockname()[1]
        return found


def say(base: str, text: str, who: str = "me") -> None:
    """Say something over HTTP, without the page."""
    credential = {"Authorization": f"Bearer dev:{who}"}
    with httpx2.Client(base_url=base, headers=credential, timeout=30, verify=False) as http:
        http.post("/chat", json={"text": text}).raise_for_status()


def test_page_goes_on_after_a_restart_without_a_lost_row(
    opened: Callable[[str], Any], store: Path, port: int
) -> None:
    base = f"http://127.0.0.1:{port}"
    with on_port(store, port):
        say(base, "I love jazz")
        page = opened(base).open("memory")
        page.until("document.querySelectorAll('#memories [data-id]').length === 1")
    page.until("document.querySelector('#stream').textContent === 'reconnecting'")
    with on_port(store, port):
        for thing in ("tea", "chess", "rain"):
            say(base, f"I love {thing}")
        page.until("document.querySelectorAll('#memories [data-id]').length === 4")
        page.until("document.querySelector('#stream').textContent === 'live'")
        page.cdp("Page.navigate", url="about:blank")  # its stream ends with it


def test_key_that_is_no_longer_good_asks_to_sign_in_again(
    serve: Callable[..., Any], opened: Callable[[str], Any]
) -> None:
    keys = SecretStr(f"{KEY}:default:ann:key:admin")
    with serve(auth="keys", static_keys=keys, secret_key=SecretStr("s" * 40)) as base:
        credential = {"Authorization": f"Bearer {KEY}"}
        with httpx2.Client(base_url=base, headers=credential, verify=False) as ann:
            made = ann.post("/keys", json={"principal_id": "ann"}).json()
            page = opened(base).open()
            page.type("#key", made["key"])
            page.press("Enter")
            page.until("document.querySelector('#tabs:not([hidden])')")
            ann.delete(f"/keys/{made['key_id']}").raise_for_status()
        page.until(f"({ASK}, !document.querySelector('#sign-in').hidden)")  # known for a moment

        assert page.text("#sign-in-error").startswith("Your credential is no longer accepted.")
        assert page.run("document.activeElement.id") == "key"


def test_two_pages_settle_one_question_once(
    base: str, opened: Callable[[str], Any], me: httpx2.Client
) -> None:
    first, second = opened(base).open(), opened(base).open()
    first.say(DAY_OFF)
    first.say(MEETING)
    for page in (first, second):
        page.until("document.querySelector('[data-action=keep_both]')")
    press = "document.querySelector('[data-action=keep_both]').dispatchEvent(CLICK)"
    for page in (first, second):
        page.run(press.replace("CLICK", "new MouseEvent('click', {detail: 1, bubbles: true})"))
    for page in (first, second):
        page.until("!document.querySelector('#say').hidden")

    meetings = me.get("/memories", params={"predicate": "meeting"}).json()["items"]
    assert len(meetings) == 1


def test_page_that_comes_second_with_another_choice_is_told(
    base: str, opened: Callable[[str], Any], me: httpx2.Client
) -> None:
    page = opened(base).open()
    page.say(DAY_OFF)
    page.say(MEETING)
    page.until("document.querySelector('[data-action=cancel]')")
    (pending,) = me.get("/pending").json()["items"]
    body = {"pending_id": pending["pending_id"], "action": "keep_both"}
    me.post("/confirm", json=body).raise_for_status()
    page.until("!document.querySelector('#say').hidden")

    assert page.last() == "The question was settled elsewhere."


def test_too_many_words_a_minute_are_given_back(
    serve: Callable[..., Any], opened: Callable[[str], Any]
) -> None:
    with serve(rate_chat_per_minute=1) as base:
        page = opened(base).open()
        page.say("I love jazz")
        page.say("I love tea")

        assert page.last() == "Too fast; wait a moment. (rate_limited)"
        assert page.run("document.querySelector('#utterance').value") == "I love tea"


def test_question_that_cannot_be_kept_is_said_and_nothing_is_written(
    serve: Callable[..., Any], opened: Callable[[str], Any], port: int
) -> None:
    nobody = SecretStr(f"redis://127.0.0.1:{port}/0")
    with serve(redis_url=nobody) as base:
        page = opened(base).open()
        page.say(DAY_OFF)
        page.say(MEETING)

        assert page.last() == (
            "Questions cannot be kept right now; nothing was changed. (pending_store_unavailable)"
        )
        assert page.run("document.querySelector('#utterance').value") == MEETING
