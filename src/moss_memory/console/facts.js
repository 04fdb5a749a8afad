// The fields of a fact, a memory or a revision, in words; and what is different between two.

import { el } from "./dom.js";
import { moment, span } from "./when.js";
import { named, word } from "./words.js";

const SUBJECTS = new Set(["Calendar", "User"]); // which the kind says already

export function title(fact) {
  return SUBJECTS.has(fact.subject) ? fact.object_value : `${fact.subject}: ${fact.object_value}`;
}

// A memory as a button names it.
export function labelled(memory) {
  return { id: memory.memory_id, label: `${named(memory.predicate)} · ${memory.object_value}`.slice(0, 60) };
}

// [name of the field, what it says], in the order in which people read.
export function fields(fact) {
  const found = [
    ["kind", `${named(fact.predicate)} (${fact.domain})`], ["value", title(fact)], ["when", span(fact)],
    ["source", named(fact.source)], ["confidence", String(fact.confidence)], ["scope", fact.scope_id],
  ];
  if (fact.transparency === "free") found.push(["busy", word("free")]);
  if (fact.hard) found.push(["hard", "✓"]);
  if (fact.status === "active" || fact.status === "inactive") {
    found.push(["status", fact.status === "active" ? word("active") : `${word("inactive")} (${named(fact.inactive_reason)})`]);
    found.push(["revision", String(fact.revision)]);
    if (fact.expires_at) found.push(["expiresAt", moment(fact.expires_at)]);
  }
  return found;
}

// The fields that two say differently: [name, then, now].
export function changes(before, after) {
  const then = new Map(fields(before));
  const now = new Map(fields(after));
  return [...new Set([...then.keys(), ...now.keys()])]
    .filter((name) => then.get(name) !== now.get(name))
    .map((name) => [name, then.get(name) ?? word("none"), now.get(name) ?? word("none")]);
}

const MARKED = new Set(["kind", "value", "when"]);

// A fact as a list of its fields; what none of `beside` says is marked.
export function facts(fact, beside = []) {
  const others = beside.map((each) => new Map(fields(each)));
  return el("dl", { class: "facts" }, fields(fact).filter(([name]) => name !== "revision" && name !== "status").map(([name, text]) => {
    const differs = MARKED.has(name) && others.length > 0 && others.every((other) => other.get(name) !== text);
    return [el("dt", {}, word(name)), el("dd", {}, differs ? el("mark", {}, text) : text)];
  }));
}
