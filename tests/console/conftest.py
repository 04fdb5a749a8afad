"""A whole service for a real Chromium to open; without one the tests are skipped and say so."""

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from pydantic import SecretStr

from devtools import DevTools, Tab, browser_path, chromium
from moss_memory.app import create_app
from moss_memory.cli.listening import in_background
from moss_memory.settings import Settings


@pytest.fixture(scope="session")
def devtools() -> Iterator[DevTools]:
    """The session's browser."""
    path = browser_path()
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium, or set TEST_CHROMIUM")
    with chromium(path) as tools:
        yield tools


@pytest.fixture(scope="session")
def serve(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., AbstractContextManager[str]]:
    """Return how to run a whole service on an empty store; settings by name."""

    @contextmanager
    def run(**chosen: Any) -> Iterator[str]:
        store = shutil.copy(sqlite_template, tmp_path_factory.mktemp("console") / "moss.db")
        settings = Settings(database_url=SecretStr(f"sqlite:///{store}"), **chosen)
        app = create_app(settings, lines=io.StringIO())
        with in_background(app) as base:
            try:
                yield base
            finally:
                app.state.draining.asked = True  # the streams of open pages end

    return run


@pytest.fixture
def base(serve: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    """The URL of a running service."""
    with serve() as base:
        yield base


@contextmanager
def healthy(devtools: DevTools) -> Iterator[Callable[[str], Tab]]:
    """Make tabs; one that complained or asked anybody else for anything is a failure."""
    tabs: list[Tab] = []

    def tab(base: str) -> Tab:
        tabs.append(Tab(devtools, base))
        return tabs[-1]

    yield tab
    bad = [said for each in tabs for said in (*each.complaints(), *each.foreign())]
    for each in tabs:
        each.close()
    assert bad == []


@pytest.fixture
def opened(devtools: DevTools) -> Iterator[Callable[[str], Tab]]:
    """Return how to make a tab for a service; it has not gone anywhere yet."""
    with healthy(devtools) as tab:
        yield tab


@pytest.fixture(scope="module")
def shared(
    devtools: DevTools, serve: Callable[..., AbstractContextManager[str]]
) -> Iterator[tuple[Tab, httpx2.Client]]:
    """A tab and its person for all tests of a module, which only look."""
    with serve() as base, person(base) as http, healthy(devtools) as tab:
        yield tab(base), http


@contextmanager
def person(base: str) -> Iterator[httpx2.Client]:
    """Speak as the one that the page is in dev mode."""
    credential = {"Authorization": "Bearer dev:me"}
    with httpx2.Client(base_url=base, headers=credential, timeout=30, verify=False) as http:
        yield http


@pytest.fixture
def tab(opened: Callable[[str], Tab], base: str) -> Tab:
    """A tab of the running service."""
    return opened(base)


@pytest.fixture
def me(base: str) -> Iterator[httpx2.Client]:
    """The person that the page is in dev mode, over HTTP."""
    with person(base) as http:
        yield http


MEETING: Final = {
    "domain": "Schedule", "subject": "Calendar", "predicate": "meeting", "object_value": "sync",
    "when": {"start": "2031-12-01T10:00:00Z"},
}  # fmt: skip
DAY_OFF: Final = MEETING | {
    "predicate": "vacation", "object_value": "Vacation", "when": {"date": "2031-12-01"},
}  # fmt: skip


def kept(me: httpx2.Client, fact: dict[str, Any]) -> dict[str, Any]:
    answer = me.post("/memories", json={"facts": [fact]})
    assert answer.status_code == 201, answer.text
    memory: dict[str, Any] = answer.json()["facts"][0]
    return memory


def allowed(me: httpx2.Client) -> tuple[str, str]:
    day = kept(me, DAY_OFF)
    held = me.post("/memories", json={"facts": [MEETING]}).json()
    body = {"pending_id": held["pending"]["pending_id"], "action": "keep_both"}
    written = me.post("/confirm", json=body).json()["facts"][0]
    return day["memory_id"], written["memory_id"]


@pytest.fixture
def stored(me: httpx2.Client) -> Callable[..., dict[str, Any]]:
    """Return how to store a fact: a meeting in December 2031 unless fields say otherwise."""
    return lambda **fields: kept(me, MEETING | fields)


@pytest.fixture
def waiver(me: httpx2.Client) -> tuple[str, str]:
    """A day off and a meeting that a person allowed on it: their memory_ids."""
    return allowed(me)


@pytest.fixture(scope="module")
def full(shared: tuple[Tab, httpx2.Client]) -> Tab:
    """A page with something of everything: active, inactive, allowed, asked."""
    tab, me = shared
    allowed(me)
    gone = kept(me, MEETING | {"when": {"start": "2031-12-03T12:00:00Z"}})
    me.delete(f"/memories/{gone['memory_id']}?expected_revision=1").raise_for_status()
    asked = MEETING | {"object_value": "dentist", "when": {"start": "2031-12-01T15:00:00Z"}}
    me.post("/memories", json={"facts": [asked]}).raise_for_status()
    return tab


@pytest.fixture
def anew(full: Tab) -> None:
    """The full page as it is when it is opened."""
    full.shape()
    full.cdp("Page.navigate", url="about:blank")
    full.open()
    full.until("document.querySelector('.question .sides dd')")
