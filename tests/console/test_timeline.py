"""The timeline: lanes of valid time, and the slider of recorded time."""

from typing import Any

import httpx2

CLASHES = """(() => {
  const boxes = [...document.querySelectorAll('#timeline-chart .bar rect')]
    .map((it) => it.getBBox());
  const thin = boxes.filter((each) => each.height < 6).length;
  return thin + boxes.filter((a, at) => boxes.slice(at + 1).some((b) =>
    a.x + 1 < b.x + b.width && b.x + 1 < a.x + a.width
    && a.y < b.y + b.height && b.y < a.y + a.height)).length; })()"""


def drawn(tab: Any, kind: str = ".bar") -> list[str]:
    return sorted(
        tab.run(
            f"[...document.querySelectorAll('#timeline-chart {kind}')]"
            ".map((each) => each.dataset.id ?? each.dataset.pair)"
        )
    )


def bars(tab: Any, count: int) -> None:
    tab.until(f"document.querySelectorAll('#timeline-chart .bar').length === {count}")


def test_each_kind_has_its_lane(tab: Any, waiver: tuple[str, str]) -> None:
    tab.open("timeline")
    bars(tab, 2)

    lanes = tab.run(
        "[...document.querySelectorAll('#timeline-chart .lane')].map((it) => it.textContent)"
    )
    assert lanes == ["meeting (1)", "day off (1)"]


def test_overlap_that_a_person_allowed_is_framed_with_its_rule(
    tab: Any, waiver: tuple[str, str]
) -> None:
    day, meeting = waiver
    tab.open("timeline")
    tab.until("document.querySelector('#timeline-chart .waiver')")

    assert drawn(tab, ".waiver") == [f"{meeting} {day}"]
    said = tab.run("document.querySelector('#timeline-chart .waiver').dataset.said")
    assert said == "SCH-10"


def test_open_conflict_is_drawn_with_what_is_asked(
    tab: Any, me: httpx2.Client, stored: Any
) -> None:
    stored(predicate="vacation", object_value="Vacation", when={"date": "2031-12-01"})
    fact = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting",
            "object_value": "sync", "when": {"start": "2031-12-01T10:00:00Z"}}  # fmt: skip
    tab.open("timeline")
    bars(tab, 1)
    me.post("/memories", json={"facts": [fact]}).raise_for_status()
    tab.until("document.querySelector('#timeline-chart .conflict')")

    assert tab.run("document.querySelectorAll('#timeline-chart .bar.asked').length") == 1


def test_what_was_replaced_points_to_what_replaced_it(tab: Any, stored: Any) -> None:
    stored()
    stored(predicate="vacation", object_value="Vacation", when={"date": "2031-12-01"})
    tab.open("timeline")
    bars(tab, 2)

    assert tab.run("document.querySelectorAll('#timeline-chart .replaced').length") == 1
    assert tab.run("document.querySelectorAll('#timeline-chart .bar.inactive').length") == 1


def test_slider_replays_what_was_known(tab: Any, me: httpx2.Client, stored: Any) -> None:
    memory = stored(object_value="sync")
    stored(predicate="vacation", object_value="Vacation", when={"date": "2031-12-01"})
    tab.open("timeline")
    bars(tab, 2)
    tab.click("#known-back")
    bars(tab, 1)
    then = drawn(tab, ".bar.active")
    tab.choose("#known", 0)
    tab.until("document.querySelector('#timeline-chart').textContent === 'Nothing was known then.'")
    tab.choose("#known", 1000)
    bars(tab, 2)

    assert then == [memory["memory_id"]]
    assert tab.text("#known-at") == "now"
    assert drawn(tab, ".bar.inactive") == [memory["memory_id"]]


def test_what_was_known_a_week_ago_is_one_press_away(tab: Any, stored: Any) -> None:
    stored()
    tab.open("timeline")
    tab.until("document.querySelector('.bar[data-id]')")  # the legend has bars too
    tab.click("[data-ago='7']")
    tab.until("document.querySelector('#timeline-chart').textContent === 'Nothing was known then.'")

    assert tab.texts("#then-and-now h3") == ["Not known then"]
    assert "sync" in tab.text("[data-list=knownSince]")


def test_what_has_gone_since_is_named_and_opens(tab: Any, me: httpx2.Client, stored: Any) -> None:
    gone = stored()
    me.delete(f"/memories/{gone['memory_id']}?expected_revision=1").raise_for_status()
    tab.open("timeline")
    tab.until("document.querySelector('[data-id].inactive')")
    tab.click("#known-back")
    tab.click("[data-list=knownGone] button")
    tab.until("document.querySelector('#detail[open] #bring-back')")

    assert tab.text("#detail-title") == "sync"


def test_nothing_is_compared_with_now_itself(tab: Any, stored: Any) -> None:
    stored()
    tab.open("timeline")
    tab.until("document.querySelector('.bar[data-id]')")  # the legend has bars too

    assert tab.run("document.querySelector('#then-and-now').hidden")


def test_short_bar_is_named_beside_it_and_its_name_opens_it(tab: Any, stored: Any) -> None:
    stored()
    stored(object_value="review", when={"start": "2031-12-20T10:00:00Z"})
    tab.open("timeline")
    tab.until("document.querySelector('.name.beside')")
    tab.click(".name.beside")
    tab.until("document.querySelector('#detail[open]')")

    assert tab.text("#detail-title") == "sync"


def test_slider_moves_by_keyboard_and_says_where_it_is(tab: Any, stored: Any) -> None:
    stored()
    tab.open("timeline")
    bars(tab, 1)
    tab.run("document.querySelector('#known').focus()")
    tab.press("Home")
    tab.until("document.querySelector('#known-at').textContent !== 'now'")
    bars(tab, 0)

    said = tab.run("document.querySelector('#known').getAttribute('aria-valuetext')")
    assert said == tab.text("#known-at")
    assert tab.text("#known-count") == "0 known then, 1 now"


def test_steps_by_change_go_there_and_back(tab: Any, stored: Any) -> None:
    for day in (1, 2, 3):
        stored(when={"start": f"2031-12-0{day}T10:00:00Z"})
    tab.open("timeline")
    seen = []
    bars(tab, 3)
    for button, count in (("back", 2), ("back", 1), ("back", 0), ("forth", 1), ("forth", 2)):
        tab.click(f"#known-{button}")
        bars(tab, count)
        seen.append(count)
    tab.click("#known-forth")
    bars(tab, 3)

    assert tab.text("#known-at") == "now"


def test_bars_are_walked_and_opened_by_keyboard(tab: Any, stored: Any) -> None:
    stored()
    second = stored(object_value="review", when={"start": "2031-12-02T10:00:00Z"})
    tab.open("timeline")
    bars(tab, 2)
    tab.run("document.querySelector('.bar[tabindex=\"0\"]').focus()")
    tab.press("Home")
    tab.press("ArrowRight")
    label = tab.run("document.activeElement.getAttribute('aria-label')")
    tab.press("Enter")
    tab.until("document.querySelector('#detail[open]')")

    assert label.startswith("meeting, review · Tue, Dec 2, 2031")
    assert tab.run("document.querySelector('#detail-title').textContent") == second["object_value"]


def test_five_hundred_memories_are_apart_from_each_other(tab: Any, me: httpx2.Client) -> None:
    for batch in range(50):
        facts = [
            {"domain": "Schedule", "subject": "Calendar", "predicate": "note",
             "object_value": f"note {batch * 10 + at}",
             "when": {"date": f"2031-{at + 1:02}-{batch % 28 + 1:02}"}}
            for at in range(10)
        ]  # fmt: skip
        me.post("/memories", json={"facts": facts}).raise_for_status()
    tab.open("timeline")
    bars(tab, 500)
    found = []
    for width in (1280, 390):
        tab.shape(width, 900)
        tab.until(f"document.querySelector('#timeline-chart svg').clientWidth <= {width}")
        found.append(tab.run(CLASHES))

    assert found == [0, 0]
