// Layout of the tool graph: tools that are called later are further right, in an order with few crossing lines.

/** @typedef {{ tool: string, calls: number, success: number, meanMillis: number, begins: number, intents: string[], lastAt: string }} Node */
/** @typedef {{ from: string, to: string, calls: number, success: number }} Edge */

const TALLEST = 14;
const SWEEPS = 4;

/** The most frequent predecessor of each tool, without cycles. @param {Node[]} nodes @param {Edge[]} edges */
function parents(nodes, edges) {
  const above = new Map();
  const begins = new Map(nodes.map((node) => [node.tool, node.begins]));
  const leadsTo = (from, to) => {
    for (let at = from; at !== undefined; at = above.get(at)) if (at === to) return true;
    return false;
  };
  for (const { from, to, calls } of [...edges].sort((one, other) => other.calls - one.calls)) {
    // A tool that is mostly the first call of scripts stays in the first column.
    if (from === to || above.has(to) || calls <= (begins.get(to) ?? 0) || leadsTo(from, to)) continue;
    above.set(to, from);
  }
  return above;
}

/** The tools in columns of at most TALLEST tools. @param {Node[]} nodes @param {Edge[]} edges @returns {Node[][]} */
export function columns(nodes, edges) {
  const above = parents(nodes, edges);
  const depth = (tool) => (above.has(tool) ? 1 + depth(above.get(tool)) : 0);
  const layers = [];
  nodes.forEach((node) => (layers[depth(node.tool)] ??= []).push(node));
  order(layers, edges);
  return layers.flatMap((layer) => {
    const parts = Math.ceil(layer.length / TALLEST);
    const size = Math.ceil(layer.length / parts);
    return Array.from({ length: parts }, (_, part) => layer.slice(part * size, (part + 1) * size));
  });
}

/** Orders each column by the positions of the neighbors of its tools. @param {Node[][]} layers @param {Edge[]} edges */
function order(layers, edges) {
  const place = new Map();
  const note = (layer) => layer.forEach((node, index) => place.set(node.tool, (index + 0.5) / layer.length));
  layers.forEach(note);
  const near = new Map();
  edges.forEach(({ from, to, calls }) => {
    if (from === to) return;
    near.set(from, [...(near.get(from) ?? []), [to, calls]]);
    near.set(to, [...(near.get(to) ?? []), [from, calls]]);
  });
  const middle = ({ tool }) => {
    const all = near.get(tool) ?? [];
    const weight = all.reduce((sum, [, calls]) => sum + calls, 0);
    return weight ? all.reduce((sum, [other, calls]) => sum + place.get(other) * calls, 0) / weight : place.get(tool);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    layers.forEach((layer) => {
      const wanted = new Map(layer.map((node) => [node.tool, middle(node)]));
      layer.sort((one, other) => wanted.get(one.tool) - wanted.get(other.tool));
      note(layer);
    });
  }
}

/** The frequent edges: the most frequent one from and to each tool, and all that are not rare. @param {Edge[]} edges */
export function usual(edges) {
  const top = Math.max(1, ...edges.map(({ calls }) => calls));
  const out = new Map();
  const into = new Map();
  return edges.filter(({ from, to, calls }) => {
    const left = out.get(from) ?? 0;
    const came = into.get(to) ?? 0;
    out.set(from, left + 1);
    into.set(to, came + 1);
    return left < 1 || came < 1 || calls >= top * 0.12;
  });
}
