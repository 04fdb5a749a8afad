// The two pictures of tokens: how a budget is used, and what each way of remembering costs by turn.

import { el, row, svg, table } from "./dom.js";
import { word } from "./words.js";

const HIGH = 220;
const PAD = { left: 48, right: 16, top: 14, bottom: 26 };

// The blocks of a context, each as wide as what it takes of the budget.
export function budgetBar({ blocks, tokens, token_budget: budget }) {
  const width = 1000;
  let at = 0;
  const parts = blocks.map((block) => {
    const wide = budget ? (block.tokens / budget) * width : 0;
    const part = svg("rect", { class: `block ${block.priority}`, x: at, y: 0, width: Math.max(0, wide - 2), height: 18 });
    at += wide;
    return part;
  });
  return el("div", { class: "budget" }, el("p", { id: "tokens-used" }, word("used", { n: tokens, all: budget })),
    svg("svg", { class: "chart flat", viewBox: `0 0 ${width} 18`, preserveAspectRatio: "none", width: "100%", height: 18, "aria-hidden": "true" }, parts),
    el("ul", { class: "legend", "aria-label": word("blocks") }, blocks.map((block) => el("li", {}, svg("svg", { class: "sign chart", width: 14, height: 14, "aria-hidden": "true" },
      svg("rect", { class: `block ${block.priority}`, width: 14, height: 14, rx: 3 })), `${block.priority} ${block.label}: ${block.tokens}`))));
}

// `points`: [tokens of the log, tokens of the governed context], one a turn; two at least.
export function costs(points, width) {
  const most = nice(Math.max(...points.flat(), 1));
  const x = (at) => PAD.left + (at / (points.length - 1)) * (width - PAD.left - PAD.right);
  const y = (tokens) => HIGH - PAD.bottom - (tokens / most) * (HIGH - PAD.top - PAD.bottom);
  const line = (which, name) => [
    svg("polyline", { class: name, points: points.map((point, at) => `${x(at)},${y(point[which])}`).join(" ") }),
    points.map((point, at) => svg(which ? "rect" : "circle", which ? { class: `${name} dot`, x: x(at) - 3, y: y(point[1]) - 3, width: 6, height: 6 } : { class: `${name} dot`, cx: x(at), cy: y(point[0]), r: 3.5 })),
  ];
  const grid = [0, 0.5, 1].map((share) => [svg("line", { class: "axis", x1: PAD.left, x2: width - PAD.right, y1: y(share * most), y2: y(share * most) }),
    svg("text", { x: PAD.left - 6, y: y(share * most) + 4, "text-anchor": "end" }, String(share * most))]);
  const every = Math.ceil(points.length / 12);
  const turns = points.map((_, at) => (at % every ? null : svg("text", { x: x(at), y: HIGH - 8, "text-anchor": "middle" }, String(at + 1))));
  const last = points.at(-1);
  const heads = [word("turn"), word("chatLog"), word("governed")];
  return el("div", {},
    svg("svg", { class: "chart", width, height: HIGH, role: "img", "aria-label": `${word("chatLog")}: ${last[0]}, ${word("governed")}: ${last[1]}` }, grid, turns, line(0, "log-line"), line(1, "memory-line")),
    el("ul", { class: "legend" }, [["log-line", "chatLog", last[0]], ["memory-line", "governed", last[1]]].map(([name, said, tokens]) => el("li", {},
      svg("svg", { class: "sign chart", width: 24, height: 14, "aria-hidden": "true" }, svg("polyline", { class: name, points: "1,7 23,7" })), `${word(said)}: ${word("ofTokens", { n: tokens })}`))),
    el("details", {}, el("summary", {}, word("tokens")), table({ id: "token-table" }, heads, points.map(([log, memory], at) => row({}, heads, [String(at + 1), String(log), String(memory)])))));
}

// The next of 10, 20, 50, 100, ... that holds a number.
function nice(most) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(most, 10)));
  return [1, 2, 5, 10].map((each) => each * ten).find((each) => each >= most);
}
