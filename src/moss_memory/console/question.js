// A question of the service: what is stored and what is new side by side, its buttons, its time.

import { el, fill, tongue } from "./dom.js";
import { facts, labelled } from "./facts.js";
import { named, problemText, word } from "./words.js";

const STRAY = 500; // ms in which a key still means what stood here before: a second Enter
const SOON = 20; // seconds before the end at which a screen reader is told

export class Question {
  #page; #place; #tell; #closed; #timer; #id = null; #turn = 0; #since = 0;

  constructor(page, place, { tell, closed }) {
    this.#page = page;
    this.#place = place;
    this.#tell = tell;
    this.#closed = closed;
  }

  get open() {
    return this.#id !== null;
  }

  focus() {
    this.#place.querySelector("button")?.focus();
  }

  stop() {
    clearInterval(this.#timer);
    this.#turn += 1;
  }

  ask(pending, actions, findings, total = 1) {
    if (this.#id === pending.pending_id) return;
    this.#id = pending.pending_id;
    this.#since = performance.now();
    const sides = el("div", { class: "sides" });
    const left = el("span", { id: "countdown", role: "timer" });
    const bar = el("progress", { "aria-hidden": "true", max: "1" });
    fill(this.#place, el("div", { class: "card question", role: "alertdialog", "aria-labelledby": "question-title", "aria-describedby": "question-why", "data-pending": pending.pending_id },
      el("h2", { id: "question-title" }, total > 1 ? word("chooseOf", { n: total }) : word("choose")),
      el("p", { id: "question-why" }, why(findings)), sides,
      el("p", { class: "hint countdown" }, `${word("expiresIn")} `, left, " ", bar),
      el("div", { class: "row" }, actions.map((action) => this.#button(action)))));
    this.#fill(sides, pending.facts, findings);
    this.#count(Date.parse(pending.expires_at), left, bar);
    this.focus();
  }

  settledElsewhere(id) {
    if (id !== this.#id || this.#waiting()) return;
    this.#tell({ who: "it", text: word("settled") });
    this.#close();
  }

  #button(action) {
    return el("button", { type: "button", class: action.action === "cancel" ? "" : "main", "data-action": action.action, lang: tongue(action.label), onclick: (event) => this.#pressed(event, action) },
      action.label, el("small", { lang: tongue(effect(action)) ?? document.documentElement.lang }, effect(action)));
  }

  #pressed(event, action) {
    const stray = event.detail === 0 && performance.now() - this.#since < STRAY;
    if (!stray) this.#settle(action);
  }

  // What the person may see of the stored ones is read; of the rest there is the service's sentence.
  async #fill(sides, proposed, findings) {
    const turn = ++this.#turn;
    const seen = new Map(findings.map((finding) => [finding.memory_id ?? finding.summary, finding]));
    const stored = await Promise.all([...seen.values()].map(async (finding) => {
      if (!finding.memory_id) return { finding };
      const known = this.#page.store.get(finding.memory_id);
      if (known?.revision === finding.revision) return { finding, memory: known };
      return { finding, memory: await this.#page.wire.get(`/memories/${finding.memory_id}`).catch(() => undefined) };
    }));
    if (turn !== this.#turn) return;
    const beside = stored.map(({ memory }) => memory).filter(Boolean);
    const old = stored.map(({ finding, memory }) => el("li", {}, memory ? facts(memory, proposed) : el("p", {}, finding.summary || word("hidden"))));
    fill(sides,
      el("section", {}, el("h3", {}, word("stored")), el("ul", { class: "plain" }, old)),
      proposed.length ? el("section", {}, el("h3", {}, word("proposed")), el("ul", { class: "plain" }, proposed.map((fact) => el("li", {}, facts(fact, beside))))) : null);
    if (this.#place.offsetParent !== null) this.#place.scrollIntoView({ block: "nearest" }); // its buttons, above all
  }

  #count(until, left, bar) {
    clearInterval(this.#timer);
    const remaining = () => (until - Date.now() - this.#page.wire.skew) / 1000;
    const whole = Math.max(remaining(), 1);
    let warned = whole <= SOON;
    const tick = () => {
      if (!this.#page.wire) return this.stop();
      const seconds = Math.max(0, Math.ceil(remaining()));
      left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      bar.value = Math.max(0, remaining() / whole);
      if (seconds <= SOON && !warned) {
        warned = true;
        this.#page.notice(word("soon", { n: seconds }));
      }
      if (seconds === 0 && !this.#waiting()) {
        this.#tell({ who: "it", text: word("expired") });
        this.#close();
      }
    };
    this.#timer = setInterval(tick, 500);
    tick();
  }

  #waiting() {
    return this.#place.querySelector("button:disabled") !== null;
  }

  #able(able) {
    for (const button of this.#place.querySelectorAll("button")) button.disabled = !able;
  }

  async #settle({ action, label, effect: { writes } }) {
    if (this.#waiting()) return; // the second of a double click
    this.#able(false);
    const id = this.#id;
    try {
      const answer = await this.#page.wire.post("/confirm", { pending_id: id, action }, `console-${id}-${action}`.slice(0, 255));
      this.#page.store.keep([...answer.superseded, ...answer.facts]);
      this.#tell({ who: "me", text: word("chosen", { label }), choice: true });
      const deed = answer.status === "SUCCESS" && !writes ? "retire" : undefined;
      this.#tell({ who: "it", text: answer.reply || named(answer.status), status: answer.status, deed, memories: [...answer.facts, ...answer.superseded].map(labelled) });
      this.#close();
    } catch (problem) {
      if (this.#page.wire) this.#refused(problem);
    }
  }

  #refused(problem) {
    this.#tell({ who: "it", text: problemText(problem), status: "PROBLEM", rules: (problem.body?.verdict?.findings ?? []).map((finding) => finding.rule_id) });
    const { pending, actions, verdict } = problem.body ?? {};
    if (problem.code === "verdict_changed" && pending) this.ask(pending, actions, verdict.findings);
    else if (problem.status === 0 || problem.status >= 500 || problem.status === 429 || problem.code === "approver_must_differ") this.#able(true);
    else this.#close();
  }

  #close() {
    this.stop();
    this.#id = null;
    fill(this.#place);
    this.#closed();
  }
}

// What a button does, in words: "saves the new one, keeps the old".
function effect({ action, effect: { writes, retires } }) {
  const said = [writes ? word("saves") : "", retires.length ? word("removes", { n: retires.length }) : writes && action === "keep_both" ? word("keeps") : ""].filter(Boolean);
  return said.join(", ") || word("effectNone");
}

function why(findings) {
  const reasons = [...new Set(findings.map((finding) => finding.reason).filter(Boolean))].map(named).join(", ");
  const rules = [...new Set(findings.map((finding) => finding.rule_id).filter(Boolean))].join(", ");
  return [reasons, rules].filter(Boolean).join(" · ");
}
