// Memory. A table kept live by events; a row opens its history, reasons and decisions.

import { el, fill } from "./dom.js";
import { moment, language, problemText, word } from "./words.js";

const COLUMNS = ["what", "value", "when", "status", "scope", "source", "confidence", "revision"];
const WIDE = new Set(["scope", "source", "confidence"]);
const MOST = 5000;
const SHOWN = 200;

export class Memory {
  #page; #rows = new Map(); #body; #status; #domain; #search; #state; #dialog; #wanted = new Set(); #working = false; #drawn = false;

  constructor(page, panel) {
    this.#page = page;
    const again = () => this.#draw();
    this.#status = el("select", { id: "filter-status", onchange: again }, ["active", "inactive", "all"].map((name) => el("option", { value: name }, word(name))));
    this.#domain = el("select", { id: "filter-domain", onchange: again }, el("option", { value: "" }, word("any")));
    this.#search = el("input", { id: "filter-search", type: "search", oninput: again });
    this.#state = el("span", { class: "badge", id: "stream-state" }, word("offline"));
    this.#body = el("tbody");
    this.#dialog = el("dialog", { "aria-labelledby": "memory-title" });
    panel.append(
      el("div", { class: "row" },
        el("label", {}, el("span", {}, word("status")), this.#status),
        el("label", {}, el("span", {}, word("domain")), this.#domain),
        el("label", {}, el("span", {}, word("search")), this.#search), this.#state),
      el("div", { class: "scroll" }, el("table", { id: "memories" },
        el("thead", {}, el("tr", {}, COLUMNS.map((name) => el("th", { scope: "col", class: WIDE.has(name) ? "wide" : "" }, word(name))), el("th", { scope: "col" }, word("open")))),
        this.#body)),
      this.#dialog);
    this.#load();
  }

  shown() {
    this.#draw();
  }

  happened(event) {
    if (event.kind === "open") {
      this.#state.textContent = word("live");
      if (this.#drawn) this.#load();
    }
    if (event.kind === "closed") this.#state.textContent = word("offline");
    if (event.kind?.startsWith("memory.")) {
      this.#wanted.add(event.data.ids[0]);
      this.#work();
    }
  }

  async #load() {
    try {
      const items = await this.#page.wire.all("/memories?status=all", MOST);
      for (const memory of items) this.#rows.set(memory.memory_id, memory);
      this.#drawn = true;
      this.#draw();
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
  }

  // Events name memories; each named one is read again, one after another, none forgotten.
  async #work() {
    if (this.#working) return;
    this.#working = true;
    while (this.#wanted.size) {
      const named = [...this.#wanted].slice(0, 8);
      for (const name of named) this.#wanted.delete(name);
      await Promise.all(named.map(async (name) => {
        try {
          this.#rows.set(name, { ...(await this.#page.wire.get(`/memories/${name}`)), fresh: true });
        } catch (problem) {
          if (problem.status === 404) this.#rows.delete(name);
          else this.#wanted.add(name);
        }
      }));
      this.#draw();
    }
    this.#working = false;
  }

  #draw() {
    const domains = [...new Set([...this.#rows.values()].map((memory) => memory.domain))].sort();
    const chosen = this.#domain.value;
    fill(this.#domain, el("option", { value: "" }, word("any")), domains.map((name) => el("option", { value: name, selected: name === chosen }, name)));
    const wanted = this.#search.value.toLocaleLowerCase(language());
    const found = [...this.#rows.values()]
      .filter((memory) => (this.#status.value === "all" || memory.status === this.#status.value)
        && (!chosen || memory.domain === chosen)
        && (!wanted || `${memory.object_value} ${memory.subject} ${memory.predicate}`.toLocaleLowerCase(language()).includes(wanted)))
      .sort((a, b) => b.recorded_at.localeCompare(a.recorded_at) || b.memory_id.localeCompare(a.memory_id));
    const rows = found.slice(0, SHOWN).map((memory) => this.#row(memory));
    if (!rows.length) rows.push(el("tr", {}, el("td", { colspan: COLUMNS.length + 1 }, word("empty"))));
    if (found.length > SHOWN) rows.push(el("tr", {}, el("td", { colspan: COLUMNS.length + 1, class: "hint" }, `${SHOWN} / ${found.length}`)));
    fill(this.#body, rows);
    this.#body.dataset.count = String(found.length);
  }

  #row(memory) {
    const cells = {
      what: `${memory.domain} · ${memory.predicate}`,
      value: memory.subject === "Calendar" ? memory.object_value : `${memory.subject}: ${memory.object_value}`,
      when: `${moment(memory.valid_from)} – ${moment(memory.valid_until)}`,
      status: memory.status === "active" ? word("active") : `${word("inactive")} (${memory.inactive_reason})`,
      scope: memory.scope_id, source: memory.source, confidence: memory.confidence, revision: memory.revision,
    };
    const fresh = memory.fresh;
    delete memory.fresh;
    return el("tr", { class: `${memory.status} ${fresh ? "fresh" : ""}`, "data-id": memory.memory_id },
      COLUMNS.map((name) => el("td", { class: WIDE.has(name) ? "wide" : "" }, String(cells[name]))),
      el("td", {}, el("button", { type: "button", "aria-label": `${word("open")} ${memory.object_value}`, onclick: () => this.#open(memory.memory_id) }, word("open"))));
  }

  async #open(name, note = "") {
    try {
      const wire = this.#page.wire;
      const [memory, revisions, why, decisions] = await Promise.all([
        wire.get(`/memories/${name}`), wire.get(`/memories/${name}/revisions`),
        wire.get(`/memories/${name}/why?locale=${language()}`), wire.get(`/decisions?memory_id=${name}`)]);
      this.#show(memory, revisions.items, why.sentences, decisions.items, note);
      if (!this.#dialog.open) this.#dialog.showModal();
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
  }

  #show(memory, revisions, sentences, decisions, note) {
    fill(this.#dialog,
      el("h2", { id: "memory-title" }, `${memory.predicate} · ${memory.object_value} · ${word("revision")} ${memory.revision}`),
      note ? el("p", { class: "card error", role: "alert" }, note) : null,
      el("h3", {}, word("why")), el("ul", { id: "why" }, sentences.map((sentence) => el("li", {}, sentence))),
      el("h3", {}, word("history")),
      el("div", { class: "scroll" }, el("table", { id: "history" }, el("tbody", {}, revisions.map((each, at) => el("tr", { class: each.status },
        el("td", {}, `${word("revision")} ${each.revision}`), el("td", {}, moment(each.recorded_at)),
        el("td", {}, each.object_value), el("td", {}, `${moment(each.valid_from)} – ${moment(each.valid_until)}`),
        el("td", {}, each.status === "active" ? word("active") : `${word("inactive")} (${each.inactive_reason})`),
        el("td", {}, at === revisions.length - 1 ? "" : el("button", { type: "button", "data-restore": each.revision,
          onclick: () => this.#change(memory, "POST", `/memories/${memory.memory_id}/restore`, { revision: each.revision, expected_revision: memory.revision }) }, word("restore")))))))),
      el("h3", {}, word("decisions")),
      el("ul", {}, decisions.map((each) => el("li", {}, `${moment(each.recorded_at)} · ${each.outcome} · ${each.rule_ids.join(", ") || word("none")} · ${each.actor}`))),
      el("div", { class: "row" },
        memory.status === "active" ? el("button", { type: "button", id: "retire",
          onclick: () => this.#change(memory, "DELETE", `/memories/${memory.memory_id}?expected_revision=${memory.revision}`) }, word("retire")) : null,
        el("button", { type: "button", class: "main", onclick: () => this.#dialog.close() }, word("close"))));
  }

  async #change(memory, method, path, body) {
    try {
      const answer = await this.#page.wire.call(method, path, body, { "Idempotency-Key": crypto.randomUUID() });
      this.#page.notice(answer.status === "CONFIRM_REQUIRED" ? word("asked") : word("written"));
      await this.#open(memory.memory_id);
    } catch (problem) {
      const stale = problem.code === "revision_conflict";
      await this.#open(memory.memory_id, stale ? word("stale") : problemText(problem));
    }
  }
}
