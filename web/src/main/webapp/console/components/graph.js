// Draws the tool graph. Each tool links to its neighbors. The table below contains the same data.
import { classes, el, useMemo, useState } from "../lib/dom.js";
import { link } from "../lib/router.js";
import { shortened, visibleText } from "../lib/escape.js";
import { duration } from "../lib/time.js";
import { columns } from "./layout.js";

const { defs, div, g, marker, path, rect, svg, text, title } = el;
const BOX = { width: 188, height: 46 };
const GAP = { x: 72, y: 20 };
const EDGE = 34;
const LONGEST = 22;
/** Minimum scale of a graph that is wider than the page. */
const SMALLEST = 0.82;
/** Maximum number of lines with numbers; with more, the numbers would overlap. */
const MOST_NUMBERS = 14;

/** Rounded down, so that 100 % means no failure. @param {number} share */
export const percent = (share) => `${Math.floor(share * 100 + 1e-9)} %`;

/** @param {number} success */
export const health = (success) => (success >= 0.95 ? "good" : success >= 0.7 ? "warn" : "bad");

/** @param {import("./layout.js").Node[]} nodes @param {import("./layout.js").Edge[]} edges */
function places(nodes, edges) {
  const layers = columns(nodes, edges);
  const tallest = Math.max(1, ...layers.map((layer) => layer.length));
  const height = tallest * (BOX.height + GAP.y) - GAP.y;
  const at = new Map();
  layers.forEach((layer, column) => {
    const own = layer.length * (BOX.height + GAP.y) - GAP.y;
    layer.forEach((node, row) =>
      at.set(node.tool, {
        x: EDGE + column * (BOX.width + GAP.x),
        y: EDGE / 2 + (height - own) / 2 + row * (BOX.height + GAP.y),
        column,
      }),
    );
  });
  return { at, width: 2 * EDGE + layers.length * (BOX.width + GAP.x) - GAP.x, height: height + EDGE };
}

/** The path of an edge: from side to side to a later column; otherwise around the boxes. */
function way(from, to) {
  if (to.column > from.column) {
    const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x - 6, to.y + BOX.height / 2];
    const bend = Math.max(40, (x2 - x1) / 2);
    return {
      d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
      x: (x1 + x2) / 2,
      y: (y1 + y2) / 2,
      low: Math.max(y1, y2),
    };
  }
  const [x1, y1, x2, y2] = [
    from.x + BOX.width * 0.35,
    from.y + BOX.height,
    to.x + BOX.width * 0.65,
    to.y + BOX.height + 6,
  ];
  const deep = Math.max(y1, y2) + 22 + Math.min(28, Math.abs(x1 - x2) / 16);
  if (from.column === to.column) {
    const side = from.x - 30;
    const [y3, y4] = [from.y + BOX.height / 2, to.y + BOX.height / 2];
    return {
      d: `M${from.x} ${y3}C${side} ${y3} ${side} ${y4} ${to.x - 6} ${y4}`,
      x: side + 8,
      y: (y3 + y4) / 2,
      low: Math.max(y3, y4),
    };
  }
  return {
    d: `M${x1} ${y1}C${x1} ${deep} ${x2} ${deep} ${x2} ${y2}`,
    x: (x1 + x2) / 2,
    y: (Math.max(y1, y2) + 3 * deep) / 4 + 3,
    low: deep,
  };
}

function words(node, edges) {
  const next = edges
    .filter(({ from }) => from === node.tool)
    .slice(0, 3)
    .map(({ to, calls }) => `${visibleText(to)} ${calls} times`);
  return `${visibleText(node.tool)}: called ${node.calls} times, ${percent(node.success)} succeeded, ${duration(node.meanMillis)} on average${next.length ? `; then ${next.join(", ")}` : ""}`;
}

/** @param {{ nodes: import("./layout.js").Node[], edges: import("./layout.js").Edge[], center?: string, address: (tool: string) => string }} props */
export function Graph({ nodes, edges, center, address }) {
  const [near, setNear] = useState("");
  const { at, width, height } = useMemo(() => places(nodes, edges), [nodes, edges]);
  const top = Math.max(1, ...edges.map(({ calls }) => calls));
  const lines = edges.filter(({ from, to }) => from !== to);
  const hot = ({ from, to }) => near && (from === near || to === near);
  const touched = new Set(near ? lines.filter(hot).flatMap(({ from, to }) => [from, to]) : []);
  const numbered = (edge) => hot(edge) || (!near && lines.length <= MOST_NUMBERS);
  // Draw the selected lines last, above the others.
  const sorted = [...lines].sort((one, other) => Number(Boolean(hot(one))) - Number(Boolean(hot(other))));
  const ways = sorted.map((edge) => ({ edge, ...way(at.get(edge.from), at.get(edge.to)) }));
  const tall = Math.max(height, ...ways.map(({ low }) => low + EDGE));
  return div(
    { class: "graph", tabIndex: 0, role: "region", "aria-label": "Tool graph, scrollable" },
    svg(
      {
        class: classes("graph-picture", near && "graph-near"),
        viewBox: `0 0 ${width} ${tall}`,
        style: { width: `${width}px`, maxWidth: "100%", minWidth: `${Math.round(width * SMALLEST)}px` },
        role: "group",
        "aria-label": `${nodes.length} tools and ${lines.length} steps between them; the table below contains the same data`,
      },
      defs(
        marker(
          {
            id: "graph-head",
            viewBox: "0 0 8 8",
            refX: 2,
            refY: 4,
            markerWidth: 8,
            markerHeight: 8,
            markerUnits: "userSpaceOnUse",
            orient: "auto-start-reverse",
          },
          path({ d: "M0 0L8 4L0 8Z", class: "graph-head" }),
        ),
      ),
      g(
        { "aria-hidden": "true" },
        ways.map(({ edge, d }) =>
          path(
            {
              key: `${edge.from} ${edge.to}`,
              class: classes("graph-line", `graph-${health(edge.success)}`, hot(edge) && "graph-hot"),
              d,
              "stroke-width": (1.2 + 5 * Math.sqrt(edge.calls / top)).toFixed(1),
              "stroke-opacity": (0.35 + 0.5 * Math.sqrt(edge.calls / top)).toFixed(2),
              "marker-end": "url(#graph-head)",
            },
            title(
              `${visibleText(edge.from)} → ${visibleText(edge.to)}: ${edge.calls} times, ${percent(edge.success)} succeeded`,
            ),
          ),
        ),
      ),
      g(
        { "aria-hidden": "true" },
        ways
          .filter(({ edge }) => numbered(edge))
          .map(({ edge, x, y }) =>
            text(
              { key: `${edge.from} ${edge.to}`, class: "graph-number", x, y: y - 3, "text-anchor": "middle" },
              edge.calls.toLocaleString(),
            ),
          ),
      ),
      nodes.map((node) => {
        const { x, y } = at.get(node.tool);
        const again = edges.find(({ from, to }) => from === node.tool && to === node.tool);
        return link(
          address(node.tool),
          {
            key: node.tool,
            class: classes(
              "graph-node",
              node.tool === center && "graph-center",
              near && near !== node.tool && !touched.has(node.tool) && "graph-far",
            ),
            "aria-label": words(node, edges),
            "aria-current": node.tool === center ? "true" : undefined,
            onMouseEnter: () => setNear(node.tool),
            onMouseLeave: () => setNear(""),
            onFocus: () => setNear(node.tool),
            onBlur: () => setNear(""),
          },
          title(visibleText(node.tool)),
          rect({ class: "graph-box", x, y, width: BOX.width, height: BOX.height, rx: 8 }),
          rect({
            class: `graph-side graph-${health(node.success)}`,
            x: x + 5,
            y: y + 7,
            width: 4,
            height: BOX.height - 14,
            rx: 2,
          }),
          text({ class: "graph-name", x: x + 17, y: y + 19 }, shortened(visibleText(node.tool), LONGEST)),
          text(
            { class: "graph-facts", x: x + 17, y: y + 36 },
            `${node.calls.toLocaleString()} × · ${percent(node.success)} · ${duration(node.meanMillis)}${again ? ` · ↻ ${again.calls.toLocaleString()}` : ""}`,
          ),
        );
      }),
    ),
  );
}
