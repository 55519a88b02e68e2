// Layout of the tool graph: tools that are called later are further right, in an order with few crossing lines.

/**
 * @typedef {{ tool: string, calls: number, success: number, meanMillis: number, firstCalls: number, intents: string[],
 *   lastAt: string }} Node
 * @typedef {{ from: string, to: string, calls: number, success: number }} Edge
 */

const MAX_COLUMN_SIZE = 14;
const SWEEPS = 4;

/** The most frequent predecessor of each tool, without cycles. @param {Node[]} nodes @param {Edge[]} edges */
function findParents(nodes, edges) {
  const parentOf = new Map();
  const firstCalls = new Map(nodes.map((node) => [node.tool, node.firstCalls]));
  const leadsTo = (from, to) => {
    for (let at = from; at !== undefined; at = parentOf.get(at)) if (at === to) return true;
    return false;
  };
  for (const { from, to, calls } of [...edges].sort((one, other) => other.calls - one.calls)) {
    // A tool that is mostly the first call of scripts stays in the first column.
    if (from === to || parentOf.has(to) || calls <= (firstCalls.get(to) ?? 0) || leadsTo(from, to)) continue;
    parentOf.set(to, from);
  }
  return parentOf;
}

/**
 * The tools in columns of at most MAX_COLUMN_SIZE tools.
 * @param {Node[]} nodes @param {Edge[]} edges @returns {Node[][]}
 */
export function toColumns(nodes, edges) {
  const parentOf = findParents(nodes, edges);
  const depth = (tool) => (parentOf.has(tool) ? 1 + depth(parentOf.get(tool)) : 0);
  const layers = [];
  nodes.forEach((node) => (layers[depth(node.tool)] ??= []).push(node));
  orderColumns(layers, edges);
  return layers.flatMap((layer) => {
    const parts = Math.ceil(layer.length / MAX_COLUMN_SIZE);
    const size = Math.ceil(layer.length / parts);
    return Array.from({ length: parts }, (_, part) => layer.slice(part * size, (part + 1) * size));
  });
}

/** Orders each column by the positions of the neighbors of its tools. @param {Node[][]} layers @param {Edge[]} edges */
function orderColumns(layers, edges) {
  const positions = new Map();
  const storePositions = (layer) =>
    layer.forEach((node, index) => positions.set(node.tool, (index + 0.5) / layer.length));
  layers.forEach(storePositions);
  const neighbors = new Map();
  edges.forEach(({ from, to, calls }) => {
    if (from === to) return;
    neighbors.set(from, [...(neighbors.get(from) ?? []), [to, calls]]);
    neighbors.set(to, [...(neighbors.get(to) ?? []), [from, calls]]);
  });
  const meanPosition = ({ tool }) => {
    const weighted = neighbors.get(tool) ?? [];
    const weight = weighted.reduce((sum, [, calls]) => sum + calls, 0);
    return weight
      ? weighted.reduce((sum, [other, calls]) => sum + positions.get(other) * calls, 0) / weight
      : positions.get(tool);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    layers.forEach((layer) => {
      const targets = new Map(layer.map((node) => [node.tool, meanPosition(node)]));
      layer.sort((one, other) => targets.get(one.tool) - targets.get(other.tool));
      storePositions(layer);
    });
  }
}

/** The frequent edges: the most frequent one from and to each tool, and all that are not rare. @param {Edge[]} edges */
export function frequentEdges(edges) {
  const maxCalls = Math.max(1, ...edges.map(({ calls }) => calls));
  const outgoingCounts = new Map();
  const incomingCounts = new Map();
  return edges.filter(({ from, to, calls }) => {
    const outgoing = outgoingCounts.get(from) ?? 0;
    const incoming = incomingCounts.get(to) ?? 0;
    outgoingCounts.set(from, outgoing + 1);
    incomingCounts.set(to, incoming + 1);
    return outgoing < 1 || incoming < 1 || calls >= maxCalls * 0.12;
  });
}
