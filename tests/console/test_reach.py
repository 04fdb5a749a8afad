"""Everybody can see, name and reach everything: pictures, focus, sizes, speech, movement."""

import itertools
from typing import Any

import pytest

VIEWS = ("chat", "memory", "timeline", "context", "rules")
MEASURE = """
const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
const over = ([r, g, b, a], under, part = 1) => [r, g, b].map((c, at) => c * a * part + under[at] * (1 - a * part)).concat(1);
const light = (colour) => colour.slice(0, 3).map((each) => each / 255)
  .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
const contrast = (one, two) => { const [a, b] = [light(one), light(two)]; return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
const behind = (it) => { for (; it; it = it.parentElement) {
  const paint = parse(getComputedStyle(it).backgroundColor); if (paint[3] > 0.99) return paint; } return [255, 255, 255, 1]; };
const holds = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
// What is painted at a place of a picture before `until` is: its shapes one over the other.
const painted = (picture, until, x, y) => [...picture.querySelectorAll('rect, circle')]
  .filter((shape) => shape.compareDocumentPosition(until) & Node.DOCUMENT_POSITION_FOLLOWING && holds(shape.getBoundingClientRect(), x, y))
  .reduce((under, shape) => { const style = getComputedStyle(shape);
    return style.fill === 'none' ? under : over(parse(style.fill), under, Number(style.fillOpacity)); }, behind(picture));
"""  # noqa: E501
# Words in pictures whose contrast with any of three places behind them is less than 4.5.
FAINT_WORDS = f"""(() => {{ {MEASURE}
  return [...document.querySelectorAll('svg text')].filter((it) => it.getClientRects().length).flatMap((it) => {{
    const box = it.getBoundingClientRect();
    const ratios = [0.05, 0.5, 0.95].map((share) => contrast(parse(getComputedStyle(it).fill),
      painted(it.closest('svg'), it, box.left + box.width * share, box.top + box.height / 2)));
    const least = Math.min(...ratios);
    return least < 4.5 ? [`${{it.textContent}} ${{least.toFixed(2)}}`] : []; }}); }})()"""  # noqa: E501
# Shapes and frames that mean something, less than 3 from what is beside them.
FAINT_SHAPES = f"""(() => {{ {MEASURE}
  const marks = 'svg .bar rect, svg .waiver, svg .conflict, svg .replaced path, svg .now, svg .log-line, svg .memory-line, svg .block';
  const shapes = [...document.querySelectorAll(marks)].filter((it) => it.getClientRects().length).map((it) => {{
    const style = getComputedStyle(it), sheet = behind(it.closest('svg'));
    const seen = [[style.fill, Number(style.fillOpacity)], [style.stroke, 1]].filter(([paint]) => paint !== 'none')
      .map(([paint, part]) => contrast(over(parse(paint), sheet, part), sheet));
    return [it.closest('[class]').getAttribute('class'), Math.max(...seen)]; }});
  const frames = [...document.querySelectorAll('main button:enabled:not(.link), main input:not([type=range]), main select, main textarea')]
    .filter((it) => it.getClientRects().length && it.getAttribute('role') !== 'tab').map((it) => {{
      const around = behind(it.parentElement), style = getComputedStyle(it);
      return [it.id || it.textContent, Math.max(contrast(parse(style.borderTopColor), around), contrast(parse(style.backgroundColor), around))]; }});
  return [...shapes, ...frames].filter(([, ratio]) => ratio < 3).map(([name, ratio]) => `${{name}} ${{ratio.toFixed(2)}}`); }})()"""  # noqa: E501
# Whether the one in focus is marked by an outline, or in a picture by its stroke, of 3 to 1.
MARKED = f"""(() => {{ {MEASURE}
  const it = document.activeElement;
  const mark = it.querySelector('rect') && it.closest('svg') ? getComputedStyle(it.querySelector('rect')) : null;
  const style = getComputedStyle(it);
  const [wide, colour] = mark ? [parseFloat(mark.strokeWidth), mark.stroke] : [style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth), style.outlineColor];
  return wide >= 2 && contrast(parse(colour), behind(it.closest('svg') ?? it.parentElement)) >= 3; }})()"""  # noqa: E501
# Controls that are smaller than 24 by 24 CSS pixels (WCAG 2.2, 2.5.8); bars have their names and
# the table beside them.
SMALL = """[...document.querySelectorAll('button, input, select, textarea, summary, a[href]')]
  .filter((it) => it.getClientRects().length && !it.matches('.skip'))
  .map((it) => [it.id || it.textContent.slice(0, 30), it.matches('[type=checkbox]') ? it.closest('label').getBoundingClientRect() : it.getBoundingClientRect()])
  .filter(([, box]) => box.width < 24 || box.height < 24).map(([name, box]) => `${name} ${box.width}x${box.height}`)"""  # noqa: E501
FOCUSED = "[document.activeElement.tagName, document.activeElement.id, document.activeElement.className.baseVal ?? document.activeElement.className, document.activeElement.textContent.slice(0, 20)].join('|')"  # noqa: E501

pytestmark = pytest.mark.usefixtures("anew")


def everywhere(tab: Any, script: str) -> dict[tuple[str, str], list[str]]:
    """Measure every view in light and dark; return what is found wrong."""
    found = {}
    for scheme in ("light", "dark"):
        tab.shape(1280, 900, scheme)
        for view in VIEWS:
            tab.settle(view)
            found[scheme, view] = tab.run(script)
    return {place: wrong for place, wrong in found.items() if wrong}


def nodes(tab: Any) -> list[dict[str, Any]]:
    """Return what a screen reader is given, without what it leaves out."""
    tree: list[dict[str, Any]] = tab.cdp("Accessibility.getFullAXTree")["nodes"]
    return [each for each in tree if not each.get("ignored")]


def states(node: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each["value"].get("value") for each in node.get("properties", ())}


def named(tab: Any, role: str) -> dict[str, dict[str, Any]]:
    """Return the nodes of a role by their names."""
    return {each["name"]["value"]: each for each in nodes(tab) if each["role"]["value"] == role}


def test_words_in_pictures_are_readable_in_both_schemes(full: Any) -> None:
    assert everywhere(full, FAINT_WORDS) == {}


def test_shapes_and_frames_are_seen_in_both_schemes(full: Any) -> None:
    assert everywhere(full, FAINT_SHAPES) == {}


def test_whoever_tabs_sees_where_they_are_in_both_schemes(full: Any) -> None:
    unmarked = []
    for scheme, view in itertools.product(("light", "dark"), VIEWS):
        full.shape(1280, 900, scheme)
        full.settle(view)
        full.run(f"document.querySelector('#tab-{view}').focus()")
        for _ in range(12):
            full.press("Tab")
            if not full.run("document.activeElement === document.body") and not full.run(MARKED):
                unmarked.append((scheme, view, full.run(FOCUSED)))

    assert unmarked == []


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_to_press_is_smaller_than_a_fingertip(full: Any, width: int) -> None:
    full.shape(width, 900)
    small = {}
    for view in VIEWS:
        full.settle(view)
        small[view] = full.run(SMALL)
    full.settle("memory")
    full.click("#memories tr.inactive button")
    full.until("document.querySelector('#detail[open]')")
    small["detail"] = full.run(SMALL)

    assert not any(small.values()), small


@pytest.mark.parametrize("view", VIEWS)
def test_tab_key_leaves_every_view_again(full: Any, view: str) -> None:
    full.settle(view)
    full.run(f"document.querySelector('#tab-{view}').focus()")
    at = full.run(FOCUSED)
    seen = []
    for _ in range(120):
        full.press("Tab")
        seen.append(full.run(FOCUSED))
        if seen[-1] == at:
            break

    assert seen[-1] == at


def test_a_dialog_holds_the_focus_and_says_what_it_is(full: Any) -> None:
    full.settle("memory")
    full.click("#memories tr.inactive button")
    full.until("document.querySelector('#detail[open]')")
    inside = []
    for _ in range(12):
        full.press("Tab")
        inside.append(
            full.run("document.activeElement === document.body"
                     " || document.activeElement.closest('#detail') !== null")
        )  # fmt: skip

    assert all(inside)
    (dialog,) = named(full, "dialog").values()
    assert states(dialog)["modal"] is True


def test_views_are_tabs_of_which_one_is_selected(full: Any) -> None:
    full.settle("memory")

    chosen = {name: states(node).get("selected") for name, node in named(full, "tab").items()}

    assert chosen == {
        "Chat": False, "Memory": True, "Timeline": False, "Context": False, "Rules": False,
    }  # fmt: skip


def test_a_question_is_announced_with_its_reason(full: Any) -> None:
    full.settle("chat")

    (asked,) = [each for each in nodes(full) if each["role"]["value"] == "alertdialog"]

    assert asked["name"]["value"].startswith("This needs your decision")
    assert "a meeting on a day off" in asked["description"]["value"]


def test_what_the_service_says_is_read_aloud_and_the_countdown_is_not(full: Any) -> None:
    live = full.run(
        "['.log', '#notice', '#known-count', '#memory-count', '#lint-result', '#countdown']"
        ".map((each) => { const it = document.querySelector(each);"
        " return it.getAttribute('aria-live') ?? it.getAttribute('role'); })"
    )

    assert live == ["polite", "polite", "status", "status", "polite", "timer"]


def test_words_of_the_other_language_say_so(full: Any) -> None:
    full.choose("#language", "ko")
    full.until("document.querySelector('.question [data-action=keep_both]')")

    spoken = full.run("document.querySelector('[data-action=keep_both]').closest('[lang]').lang")

    assert full.run("document.documentElement.lang") == "ko"
    assert (spoken, full.text("[data-action=keep_both]").split("\n")[0]) == (
        "en",
        "Schedule Meeting During Vacation",
    )


def test_nothing_moves_for_whoever_wants_rest(full: Any) -> None:
    reduced = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    full.cdp("Emulation.setEmulatedMedia", features=reduced)
    moving = []
    for view in VIEWS:
        full.settle(view)
        moving += full.run(
            "document.getAnimations().filter((each) => each.effect.getTiming().duration > 0).length"
            " ? [location.hash] : []"
        )

    assert moving == []


@pytest.mark.parametrize("view", VIEWS)
def test_at_twice_the_size_nothing_is_cut_off(full: Any, view: str) -> None:
    full.shape(640, 450)  # a window of 1280 by 900 at 200 %
    full.settle(view)

    assert full.run("document.documentElement.scrollWidth <= innerWidth")


def test_at_four_times_the_size_the_page_is_one_column(full: Any) -> None:
    full.shape(320, 256)  # a window of 1280 by 1024 at 400 %
    wide = {}
    for view in VIEWS:
        full.settle(view)
        wide[view] = full.run("document.documentElement.scrollWidth")

    assert set(wide.values()) == {320}, wide
