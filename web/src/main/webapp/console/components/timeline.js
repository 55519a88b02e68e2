// The states of an execution, each with a width proportional to the time spent in it.
import { classes, el } from "../lib/dom.js";
import { duration, time } from "../lib/time.js";
import { badge, stateWord, TERMINAL } from "./ui.js";

const { div, li, ol, rect, span, svg } = el;

/** Splits the time of an execution into its states. @param {any} execution @param {any[]} events @param {number} now */
function stretches(execution, events, now) {
  const changes = [{ state: "PENDING", at: execution.createdAt }, ...events.filter((event) => event.type === "state")];
  if (execution.finishedAt && !TERMINAL.has(changes[changes.length - 1].state))
    changes.push({ state: execution.state, at: execution.finishedAt });
  return changes.map((change, index) => {
    const next = changes[index + 1];
    const end = next ? Date.parse(next.at) : TERMINAL.has(change.state) ? Date.parse(change.at) : now;
    return { ...change, millis: Math.max(0, end - Date.parse(change.at)) };
  });
}

/** @param {{ execution: any, events: any[], now: number }} props */
export function Timeline({ execution, events, now }) {
  const all = stretches(execution, events, now);
  const whole = all.reduce((sum, { millis }) => sum + millis, 0) || 1;
  let x = 0;
  return div(
    { class: "timeline" },
    svg(
      {
        class: "timeline-bar",
        width: "100%",
        height: 10,
        role: "img",
        "aria-label": all.map(({ state, millis }) => `${stateWord(state)} ${duration(millis)}`).join(", "),
      },
      all
        .filter(({ millis }) => millis > 0)
        .map(({ state, millis }, index) => {
          const width = (millis / whole) * 100;
          const bar = rect({
            key: index,
            class: classes("stretch", "is-" + state.toLowerCase()),
            x: `${x}%`,
            y: 0,
            width: `${Math.max(width, 0.5)}%`,
            height: 10,
          });
          x += width;
          return bar;
        }),
    ),
    ol(
      { class: "steps" },
      all.map(({ state, at, millis, attempt }, index) =>
        li(
          { key: index },
          badge(state),
          span(
            { class: "dim" },
            time(at),
            attempt > 1 && state === "RUNNING" ? ` · attempt ${attempt}` : "",
            TERMINAL.has(state) ? "" : ` · ${duration(millis)}`,
          ),
        ),
      ),
    ),
  );
}
