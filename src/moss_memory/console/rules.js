// Rules. The table that decides, the rules that fired last marked; and what the rules would say.

import { chip, el, fill, row, table } from "./dom.js";
import { Draft } from "./draft.js";
import { named, problemText, word } from "./words.js";

const TONES = { ALLOW: "good", NO_CHANGE: "good", SUPERSEDE: "warn", CONFIRM: "warn", BLOCK: "bad" };

export class Rules {
  #page; #panel; #table; #result; #said; #loading = null; #draft; #turn = 0; #asked = null; #drafted = null; #version;

  constructor(page, panel) {
    this.#page = page;
    this.#panel = panel;
    this.#table = el("div", { id: "rule-tables" });
    this.#result = el("div", { id: "lint-result", role: "status", "aria-live": "polite" });
    this.#said = el("p", { class: "hint", id: "fired-said", role: "status" });
    this.#version = el("p", { class: "hint", id: "rules-version" });
    this.#draft = new Draft(page, () => this.#lint());
    panel.append(el("section", { class: "card" }, el("h2", {}, word("whatIf")), el("p", { class: "hint" }, word("whatIfHelp")), this.#draft.node, this.#result),
      el("h2", {}, word("rules")), this.#version, this.#said, this.#table);
  }

  async shown() {
    await this.#load();
    const asked = this.#asked;
    this.#asked = null;
    if (!asked) return this.#mark(this.#drafted ?? this.#page.fired.ids, this.#drafted ? "firedDraft" : this.#page.fired.by);
    this.#mark(asked, "firedAsked");
    const fired = this.#table.querySelector(".fired");
    fired?.scrollIntoView({ block: "center" });
    fired?.focus({ preventScroll: true });
  }

  happened(event) {
    if (event.kind?.startsWith("memory.") && !this.#panel.hidden && this.#drafted) this.#lint();
  }

  // Show a rule that somebody asked about.
  mark(ids) {
    this.#asked = ids;
    this.#page.show("rules");
  }

  // Start the draft from a memory.
  async draft(memory) {
    this.#page.show("rules");
    await this.#load();
    this.#draft.from(memory);
  }

  #load() {
    this.#loading ??= this.#read().catch((problem) => {
      this.#loading = null; // the next look tries again
      this.#page.notice(problemText(problem));
    });
    return this.#loading;
  }

  async #read() {
    const [ontology, rules] = await Promise.all([this.#page.wire.get("/ontology"), this.#page.wire.get("/rules")]);
    this.#draft.offer(ontology.predicates);
    this.#version.textContent = word("version", { v: rules.rules_version });
    fill(this.#table, this.#tables(rules));
  }

  async #lint() {
    const turn = ++this.#turn;
    const fact = this.#draft.fact();
    try {
      const verdict = await this.#page.wire.call("POST", "/lint", { facts: [fact] });
      if (turn !== this.#turn) return;
      fill(this.#result, this.#verdict(verdict));
      this.#drafted = verdict.findings.map((finding) => finding.rule_id);
    } catch (problem) {
      if (turn !== this.#turn) return;
      this.#drafted = (problem.body?.verdict?.findings ?? []).map((finding) => finding.rule_id);
      fill(this.#result, el("p", { class: "card bad" }, problemText(problem)));
    }
    this.#mark(this.#drafted, "firedDraft");
  }

  #verdict(verdict) {
    const tone = { BLOCKED: "bad", CONFIRM_REQUIRED: "warn", SUCCESS_WITH_OVERWRITE: "warn" }[verdict.status] ?? "good";
    return el("div", { class: `card ${tone}` },
      el("p", {}, `${word("judged")}: `, el("strong", { id: "lint-status" }, verdict.status), ` — ${named(verdict.status)}`, verdict.conflict_type === "NONE" ? "" : ` · ${named(verdict.conflict_type)}`, verdict.notes.length ? ` · ${verdict.notes.join(", ")}` : ""),
      verdict.findings.length ? el("ul", {}, verdict.findings.map((finding) => el("li", {},
        `${finding.rule_id} · ${[finding.relation, finding.time_relation].filter(Boolean).join(", ")} · ${word("against")} ${finding.summary || word("hidden")}`,
        finding.actions.length ? ` → ${finding.actions.join(", ")}` : ""))) : el("p", { class: "hint" }, word("nothingAgainst")));
  }

  #tables(rules) {
    const heads = [word("rule"), word("prio"), word("conditions"), word("verdict"), word("reason"), word("actions")];
    const line = (rule, prio) => row({ "data-rule": rule.id, tabindex: "-1" }, heads, [
      el("b", {}, rule.id), String(prio),
      el("ul", { class: "conditions" }, Object.entries(rule.when).map(([name, values]) => el("li", {}, el("i", {}, name), ` ${values.join(" | ")}`))),
      chip(`${rule.verdict} · ${named(rule.verdict)}`, TONES[rule.verdict] ?? ""), rule.reason ? `${rule.reason} (${named(rule.reason)})` : "", (rule.options ?? []).join(", ")]);
    const part = (name, title, rows) => el("details", { "data-part": name, open: name === "Schedule" },
      el("summary", {}, `${title} (${rows.length})`), table({ class: "cards rules" }, heads, rows));
    return [part("gates", word("gates"), rules.gates.map((gate) => line(gate, 0))),
      ...Object.entries(rules.domains).map(([name, domain]) => part(name, name, domain.rules.map((rule) => line(rule, rule.prio))))];
  }

  #mark(ids, by) {
    const marked = new Set(ids);
    for (const node of this.#table.querySelectorAll("[data-rule]")) {
      const fired = marked.has(node.dataset.rule);
      node.classList.toggle("fired", fired);
      if (fired) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
      if (fired) node.closest("details").open = true;
    }
    fill(this.#said, ids.length ? `${word(by)} (${[...marked].join(", ")})` : word(by === "firedChat" ? "firedNone" : by));
  }
}
