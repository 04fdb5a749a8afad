// What the page says, in two languages; what the service says in sentences comes worded already.

import { EN, EN_CODES, EN_PROBLEMS } from "./words-en.js";
import { KO, KO_CODES, KO_PROBLEMS } from "./words-ko.js";

const BOOKS = { en: EN, ko: KO };
const CODES = { en: EN_CODES, ko: KO_CODES };
const PROBLEMS = { en: EN_PROBLEMS, ko: KO_PROBLEMS };
let current = "en";

export function setLanguage(name) {
  current = BOOKS[name] ? name : "en";
  document.documentElement.lang = current;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
}

export function language() {
  return current;
}

// A sentence of the page; `{n}` and the like stand for what is put in.
export function word(name, put = {}) {
  return (BOOKS[current][name] ?? name).replace(/\{(\w+)\}/g, (whole, key) => put[key] ?? whole);
}

// A name for a code of the service; a code that nobody named here stays as it is.
export function named(code) {
  return CODES[current][code] ?? code;
}

export function problemText(problem) {
  if (problem.code === "unreachable") return word("unreachable");
  return `${PROBLEMS[current][problem.code] ?? problem.message} (${problem.code})`;
}
