// Memory. A table kept live by events; a row opens its history, reasons and decisions.

import { chip, el, field, fill, keep, options, row, table } from "./dom.js";
import { title } from "./facts.js";
import { state } from "./store.js";
import { span } from "./when.js";
import { named, problemText, word } from "./words.js";

const COLUMNS = ["value", "what", "when", "status", "scope", "source", "confidence", "rev"];
const STEP = 100; // rows that a person is shown at first, and more at each press
const FILTERS = { domain: (memory) => memory.domain, kind: (memory) => memory.predicate, scope: (memory) => memory.scope_id, source: (memory) => memory.source };

export class Memory {
  #page; #panel; #body; #count; #more; #status; #search; #filters = {}; #offered = {}; #shown = STEP; #rows = new Map(); #unwatch; #heads;

  constructor(page, panel) {
    this.#page = page;
    this.#panel = panel;
    const again = () => { this.#shown = STEP; this.#draw(); };
    this.#status = el("select", { id: "filter-status", onchange: again }, options(["all", "active", "inactive"].map((name) => [name, word(name)])));
    this.#search = el("input", { id: "filter-search", type: "search", oninput: again });
    for (const name of Object.keys(FILTERS)) this.#filters[name] = el("select", { id: `filter-${name}`, onchange: again }, options([["", word("any")]]));
    this.#heads = COLUMNS.map((name) => word(name));
    const whole = table({ id: "memories", class: "cards" }, this.#heads, []);
    this.#body = whole.tBodies[0];
    this.#count = el("p", { class: "hint", id: "memory-count", role: "status" }, word("loading"));
    this.#more = el("button", { type: "button", id: "more", hidden: true, onclick: () => { this.#shown += STEP; this.#draw(); } }, word("more"));
    panel.append(
      el("div", { class: "row filters", role: "search" }, field(word("search"), this.#search), field(word("status"), this.#status),
        Object.entries(this.#filters).map(([name, select]) => field(word(name), select))),
      this.#count, whole, this.#more);
    this.#unwatch = page.store.watch(() => this.#draw());
  }

  shown() {
    this.#draw();
  }

  gone() {
    this.#unwatch();
  }

  #draw() {
    this.#body.dataset.stored = String(this.#page.store.size);
    if (this.#panel.hidden) return;
    const memories = this.#page.store.all();
    this.#offer(memories);
    const found = this.#found(memories);
    this.#body.dataset.count = String(found.length);
    keep(this.#body, found.slice(0, this.#shown).map((memory) => this.#row(memory)));
    if (this.#rows.size > 4 * this.#shown) this.#rows.clear();
    this.#more.hidden = found.length <= this.#shown;
    this.#count.textContent = this.#said(found.length, memories.length);
  }

  #said(found, all) {
    const { loaded, problem } = this.#page.store;
    if (problem) return problemText(problem);
    if (!all) return loaded ? word("empty") : word("loading");
    if (!found) return word("noMatch");
    return word("shown", { n: Math.min(found, this.#shown), all: found }) + (loaded ? "" : ` · ${word("loading")}`);
  }

  #found(memories) {
    const wanted = this.#search.value.trim().toLocaleLowerCase();
    const chosen = Object.entries(this.#filters).filter(([, select]) => select.value).map(([name, select]) => [FILTERS[name], select.value]);
    const now = Date.now();
    return memories
      .filter((memory) => (this.#status.value === "all" || state(memory, now).status === this.#status.value)
        && chosen.every(([read, value]) => read(memory) === value)
        && (!wanted || `${memory.object_value} ${memory.subject} ${memory.predicate} ${named(memory.predicate)}`.toLocaleLowerCase().includes(wanted)))
      .sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : a.recorded_at > b.recorded_at ? -1 : a.memory_id < b.memory_id ? 1 : -1));
  }

  // A filter offers what there is; it is made anew only where that changed.
  #offer(memories) {
    for (const [name, select] of Object.entries(this.#filters)) {
      const values = [...new Set(memories.map(FILTERS[name]))].sort();
      const offered = values.join("\n");
      if (this.#offered[name] === offered) continue;
      this.#offered[name] = offered;
      const chosen = select.value;
      fill(select, options([["", word("any")], ...values.map((value) => [value, name === "kind" || name === "source" ? named(value) : value])]));
      select.value = values.includes(chosen) ? chosen : "";
    }
  }

  // Rows are kept as long as their memory is the same value, so that a burst draws what is new.
  #row(memory) {
    const { status, reason } = state(memory);
    const kept = this.#rows.get(memory.memory_id);
    if (kept?.memory === memory && kept.status === status) return kept.node;
    const fresh = memory.fresh !== undefined && performance.now() - memory.fresh < 2000;
    const cells = [
      el("button", { type: "button", class: "link", "aria-label": `${word("open")} ${title(memory)}` }, title(memory)),
      `${named(memory.predicate)}`, span(memory),
      chip(status === "active" ? word("active") : `${word("inactive")}: ${named(reason)}`, status === "active" ? "good" : ""),
      memory.scope_id, named(memory.source), String(memory.confidence), String(memory.revision),
    ];
    const node = row({ class: `${status} ${fresh ? "fresh" : ""}`, "data-id": memory.memory_id, onclick: () => this.#page.detail.open(memory.memory_id) }, this.#heads, cells);
    this.#rows.set(memory.memory_id, { memory, status, node });
    return node;
  }
}
