// The page: who is signed in, which view is shown, and the one event stream that all views share.

import { Chat } from "./chat.js";
import { ContextView } from "./context.js";
import { Detail } from "./detail.js";
import { el, fill } from "./dom.js";
import { Memory } from "./memory.js";
import { Rules } from "./rules.js";
import { Store } from "./store.js";
import { Timeline } from "./timeline.js";
import { ZONE } from "./when.js";
import { Problem, Wire } from "./wire.js";
import { language, problemText, setLanguage, word } from "./words.js";

const VIEWS = { chat: Chat, memory: Memory, timeline: Timeline, context: ContextView, rules: Rules };
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const $ = (id) => document.getElementById(id);

// `said`: the turns of this session. `fired`: the rules that decided last, and where. What a view
// has to keep when the language changes is here too.
const page = { wire: null, store: null, me: null, session: null, said: [], points: [], fired: { ids: [], by: "firedNone" }, views: {}, stop: null, zoneKept: false, notice, show, detail: null };
let quiet;

function notice(text) {
  clearTimeout(quiet);
  $("notice").textContent = text;
  quiet = setTimeout(() => { $("notice").textContent = ""; }, 8000);
}

async function enter(key) {
  const wire = new Wire(key);
  const me = await wire.get("/me");
  Object.assign(page, { wire, me, store: new Store(wire), stop: new AbortController() });
  wire.refused = () => page.wire === wire && leave(word("signedOut"));
  $("sign-in").hidden = true;
  $("sign-out").hidden = $("stream").hidden = false;
  build();
  listen(wire, page.store, page.stop.signal);
}

// Times are shown in the zone of this browser; where days are kept in another, both are named.
function who() {
  const { principal_id: id, timezone: there } = page.me;
  $("who").textContent = `${id} · ${there === ZONE ? there : word("zoneBoth", { here: ZONE, there })}`;
}

function build() {
  who();
  for (const view of Object.values(page.views)) view.gone?.();
  page.detail?.gone();
  const tabs = Object.keys(VIEWS).map((name) =>
    el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `view-${name}`, onclick: () => show(name), onkeydown: step, "data-name": word(name) }, word(name)));
  fill($("tabs"), tabs).hidden = false;
  const panels = Object.keys(VIEWS).map((name) => el("section", { role: "tabpanel", id: `view-${name}`, "aria-labelledby": `tab-${name}`, hidden: true }));
  fill($("main"), panels);
  page.detail = new Detail(page, $("main"));
  page.views = {};
  Object.entries(VIEWS).forEach(([name, View], at) => { page.views[name] = new View(page, panels[at]); });
  askZone();
  stream();
  const wanted = location.hash.slice(1);
  show(VIEWS[wanted] ? wanted : "chat");
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
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const name = names[(next + names.length) % names.length];
  show(name);
  $(`tab-${name}`).focus();
}

async function listen(wire, store, signal) {
  for await (const event of wire.events(signal)) {
    if (signal.aborted) return;
    store.happened(event);
    if (event.kind === "open" || event.kind === "closed") stream();
    for (const view of [...Object.values(page.views), page.detail]) view.happened?.(event);
  }
}

function stream() {
  $("stream").textContent = page.store.live ? word("live") : word("offline");
  $("stream").className = `chip ${page.store.live ? "good" : "warn"}`;
}

// Stored days begin and end in the owner's zone; somebody new has the service's, not their own.
function askZone() {
  const here = page.me.timezone;
  $("zone").hidden = page.zoneKept || here === ZONE || here !== "UTC";
  if ($("zone").hidden) return;
  const put = { here, there: ZONE };
  const use = async () => {
    try {
      page.me = await page.wire.write("PATCH", "/me", { timezone: ZONE });
      who();
    } catch (problem) {
      notice(problemText(problem));
    }
    keep();
  };
  const keep = () => { page.zoneKept = true; $("zone").hidden = true; };
  fill($("zone"), el("p", {}, word("zoneAsk", put)), el("div", { class: "row" },
    el("button", { type: "button", class: "main", id: "zone-use", onclick: use }, word("zoneUse", put)),
    el("button", { type: "button", onclick: keep }, word("zoneKeep", put))));
}

function leave(why = "") {
  page.stop?.abort();
  page.store?.end();
  for (const view of Object.values(page.views)) view.gone?.();
  page.detail?.gone();
  Object.assign(page, { wire: null, store: null, me: null, session: null, said: [], points: [], fired: { ids: [], by: "firedNone" }, views: {}, detail: null, zoneKept: false });
  fill($("tabs")).hidden = true;
  fill($("main"));
  $("who").textContent = $("notice").textContent = "";
  $("sign-out").hidden = $("stream").hidden = $("zone").hidden = true;
  $("sign-in").hidden = false;
  $("sign-in-error").textContent = why;
  $("key").focus();
}

$("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("sign-in-error").textContent = "";
  const key = $("key").value.trim();
  try {
    await enter(key);
    $("key").value = "";
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    $("sign-in-error").textContent = problem.status === 401 ? word("badKey") : problemText(problem);
    $("key").select();
  }
});
$("sign-out").addEventListener("click", () => leave());
$("language").addEventListener("change", () => {
  setLanguage($("language").value);
  if (page.wire) build();
});
const HIDDEN = 20_000; // ms that a hidden page keeps its stream
let resting;
document.addEventListener("visibilitychange", () => {
  clearTimeout(resting);
  if (document.hidden) resting = setTimeout(() => page.wire?.sleep(), HIDDEN);
  else page.wire?.wake();
});
window.addEventListener("pagehide", () => page.wire?.sleep());
window.addEventListener("pageshow", () => page.wire?.wake());

// The address names a view; a link to another one, or a hand in the address, leads there.
window.addEventListener("hashchange", () => {
  const name = location.hash.slice(1);
  if (page.wire && VIEWS[name]) show(name);
});

setLanguage(navigator.language.startsWith("ko") ? "ko" : "en");
$("language").value = language();
try {
  if (!LOOPBACK.has(location.hostname)) throw new Problem(401, {});
  await enter("dev:me");
} catch (problem) {
  $("sign-in").hidden = false;
  $("key").focus();
  if (!(problem instanceof Problem)) throw problem;
  if (problem.status !== 401) $("sign-in-error").textContent = problemText(problem);
}
