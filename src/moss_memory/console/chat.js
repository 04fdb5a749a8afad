// Chat. Where the service asks, its buttons stand in place of the text box until one is pressed.

import { chip, el, field, fill, options, tongue } from "./dom.js";
import { labelled, title } from "./facts.js";
import { Question } from "./question.js";
import { ZONE } from "./when.js";
import { named, problemText, word } from "./words.js";

const TONES = {
  SUCCESS: "good", SUCCESS_WITH_OVERWRITE: "good", CONFIRM_REQUIRED: "warn", CLARIFY: "warn", BLOCKED: "bad", PROBLEM: "bad",
};

export class Chat {
  #page; #log; #form; #box; #place; #question; #busy = false; #again = null; #hello; #scope;

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
    this.#scope = this.#scopes();
    this.#form = el("form", { class: "card", id: "say", onsubmit: (event) => { event.preventDefault(); this.#say(this.#box.value); } },
      el("label", { for: "utterance" }, el("span", {}, word("say"))), this.#box,
      el("div", { class: "row" }, el("button", { class: "main" }, word("send")), this.#scope, el("span", { class: "hint", id: "say-hint" }, word("sayHint"))));
    this.#place = el("div", { id: "question-place" });
    this.#question = new Question(page, this.#place, { tell: (turn) => this.#told(turn), closed: () => this.#resume() });
    panel.append(this.#log, this.#place, this.#form);
    if (page.said.length) for (const turn of page.said) this.#line(turn);
    else panel.prepend(this.#greet());
    this.#reopen();
  }

  shown() {
    this.#log.scrollTop = this.#log.scrollHeight;
    if (this.#question.open) this.#question.focus();
    else if (!this.#form.hidden) this.#box.focus({ preventScroll: true });
  }

  gone() {
    this.#question.stop();
  }

  happened(event) {
    if (event.kind === "pending.settled") this.#question.settledElsewhere(event.data.ids[0]);
    if ((event.kind === "pending.opened" || (event.kind === "open" && event.resumed)) && !this.#busy && !this.#question.open) this.#reopen();
  }

  // Where to save, for whoever may write in more than one place; a key that only reads is told so.
  #scopes() {
    const { principal_id: me, writable_scope_ids: places } = this.#page.me;
    if (!places.length) return el("p", { class: "hint", id: "read-only" }, word("readOnly"));
    if (places.length === 1 && places[0] === me) return null;
    const own = (id) => (id === me ? word("mine", { id }) : id);
    const select = el("select", { id: "say-scope", onchange: () => { this.#page.scope = select.value; } }, options(places.map((id) => [id, own(id)])));
    select.value = places.includes(this.#page.scope) ? this.#page.scope : places.includes(me) ? me : places[0];
    return field(word("sayTo"), select);
  }

  // A question that a write elsewhere on the page led to.
  ask(answer, memory) {
    this.#page.show("chat");
    this.#fired(answer.findings);
    this.#told({ who: "it", text: word("asked", { title: title(memory) }), status: answer.status, rules: rulesOf(answer.findings) });
    this.#show(answer.pending, answer.actions, answer.findings);
  }

  #greet() {
    const say = (name) => el("li", {}, el("button", { type: "button", class: "example", onclick: () => { this.#box.value = word(name); this.#box.focus(); } }, word(name)));
    this.#hello = el("div", { class: "hello" }, el("p", {}, word("hello")), el("p", { class: "hint" }, word("tryOne")), el("ul", { class: "examples" }, ["try1", "try2", "try3", "try4"].map(say)), el("p", { class: "hint" }, word("helloTabs")));
    return this.#hello;
  }

  #line({ who, text, status, deed, rules = [], memories = [] }) {
    this.#hello?.remove();
    const marks = [
      status ? chip(status === "PROBLEM" ? "!" : named(deed ?? status), TONES[status] ?? "") : null,
      rules.map((id) => el("button", { type: "button", class: "chip link", "data-rule": id, onclick: () => this.#page.views.rules.mark([id]) }, id)),
      memories.map(({ id, label }) => el("button", { type: "button", class: "chip link", lang: tongue(label), onclick: () => this.#page.detail.open(id) }, label)),
    ].flat().filter(Boolean);
    this.#log.append(el("li", { class: `${who} ${status === "PROBLEM" ? "failed" : ""}` },
      el("span", { class: "unseen" }, `${word(who)}: `), el("div", { class: "said", lang: tongue(text) }, text),
      marks.length ? el("div", { class: "marks" }, marks) : null));
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  #told(turn) {
    this.#page.said.push(turn);
    this.#line(turn);
  }

  #fired(findings) {
    this.#page.fired = { ids: rulesOf(findings), by: findings.length ? "firedChat" : "firedNone" };
  }

  async #reopen() {
    try {
      const listed = await this.#page.wire.get("/pending");
      const now = Date.now() + this.#page.wire.skew;
      const items = listed.items.filter((each) => Date.parse(each.expires_at) - now > 1000); // else as good as closed
      if (items.length && !this.#question.open && !this.#busy) this.#show(items[0], items[0].actions, items[0].verdict?.findings ?? [], items.length);
    } catch { /* the next answer says what is wrong */ }
  }

  // The same words sent again after a failure that may have been none carry the same key.
  async #say(text) {
    if (!text.trim() || this.#busy || this.#question.open) return;
    this.#busy = true;
    const button = this.#form.querySelector("button");
    button.disabled = true;
    fill(this.#place);
    this.#told({ who: "me", text });
    this.#box.value = "";
    const key = this.#again?.text === text ? this.#again.key : crypto.randomUUID();
    this.#again = null;
    try {
      const body = { text, timezone: ZONE };
      if (this.#page.session) body.session_id = this.#page.session;
      const scope = this.#scope?.querySelector("select")?.value;
      if (scope && scope !== this.#page.me.principal_id) body.scope_id = scope;
      if (this.#page.me.rights.includes("debug")) body.debug = true; // what an answer rests on
      this.#answered(await this.#page.wire.post("/chat", body, key));
    } catch (problem) {
      if (!this.#page.wire) return;
      if (problem.status === 0 || problem.status >= 500) this.#again = { text, key };
      this.#box.value = text;
      this.#told({ who: "it", text: problemText(problem), status: "PROBLEM" });
    } finally {
      this.#busy = false;
      button.disabled = false;
      if (!this.#question.open && !this.#place.children.length) this.#box.focus();
    }
  }

  #answered(answer) {
    this.#page.session = answer.session_id;
    this.#page.store.keep([...answer.superseded, ...answer.facts]);
    if (answer.findings.length || answer.intent === "WRITE") this.#fired(answer.findings);
    const deed = answer.status === "SUCCESS" ? answer.operation : undefined;
    this.#told({ who: "it", text: answer.reply, status: answer.status, deed, rules: rulesOf(answer.findings), memories: this.#shownBy(answer) });
    if (answer.confirm_required && answer.pending) this.#show(answer.pending, answer.actions, answer.findings);
    else if (answer.question?.choices.length) this.#clarify(answer.question);
  }

  // What was written or ended, else what an answer tells of: the next thing to look at.
  #shownBy(answer) {
    const recalled = answer.trace?.find((step) => step.step === "recall")?.out.told ?? [];
    const told = recalled.slice(0, 5).map((id) => this.#page.store.get(id)).filter(Boolean);
    return [...answer.facts, ...answer.superseded, ...told].map(labelled);
  }

  // The words are unclear: the readings are buttons, and free words stay possible.
  #clarify(question) {
    fill(this.#place, el("div", { class: "card question", role: "group", "aria-labelledby": "clarify-title" },
      el("h2", { id: "clarify-title" }, question.text),
      el("div", { class: "row" }, question.choices.map((choice) =>
        el("button", { type: "button", class: "main", "data-choice": true, lang: tongue(choice.label), onclick: () => this.#say(choice.text) }, choice.label)),
      el("button", { type: "button", onclick: () => { fill(this.#place); this.#box.focus(); } }, word("noChoice")))));
    this.#place.querySelector("button").focus();
  }

  #show(pending, actions, findings, total = 1) {
    this.#form.hidden = true;
    this.#hello?.remove();
    this.#question.ask(pending, actions, findings, total);
    this.#log.scrollTop = this.#log.scrollHeight; // it has become lower
  }

  #resume() {
    this.#form.hidden = false;
    if (this.#log.offsetParent !== null) this.#box.focus();
    this.#reopen();
  }
}

export function rulesOf(findings) {
  return [...new Set(findings.map((finding) => finding.rule_id).filter(Boolean))];
}
