"""More places than one's own: where to save, what is only read, and keys that may not write."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

KEY = "mk-" + "5" * 32


def team(me: httpx2.Client, *, writable: bool) -> None:
    """Make a team's scope that the person of the page sees, and may write where ``writable``."""
    me.put("/scopes/team", json={"kind": "team"}).raise_for_status()
    grant = {"visible": True, "writable": writable}
    me.put("/scopes/team/grants/me", json=grant).raise_for_status()


def written_by_another(base: str) -> None:
    credential = {"Authorization": "Bearer dev:kim"}
    with httpx2.Client(base_url=base, headers=credential, verify=False) as kim:
        grant = {"visible": True, "writable": True}
        kim.put("/scopes/team/grants/kim", json=grant).raise_for_status()
        body = {"text": "Offsite tomorrow at 3 PM.", "scope_id": "team"}
        kim.post("/chat", json=body).raise_for_status()


def test_nothing_is_asked_of_somebody_with_one_place(tab: Any) -> None:
    tab.open()

    assert tab.run("document.querySelector('#say-scope')") is None


def test_meeting_is_saved_where_the_person_chooses(tab: Any, me: httpx2.Client) -> None:
    team(me, writable=True)
    tab.open()
    tab.choose("#say-scope", "team")
    tab.say("Dentist tomorrow at 3 PM.")

    (memory,) = me.get("/memories").json()["items"]
    assert memory["namespace"]["scope_id"] == "team"


def test_choice_of_a_place_survives_the_language(tab: Any, me: httpx2.Client) -> None:
    team(me, writable=True)
    tab.open()
    tab.choose("#say-scope", "team")
    tab.choose("#language", "ko")

    assert tab.run("document.querySelector('#say-scope').value") == "team"


def test_memory_of_a_team_is_seen_and_not_changed_by_who_only_reads(
    tab: Any, base: str, me: httpx2.Client
) -> None:
    team(me, writable=False)
    written_by_another(base)
    tab.open("memory")
    tab.click("#memories [data-id] button")
    tab.until("document.querySelector('#detail[open] #only-read')")

    assert tab.run("document.querySelector('#say-scope')") is None
    assert tab.run("document.querySelector('#retire, #bring-back, [data-restore]')") is None
    assert "team" in tab.text("#memories [data-id]")


def test_filter_of_scopes_leaves_those_of_the_team(tab: Any, base: str, me: httpx2.Client) -> None:
    team(me, writable=True)
    written_by_another(base)
    me.post("/chat", json={"text": "I love jazz"}).raise_for_status()
    tab.open("memory")
    tab.until("document.querySelectorAll('#memories [data-id]').length === 2")
    tab.choose("#filter-scope", "team")

    tab.until("document.querySelectorAll('#memories [data-id]').length === 1")
    assert "Offsite" in tab.text("#memories [data-id]")


@pytest.fixture
def reader(
    serve: Callable[..., Any], opened: Callable[[str], Any]
) -> Iterator[tuple[Any, httpx2.Client]]:
    """A page of somebody whose key only reads, and that person with a key that writes."""
    keys = SecretStr(f"{KEY}:default:ann:key:admin")
    with serve(auth="keys", static_keys=keys, secret_key=SecretStr("s" * 40)) as base:
        credential = {"Authorization": f"Bearer {KEY}"}
        with httpx2.Client(base_url=base, headers=credential, verify=False) as ann:
            asked = {"principal_id": "ann", "write_mode": "off"}
            made = ann.post("/keys", json=asked)
            made.raise_for_status()
            page = opened(base).open()
            page.type("#key", made.json()["key"])
            page.press("Enter")
            page.until("document.querySelector('#tabs:not([hidden])')")
            yield page, ann


def test_key_that_only_reads_is_told_so(reader: tuple[Any, httpx2.Client]) -> None:
    page, _ = reader

    assert page.text("#read-only") == "This key only reads: ask, and nothing is saved."


def test_key_that_only_reads_gets_answers(reader: tuple[Any, httpx2.Client]) -> None:
    page, ann = reader
    ann.post("/chat", json={"text": "Dentist tomorrow at 3 PM."}).raise_for_status()
    page.say("What do I have tomorrow?")

    assert "Dentist" in page.last()


def test_key_that_only_reads_writes_nothing_and_is_told_why(
    reader: tuple[Any, httpx2.Client],
) -> None:
    page, ann = reader
    page.say("I love jazz")

    assert page.last() == "You may not write there. (scope_not_writable)"
    assert ann.get("/memories").json()["items"] == []
