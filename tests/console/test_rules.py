"""The rules view: the table, the rule that fired, and what the rules would say."""

from typing import Any

import httpx2


def fired(tab: Any) -> list[str]:
    found: list[str] = tab.run(
        "[...document.querySelectorAll('tr.fired')].map((each) => each.dataset.rule)"
    )
    return found


def judged(tab: Any, status: str) -> None:
    tab.until(f"document.querySelector('#lint-status')?.textContent === '{status}'")


def draft_meeting(tab: Any) -> None:
    tab.open("rules")
    tab.until("document.querySelectorAll('#draft-kind option').length > 3")
    tab.choose("#draft-kind", "1")  # Schedule, meeting
    tab.choose("#draft-value", "sync")
    tab.choose("#draft-start", "2031-12-01T10:00")


def test_every_rule_of_the_service_is_in_the_table(tab: Any, me: httpx2.Client) -> None:
    rules = me.get("/rules").json()
    known = {gate["id"] for gate in rules["gates"]}
    known |= {rule["id"] for domain in rules["domains"].values() for rule in domain["rules"]}
    tab.open("rules")
    tab.until("document.querySelector('[data-part=gates]')")

    shown = tab.run("[...document.querySelectorAll('tr[data-rule]')].map((it) => it.dataset.rule)")
    assert set(shown) == known
    assert rules["rules_version"] in tab.text("#rules-version")


def test_rule_that_decided_in_the_chat_is_marked(tab: Any) -> None:
    tab.open()
    tab.say("I'm taking all day off tomorrow.")
    tab.say("Schedule a dev team meeting for tomorrow at 10 AM.")
    tab.go("rules")
    tab.until("document.querySelector('tr.fired')")

    assert fired(tab) == ["SCH-10"]


def test_draft_is_judged_while_it_changes_and_nothing_is_written(
    tab: Any, me: httpx2.Client, stored: Any
) -> None:
    stored(predicate="vacation", object_value="Vacation", when={"date": "2031-12-01"})
    draft_meeting(tab)
    judged(tab, "CONFIRM_REQUIRED")
    first = fired(tab)
    tab.choose("#draft-start", "2031-12-05T10:00")
    judged(tab, "SUCCESS")
    tab.choose("#draft-start", "2031-12-01T10:00")
    tab.choose("#draft-busy", "free")
    judged(tab, "SUCCESS")
    tab.choose("#draft-busy", "busy")
    tab.choose("#draft-source", "model_inferred")
    tab.choose("#draft-confidence", "0.2")
    judged(tab, "BLOCKED")

    assert first == ["SCH-10"]
    assert "G-01" in fired(tab)
    assert len(me.get("/memories").json()["items"]) == 1


def test_verdict_follows_what_is_stored_meanwhile(tab: Any, stored: Any) -> None:
    draft_meeting(tab)
    judged(tab, "SUCCESS")
    stored(predicate="vacation", object_value="Vacation", when={"date": "2031-12-01"})
    judged(tab, "CONFIRM_REQUIRED")

    assert fired(tab) == ["SCH-10"]


def test_draft_starts_from_a_memory(tab: Any, stored: Any) -> None:
    memory = stored(when={"start": "2031-12-01T10:00:00Z", "end": "2031-12-01T11:30:00Z"})
    tab.open("memory")
    tab.click(f"[data-id='{memory['memory_id']}'] button")
    tab.click("#to-what-if")
    judged(tab, "NO_CHANGE")
    tab.choose("#draft-value", "another meeting")
    judged(tab, "CONFIRM_REQUIRED")

    assert tab.run("document.querySelector('#draft-end').value") == "2031-12-01T11:30"
    assert fired(tab) == ["SCH-21"]


def test_draft_that_is_no_fact_is_explained(tab: Any) -> None:
    draft_meeting(tab)
    judged(tab, "SUCCESS")
    tab.choose("#draft-end", "2031-12-01T09:00")
    tab.until("document.querySelector('#lint-result .bad')")

    assert "The end has to be after the start." in tab.text("#lint-result")
