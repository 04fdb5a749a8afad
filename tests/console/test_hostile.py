"""What somebody else wrote is text here: no script of theirs runs, nobody else is asked."""

import json
from typing import Any

import httpx2
import pytest

POLICY = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'",
    "connect-src": "'self'", "base-uri": "'none'", "form-action": "'none'",
    "frame-ancestors": "'none'", "require-trusted-types-for": "'script'",
}  # fmt: skip
ATTACKS = (
    "<img src=x onerror=window.pwned=1>",
    "\"'><script>window.pwned=1</script>",
    "<svg/onload=window.pwned=1><style>*{background:url(//evil.example/a)}</style>",
    "<iframe src=javascript:parent.pwned=1></iframe><a href=//evil.example>x</a>",
)
WATCH = """
  window.refused = [];
  document.addEventListener('securitypolicyviolation', (it) => refused.push(it.violatedDirective));
"""
# What the page itself is made of; anything else of these kinds came out of somebody's words.
STRANGE = """[...document.querySelectorAll('script, style, iframe, img, a, link, object, base')]
  .filter((it) => !it.matches('head > *, header img, a.skip')).map((it) => it.outerHTML)"""
TYPED = (
    ("memory", "#filter-search"), ("context", "#query"), ("rules", "#draft-value"),
    ("rules", "#draft-subject"),
)  # fmt: skip


@pytest.fixture
def poisoned(me: httpx2.Client, stored: Any) -> list[str]:
    """Memories whose every free field is an attack; their memory_ids."""
    found = []
    for at, attack in enumerate(ATTACKS):
        memory = stored(domain="Preference", subject=attack, predicate="prefers",
                        object_value=attack, when=None, source_ref=attack)  # fmt: skip
        found.append(memory["memory_id"])
        meeting = stored(object_value=attack, when={"start": f"2031-12-0{at + 1}T10:00:00Z"})
        found.append(meeting["memory_id"])
        body = {"object_value": f"{attack} again", "expected_revision": 1}
        me.patch(f"/memories/{meeting['memory_id']}", json=body).raise_for_status()
    return found


def harmless(tab: Any) -> None:
    assert tab.run("window.pwned") is None
    assert tab.run("window.refused") == []
    assert tab.run(STRANGE) == []


def test_policy_lets_nothing_but_the_pages_own_in(base: str) -> None:
    answer = httpx2.get(f"{base}/console/", verify=False)
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
    )

    assert policy == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_files_of_the_page_are_not_sent_twice(base: str) -> None:
    first = httpx2.get(f"{base}/console/app.js", verify=False)
    known = {"If-None-Match": first.headers["etag"]}
    again = httpx2.get(f"{base}/console/app.js", headers=known, verify=False)

    assert (again.status_code, again.content) == (304, b"")


def test_only_files_of_the_page_are_served(base: str) -> None:
    names = ("nothing.js", "../app.py", "%2e%2e/app.py", "words.js/")
    answers = [httpx2.get(f"{base}/console/{name}", verify=False).status_code for name in names]

    assert answers == [404] * len(names)


def test_attack_in_stored_fields_stays_text_in_every_view(tab: Any, poisoned: list[str]) -> None:
    tab.before(WATCH)
    tab.open("memory")
    tab.until(f"document.querySelectorAll('#memories [data-id]').length === {len(poisoned)}")
    harmless(tab)
    for view, seen in (
        ("timeline", ".bar"),
        ("context", "#prompt .trace"),
        ("rules", "tr[data-rule]"),
    ):
        tab.go(view)
        tab.until(f"document.querySelector('#view-{view} {seen}')")
        harmless(tab)
    tab.run("document.querySelector('#draft-of').focus()")
    tab.until(f"document.querySelectorAll('#draft-of option').length > {len(poisoned)}")
    harmless(tab)


def test_attack_in_history_and_draft_stays_text(tab: Any, poisoned: list[str]) -> None:
    tab.before(WATCH)
    tab.open("memory")
    for memory_id in poisoned[-2:]:
        tab.click(f"#memories [data-id='{memory_id}'] button")
        tab.until("document.querySelector('#detail[open] #history td')")
        harmless(tab)
        tab.click("#detail-close")
    tab.click(f"#memories [data-id='{poisoned[-1]}'] button")
    tab.click("#to-what-if")
    tab.until("document.querySelector('#lint-status')")
    harmless(tab)

    assert ATTACKS[-1] in tab.run("document.querySelector('#draft-value').value")


def test_attack_said_in_the_chat_stays_text(tab: Any) -> None:
    tab.before(WATCH)
    tab.open()
    for attack in ATTACKS:
        tab.say(f"I prefer {attack}")
    harmless(tab)

    said = tab.texts(".log .me .said")
    assert said == [f"I prefer {attack}" for attack in ATTACKS]


def test_attack_in_a_question_stays_text(tab: Any, me: httpx2.Client) -> None:
    tab.before(WATCH)
    tab.open()
    for attack in ATTACKS:
        meeting = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting",
                   "object_value": attack, "when": {"start": "2031-12-01T10:00:00Z"}}  # fmt: skip
        me.post("/memories", json={"facts": [meeting]}).raise_for_status()
    seen = []
    for attack in ATTACKS[1:]:
        tab.until(f"document.querySelector('.question')?.innerText.includes({json.dumps(attack)})")
        seen.append(tab.text(".question"))
        harmless(tab)
        tab.click("[data-action=cancel]")

    assert all(ATTACKS[0] in text for text in seen)


def test_attack_typed_into_every_field_stays_text(tab: Any) -> None:
    tab.before(WATCH)
    for view, field in TYPED:
        tab.open(view)
        tab.until("document.querySelector('#stream').textContent === 'live'")
        if view == "rules":
            tab.until("document.querySelectorAll('#draft-kind option').length > 3")
            tab.choose("#draft-kind", "1")
        tab.choose(field, ATTACKS[0])
        tab.run("document.querySelector('#context-form').requestSubmit()")
        harmless(tab)


def test_attack_in_the_address_stays_text(tab: Any) -> None:
    tab.before(WATCH)
    tab.open("<img src=x onerror=window.pwned=1>")
    harmless(tab)

    assert not tab.run("document.querySelector('#view-chat').hidden")
