// Draws the tool graph. Each tool links to its neighbors. The table below contains the same data.
import { classes, el, useMemo, useState } from "../lib/dom.js";
import { link } from "../lib/router.js";
import { truncate, escapeControlsInText } from "../lib/escape.js";
import { duration } from "../lib/time.js";
import { toColumns } from "./layout.js";

const { defs, div, g, marker, path, rect, svg, text, title } = el;
const BOX = { width: 188, height: 46 };
const GAP = { x: 72, y: 20 };
const MARGIN = 34;
const MAX_NAME_LENGTH = 22;
/** Minimum scale of a graph that is wider than the page. */
const MIN_SCALE = 0.82;
/** Maximum number of lines with numbers; with more, the numbers would overlap. */
const MAX_LABELED_EDGES = 14;

/** Rounded down, so that 100 % means no failure. @param {number} share */
export const percent = (share) => `${Math.floor(share * 100 + 1e-9)} %`;

/** @param {number} success */
export const successLevel = (success) => (success >= 0.95 ? "good" : success >= 0.7 ? "warn" : "bad");

/** @param {import("./layout.js").Node[]} nodes @param {import("./layout.js").Edge[]} edges */
function layoutNodes(nodes, edges) {
  const layers = toColumns(nodes, edges);
  const tallest = Math.max(1, ...layers.map((layer) => layer.length));
  const height = tallest * (BOX.height + GAP.y) - GAP.y;
  const at = new Map();
  layers.forEach((layer, column) => {
    const layerHeight = layer.length * (BOX.height + GAP.y) - GAP.y;
    layer.forEach((node, row) =>
      at.set(node.tool, {
        x: MARGIN + column * (BOX.width + GAP.x),
        y: MARGIN / 2 + (height - layerHeight) / 2 + row * (BOX.height + GAP.y),
        column,
      }),
    );
  });
  return { at, width: 2 * MARGIN + layers.length * (BOX.width + GAP.x) - GAP.x, height: height + MARGIN };
}

/** The path of an edge: from side to side to a later column; otherwise around the boxes. */
function edgePath(from, to) {
  if (to.column > from.column) {
    const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x - 6, to.y + BOX.height / 2];
    const bend = Math.max(40, (x2 - x1) / 2);
    return {
      d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
      x: (x1 + x2) / 2,
      y: (y1 + y2) / 2,
      bottom: Math.max(y1, y2),
    };
  }
  const [x1, y1, x2, y2] = [
    from.x + BOX.width * 0.35,
    from.y + BOX.height,
    to.x + BOX.width * 0.65,
    to.y + BOX.height + 6,
  ];
  const controlY = Math.max(y1, y2) + 22 + Math.min(28, Math.abs(x1 - x2) / 16);
  if (from.column === to.column) {
    const controlX = from.x - 30;
    const [y3, y4] = [from.y + BOX.height / 2, to.y + BOX.height / 2];
    return {
      d: `M${from.x} ${y3}C${controlX} ${y3} ${controlX} ${y4} ${to.x - 6} ${y4}`,
      x: controlX + 8,
      y: (y3 + y4) / 2,
      bottom: Math.max(y3, y4),
    };
  }
  return {
    d: `M${x1} ${y1}C${x1} ${controlY} ${x2} ${controlY} ${x2} ${y2}`,
    x: (x1 + x2) / 2,
    y: (Math.max(y1, y2) + 3 * controlY) / 4 + 3,
    bottom: controlY,
  };
}

function describeNode(node, edges) {
  const next = edges
    .filter(({ from }) => from === node.tool)
    .slice(0, 3)
    .map(({ to, calls }) => `${escapeControlsInText(to)} ${calls} times`);
  return (
    `${escapeControlsInText(node.tool)}: called ${node.calls} times, ${percent(node.success)} succeeded, ` +
    `${duration(node.meanMillis)} on average${next.length ? `; then ${next.join(", ")}` : ""}`
  );
}

/**
 * @param {{ nodes: import("./layout.js").Node[], edges: import("./layout.js").Edge[], center?: string,
 *   address: (tool: string) => string }} props `address`: path of the page of a tool
 */
export function Graph({ nodes, edges, center, address }) {
  const [hovered, setHovered] = useState("");
  const { at, width, height } = useMemo(() => layoutNodes(nodes, edges), [nodes, edges]);
  const maxCalls = Math.max(1, ...edges.map(({ calls }) => calls));
  const drawnEdges = edges.filter(({ from, to }) => from !== to);
  const isHighlighted = ({ from, to }) => hovered && (from === hovered || to === hovered);
  const neighbors = new Set(hovered ? drawnEdges.filter(isHighlighted).flatMap(({ from, to }) => [from, to]) : []);
  const isLabeled = (edge) => isHighlighted(edge) || (!hovered && drawnEdges.length <= MAX_LABELED_EDGES);
  // Draw the selected lines last, above the others.
  const sorted = [...drawnEdges].sort(
    (one, other) => Number(Boolean(isHighlighted(one))) - Number(Boolean(isHighlighted(other))),
  );
  const edgePaths = sorted.map((edge) => ({ edge, ...edgePath(at.get(edge.from), at.get(edge.to)) }));
  const totalHeight = Math.max(height, ...edgePaths.map(({ bottom }) => bottom + MARGIN));
  return div(
    { class: "graph", tabIndex: 0, role: "region", "aria-label": "Tool graph, scrollable" },
    svg(
      {
        class: classes("graph-picture", hovered && "graph-near"),
        viewBox: `0 0 ${width} ${totalHeight}`,
        style: { width: `${width}px`, maxWidth: "100%", minWidth: `${Math.round(width * MIN_SCALE)}px` },
        role: "group",
        "aria-label":
          `${nodes.length} tools and ${drawnEdges.length} steps between them; ` +
          "the table below contains the same data",
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
        edgePaths.map(({ edge, d }) =>
          path(
            {
              key: `${edge.from} ${edge.to}`,
              class: classes("graph-line", `graph-${successLevel(edge.success)}`, isHighlighted(edge) && "graph-hot"),
              d,
              "stroke-width": (1.2 + 5 * Math.sqrt(edge.calls / maxCalls)).toFixed(1),
              "stroke-opacity": (0.35 + 0.5 * Math.sqrt(edge.calls / maxCalls)).toFixed(2),
              "marker-end": "url(#graph-head)",
            },
            title(
              `${escapeControlsInText(edge.from)} → ${escapeControlsInText(edge.to)}: ` +
                `${edge.calls} times, ${percent(edge.success)} succeeded`,
            ),
          ),
        ),
      ),
      g(
        { "aria-hidden": "true" },
        edgePaths
          .filter(({ edge }) => isLabeled(edge))
          .map(({ edge, x, y }) =>
            text(
              { key: `${edge.from} ${edge.to}`, class: "graph-number", x, y: y - 3, "text-anchor": "middle" },
              edge.calls.toLocaleString(),
            ),
          ),
      ),
      nodes.map((node) => {
        const { x, y } = at.get(node.tool);
        const selfEdge = edges.find(({ from, to }) => from === node.tool && to === node.tool);
        return link(
          address(node.tool),
          {
            key: node.tool,
            class: classes(
              "graph-node",
              node.tool === center && "graph-center",
              hovered && hovered !== node.tool && !neighbors.has(node.tool) && "graph-far",
            ),
            "aria-label": describeNode(node, edges),
            "aria-current": node.tool === center ? "true" : undefined,
            onMouseEnter: () => setHovered(node.tool),
            onMouseLeave: () => setHovered(""),
            onFocus: () => setHovered(node.tool),
            onBlur: () => setHovered(""),
          },
          title(escapeControlsInText(node.tool)),
          rect({ class: "graph-box", x, y, width: BOX.width, height: BOX.height, rx: 8 }),
          rect({
            class: `graph-side graph-${successLevel(node.success)}`,
            x: x + 5,
            y: y + 7,
            width: 4,
            height: BOX.height - 14,
            rx: 2,
          }),
          text(
            { class: "graph-name", x: x + 17, y: y + 19 },
            truncate(escapeControlsInText(node.tool), MAX_NAME_LENGTH),
          ),
          text(
            { class: "graph-facts", x: x + 17, y: y + 36 },
            `${node.calls.toLocaleString()} × · ${percent(node.success)} · ${duration(node.meanMillis)}` +
              (selfEdge ? ` · ↻ ${selfEdge.calls.toLocaleString()}` : ""),
          ),
        );
      }),
    ),
  );
}
