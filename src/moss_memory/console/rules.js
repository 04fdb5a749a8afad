// Rules. The table that decides, the rules that fired last marked; and what the rules would say.

import { chip, el, fill, row, table } from "./dom.js";
import { Draft } from "./draft.js";
import { named, problemText, word } from "./words.js";

const TONES = { ALLOW: "good", NO_CHANGE: "good", SUPERSEDE: "warn", CONFIRM: "warn", BLOCK: "bad" };

export class Rules {
  #page; #panel; #table; #result; #said; #rules = null; #draft; #turn = 0; #marked = null; #version;

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
    const { ids, by } = this.#marked ?? this.#page.fired;
    this.#mark(ids, by);
  }

  happened(event) {
    if (event.kind?.startsWith("memory.") && !this.#panel.hidden && this.#marked?.by === "firedDraft") this.#lint();
  }

  // Show a rule that somebody asked about.
  async mark(ids) {
    this.#marked = { ids, by: "firedAsked" };
    this.#page.show("rules");
    await this.#load();
    const fired = this.#table.querySelector(".fired");
    fired?.scrollIntoView({ block: "center" });
    fired?.focus({ preventScroll: true });
    this.#marked = null; // once; then it is again what fired last
  }

  // Start the draft from a memory.
  async draft(memory) {
    this.#page.show("rules");
    await this.#load();
    this.#draft.from(memory);
  }

  async #load() {
    if (this.#rules) return;
    try {
      const [ontology, rules] = await Promise.all([this.#page.wire.get("/ontology"), this.#page.wire.get("/rules")]);
      if (this.#rules) return;
      this.#rules = rules;
      this.#draft.offer(ontology.predicates);
      this.#version.textContent = word("version", { v: rules.rules_version });
      fill(this.#table, this.#tables(rules));
      const { ids, by } = this.#marked ?? this.#page.fired;
      this.#mark(ids, by);
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
  }

  async #lint() {
    const turn = ++this.#turn;
    const fact = this.#draft.fact();
    try {
      const verdict = await this.#page.wire.call("POST", "/lint", { facts: [fact] });
      if (turn !== this.#turn) return;
      fill(this.#result, this.#verdict(verdict));
      this.#marked = { ids: verdict.findings.map((finding) => finding.rule_id), by: "firedDraft" };
      this.#mark(this.#marked.ids, "firedDraft");
    } catch (problem) {
      if (turn !== this.#turn) return;
      const findings = problem.body?.verdict?.findings ?? [];
      fill(this.#result, el("p", { class: "card bad" }, problemText(problem)));
      this.#mark(findings.map((finding) => finding.rule_id), "firedDraft");
    }
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
