// A small line chart of values measured while the page is open.
import { el } from "../lib/dom.js";

const { div, path, span, svg } = el;
const WIDTH = 300;
const HEIGHT = 64;

/** @param {{ label: string, values: { at: number, value: number }[], unit?: string }} props */
export function Chart({ label, values, unit = "" }) {
  const last = values[values.length - 1]?.value ?? 0;
  const max = Math.max(1, ...values.map(({ value }) => value));
  const from = values[0]?.at ?? 0;
  const totalMillis = Math.max(1, (values[values.length - 1]?.at ?? 1) - from);
  const points = values.map(({ at, value }) => [
    ((at - from) / totalMillis) * WIDTH,
    HEIGHT - 3 - (value / max) * (HEIGHT - 8),
  ]);
  const line = points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return div(
    { class: "chart" },
    div(
      { class: "chart-head" },
      span(label),
      span({ class: "chart-value" }, last.toLocaleString(), unit && span({ class: "dim" }, " " + unit)),
    ),
    svg(
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": `${label}: now ${last} ${unit}, at most ${max} while this page was open`,
      },
      points.length > 1 && path({ class: "chart-area", d: `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` }),
      points.length > 1 && path({ class: "chart-line", d: line }),
    ),
    div(
      { class: "chart-foot dim" },
      values.length > 1
        ? `the last ${Math.max(1, Math.round(totalMillis / 1000))} s, highest ${max.toLocaleString()}`
        : "measuring…",
    ),
  );
}
