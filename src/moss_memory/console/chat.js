// Chat. Where the service asks, its buttons stand in place of the text box until one is pressed.

import { el, fill } from "./dom.js";
import { language, problemText, word } from "./words.js";

export class Chat {
  #page; #log; #form; #box; #place; #session; #timer;

  constructor(page, panel) {
    this.#page = page;
    this.#log = el("ol", { class: "log", role: "log", "aria-live": "polite", "aria-label": word("chat"), tabindex: "0" });
    this.#box = el("textarea", {
      id: "utterance", maxlength: "4000", required: true, rows: "2", "aria-describedby": "say-hint",
      onkeydown: (event) => {
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
          event.preventDefault();
          this.#form.requestSubmit();
        }
      },
    });
    this.#form = el("form", { class: "card", id: "say", onsubmit: (event) => { event.preventDefault(); this.#say(this.#box.value); } },
      el("label", { for: "utterance" }, el("span", {}, word("say"))), this.#box,
      el("div", { class: "row" }, el("button", { class: "main" }, word("send")), el("span", { class: "hint", id: "say-hint" }, word("sayHint"))));
    this.#place = el("div", { id: "question-place" });
    panel.append(this.#log, this.#place, this.#form);
    for (const [who, text] of page.turns) this.#line(who, text);
    this.#reopen();
  }

  shown() {
    if (!this.#form.hidden) this.#box.focus();
  }

  happened(event) {
    if (event.kind === "pending.settled" && this.#place.dataset.pending === event.data.ids[0]) this.#settledElsewhere();
  }

  #line(who, text) {
    this.#log.append(el("li", { class: who }, text));
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #told(who, text) {
    this.#page.turns.push([who, text]);
    this.#line(who, text);
  }

  async #reopen() {
    try {
      const { items } = await this.#page.wire.get("/pending");
      if (items.length && !this.#place.dataset.pending) this.#ask(items[0], items[0].actions, items[0].verdict?.findings ?? []);
    } catch { /* the next answer says what is wrong */ }
  }

  async #say(text) {
    if (!text.trim()) return;
    this.#told("me", text);
    this.#box.value = "";
    const button = this.#form.querySelector("button");
    button.disabled = true;
    try {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const body = { text, timezone: zone, ...(this.#session ? { session_id: this.#session } : {}) };
      const answer = await this.#page.wire.post("/chat", body);
      this.#session = answer.session_id;
      this.#page.session = answer.session_id;
      this.#page.fired = answer.findings.map((finding) => finding.rule_id);
      this.#told("it", answer.reply);
      if (answer.confirm_required && answer.pending) this.#ask(answer.pending, answer.actions, answer.findings);
      else if (answer.question?.choices.length) this.#clarify(answer.question);
    } catch (problem) {
      this.#told("it", problemText(problem));
    } finally {
      button.disabled = false;
      if (!this.#form.hidden) this.#box.focus();
    }
  }

  #clarify(question) {
    fill(this.#place, el("div", { class: "card question", role: "group", "aria-label": question.text },
      el("div", { class: "row" }, question.choices.map((choice) =>
        el("button", { type: "button", onclick: () => { fill(this.#place); this.#say(choice.text); } }, choice.label)))));
    this.#place.querySelector("button").focus();
  }

  #ask(pending, actions, findings) {
    this.#form.hidden = true;
    this.#place.dataset.pending = pending.pending_id;
    const left = el("span", { id: "countdown" });
    const seen = new Set();
    const old = findings.filter((finding) => finding.summary && !seen.has(finding.summary) && seen.add(finding.summary));
    fill(this.#place, el("div", { class: "card question", role: "alertdialog", "aria-labelledby": "question-title", tabindex: "-1" },
      el("h2", { id: "question-title" }, word("choose")),
      el("div", { class: "sides" },
        el("div", {}, el("h3", {}, word("stored")), el("ul", {}, old.map((finding) => el("li", {}, finding.summary)))),
        el("div", {}, el("h3", {}, word("proposed")), el("ul", {}, pending.facts.map((fact) => el("li", {}, factText(fact)))))),
      el("p", { class: "hint" }, `${word("expiresIn")} `, left),
      el("div", { class: "row" }, actions.map((action) =>
        el("button", { type: "button", class: action.action === "cancel" ? "" : "main", "data-action": action.action,
          onclick: () => this.#settle(pending.pending_id, action.action) }, action.label)))));
    this.#count(new Date(pending.expires_at), left);
    this.#place.querySelector("button")?.focus();
  }

  #count(until, left) {
    clearInterval(this.#timer);
    const tick = () => {
      const seconds = Math.max(0, Math.round((until - Date.now()) / 1000));
      left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      if (seconds === 0) {
        this.#told("it", word("expired"));
        this.#resume();
      }
    };
    tick();
    this.#timer = setInterval(tick, 1000);
  }

  async #settle(pendingId, action) {
    const buttons = [...this.#place.querySelectorAll("button")];
    if (buttons.some((button) => button.disabled)) return; // the second of a double click
    for (const button of buttons) button.disabled = true;
    try {
      const answer = await this.#page.wire.post("/confirm", { pending_id: pendingId, action });
      this.#told("it", answer.reply || word("settled"));
      this.#resume();
    } catch (problem) {
      this.#told("it", problemText(problem));
      if (problem.code === "verdict_changed" && problem.body.pending)
        this.#ask(problem.body.pending, problem.body.actions, problem.body.verdict.findings);
      else if (problem.status === 0 || problem.status >= 500) for (const button of buttons) button.disabled = false;
      else this.#resume();
    }
  }

  #settledElsewhere() {
    if ([...this.#place.querySelectorAll("button")].some((button) => button.disabled)) return;
    this.#told("it", word("settled"));
    this.#resume();
  }

  #resume() {
    clearInterval(this.#timer);
    delete this.#place.dataset.pending;
    fill(this.#place);
    this.#form.hidden = false;
    this.#box.focus();
  }
}

export function factText(fact) {
  const when = fact.when ?? {};
  const start = when.start ?? when.local_start ?? when.date;
  const shown = start === undefined ? "" : start.length === 10 ? start
    : new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short", timeZone: when.local_start ? "UTC" : undefined })
      .format(new Date(when.local_start ? `${start}Z` : start));
  return [fact.predicate, fact.object_value, shown].filter(Boolean).join(" · ");
}
