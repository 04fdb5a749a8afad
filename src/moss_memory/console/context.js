// Context. The prompt as it would be built, a reason for every line in it and left out of it.

import { el, fill, svg } from "./dom.js";
import { problemText, word } from "./words.js";

export class ContextView {
  #page; #query; #budget; #result; #chart; #points = []; #counted = 0; #counting = false;

  constructor(page, panel) {
    this.#page = page;
    this.#query = el("input", { id: "query", type: "text", maxlength: "4000" });
    this.#budget = el("input", { id: "budget", type: "number", min: "0", max: "100000", value: "1024" });
    this.#result = el("div", { id: "context-result" });
    this.#chart = el("div", { id: "token-chart" });
    panel.append(
      el("form", { class: "row", onsubmit: (event) => { event.preventDefault(); this.#build(); } },
        el("label", {}, el("span", {}, word("question")), this.#query),
        el("label", {}, el("span", {}, word("budget")), this.#budget),
        el("button", { class: "main" }, word("build"))),
      this.#result, el("h2", {}, word("chart")), this.#chart);
  }

  shown() {
    this.#count();
  }

  async #build() {
    try {
      const body = { token_budget: Number(this.#budget.value), timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };
      if (this.#query.value.trim()) body.query = this.#query.value;
      const built = await this.#page.wire.call("POST", "/context", body);
      fill(this.#result,
        el("h2", {}, `${word("prompt")} · ${built.tokens} / ${built.token_budget} ${word("tokens")}`), el("pre", { tabindex: "0" }, built.text),
        table(word("included"), ["memory_id", "revision", "source", "confidence", "relevance", "tokens", "priority", "decision_id"], built.included),
        table(word("excluded"), ["memory_id", "reason"], built.excluded),
        built.counts.denied ? el("p", { class: "hint" }, `${built.counts.denied} ${word("denied")}`) : null);
    } catch (problem) {
      fill(this.#result, el("p", { class: "card error", role: "alert" }, problemText(problem)));
    }
  }

  // Both lines are counted by the service's own estimator: the log as a block, the memory as built.
  async #count() {
    if (this.#counting) return;
    this.#counting = true;
    try {
      const turns = this.#page.turns;
      for (let at = this.#counted; at < turns.length; at += 1) {
        if (turns[at][0] !== "me") continue;
        const log = turns.slice(0, at + 1).map(([who, text]) => `${who}: ${text}`).join("\n").slice(-60_000);
        const [whole, built] = await Promise.all([
          this.#page.wire.call("POST", "/context", { token_budget: 100_000, domains: [], sections: [{ priority: "P5", label: "log", text: log }] }),
          this.#page.wire.call("POST", "/context", { token_budget: 1024, query: turns[at][1] })]);
        this.#points.push([whole.blocks.filter((block) => block.priority === "P5").reduce((sum, block) => sum + block.tokens, 0), built.tokens]);
        this.#counted = at + 1;
      }
      this.#draw();
    } catch (problem) {
      fill(this.#chart, el("p", { class: "card error" }, problemText(problem)));
    } finally {
      this.#counting = false;
    }
  }

  #draw() {
    if (this.#points.length < 2) {
      fill(this.#chart, el("p", { class: "hint" }, word("chartEmpty")));
      return;
    }
    const most = Math.max(...this.#points.flat(), 1);
    const x = (at) => 50 + (at / (this.#points.length - 1)) * 880;
    const y = (tokens) => 180 - (tokens / most) * 150;
    const line = (which, name) => svg("polyline", { class: name, points: this.#points.map((point, at) => `${x(at)},${y(point[which])}`).join(" ") });
    const last = this.#points.at(-1);
    const label = `${word("chatLog")}: ${last[0]}, ${word("governed")}: ${last[1]}`;
    fill(this.#chart, svg("svg", { class: "chart", viewBox: "0 0 960 210", role: "img", "aria-label": label },
      svg("line", { class: "axis", x1: 50, x2: 930, y1: 180, y2: 180 }), line(0, "log-line"), line(1, "memory-line"),
      svg("text", { x: 6, y: 34 }, String(most)), svg("text", { x: 60, y: 200 }, label)));
  }
}

function table(title, columns, rows) {
  return el("details", { open: rows.length > 0 && rows.length < 30 }, el("summary", {}, `${title} (${rows.length})`),
    el("div", { class: "scroll" }, el("table", {},
      el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, columns.map((name) => el("td", {}, String(row[name])))))))));
}
