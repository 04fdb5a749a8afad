// Instants, wall clocks and whole days as a person reads them, in the zone of this browser.

import { language, word } from "./words.js";

export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const DAY = { weekday: "short", year: "numeric", month: "short", day: "numeric" };
const TIME = { hour: "numeric", minute: "2-digit" };
const FORMS = {
  moment: { dateStyle: "medium", timeStyle: "short" }, precise: { dateStyle: "medium", timeStyle: "medium" },
  day: { ...DAY, timeZone: "UTC" }, dayTime: { ...DAY, ...TIME }, time: TIME,
  axisYear: { year: "numeric", month: "short" }, axisDay: { month: "short", day: "numeric" }, axisHour: { month: "short", day: "numeric", hour: "numeric" },
};
const made = {};

// Making a format is dear, using one is not.
function say(form, time) {
  const mine = (made[language()] ??= {});
  return (mine[form] ??= new Intl.DateTimeFormat(language(), FORMS[form])).format(time);
}

export function moment(iso) {
  return iso === null || iso === undefined ? word("untilNotice") : say("moment", new Date(iso));
}

export function precise(iso) {
  return say("precise", new Date(iso));
}

export function axis(time, step) {
  return say(step < 86_400_000 ? "axisHour" : step > 60 * 86_400_000 ? "axisYear" : "axisDay", time);
}

// A calendar day, "2026-07-17", which is the same day in every zone.
function dayName(day) {
  return say("day", Date.parse(`${day}T00:00:00Z`));
}

// When a memory or a proposed fact holds.
export function span(fact) {
  const { when } = fact;
  const more = when?.rrule ? ` · ${word("repeats")} (${when.rrule})` : "";
  if (when?.date) return days(when) + more;
  const start = fact.valid_from ?? startOf(fact);
  if (start === null) return word("untilNotice");
  const end = fact.valid_until === undefined ? endOf(fact) : fact.valid_until;
  if (end === null) return fact.valid_until === undefined && when ? moment(start) + more : `${moment(start)} – ${word("untilNotice")}${more}`;
  const [from, to] = [new Date(start), new Date(end)];
  const sameDay = from.toDateString() === to.toDateString();
  return `${say("dayTime", from)} – ${say(sameDay ? "time" : "dayTime", to)}${more}`;
}

function days(when) {
  const last = when.end_date ? new Date(Date.parse(`${when.end_date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10) : when.date;
  const shown = last === when.date ? dayName(when.date) : `${dayName(when.date)} – ${dayName(last)}`;
  const elsewhere = when.timezone && when.timezone !== ZONE ? ` (${when.timezone})` : "";
  return `${shown}, ${word("allDay")}${elsewhere}`;
}

// The instant, in ms, at which a wall clock ("2026-07-17T10:00:00") shows this time in a zone.
export function wall(local, zone = ZONE) {
  const naive = Date.parse(`${local.length === 10 ? `${local}T00:00:00` : local}Z`);
  const first = naive - offset(naive, zone);
  return naive - offset(first, zone);
}

function offset(instant, zone) {
  const parts = Object.fromEntries(new Intl.DateTimeFormat("en-US", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
  }).formatToParts(new Date(instant)).map((part) => [part.type, Number(part.value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) - Math.floor(instant / 1000) * 1000;
}

export function startOf(fact) {
  const { when } = fact;
  if (!when) return null;
  return when.start ? Date.parse(when.start) : wall(when.local_start ?? when.date, when.timezone ?? ZONE);
}

// null: as long as its kind is by default, or open.
export function endOf(fact) {
  const { when } = fact;
  if (!when) return null;
  if (when.end) return Date.parse(when.end);
  if (when.local_end) return wall(when.local_end, when.timezone ?? ZONE);
  if (when.minutes) return startOf(fact) + when.minutes * 60_000;
  if (!when.date) return null;
  const next = when.end_date ?? new Date(Date.parse(`${when.date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return wall(next, when.timezone ?? ZONE);
}

// The value of a datetime-local field that shows an instant, to the minute.
export function forField(instant, seconds = false) {
  const at = new Date(instant);
  return new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, seconds ? 19 : 16);
}
