// What was known then beside what is known now: the difference in words, each a way in.

import { el, tongue } from "./dom.js";
import { title } from "./facts.js";
import { state } from "./store.js";
import { span } from "./when.js";
import { named, word } from "./words.js";

const LISTED = 30; // memories named at most, of each side

// `past`: the memories as they were known at `at`, in ms.
export function thenAndNow(page, past, at) {
  const then = past.filter((each) => state(each, at).status === "active");
  const { gone, since } = difference(then, page.store.all().filter((each) => state(each).status === "active"));
  if (!gone.length && !since.length) return el("p", { class: "hint" }, word("sameThen"));
  return [list(page, "knownGone", gone), list(page, "knownSince", since)];
}

function list(page, name, found) {
  if (!found.length) return [];
  const line = (memory) => el("li", {}, el("button", { type: "button", class: "link", lang: tongue(title(memory)), onclick: () => page.detail.open(memory.memory_id) },
    `${named(memory.predicate)} · ${title(memory)}`), ` · ${span(memory)}`);
  return [el("h3", {}, word(name)), el("ul", { class: "plain lines", "data-list": name }, found.slice(0, LISTED).map(line))];
}

// Memories that were known and are not as they were, and those that were not known yet.
function difference(then, now) {
  const spoken = (memory) => `${memory.memory_id} ${memory.object_value} ${memory.valid_from} ${memory.valid_until}`;
  const known = new Set(then.map(spoken));
  const current = new Set(now.map(spoken));
  return { gone: then.filter((each) => !current.has(spoken(each))), since: now.filter((each) => !known.has(spoken(each))) };
}
