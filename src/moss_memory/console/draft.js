// A draft of a fact for "what if": every field that the rules look at, new or taken from a memory.

import { el, field, fill, options } from "./dom.js";
import { title } from "./facts.js";
import { forField, span, wall, ZONE } from "./when.js";
import { named, word } from "./words.js";

const SOURCES = ["user_explicit", "user_selection", "user_feedback", "vision", "task_result", "model_inferred"];
const PAUSE = 200; // ms of rest after a key
const OFFERED = 200; // memories to start from, newest first

export class Draft {
  #page; #changed; #kinds = []; #waiting; #of; #kind; #subject; #value; #start; #end; #days; #source; #confidence; #busy; #hard; #scope = null;

  constructor(page, changed) {
    this.#page = page;
    this.#changed = changed;
    this.#of = el("select", { id: "draft-of", onfocus: () => this.#memories(), onchange: (event) => { event.stopPropagation(); const memory = page.store.get(this.#of.value); if (memory) this.from(memory); else this.#scope = null; } }, options([["", word("draftNew")]]));
    this.#kind = el("select", { id: "draft-kind", onchange: () => this.#fit() });
    this.#subject = el("input", { id: "draft-subject", type: "text", maxlength: "512" });
    this.#value = el("input", { id: "draft-value", type: "text", maxlength: "500", list: "draft-choices" });
    this.#start = el("input", { id: "draft-start", type: "datetime-local" });
    this.#end = el("input", { id: "draft-end", type: "datetime-local" });
    this.#days = el("input", { id: "draft-days", type: "checkbox" });
    this.#source = el("select", { id: "draft-source" }, options(SOURCES.map((name) => [name, named(name)])));
    this.#confidence = el("input", { id: "draft-confidence", type: "number", min: "0", max: "1", step: "0.05", value: "1" });
    this.#busy = el("select", { id: "draft-busy" }, options([["busy", word("busyYes")], ["free", word("free")]]));
    this.#hard = el("input", { id: "draft-hard", type: "checkbox" });
    this.node = el("form", { class: "row", id: "what-if", oninput: () => this.#soon(), onsubmit: (event) => event.preventDefault() },
      field(word("draftFrom"), this.#of), field(word("kind"), this.#kind), field(word("subject"), this.#subject), field(word("value"), this.#value),
      field(word("start"), this.#start), field(word("end"), this.#end), el("label", { class: "check" }, this.#days, el("span", {}, word("wholeDays"))),
      field(word("source"), this.#source), field(word("confidence"), this.#confidence), field(word("busy"), this.#busy),
      el("label", { class: "check" }, this.#hard, el("span", {}, word("hard"))), el("datalist", { id: "draft-choices" }));
  }

  offer(kinds) {
    this.#kinds = kinds;
    fill(this.#kind, options(kinds.map((each, at) => [String(at), `${each.domain} · ${named(each.predicate)}`])));
    this.#fit();
  }

  // What the fields say, as a fact of the contract.
  fact() {
    const kind = this.#kinds[Number(this.#kind.value)];
    const source = this.#source.value;
    const fact = { domain: kind.domain, predicate: kind.predicate, subject: this.#subject.value, object_value: this.#value.value, source, transparency: this.#busy.value };
    if (source === "vision" || source === "model_inferred" || this.#confidence.value !== "1") fact.confidence = Number(this.#confidence.value);
    if (this.#hard.checked) fact.hard = true;
    if (this.#scope) fact.scope_id = this.#scope;
    const start = this.#start.value;
    const end = this.#end.value;
    if (start && this.#days.checked) fact.when = { date: start.slice(0, 10), timezone: ZONE, ...(end ? { end_date: dayAfter(start, end) } : {}) };
    else if (start) fact.when = { local_start: start, timezone: ZONE, ...(end ? { local_end: end } : {}) };
    return fact;
  }

  from(memory) {
    this.#memories(memory);
    this.#of.value = memory.memory_id;
    this.#kind.value = String(this.#kinds.findIndex((kind) => kind.domain === memory.domain && kind.predicate === memory.predicate));
    this.#fit();
    this.#subject.value = memory.subject;
    this.#value.value = memory.object_value;
    const whole = Boolean(memory.when?.date);
    this.#days.checked = whole;
    this.#start.value = whole ? `${memory.when.date}T00:00` : forField(Date.parse(memory.valid_from));
    const last = memory.when?.end_date ? wall(memory.when.end_date, "UTC") - 86_400_000 : null;
    this.#end.value = whole ? (last === null ? "" : `${new Date(last).toISOString().slice(0, 10)}T00:00`) : memory.valid_until ? forField(Date.parse(memory.valid_until)) : "";
    this.#source.value = memory.source;
    this.#confidence.value = String(memory.confidence);
    this.#busy.value = memory.transparency;
    this.#hard.checked = memory.hard;
    this.#scope = memory.scope_id;
    this.#changed();
  }

  #memories(also) {
    const some = this.#page.store.all().sort((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1)).slice(0, OFFERED);
    if (also && !some.some((memory) => memory.memory_id === also.memory_id)) some.unshift(also);
    const chosen = this.#of.value;
    fill(this.#of, options([["", word("draftNew")], ...some.map((memory) => [memory.memory_id, `${named(memory.predicate)} · ${title(memory)} · ${span(memory)}`.slice(0, 90)])]));
    this.#of.value = chosen;
  }

  // A kind brings what it always is with it.
  #fit() {
    const kind = this.#kinds[Number(this.#kind.value)];
    if (!kind) return;
    if (kind.subjects) this.#subject.value = kind.subjects[0];
    const choices = kind.value.choices ?? [];
    fill(this.node.querySelector("#draft-choices"), options(choices.map((choice) => [choice, choice])));
    if (choices.length && !choices.includes(this.#value.value)) this.#value.value = choices[0];
    this.#days.checked = kind.whole_day;
    this.#busy.closest("label").hidden = kind.memory_type !== "event";
    if (kind.memory_type === "event" && !this.#start.value) {
      const tomorrow = new Date(Date.now() + 86_400_000);
      tomorrow.setHours(10, 0, 0, 0);
      this.#start.value = forField(tomorrow);
    }
    if (kind.memory_type !== "event") this.#start.value = this.#end.value = "";
  }

  #soon() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#changed(), PAUSE);
  }
}

// The day after the last one, which is where whole days end; at least one day.
function dayAfter(start, end) {
  const last = end.slice(0, 10) < start.slice(0, 10) ? start.slice(0, 10) : end.slice(0, 10);
  return new Date(Date.parse(`${last}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
