"""Signing in with a key: it is in the page's memory and nowhere else."""

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

KEY = "mk-" + secrets.token_hex(16)
KEPT = f"""(async () => {{
  const databases = await indexedDB.databases();
  const caches_ = await caches.keys();
  return [localStorage.length, sessionStorage.length, document.cookie, databases.length,
    caches_.length, location.href.includes('{KEY}'), history.state,
    document.documentElement.outerHTML.includes('{KEY}'),
    [...document.querySelectorAll('input')].some((it) => it.value.includes('{KEY}'))];
}})()"""
NOWHERE = [0, 0, "", 0, 0, False, None, False, False]


@pytest.fixture
def tab(serve: Callable[..., Any], opened: Callable[[str], Any]) -> Iterator[Any]:
    """A page of a service that wants keys."""
    keys = SecretStr(f"{KEY}:default:alice")
    with serve(auth="keys", static_keys=keys, secret_key=SecretStr("s" * 40)) as base:
        yield opened(base).open()


def sign_in(tab: Any, key: str = KEY) -> None:
    tab.type("#key", key)
    tab.press("Enter")


def test_page_asks_for_a_key_where_the_service_wants_one(tab: Any) -> None:
    assert tab.run("document.querySelector('#sign-in').hidden") is False
    assert tab.run("document.querySelector('#tabs').hidden") is True
    assert tab.run("document.activeElement.id") == "key"


def test_key_signs_in_and_is_kept_nowhere(tab: Any) -> None:
    sign_in(tab)
    tab.until("document.querySelector('#tabs:not([hidden])')")
    tab.say("I prefer green tea")
    kept = tab.run(KEPT)

    assert tab.text("#who") == "alice · UTC"
    assert kept == NOWHERE


def test_key_is_gone_after_a_reload(tab: Any) -> None:
    sign_in(tab)
    tab.until("document.querySelector('#tabs:not([hidden])')")
    tab.open()

    assert tab.run("document.querySelector('#sign-in').hidden") is False


def test_key_is_sent_as_a_header_to_the_service_alone(tab: Any) -> None:
    sign_in(tab)
    tab.until("document.querySelector('#stream').textContent === 'live'")
    sent = [each for each in tab.requests() if KEY in str(each)]

    assert sent
    assert all(each["headers"].get("Authorization") == f"Bearer {KEY}" for each in sent)
    assert not any(KEY in each["url"] or KEY in each.get("postData", "") for each in sent)


def test_wrong_key_is_said_and_a_right_one_helps(tab: Any) -> None:
    sign_in(tab, "mk-" + "0" * 32)
    tab.until("document.querySelector('#sign-in-error').textContent")
    said = tab.text("#sign-in-error")
    sign_in(tab)
    tab.until("document.querySelector('#tabs:not([hidden])')")

    assert said == "This key is not known here."


def test_signing_out_leaves_nothing_of_the_person_on_the_page(tab: Any) -> None:
    sign_in(tab)
    tab.until("document.querySelector('#tabs:not([hidden])')")
    tab.say("I prefer green tea")
    tab.click("#sign-out")
    tab.until("document.querySelector('#sign-in:not([hidden])')")

    assert "green tea" not in tab.run("document.documentElement.outerHTML")
    assert "alice" not in tab.run("document.documentElement.outerHTML")
