// Rules. The table that decides, the rule that fired last marked; and what the rules would say.

import { el, fill } from "./dom.js";
import { problemText, word } from "./words.js";

export class Rules {
  #page; #table; #form; #result; #ontology = []; #waiting; #fields = {};

  constructor(page, panel) {
    this.#page = page;
    this.#table = el("div", { id: "rule-tables" });
    this.#result = el("div", { id: "lint-result", role: "status", "aria-live": "polite" });
    this.#form = el("form", { class: "row", id: "what-if", oninput: () => this.#soon(), onsubmit: (event) => event.preventDefault() });
    panel.append(el("h2", {}, word("whatIf")), this.#form, this.#result, el("p", { class: "hint" }, word("fired")), this.#table);
  }

  async shown() {
    try {
      const [ontology, rules] = await Promise.all([this.#page.wire.get("/ontology"), this.#page.wire.get("/rules")]);
      this.#ontology = ontology.predicates;
      if (!this.#form.children.length) this.#fill();
      this.#draw(rules, this.#page.fired);
      this.#rules = rules;
    } catch (problem) {
      this.#page.notice(problemText(problem));
    }
  }

  #rules;

  #fill() {
    const select = el("select", { id: "draft-predicate" }, this.#ontology.map((each, at) => el("option", { value: at }, `${each.domain} · ${each.predicate}`)));
    this.#fields = {
      predicate: select, subject: el("input", { id: "draft-subject", value: "Calendar", maxlength: "128" }),
      value: el("input", { id: "draft-value", value: "Vacation", maxlength: "500" }),
      start: el("input", { id: "draft-start", type: "datetime-local" }), end: el("input", { id: "draft-end", type: "datetime-local" }),
    };
    for (const [name, field] of Object.entries(this.#fields)) this.#form.append(el("label", {}, el("span", {}, word(name)), field));
    select.addEventListener("change", () => {
      const chosen = this.#ontology[Number(select.value)];
      if (chosen.subjects) this.#fields.subject.value = chosen.subjects[0];
      if (chosen.value.choices) this.#fields.value.value = chosen.value.choices[0];
    });
  }

  #soon() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#lint(), 250);
  }

  async #lint() {
    const chosen = this.#ontology[Number(this.#fields.predicate.value)];
    const { subject, value, start, end } = this.#fields;
    const fact = { domain: chosen.domain, predicate: chosen.predicate, subject: subject.value, object_value: value.value };
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (start.value) {
      const whole = chosen.whole_day && !end.value;
      fact.when = whole ? { date: start.value.slice(0, 10), timezone }
        : { local_start: start.value, timezone, ...(end.value ? { local_end: end.value } : {}) };
    }
    try {
      const verdict = await this.#page.wire.call("POST", "/lint", { facts: [fact] });
      fill(this.#result, el("div", { class: "card" },
        el("p", {}, `${word("judged")}: `, el("strong", {}, verdict.status), verdict.conflict_type === "NONE" ? "" : ` · ${verdict.conflict_type}`),
        el("ul", {}, verdict.findings.map((finding) => el("li", {}, `${finding.rule_id} · ${finding.relation ?? ""} · ${finding.time_relation ?? ""} · ${finding.summary}`)))));
      this.#draw(this.#rules, verdict.findings.map((finding) => finding.rule_id));
    } catch (problem) {
      fill(this.#result, el("p", { class: "card error" }, problemText(problem)));
    }
  }

  #draw(rules, fired) {
    const marked = new Set(fired);
    const conditions = (when) => Object.entries(when).map(([name, values]) => `${name}: ${values.join(" | ")}`).join("; ");
    const row = (rule, prio) => el("tr", { class: marked.has(rule.id) ? "fired" : "", "data-rule": rule.id },
      el("td", {}, rule.id), el("td", {}, String(prio)), el("td", {}, conditions(rule.when)), el("td", {}, rule.verdict),
      el("td", {}, rule.reason ?? ""), el("td", {}, (rule.options ?? []).join(", ")));
    const table = (name, rows) => el("details", { open: rows.some((each) => each.classList.contains("fired")) || name === "Schedule" },
      el("summary", {}, `${name} (${rows.length})`), el("div", { class: "scroll" }, el("table", {},
        el("thead", {}, el("tr", {}, [word("rule"), "prio", word("when"), word("verdict"), word("reason"), word("actions")].map((each) => el("th", { scope: "col" }, each)))),
        el("tbody", {}, rows))));
    fill(this.#table, el("p", { class: "hint" }, `${word("version")}: ${rules.rules_version}`),
      table("gates", rules.gates.map((gate) => row(gate, 0))),
      Object.entries(rules.domains).map(([name, domain]) => table(name, domain.rules.map((rule) => row(rule, rule.prio)))));
  }
}
