// Context. The prompt as it would be built, a reason for every line in it and left out of it.

import { budgetBar, costs } from "./chart.js";
import { chip, el, field, fill, row, table } from "./dom.js";
import { title } from "./facts.js";
import { span, ZONE } from "./when.js";
import { named, problemText, word } from "./words.js";

const LOG_MOST = 15_000; // characters of the log that are counted: a body has 64 KiB

export class ContextView {
  #page; #panel; #query; #budget; #from; #to; #result; #chart; #counting = false; #turn = 0;

  constructor(page, panel) {
    this.#page = page;
    this.#panel = panel;
    this.#query = el("input", { id: "query", type: "text", maxlength: "4000" });
    this.#budget = el("input", { id: "budget", type: "number", min: "0", max: "100000", value: "1024" });
    this.#from = el("input", { id: "context-from", type: "datetime-local" });
    this.#to = el("input", { id: "context-to", type: "datetime-local" });
    this.#result = el("div", { id: "context-result", "aria-live": "polite" });
    this.#chart = el("div", { id: "token-chart" });
    panel.append(
      el("form", { class: "card row", id: "context-form", onsubmit: (event) => { event.preventDefault(); this.#build(); } },
        el("label", { class: "grow" }, el("span", {}, word("question")), this.#query), field(word("budget"), this.#budget), field(word("from"), this.#from), field(word("to"), this.#to),
        el("button", { class: "main" }, word("build"))),
      this.#result, el("h2", {}, word("chart")), this.#chart);
  }

  shown() {
    this.#count();
    if (!this.#result.children.length) this.#build();
  }

  #asked() {
    const body = { token_budget: Number(this.#budget.value), timezone: ZONE };
    if (this.#query.value.trim()) body.query = this.#query.value;
    if (this.#page.session) body.session_id = this.#page.session;
    if (this.#from.value && this.#to.value) body.window = { start: new Date(this.#from.value).toISOString(), end: new Date(this.#to.value).toISOString() };
    return body;
  }

  async #build() {
    const turn = ++this.#turn;
    try {
      const built = await this.#page.wire.call("POST", "/context", this.#asked());
      const named_ = [...built.included, ...built.excluded].map((each) => each.memory_id);
      const memories = new Map(await Promise.all(named_.map(async (id) => [id, await this.#memory(id)])));
      if (turn !== this.#turn) return;
      fill(this.#result, el("h2", {}, word("prompt")), budgetBar(built), this.#lines(built, memories), this.#out(built, memories));
    } catch (problem) {
      if (turn === this.#turn) fill(this.#result, el("p", { class: "card bad", role: "alert" }, problemText(problem)));
    }
  }

  async #memory(id) {
    return this.#page.store.get(id) ?? this.#page.wire.get(`/memories/${id}`).catch(() => null);
  }

  // A line of the prompt that is a fact has, beneath it, where it comes from.
  #lines(built, memories) {
    const traces = [...built.included];
    const lines = built.text.split("\n");
    const facts = lines.filter((line) => line.startsWith("- ")).length === traces.length;
    return el("ol", { class: "prompt", id: "prompt", "aria-label": word("prompt") }, lines.map((line) => {
      const trace = facts && line.startsWith("- ") ? traces.shift() : null;
      return el("li", {}, el("code", {}, line), trace ? this.#trace(trace, memories.get(trace.memory_id)) : null);
    }), facts ? null : traces.map((trace) => el("li", {}, this.#trace(trace, memories.get(trace.memory_id)))));
  }

  #trace(trace, memory) {
    const said = [`${trace.priority}`, word("ofTokens", { n: trace.tokens }), named(trace.source), `${word("confidence")} ${trace.confidence}`,
      `${word("relevance")} ${trace.relevance.toFixed(2)}`, `${word("revision")} ${trace.revision}`, `${word("scope")} ${trace.scope_id}`];
    if (trace.hard) said.push(word("hard"));
    if (trace.related.length) said.push(word("related", { n: trace.related.length }));
    const rules = el("span", {});
    this.#page.store.decision(trace.decision_id).then((decision) => fill(rules, decision.rule_ids.map((id) =>
      el("button", { type: "button", class: "chip link", "data-rule": id, onclick: () => this.#page.views.rules.mark([id]) }, id)))).catch(() => {});
    return el("div", { class: "marks trace", "data-memory": trace.memory_id },
      el("button", { type: "button", class: "chip link", onclick: () => this.#page.detail.open(trace.memory_id) }, memory ? title(memory).slice(0, 60) : trace.memory_id),
      said.map((each) => el("span", { class: "hint" }, each)), rules);
  }

  #out(built, memories) {
    const heads = [word("value"), word("what"), word("when"), word("reason")];
    const counted = Object.entries(built.counts.excluded_by_reason).map(([reason, n]) => chip(`${named(reason)}: ${n}`));
    const denied = built.counts.denied ? chip(word("denied", { n: built.counts.denied }), "warn") : null;
    const rows = built.excluded.map(({ memory_id, reason }) => {
      const memory = memories.get(memory_id);
      const open = el("button", { type: "button", class: "link", onclick: () => this.#page.detail.open(memory_id) }, memory ? title(memory) : memory_id);
      return row({ "data-memory": memory_id }, heads, [open, memory ? named(memory.predicate) : "", memory ? span(memory) : "", named(reason)]);
    });
    return el("section", { id: "left-out" }, el("h2", {}, `${word("excluded")} `, counted, denied),
      rows.length ? table({ class: "cards" }, heads, rows) : el("p", { class: "hint" }, word("nothingOut")));
  }

  // Both are counted by the service's own estimator: the log as a block, the memory as built.
  async #count() {
    if (this.#counting) return;
    this.#counting = true;
    const { said, points, wire } = this.#page;
    try {
      const turns = said.map(({ who }, at) => [who, at]).filter(([who, at]) => who === "me" && !said[at].choice).map(([, at]) => at);
      for (const at of turns.slice(points.length)) {
        const log = said.slice(0, at + 1).map(({ who, text }) => `${who}: ${text}`).join("\n").slice(-LOG_MOST);
        const [whole, built] = await Promise.all([
          wire.call("POST", "/context", { token_budget: 100_000, sections: [{ priority: "P5", label: "log", text: log }] }),
          wire.call("POST", "/context", { token_budget: 1024, query: said[at].text, timezone: ZONE })]);
        points.push([whole.blocks.filter((block) => block.priority === "P5").reduce((sum, block) => sum + block.tokens, 0), built.tokens]);
      }
      if (points === this.#page.points) fill(this.#chart, points.length < 2 ? el("p", { class: "hint" }, word("chartEmpty")) : costs(points, this.#panel.clientWidth));
    } catch (problem) {
      fill(this.#chart, el("p", { class: "card bad" }, problemText(problem)));
    } finally {
      this.#counting = false;
    }
  }
}
