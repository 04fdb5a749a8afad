// The names of the bars of the timeline, above all that is drawn there.

import { svg } from "./dom.js";
import { title } from "./facts.js";

const SIGN = 7.5; // CSS pixels that a sign of a name takes
const LOW = 14; // a bar is too thin for a name

export function kindOf(item) {
  return item.pending ? "asked" : item.active ? "active" : "inactive";
}

// Inside a bar that is wide enough, else behind it where the next one leaves room.
export function names(places, width) {
  const rows = new Map();
  for (const place of places) {
    if (!rows.has(place.y)) rows.set(place.y, []);
    rows.get(place.y).push(place);
  }
  return [...rows.values()].flatMap((row) => row.sort((a, b) => a.x - b.x).map((place, at) => {
    const { item, x, y, height } = place;
    const name = title(item.fact);
    const wide = name.length * SIGN + 8;
    const until = row[at + 1]?.x ?? width;
    const behind = place.width < wide && until - (x + place.width) >= wide;
    const room = Math.floor((place.width - 8) / SIGN);
    if (height < LOW || (!behind && room < 3)) return null;
    const shown = behind || name.length <= room ? name : `${name.slice(0, room - 1)}…`;
    return svg("text", { class: `name ${behind ? "beside" : kindOf(item)}`, "data-id": item.id, x: behind ? x + place.width + 5 : x + 5, y: y + height / 2 + 4 }, shown);
  }));
}
