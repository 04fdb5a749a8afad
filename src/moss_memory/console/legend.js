// What the signs of the timeline mean.

import { el, svg } from "./dom.js";
import { word } from "./words.js";

export function legend() {
  const sign = (...drawn) => svg("svg", { class: "sign chart", width: 28, height: 16, "aria-hidden": "true" }, drawn);
  const box = (kind) => svg("g", { class: `bar ${kind}` }, svg("rect", { x: 2, y: 2, width: 24, height: 12, rx: 4 }));
  const frame = (kind) => svg("rect", { class: kind, x: 2, y: 2, width: 24, height: 12, rx: 3 });
  const signs = [
    [box("active"), "legendActive"], [box("inactive"), "legendInactive"], [box("asked"), "legendAsked"], [frame("conflict"), "legendConflict"],
    [frame("waiver"), "legendWaiver"], [svg("g", { class: "replaced" }, svg("path", { d: "M2,8 L20,8" }), svg("path", { class: "head", d: "M26,8 l-7,-4 l0,8 z" })), "legendReplaced"],
    [svg("line", { class: "now", x1: 14, x2: 14, y1: 1, y2: 15 }), "legendNow"],
  ];
  return el("ul", { class: "legend" }, signs.map(([drawn, name]) => el("li", {}, sign(drawn), word(name))));
}
