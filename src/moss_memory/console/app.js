// The page: who is signed in, which view is shown, and the one event stream that all views share.

import { Chat } from "./chat.js";
import { ContextView } from "./context.js";
import { el, fill } from "./dom.js";
import { Memory } from "./memory.js";
import { Rules } from "./rules.js";
import { Timeline } from "./timeline.js";
import { Problem, Wire } from "./wire.js";
import { language, problemText, setLanguage, word } from "./words.js";

const VIEWS = { chat: Chat, memory: Memory, timeline: Timeline, context: ContextView, rules: Rules };
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const $ = (id) => document.getElementById(id);

const page = { wire: null, me: null, fired: [], turns: [], views: {}, stop: null, notice };

function notice(text) {
  $("notice").textContent = text;
}

async function enter(key) {
  const wire = new Wire(key);
  page.me = await wire.get("/me");
  page.wire = wire;
  $("sign-in").hidden = true;
  $("sign-out").hidden = false;
  $("who").textContent = `${page.me.principal_id} · ${page.me.timezone}`;
  build();
  listen();
}

function build() {
  const tabs = Object.keys(VIEWS).map((name) =>
    el("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `view-${name}`,
      "data-word": name, onclick: () => show(name), onkeydown: step,
    }, word(name)));
  fill($("tabs"), tabs).hidden = false;
  const panels = Object.entries(VIEWS).map(([name, View]) => {
    const panel = el("section", { role: "tabpanel", id: `view-${name}`, "aria-labelledby": `tab-${name}`, hidden: true });
    page.views[name] = new View(page, panel);
    return panel;
  });
  fill($("main"), panels);
  show(VIEWS[location.hash.slice(1)] ? location.hash.slice(1) : "chat");
}

function show(name) {
  for (const each of Object.keys(VIEWS)) {
    const chosen = each === name;
    $(`tab-${each}`).setAttribute("aria-selected", chosen);
    $(`tab-${each}`).tabIndex = chosen ? 0 : -1;
    $(`view-${each}`).hidden = !chosen;
  }
  history.replaceState(null, "", `#${name}`);
  page.views[name].shown?.();
}

function step(event) {
  const names = Object.keys(VIEWS);
  const at = names.findIndex((name) => $(`tab-${name}`).getAttribute("aria-selected") === "true");
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const next = names[(at + by + names.length) % names.length];
  show(next);
  $(`tab-${next}`).focus();
}

async function listen() {
  page.stop = new AbortController();
  for await (const event of page.wire.events(page.stop.signal)) {
    for (const view of Object.values(page.views)) view.happened?.(event);
  }
}

function leave() {
  page.stop?.abort();
  page.wire = null;
  page.me = null;
  page.views = {};
  page.turns = [];
  fill($("tabs")).hidden = true;
  fill($("main"));
  $("who").textContent = "";
  $("sign-out").hidden = true;
  $("sign-in").hidden = false;
  $("key").focus();
}

$("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("sign-in-error").textContent = "";
  try {
    await enter($("key").value);
    $("key").value = "";
  } catch (problem) {
    $("sign-in-error").textContent = problem instanceof Problem && problem.status === 401 ? word("badKey") : problemText(problem);
  }
});
$("sign-out").addEventListener("click", leave);
$("language").addEventListener("change", () => {
  setLanguage($("language").value);
  if (page.wire) {
    const name = location.hash.slice(1);
    build();
    show(VIEWS[name] ? name : "chat");
  }
});

setLanguage(navigator.language.startsWith("ko") ? "ko" : "en");
$("language").value = language();
try {
  if (!LOOPBACK.has(location.hostname)) throw new Problem(401, {});
  await enter("dev:me");
} catch (problem) {
  $("sign-in").hidden = false;
  if (!(problem instanceof Problem)) throw problem;
  if (problem.status !== 401) $("sign-in-error").textContent = problemText(problem);
}
