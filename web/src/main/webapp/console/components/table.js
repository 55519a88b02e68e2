// A table that renders only the visible rows, so that a hundred thousand rows cost no more than fifty.
import { el, useEffect, useLayoutEffect, useRef, useState } from "../lib/dom.js";

const { caption, div, table, tbody, td, th, thead, tr } = el;
const OVERSCAN = 12;

/**
 * @param {{ label: string, columns: { name: string, title?: any, cell: (item: any) => any, class?: string }[],
 *   items: any[], rowHeight?: number, onEnd?: () => void, total?: boolean, id?: (item: any) => string }} props
 *   `onEnd`: called when the last rows are visible; `total`: whether `items` is the complete list
 */
export function VirtualTable({ label, columns, items, rowHeight = 45, onEnd, total = true, id = (item) => item.id }) {
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  const [visibleRange, setVisibleRange] = useState({ from: 0, to: 40 });
  const updateVisibleRange = () => {
    if (!body.current) return;
    const top = body.current.getBoundingClientRect().top;
    const from = Math.max(0, Math.floor(-top / rowHeight) - OVERSCAN);
    const to = Math.ceil((-top + innerHeight) / rowHeight) + OVERSCAN;
    setVisibleRange((old) => (old.from === from && old.to === to ? old : { from, to }));
  };
  useLayoutEffect(() => {
    addEventListener("scroll", updateVisibleRange, { passive: true });
    addEventListener("resize", updateVisibleRange);
    return () => {
      removeEventListener("scroll", updateVisibleRange);
      removeEventListener("resize", updateVisibleRange);
    };
  }, []);
  useLayoutEffect(updateVisibleRange, [items.length]);
  useEffect(() => {
    if (visibleRange.to >= items.length - OVERSCAN) onEnd?.();
  }, [visibleRange.to, items.length]);
  const from = Math.min(visibleRange.from, Math.max(0, items.length - 1));
  const shown = items.slice(from, visibleRange.to);
  const below = Math.max(0, items.length - from - shown.length);
  return div(
    { class: "rows" },
    table(
      { "aria-rowcount": total ? items.length + 1 : -1 },
      caption({ class: "unseen" }, label),
      thead(
        tr(
          columns.map((column) =>
            th({ key: column.name, scope: "col", class: column.class }, column.title ?? column.name),
          ),
        ),
      ),
      tbody(
        { key: "above", ref: body, "aria-hidden": "true" },
        tr(td({ class: "spacer", style: { height: `${from * rowHeight}px` } })),
      ),
      // Without keys: Preact 10.28.0 lost keyed rows when many were added and removed at once.
      tbody(
        { key: "rows" },
        shown.map((item, index) =>
          tr(
            { "aria-rowindex": from + index + 2, "data-id": id(item), style: { height: `${rowHeight}px` } },
            columns.map((column) => td({ key: column.name, class: column.class }, column.cell(item))),
          ),
        ),
      ),
      tbody(
        { key: "below", "aria-hidden": "true" },
        tr(td({ class: "spacer", style: { height: `${below * rowHeight}px` } })),
      ),
    ),
  );
}
