// The number of items in each state, as one bar.
import { el } from "../lib/dom.js";
import { STATES, stateName } from "../lib/states.js";

const { div, rect, span, svg } = el;
const ORDER = ["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED", "RUNNING", "WAITING", "PENDING"];

/** @param {Record<string, number>} counts @param {number} total */
export function countsBar(counts, total) {
  let x = 0;
  const summary = STATES.filter((state) => counts[state])
    .map((state) => `${counts[state]} ${stateName(state)}`)
    .join(", ");
  return svg(
    { class: "counts-bar", width: "100%", height: 12, role: "img", "aria-label": summary || "nothing yet" },
    rect({ class: "counts-ground", x: 0, y: 0, width: "100%", height: 12 }),
    ORDER.filter((state) => counts[state]).map((state) => {
      const width = (counts[state] / Math.max(1, total)) * 100;
      const bar = rect({
        key: state,
        class: `stretch is-${state.toLowerCase()}`,
        x: `${x}%`,
        y: 0,
        width: `${width}%`,
        height: 12,
      });
      x += width;
      return bar;
    }),
  );
}

/** @param {Record<string, number>} counts */
export const countsLegend = (counts) =>
  div(
    { class: "counts-words" },
    STATES.filter((state) => counts[state]).map((state) =>
      span(
        { key: state, class: `count is-${state.toLowerCase()}` },
        span({ class: "count-dot", "aria-hidden": "true" }),
        `${counts[state].toLocaleString()} ${stateName(state)}`,
      ),
    ),
  );

export const endedCount = (counts) =>
  ["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"].reduce((sum, state) => sum + (counts[state] ?? 0), 0);
