"""What everybody can read and reach: contrast, names, order, and nothing beyond the edge."""

from typing import Any

import pytest

VIEWS = ("chat", "memory", "timeline", "context", "rules")
# Text that is seen, with the contrast of its colour against what is painted behind it (WCAG 2.2).
FAINT = """(() => {
  const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return {r, g, b, a}; };
  const light = ({r, g, b}) => [r, g, b].map((each) => each / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (it) => { for (; it; it = it.parentElement) {
    const paint = parse(getComputedStyle(it).backgroundColor); if (paint.a > 0.99) return paint; }
    return parse('rgb(255,255,255)'); };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const it = texts.currentNode.parentElement;
    const inert = it.closest('svg, option, noscript, :disabled, .skip, .unseen');
    if (!texts.currentNode.data.trim() || inert || !it.getClientRects().length) continue;
    const [a, b] = [light(parse(getComputedStyle(it).color)), light(behind(it))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${it.tagName}.${it.className} ${ratio.toFixed(2)} ${it.textContent.slice(0, 30)}`);
  }
  return found; })()"""  # noqa: E501
CONTROLS = {"button", "textbox", "searchbox", "combobox", "spinbutton", "slider", "checkbox",
            "tab", "Date", "DateTime", "dialog", "alertdialog"}  # fmt: skip

pytestmark = pytest.mark.usefixtures("anew")


def test_text_is_readable_in_both_schemes(full: Any) -> None:
    faint = {}
    for scheme in ("light", "dark"):
        full.shape(1280, 900, scheme)
        for view in VIEWS:
            full.settle(view)
            faint[scheme, view] = full.run(FAINT)
        full.go("memory")
        full.click("#memories tr.inactive button")
        full.until("document.querySelector('#detail[open]')")
        faint[scheme, "detail"] = full.run(FAINT)
        full.click("#detail-close")

    assert not any(faint.values()), faint


def test_nothing_is_wider_than_a_phone(full: Any) -> None:
    wide = {}
    for language in ("en", "ko"):
        full.choose("#language", language)
        full.shape(390, 844)
        for view in VIEWS:
            full.settle(view)
            wide[language, view] = full.run("document.documentElement.scrollWidth")

    assert set(wide.values()) == {390}, wide


def test_every_control_has_a_name(full: Any) -> None:
    nameless = []
    for view in VIEWS:
        full.settle(view)
        nodes = full.cdp("Accessibility.getFullAXTree")["nodes"]
        nameless += [
            (view, node["role"]["value"])
            for node in nodes
            if not node.get("ignored")
            and node["role"]["value"] in CONTROLS
            and not node.get("name", {}).get("value", "").strip()
        ]

    assert nameless == []


def test_tab_key_goes_from_top_to_bottom_and_skips_other_views(full: Any) -> None:
    full.settle("memory")
    full.run("document.querySelector('.skip').focus()")
    order = []
    for _ in range(8):
        full.press("Tab")
        order.append(full.run("document.activeElement.id || document.activeElement.className"))

    assert order == [
        "language", "sign-out", "tab-memory", "filter-search", "filter-status", "filter-domain",
        "filter-kind", "filter-scope",
    ]  # fmt: skip


def test_arrow_keys_go_from_view_to_view(full: Any) -> None:
    tab = full
    tab.go("memory")
    tab.run("document.querySelector('#tab-memory').focus()")
    seen = []
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "End", "ArrowRight"):
        tab.press(key)
        seen.append(tab.run("document.activeElement.id"))

    assert seen == ["tab-timeline", "tab-memory", "tab-chat", "tab-rules", "tab-chat"]


def test_language_of_the_page_is_declared_and_everything_is_said_in_it(full: Any) -> None:
    full.choose("#language", "ko")
    said = [full.text(f"#tab-{view}") for view in VIEWS]

    assert full.run("document.documentElement.lang") == "ko"
    assert said == ["대화", "기억", "타임라인", "컨텍스트", "규칙"]
    assert full.text(".question h2") == "결정이 필요합니다"
