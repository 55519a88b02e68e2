// Costs, bytes and counts, and bars that show their use.
import { el, h } from "../lib/dom.js";
import { visible, visibleText } from "../lib/escape.js";
import { meter, pill } from "./ui.js";

const { div, li, p, span, ul } = el;
const KILO = 1024;
const NEAR = 0.8;

/** Formats a cost. The unit is not known: the tenant's policy implies it. @param {number} cost */
export const amount = (cost) => cost.toLocaleString(undefined, { maximumFractionDigits: 6 });

/** @param {number} count */
export function bytes(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let step = 0;
  let left = count;
  while (left >= KILO && step < units.length - 1) {
    left /= KILO;
    step++;
  }
  return `${left.toLocaleString(undefined, { maximumFractionDigits: step ? 1 : 0 })} ${units[step]}`;
}

/**
 * Shows how much of a maximum is used, as a bar and as text.
 * @param {{ label: any, name: string, used: number, most: number, show?: (n: number) => string, note?: any }} props
 */
export function Use({ label, name, used, most, show = amount, note }) {
  const part = most > 0 ? used / most : used > 0 ? 1 : 0;
  const tone = part >= 1 ? "bad" : part >= NEAR ? "warn" : "";
  return div(
    { class: "use" },
    div(
      { class: "use-head" },
      span(label),
      span({ class: "use-words" }, `${show(used)} of ${show(most)}`, part >= 1 ? [" ", pill("bad", "used up")] : ""),
    ),
    meter(part, visibleText(name), tone),
    note && p({ class: "dim small-text" }, note),
  );
}

/** The quotas of a tenant, in the order in which an execution meets them. */
export const QUOTAS = [
  { name: "queued", title: "Queued executions", show: (n) => n.toLocaleString() },
  { name: "live", title: "Executions that have not ended", show: (n) => n.toLocaleString() },
  // Counted only for tenants that have a limit.
  { name: "toolCalls", title: "Tool calls per day (UTC)", show: (n) => n.toLocaleString(), uncounted: true },
  { name: "storedBytes", title: "Stored in artifacts", show: bytes },
];

/** @param {{ quotas: Record<string, { limit: number, own: boolean, used: number }> }} props */
export const Quotas = ({ quotas }) =>
  ul(
    { class: "bare uses" },
    QUOTAS.map(({ name, title, show, uncounted }) => {
      const { limit, own, used } = quotas[name];
      const label = [title, " ", own && pill("quiet", "set for this tenant")];
      return li(
        { key: name, "data-quota": name },
        limit > 0
          ? h(Use, { label, name: title, used, most: limit, show })
          : div(
              { class: "use" },
              div(
                { class: "use-head" },
                span(label),
                span({ class: "use-words" }, uncounted ? "" : [show(used), ", "], span({ class: "dim" }, "no limit")),
              ),
            ),
      );
    }),
  );

/**
 * A cost report. The bar of each row is relative to the most expensive row.
 * @param {{ items: { name: string, cost: number, calls: number }[], title: string, name?: (item: any) => any, label: string }} props
 */
export function Spent({ items, title, label, name = (item) => span({ class: "mono wrap" }, visible(item.name)) }) {
  const { caption, table, tbody, td, tfoot, th, thead, tr } = el;
  const top = Math.max(...items.map(({ cost }) => cost), 0);
  const sum = (member) => items.reduce((total, item) => total + item[member], 0);
  return div(
    { class: "flush" },
    table(
      { class: "plain spent" },
      caption({ class: "unseen" }, label),
      thead(
        tr(
          th({ scope: "col" }, title),
          th({ scope: "col", class: "wide-only spent-part", "aria-hidden": "true" }),
          th({ scope: "col", class: "col-number" }, "Calls"),
          th({ scope: "col", class: "col-number" }, "Cost"),
        ),
      ),
      tbody(
        items.map((item) =>
          tr(
            { key: item.name, "data-name": item.name },
            td(name(item)),
            td(
              { class: "wide-only spent-part", "aria-hidden": "true" },
              el.svg(
                { width: "100%", height: 10 },
                el.rect({
                  class: "spent-bar",
                  x: 0,
                  y: 0,
                  height: 10,
                  rx: 2,
                  width: `${top ? (item.cost / top) * 100 : 0}%`,
                }),
              ),
            ),
            td({ class: "col-number" }, item.calls.toLocaleString()),
            td({ class: "col-number" }, amount(item.cost)),
          ),
        ),
      ),
      items.length > 1 &&
        tfoot(
          tr(
            th({ scope: "row" }, "Total"),
            td({ class: "wide-only" }),
            td({ class: "col-number" }, sum("calls").toLocaleString()),
            td({ class: "col-number" }, amount(sum("cost"))),
          ),
        ),
    ),
  );
}
