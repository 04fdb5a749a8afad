"""How the page does with 5,000 memories: measured and told, never asserted."""

import json
import sys
from datetime import date, timedelta
from typing import Any

import httpx2
import pytest

MEMORIES = 5000
WATCH = """
  window.long = [];
  new PerformanceObserver((list) => { for (const it of list.getEntries()) long.push(Math.round(it.duration)); })
    .observe({type: 'longtask', buffered: true});
"""  # noqa: E501
TAKEN = "Math.max(0, ...window.long.splice(0))"
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


@pytest.mark.campaign
def test_five_thousand_memories_are_shown(
    tab: Any, me: httpx2.Client, record_property: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for batch in range(MEMORIES // 10):
        day = date(2027, 1, 1) + timedelta(days=batch)
        facts = [
            {"domain": "Schedule", "subject": "Calendar", "predicate": "note",
             "object_value": f"note {batch * 10 + at}",
             "when": {"date": f"{day:%Y-%m-%d}"}}
            for at in range(10)
        ]  # fmt: skip
        me.post("/memories", json={"facts": facts}).raise_for_status()
    tab.before(WATCH)
    tab.open("memory")
    tab.until("document.querySelector('#memories [data-id]')")
    told = {"first_paint_ms": tab.run(PAINT), "first_rows_ms": tab.run("performance.now()")}
    loaded = f"document.querySelector('#memories tbody').dataset.count === '{MEMORIES}'"
    tab.until(loaded, patience=120)
    told["all_loaded_ms"] = tab.run("performance.now()")
    longest = {"loading": tab.run(TAKEN)}
    for view in ("timeline", "context", "rules", "chat", "memory"):
        tab.go(view)
        tab.run("new Promise((done) => setTimeout(done, 2500))")
        longest[view] = tab.run(TAKEN)
    tab.go("timeline")
    tab.run("new Promise((done) => setTimeout(done, 2500))")
    longest["timeline again"] = tab.run(TAKEN)
    tab.click("#known-back")
    tab.run("new Promise((done) => setTimeout(done, 6000))")
    longest["another time"] = tab.run(TAKEN)
    tab.go("memory")
    tab.type("#filter-search", "49")
    tab.run("new Promise((done) => setTimeout(done, 1500))")
    longest["searching"] = tab.run(TAKEN)
    told["longest_task_ms"] = longest
    record_property("console", json.dumps(told))
    with capsys.disabled():
        sys.stdout.write(f"\nconsole with {MEMORIES} memories: {told}\n")

    assert tab.run(loaded.replace(str(MEMORIES), "0")) is False
