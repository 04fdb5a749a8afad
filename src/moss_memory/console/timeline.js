// Timeline. Valid time runs across, one lane a kind; the slider replays what was known at a time.

import { el, field, fill, options, svg } from "./dom.js";
import { title } from "./facts.js";
import { arrange, DAY, fit, overlaps, replaced, ticks } from "./lanes.js";
import { legend } from "./legend.js";
import { kindOf, names } from "./names.js";
import { Recorded } from "./recorded.js";
import { state } from "./store.js";
import { thenAndNow } from "./then.js";
import { axis, endOf, span, startOf } from "./when.js";
import { named, problemText, word } from "./words.js";

const MOST = 800; // bars at a time; more are neither readable nor quick
const LOOKED = 60; // overlaps whose decisions are looked up
const PAST = 3000; // memories of another time that are read
const SPANS = [["fit", 0], ["week", 7], ["month", 31], ["quarter", 92], ["year", 366]];

export class Timeline {
  #page; #panel; #chart; #said; #more; #span; #recorded; #middle = null; #range = null; #past = null; #asked = []; #waived = new Map();
  #turn = 0; #unwatch; #observer; #labels = new WeakMap(); #focus = null; #width = 0; #frame = null; #then; #compared = null;

  constructor(page, panel) {
    this.#page = page;
    this.#panel = panel;
    this.#recorded = new Recorded(page, () => this.#known());
    this.#span = el("select", { id: "span", onchange: () => { this.#middle = null; this.#draw(); } },
      options(SPANS.map(([name]) => [name, word(`span${name[0].toUpperCase()}${name.slice(1)}`)])));
    this.#chart = el("div", { id: "timeline-chart", onkeydown: (event) => this.#step(event), onclick: (event) => this.#open(event),
      onpointerover: (event) => this.#tell(event.target), onfocusin: (event) => this.#tell(event.target) });
    this.#said = el("p", { id: "bar-said", class: "hint", "aria-hidden": "true" });
    this.#more = el("p", { class: "hint", role: "status" });
    this.#then = el("section", { id: "then-and-now", hidden: true });
    const move = (by) => el("button", { type: "button", "data-move": by, onclick: () => this.#move(by) }, word({ "-1": "earlier", 0: "today", 1: "later" }[by]));
    panel.append(this.#recorded.node, el("div", { class: "row" }, field(word("span"), this.#span), move(-1), move(0), move(1)),
      this.#said, this.#chart, legend(), this.#more, el("p", { class: "hint", id: "chart-help" }, word("chartHelp")), this.#then);
    this.#unwatch = page.store.watch(() => { if (!panel.hidden) { this.#recorded.grown(); this.#draw(); } });
    this.#observer = new ResizeObserver(() => { if (this.#chart.clientWidth !== this.#width) this.#draw(); });
    this.#observer.observe(this.#chart);
  }

  shown() {
    this.#recorded.grown();
    this.#ask();
    this.#draw();
  }

  gone() {
    this.#unwatch();
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  happened(event) {
    if (event.kind?.startsWith("pending.") && !this.#panel.hidden) this.#ask();
  }

  async #ask() {
    try {
      this.#asked = (await this.#page.wire.get("/pending")).items;
      this.#draw();
    } catch { /* the chat says what is wrong */ }
  }

  // Another recorded time was chosen; null is now.
  async #known() {
    const turn = ++this.#turn;
    const at = this.#recorded.at;
    if (at === null) {
      this.#past = null;
      this.#draw();
      return;
    }
    try {
      const found = [];
      for await (const items of this.#page.wire.pages(`/memories?status=all&known_at=${encodeURIComponent(at)}`, PAST)) {
        if (turn !== this.#turn) return;
        found.push(...items);
      }
      if (turn !== this.#turn) return;
      this.#past = found;
      this.#draw();
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
  }

  #move(by) {
    const days = SPANS.find(([name]) => name === this.#span.value)[1];
    if (!days) this.#span.value = "month";
    const now = Date.now();
    const from = this.#middle ?? (this.#range ? (this.#range[0] + this.#range[1]) / 2 : now);
    this.#middle = by ? from + by * 0.75 * (days || 31) * DAY : now;
    this.#draw();
  }

  #shown(items) {
    const days = SPANS.find(([name]) => name === this.#span.value)[1];
    if (!days) return fit(items, Date.now());
    const middle = this.#middle ??= Date.now() + (days / 2 - days / 10) * DAY;
    return [middle - (days / 2) * DAY, middle + (days / 2) * DAY];
  }

  #items() {
    const now = this.#recorded.at === null ? Date.now() : Date.parse(this.#recorded.at);
    const items = (this.#past ?? this.#page.store.all()).map((memory) => bar(memory, now));
    if (this.#past !== null) return items;
    return [...items, ...this.#asked.flatMap((pending) => pending.facts.map((fact, at) => ghost(pending, fact, at)))];
  }

  // However many reasons there are to draw, once a frame is enough; and nothing is resized under way.
  #draw() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#paint();
    });
  }

  #paint() {
    const width = this.#width = this.#chart.clientWidth;
    if (this.#panel.hidden || !width) return;
    const all = this.#items();
    const range = this.#range = this.#shown(all);
    const seen = all.filter((item) => item.end > range[0] && item.start < range[1]).sort((a, b) => (a.recorded < b.recorded ? 1 : -1));
    const items = seen.slice(0, MOST);
    const plan = arrange(items, range, width, width < 620);
    this.#recorded.count(all.filter((item) => item.active).length, this.#page.store.all().filter((memory) => state(memory).status === "active").length);
    fill(this.#more, all.length > items.length ? word("andMore", { n: all.length - items.length }) : "");
    this.#compare();
    if (!all.length) return void fill(this.#chart, el("p", {}, this.#past ? word("nothingThen") : this.#page.store.loaded ? word("empty") : word("loading")));
    const had = this.#chart.contains(document.activeElement);
    fill(this.#chart, this.#picture(items, plan, range, width));
    if (had) this.#chart.querySelector('[tabindex="0"]')?.focus();
    this.#allow(items, plan);
  }

  #compare() {
    const size = this.#page.store.size;
    if (this.#compared?.past === this.#past && (!this.#past || this.#compared.size === size)) return;
    this.#compared = { past: this.#past, size };
    this.#then.hidden = this.#past === null;
    if (this.#past) fill(this.#then, thenAndNow(this.#page, this.#past, Date.parse(this.#recorded.at)));
  }

  #picture(items, plan, range, width) {
    const drawn = svg("svg", { class: "chart", width, height: plan.bottom + 6, role: "group", "aria-label": `${word("timeline")}: ${items.length}`, "aria-describedby": "chart-help" });
    const back = svg("g", { "aria-hidden": "true" });
    const { found, step } = ticks(range, width - plan.left);
    for (const tick of found) {
      const at = plan.x(tick);
      back.append(svg("line", { class: "axis", x1: at, x2: at, y1: 18, y2: plan.bottom }), svg("text", { x: at + 3, y: 12 }, axis(tick, step)));
    }
    for (const lane of plan.lanes) back.append(svg("line", { class: "axis", x1: 0, x2: width, y1: lane.top - 7, y2: lane.top - 7 }), svg("text", { x: 4, y: lane.text, class: "lane" }, `${named(lane.name.split("/")[1])} (${lane.count})`));
    const now = plan.x(Date.now());
    if (Date.now() > range[0] && Date.now() < range[1]) back.append(svg("line", { class: "now", x1: now, x2: now, y1: 16, y2: plan.bottom }));
    const front = svg("g", { class: "links", "aria-hidden": "true" });
    for (const [old, by] of replaced(items)) front.append(arrow(plan.bars.get(old.id), plan.bars.get(by.id)));
    for (const item of items) for (const id of item.against ?? []) front.append(...band("conflict", plan.bars.get(item.id), plan.bars.get(id)));
    const chosen = plan.bars.has(this.#focus) ? this.#focus : items[0]?.id;
    const places = [...plan.bars.values()];
    drawn.append(back, svg("g", { class: "bars" }, places.map((place) => this.#bar(place, place.item.id === chosen))), front,
      svg("g", { class: "names", "aria-hidden": "true" }, names(places, width)));
    return drawn;
  }

  #bar({ item, x, y, width, height }, chosen) {
    const kind = kindOf(item);
    return svg("g", { class: `bar ${kind}`, role: "button", tabindex: chosen ? 0 : -1, "data-id": item.id, "aria-label": this.#label(item) },
      svg("rect", { x, y, width, height, rx: Math.min(4, height / 2) }));
  }

  #label(item) {
    if (!this.#labels.has(item.fact)) {
      const how = item.pending ? word("asksFor") : item.active ? word("active") : `${word("inactive")} (${named(item.reason)})`;
      this.#labels.set(item.fact, `${named(item.fact.predicate)}, ${title(item.fact)} · ${span(item.fact)} · ${how}`);
    }
    return this.#labels.get(item.fact);
  }

  // Which overlaps a person allowed is in the decision that wrote the later one.
  async #allow(items, plan) {
    const front = this.#chart.querySelector(".links");
    const draw = ([later, earlier], rules) => front.append(...band("waiver", plan.bars.get(later.id), plan.bars.get(earlier.id), rules));
    await Promise.all(overlaps(items, LOOKED).map(async (pair) => {
      const name = pair.map((item) => `${item.id}@${item.decision}`).join();
      if (!this.#waived.has(name)) {
        try {
          const decision = await this.#page.store.decision(pair[0].decision);
          const kept = decision.outcome.endsWith(":keep_both") || decision.outcome.endsWith(":replace_old");
          const named_ = decision.evidence.contradicts.some((reference) => reference.startsWith(`memory:${pair[1].id}@`));
          this.#waived.set(name, kept && named_ ? decision.rule_ids.join(", ") : null);
        } catch {
          return;
        }
      }
      const rules = this.#waived.get(name);
      if (rules !== null && front.isConnected) draw(pair, rules);
    }));
  }

  #tell(target) {
    const node = target.closest?.(".bar, .waiver");
    if (node) this.#said.textContent = node.getAttribute("aria-label") ?? node.dataset.said ?? "";
  }

  #open(event) {
    const id = event.target.closest?.(".bar, .name")?.dataset.id;
    if (!id) return;
    this.#focus = id;
    if (id.includes(":")) this.#page.show("chat");
    else this.#page.detail.open(id);
  }

  #step(event) {
    const node = event.target.closest?.(".bar");
    if (!node) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#open(event);
      return;
    }
    const bars = [...this.#chart.querySelectorAll(".bar")];
    const at = bars.indexOf(node);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: bars.length - 1 }[event.key];
    if (to === undefined || !bars[to]) return;
    event.preventDefault();
    node.setAttribute("tabindex", -1);
    bars[to].setAttribute("tabindex", 0);
    this.#focus = bars[to].dataset.id;
    bars[to].focus();
  }
}

function bar(memory, now) {
  const { status, reason } = state(memory, now);
  return {
    id: memory.memory_id, fact: memory, lane: `${memory.domain}/${memory.predicate}`, active: status === "active", reason, recorded: memory.recorded_at,
    start: Date.parse(memory.valid_from), end: memory.valid_until === null ? Infinity : Date.parse(memory.valid_until),
    busy: memory.memory_type === "event" && memory.transparency === "busy", decision: memory.provenance.decision_id,
  };
}

// A fact that waits for an answer, and the memories that it conflicts with.
function ghost(pending, fact, at) {
  const start = startOf(fact) ?? Date.now();
  const found = pending.verdict?.findings ?? [];
  return {
    id: `${pending.pending_id}:${at}`, fact, lane: `${fact.domain}/${fact.predicate}`, active: false, pending: true, recorded: "9", start, end: endOf(fact) ?? start + 3_600_000,
    against: found.filter((finding) => finding.fact_index === at && finding.memory_id).map((finding) => finding.memory_id),
  };
}

// The time that two share, drawn over both of them and all between.
function band(kind, a, b, said = "") {
  if (!a || !b) return [];
  const left = Math.max(a.x, b.x);
  const right = Math.max(left + 4, Math.min(a.x + a.width, b.x + b.width));
  const top = Math.min(a.y, b.y) - 1;
  const bottom = Math.max(a.y + a.height, b.y + b.height) + 1;
  return [svg("rect", { class: kind, x: left - 1, y: top, width: right - left + 2, height: bottom - top, rx: 3, "data-said": said, "data-pair": `${a.item.id} ${b.item.id}` })];
}

function arrow(old, by) {
  const from = [old.x + old.width / 2, old.y < by.y ? old.y + old.height : old.y];
  const to = [Math.min(Math.max(from[0], by.x + 3), by.x + by.width - 3), old.y < by.y ? by.y : by.y + by.height];
  const down = Math.sign(to[1] - from[1]) || 1;
  return svg("g", { class: "replaced" }, svg("path", { d: `M${from} L${to}` }), svg("path", { class: "head", d: `M${to} l-4,${-6 * down} l8,0 z` }));
}
