// The second axis: at which recorded time the timeline is read. A slider, a field, steps by change.

import { el, field } from "./dom.js";
import { forField, precise } from "./when.js";
import { word } from "./words.js";

const STEPS = 1000;
const PAUSE = 150; // ms that the slider rests before the past is asked for

export class Recorded {
  #page; #chosen; #slider; #field; #label; #counted; #waiting; #changes = []; #buttons;

  constructor(page, chosen) {
    this.#page = page;
    this.#chosen = chosen;
    this.at = null; // an instant in RFC 3339, null for now
    this.#slider = el("input", { id: "known", type: "range", min: "0", max: String(STEPS), value: String(STEPS), oninput: () => this.#slid() });
    this.#field = el("input", { id: "known-exact", type: "datetime-local", step: "1", onchange: () => this.#typed() });
    this.#label = el("output", { id: "known-at", for: "known" }, word("now"));
    this.#counted = el("span", { class: "hint", id: "known-count", role: "status" });
    this.#buttons = {
      week: el("button", { type: "button", "data-ago": "7", onclick: () => this.#ago(7) }, word("weekAgo")),
      day: el("button", { type: "button", "data-ago": "1", onclick: () => this.#ago(1) }, word("dayAgo")),
      back: el("button", { type: "button", id: "known-back", onclick: () => this.#step(-1) }, word("back")),
      forth: el("button", { type: "button", id: "known-forth", onclick: () => this.#step(1) }, word("forth")),
      toNow: el("button", { type: "button", id: "known-now", onclick: () => this.#set(null) }, word("toNow")),
    };
    this.node = el("div", { class: "card", id: "recorded" },
      el("div", { class: "top" }, el("label", { for: "known", class: "inline" }, el("span", {}, word("asKnown"))), this.#label, this.#counted),
      this.#slider, el("div", { class: "row" }, Object.values(this.#buttons), field(word("exact"), this.#field)));
    this.#show();
  }

  // More was recorded: the axis is longer.
  grown() {
    this.#changes = [...new Set(this.#page.store.all().flatMap((memory) => [memory.created_at, memory.recorded_at]))].sort();
    this.#show();
  }

  count(then, now) {
    const text = this.at === null ? "" : word("thenNow", { then, now });
    if (this.#counted.textContent !== text) this.#counted.textContent = text;
  }

  get #first() {
    const first = this.#changes.length ? Date.parse(this.#changes[0]) : Date.now() - 1000;
    return first - Math.max(1000, (Date.now() - first) * 0.02); // a little before there was anything
  }

  #slid() {
    const share = Number(this.#slider.value) / STEPS;
    this.at = share >= 1 ? null : new Date(this.#first + share * (Date.now() - this.#first)).toISOString();
    this.#say();
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#chosen(), PAUSE);
  }

  #typed() {
    const at = Date.parse(this.#field.value);
    this.#set(Number.isNaN(at) || at >= Date.now() ? null : new Date(at).toISOString());
  }

  // To the state after the change before, or after, the one that is shown.
  #step(by) {
    const known = this.at ?? "9";
    const shown = this.#changes.findLastIndex((change) => change <= known);
    const next = this.#changes[shown + by];
    if (by > 0) this.#set(next === undefined || shown + by >= this.#changes.length - 1 ? null : next);
    else this.#set(next ?? new Date(this.#first).toISOString());
  }

  #ago(days) {
    this.#set(new Date(Date.now() - days * 86_400_000).toISOString());
  }

  #set(at) {
    clearTimeout(this.#waiting);
    this.at = at;
    this.#show();
    this.#chosen();
  }

  #show() {
    const share = this.at === null ? 1 : (Date.parse(this.at) - this.#first) / (Date.now() - this.#first);
    this.#slider.value = String(Math.round(Math.min(Math.max(share, 0), 1) * STEPS));
    this.#say();
  }

  #say() {
    const text = this.at === null ? word("now") : precise(this.at);
    this.#label.textContent = text;
    this.#slider.setAttribute("aria-valuetext", text);
    this.#field.value = forField(this.at === null ? Date.now() : Date.parse(this.at), true);
    this.#buttons.toNow.disabled = this.#buttons.forth.disabled = this.at === null;
    this.#buttons.back.disabled = this.at !== null && this.#changes.length > 0 && this.at < this.#changes[0];
  }
}
