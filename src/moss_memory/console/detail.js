// One memory: why it is there, every revision, its decisions, and what may be done about it.

import { chip, el, fill, row, table } from "./dom.js";
import { changes, facts, title } from "./facts.js";
import { moment, precise, span } from "./when.js";
import { language, named, problemText, word } from "./words.js";

export class Detail {
  #page; #dialog; #seen = null; #moved; #busy = false;

  constructor(page, place) {
    this.#page = page;
    this.#dialog = el("dialog", { id: "detail", "aria-labelledby": "detail-title", onclose: () => this.#closed() });
    place.append(this.#dialog);
  }

  gone() {
    this.#dialog.close();
    this.#dialog.remove();
  }

  // Where the row that was left is another node by now, the focus goes to its successor.
  #closed() {
    const row = this.#seen && document.querySelector(`#memories [data-id="${CSS.escape(this.#seen.memory_id)}"] button`);
    this.#seen = null;
    if (document.activeElement === document.body) row?.focus();
  }

  // What is open stays as it was seen; that it moved is said, so that nobody decides over their head.
  happened(event) {
    if (this.#seen && !this.#busy && event.kind?.startsWith("memory.") && event.data.ids.includes(this.#seen.memory_id) && (event.data.revision ?? 0) > this.#seen.revision)
      this.#moved.hidden = false;
  }

  async open(id, said = null) {
    const wire = this.#page.wire;
    try {
      const [memory, revisions, why, decisions] = await Promise.all([
        wire.get(`/memories/${id}`), wire.get(`/memories/${id}/revisions`),
        wire.get(`/memories/${id}/why?locale=${language()}`), wire.get(`/decisions?memory_id=${id}`)]);
      this.#page.store.keep([memory]);
      this.#show(memory, revisions.items, why.sentences, decisions.items, said);
      if (!this.#dialog.open) this.#dialog.showModal();
      this.#dialog.scrollTop = 0;
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
  }

  #show(memory, revisions, sentences, decisions, said) {
    this.#seen = memory;
    this.#moved = el("p", { class: "card warn", role: "status", hidden: true }, `${word("moved")} `,
      el("button", { type: "button", id: "show-now", onclick: () => this.open(memory.memory_id) }, word("showNow")));
    const active = memory.status === "active";
    const mine = this.#page.me.writable_scope_ids.includes(memory.scope_id);
    fill(this.#dialog,
      el("div", { class: "top" }, el("h2", { id: "detail-title" }, title(memory)),
        chip(active ? word("active") : `${word("inactive")}: ${named(memory.inactive_reason)}`, active ? "good" : ""),
        el("button", { type: "button", id: "detail-close", onclick: () => this.#dialog.close() }, word("close"))),
      said, this.#moved,
      el("div", { class: "sides" },
        el("section", {}, el("h3", {}, word("why")), el("ul", { id: "why" }, sentences.map((sentence) => el("li", {}, sentence)))),
        el("section", {}, facts(memory))),
      el("h3", {}, word("history")), this.#history(memory, revisions, mine),
      el("h3", {}, word("decisions")), this.#decisions(decisions),
      el("div", { class: "row foot" },
        !mine ? el("p", { class: "hint", id: "only-read" }, word("onlyRead")) : active ? el("button", { type: "button", id: "retire",
          onclick: () => this.#change("DELETE", `/memories/${memory.memory_id}?expected_revision=${memory.revision}`) }, word("retire")) : this.#back(memory, revisions),
        el("button", { type: "button", id: "to-what-if", onclick: () => { this.#dialog.close(); this.#page.views.rules.draft(memory); } }, word("whatIfThis"))));
  }

  // The last state in which it was active, as one button.
  #back(memory, revisions) {
    const last = revisions.findLast((each) => each.status === "active");
    return last ? el("button", { type: "button", class: "main", id: "bring-back",
      onclick: () => this.#restore(memory, last.revision) }, word("bringBack")) : null;
  }

  #restore(memory, revision) {
    return this.#change("POST", `/memories/${memory.memory_id}/restore`, { revision, expected_revision: memory.revision });
  }

  // Newest first; of each, what it changed.
  #history(memory, revisions, mine) {
    const heads = [word("revision"), word("recorded"), word("changedHere"), ""];
    const rows = revisions.map((each, at) => {
      const changed = at ? changes(revisions[at - 1], each).filter(([name]) => name !== "revision") : null;
      const text = changed ? changed.map(([name, then, now]) => el("li", {}, `${word(name)}: ${then} → `, el("b", {}, now))) : el("li", {}, `${title(each)} · ${span(each)}`);
      const last = at === revisions.length - 1;
      return row({ class: each.status, "data-revision": each.revision }, heads, [String(each.revision), precise(each.recorded_at), el("ul", { class: "plain" }, text),
        last || !mine ? "" : el("button", { type: "button", "data-restore": each.revision,
          onclick: () => this.#restore(memory, each.revision) }, word("restore", { n: each.revision }))]);
    });
    return table({ id: "history", class: "cards" }, heads, rows.reverse());
  }

  #decisions(decisions) {
    return el("ul", { id: "decisions", class: "plain lines" }, decisions.map((each) => {
      const [outcome, action] = each.outcome.split(":");
      return el("li", {}, each.recorded_at ? moment(each.recorded_at) : "", " ", chip(named(action ?? outcome), action ? "warn" : ""), ` ${word("actor")}: ${each.actor} `,
        each.rule_ids.map((id) => el("button", { type: "button", class: "chip link", "data-rule": id, onclick: () => { this.#dialog.close(); this.#page.views.rules.mark([id]); } }, id)));
    }));
  }

  async #change(method, path, body) {
    if (this.#busy) return;
    this.#busy = true;
    for (const button of this.#dialog.querySelectorAll("[data-restore], #retire, #bring-back")) button.disabled = true;
    const seen = this.#seen;
    try {
      const answer = await this.#page.wire.write(method, path, body);
      if (answer.status === "CONFIRM_REQUIRED") {
        this.#dialog.close();
        this.#page.views.chat.ask(answer, seen);
        return;
      }
      this.#page.store.keep([answer]);
      const text = answer.revision === seen.revision ? word("unchanged") : answer.status === "active" ? word("written") : word("retiredNow");
      await this.open(seen.memory_id, el("p", { class: "card good", role: "status" }, text));
    } catch (problem) {
      await this.#failed(problem, seen);
    } finally {
      this.#busy = false;
    }
  }

  async #failed(problem, seen) {
    if (!this.#page.wire) return;
    if (problem.code === "revision_conflict") {
      const now = await this.#page.wire.get(`/memories/${seen.memory_id}`).catch(() => null);
      return this.open(seen.memory_id, stale(seen, now ?? seen));
    }
    const findings = problem.body?.verdict?.findings ?? [];
    return this.open(seen.memory_id, el("div", { class: "card bad", role: "alert" }, el("p", {}, problemText(problem)),
      findings.length ? el("ul", {}, findings.map((finding) => el("li", {}, `${word("refusedBy")} ${finding.rule_id}: ${named(finding.reason ?? "")} ${finding.summary}`))) : null));
  }
}

// What the person saw against what is: field by field.
function stale(seen, now) {
  const heads = [word("field"), word("youSaw"), word("isNow")];
  return el("div", { class: "card warn", role: "alert", id: "stale" }, el("p", {}, word("stale")),
    table({ class: "cards" }, heads, changes(seen, now).map(([name, then, is]) => row({ "data-field": name }, heads, [word(name), then, el("mark", {}, is)]))));
}
