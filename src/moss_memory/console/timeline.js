// Timeline. Valid time runs across, one lane a kind; the slider replays what was known on a day.

import { el, fill, svg } from "./dom.js";
import { language, moment, problemText, word } from "./words.js";

const WIDTH = 960;
const LEFT = 130;
const ROW = 18;
const MOST = 500;
const DAY = 86_400_000;

export class Timeline {
  #page; #chart; #slider; #label; #first = null; #turn = 0; #waiting;

  constructor(page, panel) {
    this.#page = page;
    this.#chart = el("div", { class: "scroll", id: "timeline-chart" });
    this.#label = el("output", { id: "known-at", for: "known" }, word("now"));
    this.#slider = el("input", { id: "known", type: "range", min: "0", max: "100", value: "100", "aria-describedby": "known-at",
      oninput: () => { clearTimeout(this.#waiting); this.#say(); this.#waiting = setTimeout(() => this.#load(), 200); } });
    panel.append(
      el("div", { class: "card" }, el("label", { for: "known" }, el("span", {}, word("asKnown"))), this.#slider, this.#label),
      this.#chart, el("p", { class: "hint" }, word("lanes")));
  }

  async shown() {
    try {
      const all = await this.#page.wire.all("/memories?status=all", MOST);
      const created = all.map((memory) => Date.parse(memory.created_at));
      this.#first = created.length ? Math.min(...created) - 1000 : Date.now() - DAY;
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
    this.#say();
    this.#load();
  }

  happened(event) {
    const looking = this.#chart.offsetParent !== null;
    if (event.kind?.startsWith("memory.") && looking && this.#at() === null) this.#load();
  }

  #at() {
    const share = Number(this.#slider.value) / 100;
    if (share >= 1 || this.#first === null) return null;
    return new Date(this.#first + share * (Date.now() - this.#first)).toISOString();
  }

  #say() {
    const at = this.#at();
    this.#label.textContent = at === null ? word("now") : moment(at);
  }

  async #load() {
    const turn = ++this.#turn;
    const at = this.#at();
    try {
      const past = at === null ? "" : `&known_at=${encodeURIComponent(at)}`;
      const found = await this.#page.wire.all(`/memories?status=all${past}`, MOST);
      if (turn === this.#turn) this.#draw(found);
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
  }

  #draw(memories) {
    if (!memories.length) {
      fill(this.#chart, el("p", {}, word("empty")));
      return;
    }
    const [from, to] = range(memories);
    const x = (time) => LEFT + ((Math.min(Math.max(time, from), to) - from) / (to - from)) * (WIDTH - LEFT - 10);
    const lanes = Map.groupBy ? Map.groupBy(memories, kind) : grouped(memories);
    const drawn = svg("svg", { class: "chart", role: "img", "aria-label": `${word("timeline")}: ${memories.length}` });
    let y = 30;
    for (const [name, items] of [...lanes].sort(([a], [b]) => a.localeCompare(b))) {
      drawn.append(svg("text", { x: 6, y: y + 12 }, name));
      y += lane(drawn, items, x, y) + 10;
    }
    for (const tick of ticks(from, to)) {
      drawn.append(svg("line", { class: "axis", x1: x(tick), x2: x(tick), y1: 20, y2: y }), svg("text", { x: x(tick) + 2, y: 14 }, day(tick)));
    }
    drawn.append(svg("line", { class: "now", x1: x(Date.now()), x2: x(Date.now()), y1: 20, y2: y }));
    drawn.setAttribute("viewBox", `0 0 ${WIDTH} ${y + 10}`);
    fill(this.#chart, drawn);
  }
}

function kind(memory) {
  return memory.predicate;
}

function grouped(memories) {
  const lanes = new Map();
  for (const memory of memories) lanes.set(kind(memory), [...(lanes.get(kind(memory)) ?? []), memory]);
  return lanes;
}

function ends(memory, to) {
  return memory.valid_until === null ? to : Date.parse(memory.valid_until);
}

function range(memories) {
  const starts = memories.map((memory) => Date.parse(memory.valid_from)).sort((a, b) => a - b);
  const from = starts[Math.floor(starts.length * 0.02)] - DAY / 2;
  const last = Math.max(...memories.map((memory) => ends(memory, Date.parse(memory.valid_from) + 7 * DAY)));
  return [from, Math.max(from + DAY, Math.min(last, starts.at(-1) + 60 * DAY) + DAY / 2)];
}

// Bars that share time go one below the other; two that are active and busy were allowed by somebody.
function lane(drawn, items, x, top) {
  const rows = [];
  const placed = [];
  for (const memory of items.sort((a, b) => a.valid_from.localeCompare(b.valid_from))) {
    const start = Date.parse(memory.valid_from);
    const end = ends(memory, Infinity);
    const at = rows.findIndex((until) => until <= start);
    const row = at < 0 ? rows.length : at;
    rows[row] = end;
    const left = x(start);
    const width = Math.max(3, x(end) - left);
    const title = svg("title", {}, `${memory.object_value} · ${moment(memory.valid_from)} – ${moment(memory.valid_until)} · ${memory.status}`);
    drawn.append(svg("rect", { class: `bar ${memory.status}`, x: left, y: top + row * ROW, width, height: ROW - 4, rx: 3 }, title));
    const clash = memory.memory_type === "event" && memory.status === "active"
      && placed.some((other) => other.status === "active" && other.end > start && other.start < end);
    if (clash) drawn.append(svg("rect", { class: "both", x: left - 1, y: top + row * ROW - 1, width: width + 2, height: ROW - 2, rx: 4 }));
    placed.push({ start, end, status: memory.status });
  }
  return Math.max(1, rows.length) * ROW;
}

function ticks(from, to) {
  const step = [DAY, 2 * DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY].find((each) => (to - from) / each <= 9) ?? 3650 * DAY;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at < to; at += step) found.push(at);
  return found;
}

function day(time) {
  return new Intl.DateTimeFormat(language(), { month: "short", day: "numeric" }).format(new Date(time));
}
