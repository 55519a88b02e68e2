// Times in the user's time zone, and durations.
import { el, useEffect, useState } from "./dom.js";

const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/** @param {number | undefined | null} millis */
export const duration = (millis) => formatDuration(millis).replace(/ (min|h|d) 0 \w+$/, " $1");

/** @param {number | undefined | null} millis */
function formatDuration(millis) {
  if (millis === undefined || millis === null || Number.isNaN(millis)) return "";
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 60_000) return `${(millis / 1000).toFixed(millis < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(millis / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** @param {string | undefined} at ISO 8601 */
export function formatTime(at) {
  if (!at) return "";
  const date = new Date(at);
  return new Date().toDateString() === date.toDateString()
    ? CLOCK.format(date)
    : `${DAY.format(date)}, ${CLOCK.format(date)}`;
}

/** A time, with the exact time as a tooltip. @param {string | undefined} at */
export const time = (at) =>
  at ? el.time({ dateTime: at, title: `${EXACT.format(new Date(at))}\n${at}` }, formatTime(at)) : "";

/** The distance from now, in words: "5 s ago" or "in 5 s". @param {string} at @param {number} now */
export function relativeTime(at, now) {
  const millis = now - Date.parse(at);
  if (Math.abs(millis) < 1500) return "now";
  const text =
    Math.abs(millis) < 60_000
      ? `${Math.round(Math.abs(millis) / 1000)} s`
      : duration(Math.abs(millis)).replace(/ \d+ s$/, "");
  return millis > 0 ? `${text} ago` : `in ${text}`;
}

/** The current time, updated at an interval in milliseconds. @param {number} interval 0 for never */
export function useNow(interval) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!interval) return undefined;
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, [interval]);
  return now;
}
