"""The table of memories: live, filtered, and what a row opens."""

from typing import Any

import httpx2


def counted(tab: Any, count: int, patience: float = 20) -> None:
    tab.until(f"document.querySelector('#memories tbody').dataset.count === '{count}'", patience)


def opened_row(tab: Any, memory: dict[str, Any]) -> None:
    tab.open("memory")
    tab.click(f"#memories [data-id='{memory['memory_id']}'] button")
    tab.until("document.querySelector('#detail[open] #history td')")


def revise(me: httpx2.Client, memory: dict[str, Any], **fields: Any) -> None:
    body = fields | {"expected_revision": memory["revision"]}
    me.patch(f"/memories/{memory['memory_id']}", json=body).raise_for_status()


def test_row_appears_without_asking_again(tab: Any, stored: Any) -> None:
    tab.open("memory")
    tab.until("document.querySelector('#stream').textContent === 'live'")
    tab.until("document.querySelector('#memory-count').textContent === 'Nothing is stored yet.'")
    before = len([each for each in tab.requests() if "/memories?" in each["url"]])
    memory = stored(object_value="quarterly planning")
    counted(tab, 1)
    after = len([each for each in tab.requests() if "/memories?" in each["url"]])

    row = tab.text(f"#memories [data-id='{memory['memory_id']}']")
    assert "quarterly planning" in row
    assert before == after


def test_row_says_everything_that_is_known(tab: Any, stored: Any) -> None:
    memory = stored(source="vision", confidence=0.7)
    tab.open("memory")
    counted(tab, 1)
    cells = tab.texts(f"#memories [data-id='{memory['memory_id']}'] td")

    assert cells == [
        "sync", "meeting", "Mon, Dec 1, 2031, 10:00 AM – 11:00 AM", "active", "me", "camera",
        "0.7", "1",
    ]  # fmt: skip


def test_retired_row_stays_with_its_reason(tab: Any, me: httpx2.Client, stored: Any) -> None:
    memory = stored()
    tab.open("memory")
    counted(tab, 1)
    me.delete(f"/memories/{memory['memory_id']}?expected_revision=1").raise_for_status()
    tab.until("document.querySelector('#memories tr.inactive')")

    assert "inactive: removed" in tab.text("#memories tr.inactive")


FILTERS = [
    ("#filter-status", "inactive", ["lunch"]),
    ("#filter-domain", "SmartHome", ["hall lamp: on"]),
    ("#filter-kind", "note", ["call the bank"]),
    ("#filter-source", "vision", ["hall lamp: on"]),
    ("#filter-search", "BANK", ["call the bank"]),
    ("#filter-search", "nothing like it", []),
]


def test_filter_leaves_what_fits(tab: Any, me: httpx2.Client, stored: Any) -> None:
    gone = stored(object_value="lunch")
    me.delete(f"/memories/{gone['memory_id']}?expected_revision=1").raise_for_status()
    stored(predicate="note", object_value="call the bank")
    stored(domain="SmartHome", subject="hall lamp", predicate="light_status", object_value="on",
           when=None, source="vision", confidence=0.95)  # fmt: skip
    tab.open("memory")
    counted(tab, 3)
    left = []
    for control, value, names in FILTERS:
        tab.choose(control, value)
        counted(tab, len(names))
        left.append((control, value, tab.texts("#memories tbody button")))
        tab.choose(control, "all" if control == "#filter-status" else "")

    assert left == FILTERS


def test_row_opens_why_history_and_decisions_with_rules(
    tab: Any, me: httpx2.Client, waiver: tuple[str, str]
) -> None:
    _, meeting = waiver
    opened_row(tab, {"memory_id": meeting})

    assert "You confirmed it" in tab.text("#why")
    assert tab.texts("#history tbody tr")[0].startswith("1")
    assert tab.texts("#decisions [data-rule]") == ["SCH-10"]


def test_rule_of_a_decision_leads_to_the_rule(tab: Any, waiver: tuple[str, str]) -> None:
    opened_row(tab, {"memory_id": waiver[1]})
    tab.click("#decisions [data-rule=SCH-10]")
    tab.until("document.querySelector('tr.fired[data-rule=SCH-10]')")

    assert not tab.run("document.querySelector('#view-rules').hidden")


def test_meeting_is_retired_and_restored_from_the_page(
    tab: Any, me: httpx2.Client, stored: Any
) -> None:
    memory = stored()
    opened_row(tab, memory)
    tab.click("#retire")
    tab.until("document.querySelector('[data-restore=\"1\"]')")
    tab.click('[data-restore="1"]')
    tab.until("document.querySelectorAll('#history tbody tr').length === 3")
    now = me.get(f"/memories/{memory['memory_id']}").json()

    assert (now["status"], now["revision"]) == ("active", 3)


def test_restore_that_conflicts_becomes_a_question_in_the_chat(
    tab: Any, me: httpx2.Client, stored: Any
) -> None:
    memory = stored()
    me.delete(f"/memories/{memory['memory_id']}?expected_revision=1").raise_for_status()
    stored(predicate="vacation", object_value="Vacation", when={"date": "2031-12-01"})
    opened_row(tab, memory)
    tab.click('[data-restore="1"]')
    tab.until("document.querySelector('.question [data-action=keep_both]')")

    assert not tab.run("document.querySelector('#view-chat').hidden")


def test_stale_restore_shows_what_changed_field_by_field(
    tab: Any, me: httpx2.Client, stored: Any
) -> None:
    memory = stored(object_value="first title")
    revise(me, memory, object_value="second title")
    opened_row(tab, memory)
    revise(me, memory | {"revision": 2}, object_value="third title",
           when={"start": "2031-12-02T15:00:00Z"})  # fmt: skip
    tab.click('[data-restore="1"]')
    tab.until("document.querySelector('#stale')")
    value = tab.texts("#stale [data-field=value] td")
    changed = tab.run(
        "[...document.querySelectorAll('#stale [data-field]')].map((each) => each.dataset.field)"
    )

    assert value == ["Value", "second title", "third title"]
    assert sorted(changed) == ["revision", "value", "when"]
    assert me.get(f"/memories/{memory['memory_id']}").json()["object_value"] == "third title"


def test_restore_works_once_the_change_was_seen(tab: Any, me: httpx2.Client, stored: Any) -> None:
    memory = stored(object_value="first title")
    revise(me, memory, object_value="second title")
    opened_row(tab, memory)
    revise(me, memory | {"revision": 2}, object_value="third title")
    tab.click('[data-restore="1"]')
    tab.until("document.querySelector('#stale')")
    tab.click('[data-restore="1"]')
    tab.until("document.querySelectorAll('#history tbody tr').length === 4")

    assert me.get(f"/memories/{memory['memory_id']}").json()["object_value"] == "first title"


def test_open_memory_says_that_it_has_moved(tab: Any, me: httpx2.Client, stored: Any) -> None:
    memory = stored()
    opened_row(tab, memory)
    revise(me, memory, object_value="another title")
    tab.until("document.querySelector('#show-now')?.offsetParent")
    tab.click("#show-now")
    tab.until("document.querySelector('#detail-title').textContent === 'another title'")

    assert tab.run("document.querySelector('#show-now').offsetParent") is None


def test_restore_that_asks_says_of_what(tab: Any, me: httpx2.Client, stored: Any) -> None:
    gone = stored()
    me.delete(f"/memories/{gone['memory_id']}?expected_revision=1").raise_for_status()
    stored(predicate="vacation", object_value="Vacation", when={"date": "2031-12-01"})
    tab.open("memory")
    tab.click("#memories tr.inactive button")
    tab.click("#bring-back")
    tab.until("document.querySelector('.question')")

    assert tab.last() == "To change “sync” needs your decision."


def test_escape_closes_and_gives_focus_back_to_the_row(tab: Any, stored: Any) -> None:
    opened_row(tab, stored())
    tab.press("Escape")
    tab.until("!document.querySelector('#detail[open]')")

    assert tab.run("document.activeElement.ariaLabel") == "Open sync"


def test_page_that_was_left_gives_its_stream_up_and_goes_on_where_it_was(
    tab: Any, stored: Any
) -> None:
    tab.open("memory")
    tab.until("document.querySelector('#stream').textContent === 'live'")
    tab.run("dispatchEvent(new Event('pagehide'))")
    tab.until("document.querySelector('#stream').textContent !== 'live'")
    memory = stored()
    tab.run("dispatchEvent(new Event('pageshow'))")
    counted(tab, 1)

    assert tab.texts("#memories tbody button") == [memory["object_value"]]


def test_thousand_live_events_leave_no_row_out(tab: Any, me: httpx2.Client) -> None:
    tab.open("memory")
    tab.until("document.querySelector('#stream').textContent === 'live'")
    written = set()
    for batch in range(100):
        facts = [
            {"domain": "Schedule", "subject": "Calendar", "predicate": "note",
             "object_value": f"note {batch * 10 + at}",
             "when": {"date": f"2031-{at + 1:02}-{batch % 28 + 1:02}"}}
            for at in range(10)
        ]  # fmt: skip
        answer = me.post("/memories", json={"facts": facts}).json()
        written |= {memory["memory_id"] for memory in answer["facts"]}
    counted(tab, 1000, patience=60)
    for _ in range(9):
        tab.click("#more")
    shown = tab.run(
        "[...document.querySelector('#memories tbody').rows].map((it) => it.dataset.id)"
    )

    assert len(written) == 1000
    assert set(shown) == written
