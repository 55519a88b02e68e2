// The states of an execution, each with a width proportional to the time spent in it.
import { classes, el } from "../lib/dom.js";
import { duration, time } from "../lib/time.js";
import { badge, stateName, TERMINAL } from "./ui.js";

const { div, li, ol, rect, span, svg } = el;

/** Splits the time of an execution into its states. @param {any} execution @param {any[]} events @param {number} now */
function toSegments(execution, events, now) {
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
  const segments = toSegments(execution, events, now);
  const totalMillis = segments.reduce((sum, { millis }) => sum + millis, 0) || 1;
  let x = 0;
  return div(
    { class: "timeline" },
    svg(
      {
        class: "timeline-bar",
        width: "100%",
        height: 10,
        role: "img",
        "aria-label": segments.map(({ state, millis }) => `${stateName(state)} ${duration(millis)}`).join(", "),
      },
      segments
        .filter(({ millis }) => millis > 0)
        .map(({ state, millis }, index) => {
          const width = (millis / totalMillis) * 100;
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
      segments.map(({ state, at, millis, attempt }, index) =>
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
