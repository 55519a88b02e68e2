// The tree of child executions (capabilities that scripts call), on the time axis of the root execution.
import { get, queryString } from "../lib/api.js";
import { el, h, useRef, useState } from "../lib/dom.js";
import { useQuery } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { TERMINAL } from "../lib/states.js";
import { escapeControls, escapeControlsInLine } from "../lib/escape.js";
import { duration } from "../lib/time.js";
import { badge, panel, errorBox } from "./ui.js";

const { button, div, li, rect, span, svg, ul } = el;
const PAGE = 50;
/** Number of children whose own children are loaded automatically. */
const EAGER_CHILDREN = 20;
const POLL_INTERVAL = 2_000;

/**
 * Whether the execution may have children: its trace has capability calls, or is cut.
 * @param {any[]} events @param {boolean} [cut]
 */
export const mayHaveChildren = (events, cut) =>
  Boolean(cut) || events.some(({ type }) => type === "capability_start" || type === "capability_end");

/** Loads the children of an execution, and reloads them while one of them or the parent has not ended. */
function useChildren(id, open, requested) {
  const [maxItems, setMaxItems] = useState(PAGE);
  const [polling, setPolling] = useState(true);
  const list = useQuery(
    async () => {
      if (!requested) return { items: [], next: undefined };
      const items = [];
      let next;
      do {
        const page = await get(`/executions/${id}/children` + queryString({ limit: PAGE, cursor: next }));
        items.push(...page.items);
        next = page.next;
      } while (next && items.length < maxItems);
      setPolling(open || items.some(({ state }) => !TERMINAL.has(state)));
      // Lists have the newest first; the tree shows children in the order in which they ran.
      return { items: items.reverse(), next };
    },
    [id, requested],
    { interval: requested && polling ? POLL_INTERVAL : 0, refetchOn: maxItems },
  );
  return { ...list, more: () => setMaxItems(maxItems + PAGE) };
}

function Bar({ child, from, totalMillis, now }) {
  const toPercent = (at) => Math.max(0, Math.min(100, ((at - from) / totalMillis) * 100));
  const start = Date.parse(child.createdAt);
  const end = child.finishedAt ? Date.parse(child.finishedAt) : now;
  const x = toPercent(start);
  return svg(
    { class: `call-bar is-${child.state.toLowerCase()}`, width: "100%", height: 18, "aria-hidden": "true" },
    rect({
      class: "stretch",
      x: `${Math.min(x, 99.4)}%`,
      y: 3,
      width: `${Math.max(0.6, toPercent(end) - x)}%`,
      height: 12,
      rx: 2,
    }),
  );
}

function Child({ child, depth, axis }) {
  const { from, totalMillis, now, eagerLeft } = axis;
  const [eager] = useState(() => eagerLeft.current-- > 0);
  const [requested, setRequested] = useState(eager);
  const elapsed = Math.max(0, (child.finishedAt ? Date.parse(child.finishedAt) : now) - Date.parse(child.createdAt));
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
          child.capability ? escapeControls(child.capability) : escapeControlsInLine(child.codePreview),
        ),
        child.errorCode && span({ class: "bad-text small-text" }, escapeControls(child.errorCode)),
        !requested &&
          button(
            {
              type: "button",
              class: "quiet small",
              "aria-label": `Child runs of ${child.capability ?? child.id}`,
              onClick: () => setRequested(true),
            },
            "Show child runs",
          ),
      ),
      h(Bar, { child, from, totalMillis, now }),
      span({ class: "call-time" }, duration(elapsed)),
    ),
    h(ChildList, {
      id: child.id,
      open: !TERMINAL.has(child.state),
      depth: depth + 1,
      requested,
      announceEmpty: requested && !eager,
      axis,
    }),
  );
}

function ChildList({ id, open, depth, requested = true, announceEmpty = false, axis }) {
  const list = useChildren(id, open, requested);
  const { items = [], next } = list.value ?? {};
  if (!items.length) {
    return list.failure
      ? errorBox(list.failure, list.refetch)
      : announceEmpty && list.value
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
  const eagerLeft = useRef(EAGER_CHILDREN);
  return panel(
    { label: "Child runs", wide: true },
    h(ChildList, {
      id: execution.id,
      open: !TERMINAL.has(execution.state),
      depth: 0,
      axis: { from, totalMillis: Math.max(1, end - from), now, eagerLeft },
    }),
  );
}
