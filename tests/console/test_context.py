"""The context view: the prompt with its trace, what was left out, and what memory costs."""

from typing import Any

import httpx2


def built(tab: Any, query: str = "", budget: int = 1024) -> None:
    tab.open("context")
    tab.until("document.querySelector('#tokens-used')")
    tab.type("#query", query)
    tab.choose("#budget", budget)
    tab.click("#context-form button")
    tab.until(f"document.querySelector('#tokens-used').textContent.includes(' {budget} ')")


def test_each_fact_of_the_prompt_has_its_trace(tab: Any, stored: Any) -> None:
    memory = stored(domain="Preference", subject="drinks", predicate="prefers",
                    object_value="green tea", when=None, source="vision",
                    confidence=0.95)  # fmt: skip
    built(tab, "what do I like to drink?", 900)
    line = tab.text(f"#prompt li:has([data-memory='{memory['memory_id']}'])")

    assert '"green tea"' in line
    assert "camera" in line
    assert "Confidence 0.95" in line


def test_what_does_not_fit_is_named_with_its_reason(tab: Any, stored: Any) -> None:
    memory = stored(domain="Preference", subject="drinks", predicate="prefers",
                    object_value="green tea", when=None)  # fmt: skip
    built(tab, "what do I like to drink?", 50)
    row = tab.text(f"#left-out [data-memory='{memory['memory_id']}']")

    assert "no room in the budget" in row


def test_what_was_retired_is_named_as_left_out(tab: Any, me: httpx2.Client, stored: Any) -> None:
    memory = stored(domain="Preference", subject="drinks", predicate="prefers",
                    object_value="green tea", when=None)  # fmt: skip
    me.delete(f"/memories/{memory['memory_id']}?expected_revision=1").raise_for_status()
    built(tab, "what do I like to drink?", 900)

    assert "green tea" not in tab.text("#prompt")
    assert "removed" in tab.text("#left-out")


def test_trace_opens_the_memory(tab: Any, stored: Any) -> None:
    memory = stored(domain="Preference", subject="drinks", predicate="prefers",
                    object_value="green tea", when=None)  # fmt: skip
    built(tab, "drinks", 900)
    tab.click(f"[data-memory='{memory['memory_id']}'] button")
    tab.until("document.querySelector('#detail[open]')")

    assert tab.text("#detail-title") == "drinks: green tea"


def test_chart_sets_the_growing_log_against_the_context(tab: Any) -> None:
    tab.open()
    for day in ("Monday", "Tuesday", "Wednesday"):
        tab.say(f"Schedule a status call for next {day} at 10 AM.")
    tab.go("context")
    tab.until("document.querySelector('#token-table')")
    tab.click("#token-chart summary")
    log = [int(each) for each in tab.texts("#token-table td:nth-child(2)")]

    assert len(log) == 3
    assert log == sorted(set(log))
