// The tree of child executions (capabilities that scripts call), on the time axis of the root execution.
import { get, query } from "../lib/api.js";
import { el, h, useRef, useState } from "../lib/dom.js";
import { useLoad } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { TERMINAL } from "../lib/states.js";
import { visible, visibleLine } from "../lib/escape.js";
import { duration } from "../lib/time.js";
import { badge, panel, trouble } from "./ui.js";

const { button, div, li, rect, span, svg, ul } = el;
const PAGE = 50;
/** Number of children whose own children are loaded automatically. */
const LOOKED_BELOW = 20;
const EVERY = 2_000;

/**
 * Whether the execution may have children: its trace has capability calls, or is cut.
 * @param {any[]} events @param {boolean} [cut]
 */
export const mayNest = (events, cut) =>
  Boolean(cut) || events.some(({ type }) => type === "capability_start" || type === "capability_end");

/** Loads the children of an execution, and reloads them while one of them or the parent has not ended. */
function useChildren(id, open, asked) {
  const [most, setMost] = useState(PAGE);
  const [going, setGoing] = useState(true);
  const list = useLoad(
    async () => {
      if (!asked) return { items: [], next: undefined };
      const items = [];
      let next;
      do {
        const page = await get(`/executions/${id}/children` + query({ limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < most);
      setGoing(open || items.some(({ state }) => !TERMINAL.has(state)));
      // Lists have the newest first; the tree shows children in the order in which they ran.
      return { items: items.reverse(), next };
    },
    [id, asked],
    { every: asked && going ? EVERY : 0, more: most },
  );
  return { ...list, more: () => setMost(most + PAGE) };
}

function Bar({ child, from, whole, now }) {
  const part = (at) => Math.max(0, Math.min(100, ((at - from) / whole) * 100));
  const begin = Date.parse(child.createdAt);
  const end = child.finishedAt ? Date.parse(child.finishedAt) : now;
  const x = part(begin);
  return svg(
    { class: `call-bar is-${child.state.toLowerCase()}`, width: "100%", height: 18, "aria-hidden": "true" },
    rect({
      class: "stretch",
      x: `${Math.min(x, 99.4)}%`,
      y: 3,
      width: `${Math.max(0.6, part(end) - x)}%`,
      height: 12,
      rx: 2,
    }),
  );
}

function Child({ child, depth, axis }) {
  const { from, whole, now, unasked } = axis;
  const [eager] = useState(() => unasked.current-- > 0);
  const [asked, setAsked] = useState(eager);
  const took = Math.max(0, (child.finishedAt ? Date.parse(child.finishedAt) : now) - Date.parse(child.createdAt));
  return li(
    { class: "child", "data-id": child.id },
    div(
      { class: "child-row", style: { "--depth": depth } },
      span(
        { class: "child-name" },
        badge(child.state),
        link(
          `/executions/${child.id}`,
          { class: "mono wrap" },
          child.capability ? visible(child.capability) : visibleLine(child.codePreview),
        ),
        child.errorCode && span({ class: "bad-text small-text" }, visible(child.errorCode)),
        !asked &&
          button(
            {
              type: "button",
              class: "quiet small",
              "aria-label": `Child runs of ${child.capability ?? child.id}`,
              onClick: () => setAsked(true),
            },
            "Show child runs",
          ),
      ),
      h(Bar, { child, from, whole, now }),
      span({ class: "call-time" }, duration(took)),
    ),
    h(Below, { id: child.id, open: !TERMINAL.has(child.state), depth: depth + 1, asked, said: asked && !eager, axis }),
  );
}

function Below({ id, open, depth, asked = true, said = false, axis }) {
  const list = useChildren(id, open, asked);
  const { items = [], next } = list.value ?? {};
  if (!items.length) {
    return list.failure
      ? trouble(list.failure, list.again)
      : said && list.value
        ? div({ class: "child-more dim small-text", role: "status", style: { "--depth": depth } }, "No child runs.")
        : null;
  }
  return ul(
    { class: "children" },
    next && li({ key: "more" }, button({ type: "button", class: "quiet small", onClick: list.more }, "Show earlier")),
    items.map((child) => h(Child, { key: child.id, child, depth, axis })),
  );
}

/** @param {{ execution: any, now: number }} props */
export function Children({ execution, now }) {
  const from = Date.parse(execution.startedAt ?? execution.createdAt);
  const end = execution.finishedAt ? Date.parse(execution.finishedAt) : now;
  const unasked = useRef(LOOKED_BELOW);
  return panel(
    { label: "Child runs", wide: true },
    h(Below, {
      id: execution.id,
      open: !TERMINAL.has(execution.state),
      depth: 0,
      axis: { from, whole: Math.max(1, end - from), now, unasked },
    }),
  );
}
