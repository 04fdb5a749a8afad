"""Every way in refuses a secret and masks a contact, and nothing of either is stored or logged."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

SECRET = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
CARD = "4242 4242 " + "4242 4242"
WHEN = {"start": "2030-07-17T10:00:00Z"}


def meeting(**members: Any) -> dict[str, Any]:
    made = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
    return {**made, "object_value": "Lunch", "when": WHEN, **members}


def taste(**members: Any) -> dict[str, Any]:
    made = {"domain": "Preference", "subject": "food", "predicate": "prefers"}
    return {**made, "object_value": "noodles", **members}


def item(value: str, subject: str = "a/b") -> dict[str, Any]:
    made = {"domain": "Store", "subject": subject, "predicate": "item"}
    return {**made, "object_value": value}


ENTRIES = {
    "value": lambda text: ("/memories", {"facts": [meeting(object_value=f"Lunch {text}")]}),
    "subject": lambda text: ("/memories", {"facts": [taste(subject=f"food {text}")]}),
    "source_ref": lambda text: ("/memories", {"facts": [meeting(source_ref=f"mail {text}")]}),
    "second fact": lambda text: ("/memories", {"facts": [taste(), taste(object_value=text)]}),
    "lint": lambda text: ("/lint", {"facts": [meeting(object_value=f"Lunch {text}")]}),
    "dry run": lambda text: ("/memories", {"facts": [taste(object_value=text)], "dry_run": True}),
    "item": lambda text: ("/memories", {"facts": [item(json.dumps({"note": text}))]}),
    "utterance": lambda text: ("/chat", {"text": f"Lunch tomorrow at noon, {text}"}),
}


def stored(url: str) -> bytes:
    """Return all that the database holds, as it lies on the disk."""
    path = Path(url.removeprefix("sqlite:///"))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.read_bytes()


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("secret", [SECRET, CARD], ids=["token", "card"])
def test_secret_is_refused_by_every_way_in(service: Any, entry: str, secret: str) -> None:
    path, body = ENTRIES[entry](secret)
    answer = service.call("POST", path, json=body)

    assert (answer.status_code, answer.json()["code"]) == (422, "text_refused"), answer.text
    assert {"kind", "field", "length"} <= answer.json().keys()
    assert secret not in answer.text + service.logged()
    assert secret.encode() not in stored(service.url)


@pytest.mark.parametrize("entry", [name for name in ENTRIES if name not in {"lint", "dry run"}])
def test_contact_is_masked_by_every_way_in(service: Any, entry: str) -> None:
    path, body = ENTRIES[entry]("lee@example.org")
    answer = service.call("POST", path, json=body)

    assert answer.status_code < 300, answer.text
    assert "lee@example.org" not in answer.text + service.logged()
    assert b"lee@example.org" not in stored(service.url)


def test_what_is_kept_is_found_on_the_disk(service: Any) -> None:
    """The control of this module: a search that finds nothing would prove nothing."""
    service.remember("Lunch with ocelot9control")

    assert b"ocelot9control" in stored(service.url)


def test_secret_is_refused_when_a_memory_is_corrected(service: Any) -> None:
    memory_id = service.remember("Lunch")["memory_id"]
    body = {"object_value": f"Lunch {SECRET}", "expected_revision": 1}
    answer = service.call("PATCH", f"/memories/{memory_id}", json=body)

    assert answer.json()["code"] == "text_refused"
    assert SECRET.encode() not in stored(service.url)


def test_escapes_in_an_item_hide_no_secret(service: Any) -> None:
    escaped = "".join(f"\\u{ord(char):04x}" for char in SECRET)
    body = {"facts": [item(f'{{"note": "{escaped}"}}')]}

    assert service.call("POST", "/memories", json=body).json()["code"] == "text_refused"


@pytest.mark.parametrize("char", ["\x00", "\u202e", "\U000e0041", "\u2028", "\ue000"])
def test_unsafe_character_is_refused_by_every_way_in(service: Any, char: str) -> None:
    for entry in ("value", "subject", "source_ref", "utterance"):
        path, body = ENTRIES[entry](f"a{char}b")
        answer = service.call("POST", path, json=body)

        assert (answer.status_code, answer.json()["code"]) in [
            (422, "text_refused"),
            (400, "malformed_body"),
        ], (entry, answer.text)
