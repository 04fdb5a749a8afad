// Where everything on the timeline goes. Values in, values out; times in ms, places in CSS pixels.

export const DAY = 86_400_000;
const LEAST = 4; // a bar is never narrower
const GAP = 14; // between lanes
const HEAD = 18; // for a lane's name where it stands above its rows
const TOP = 26; // for the axis

// The time to show so that all is seen; single far-away beginnings do not squeeze the rest.
export function fit(items, now) {
  if (!items.length) return [now - DAY, now + 7 * DAY];
  const starts = items.map((item) => item.start).sort((a, b) => a - b);
  const first = starts[Math.floor(starts.length * 0.02)];
  const last = starts[Math.ceil((starts.length - 1) * 0.98)];
  const ends = items.filter((item) => item.end !== Infinity && item.start <= last).map((item) => item.end);
  const end = Math.min(Math.max(last + DAY / 4, ...ends), last + 90 * DAY);
  const near = now > first - 60 * DAY && now < end + 60 * DAY;
  const from = near ? Math.min(first, now) : first;
  const to = near ? Math.max(end, now) : end;
  const pad = Math.max((to - from) * 0.03, DAY / 6);
  return [from - pad, to + pad];
}

// Bars in lanes: those that share time go one below the other, thinner where many do.
export function arrange(items, [from, to], width, narrow) {
  const left = narrow ? 4 : 130;
  const scale = (width - left - 6) / (to - from);
  const x = (time) => left + (Math.min(Math.max(time, from), to) - from) * scale;
  const kinds = new Map();
  for (const item of items) {
    if (!kinds.has(item.lane)) kinds.set(item.lane, []);
    kinds.get(item.lane).push(item);
  }
  const bars = new Map();
  const lanes = [];
  let y = TOP;
  for (const [name, members] of [...kinds].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const rows = stack(members, LEAST / scale);
    const count = Math.max(...rows.values()) + 1;
    const high = count <= 6 ? 24 : count <= 16 ? 16 : 8;
    const top = y + (narrow ? HEAD : 0);
    for (const item of members) {
      const at = x(item.start);
      bars.set(item.id, { item, x: at, y: top + rows.get(item) * high, width: Math.max(LEAST, x(item.end) - at), height: high - 2 });
    }
    const height = Math.max(count * high, 24);
    lanes.push({ name, count: members.length, top: y, text: narrow ? y + 12 : top + Math.min(15, height / 2 + 5), height: top + height - y });
    y = top + height + GAP;
  }
  return { bars, lanes, left, bottom: y - GAP / 2, x };
}

// The row of each: the first that is free again. `least`: what a bar takes at least, in ms.
function stack(members, least) {
  const free = [];
  const rows = new Map();
  for (const item of members.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const found = free.findIndex((until) => until <= item.start);
    const row = found < 0 ? free.length : found;
    free[row] = Math.max(item.end, item.start + least);
    rows.set(item, row);
  }
  return rows;
}

const HOUR = 3_600_000;
const STEPS = [HOUR, 3 * HOUR, 6 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 91 * DAY, 365 * DAY, 1826 * DAY];

// Where the axis is marked, as many times as there is room for; local midnights where in days.
export function ticks([from, to], width) {
  const most = Math.max(2, Math.floor(width / 95));
  const step = STEPS.find((each) => (to - from) / each <= most) ?? 3652 * DAY;
  const shift = new Date(from).getTimezoneOffset() * 60_000;
  const found = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at < to; at += step) found.push(at);
  return { found, step };
}

// Pairs of active, busy events that share time, the later recorded first: somebody allowed them.
export function overlaps(items, most) {
  const events = items.filter((item) => item.busy && item.active).sort((a, b) => a.start - b.start);
  const pairs = [];
  let open = [];
  for (const item of events) {
    open = open.filter((other) => other.end > item.start);
    for (const other of open) {
      pairs.push(item.recorded > other.recorded ? [item, other] : [other, item]);
      if (pairs.length >= most) return pairs;
    }
    open.push(item);
  }
  return pairs;
}

// Pairs [replaced, replacing]: one decision ended the one and wrote the other.
export function replaced(items) {
  const wrote = new Map();
  for (const item of items) if (item.active) wrote.set(item.decision, item);
  return items.filter((item) => item.reason === "superseded" && wrote.has(item.decision)).map((item) => [item, wrote.get(item.decision)]);
}
