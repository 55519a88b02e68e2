// Costs, bytes and counts, and bars that show their use.
import { el, h } from "../lib/dom.js";
import { escapeControls, escapeControlsInText } from "../lib/escape.js";
import { progressBar, pill } from "./ui.js";

const { div, li, p, span, ul } = el;
const KILO = 1024;
const WARN_FRACTION = 0.8;

/** Formats a cost. The unit is not known: the tenant's policy implies it. @param {number} cost */
export const formatCost = (cost) => cost.toLocaleString(undefined, { maximumFractionDigits: 6 });

/** @param {number} count */
export function formatBytes(count) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let value = count;
  while (value >= KILO && unit < units.length - 1) {
    value /= KILO;
    unit++;
  }
  return `${value.toLocaleString(undefined, { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit]}`;
}

/**
 * Shows how much of a maximum is used, as a bar and as text.
 * @param {{ label: any, name: string, used: number, max: number, format?: (n: number) => string, note?: any }} props
 */
export function UsageBar({ label, name, used, max, format = formatCost, note }) {
  const fraction = max > 0 ? used / max : used > 0 ? 1 : 0;
  const tone = fraction >= 1 ? "bad" : fraction >= WARN_FRACTION ? "warn" : "";
  return div(
    { class: "use" },
    div(
      { class: "use-head" },
      span(label),
      span(
        { class: "use-words" },
        `${format(used)} of ${format(max)}`,
        fraction >= 1 ? [" ", pill("bad", "used up")] : "",
      ),
    ),
    progressBar(fraction, escapeControlsInText(name), tone),
    note && p({ class: "dim small-text" }, note),
  );
}

/** The quotas of a tenant, in the order in which an execution meets them. */
export const QUOTAS = [
  { name: "queued", title: "Queued executions", show: (n) => n.toLocaleString() },
  { name: "live", title: "Executions that have not ended", show: (n) => n.toLocaleString() },
  // Counted only for tenants that have a limit.
  { name: "toolCalls", title: "Tool calls per day (UTC)", show: (n) => n.toLocaleString(), uncounted: true },
  { name: "storedBytes", title: "Stored in artifacts and journals", show: formatBytes },
];

/** @param {{ quotas: Record<string, { limit: number, overridden: boolean, used: number }> }} props */
export const QuotaList = ({ quotas }) =>
  ul(
    { class: "bare uses" },
    QUOTAS.map(({ name, title, show, uncounted }) => {
      const { limit, overridden, used } = quotas[name];
      const label = [title, " ", overridden && pill("quiet", "set for this tenant")];
      return li(
        { key: name, "data-quota": name },
        limit > 0
          ? h(UsageBar, { label, name: title, used, max: limit, format: show })
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
 * @param {{ items: { name: string, cost: number, calls: number }[], title: string, name?: (item: any) => any,
 *   label: string }} props `name`: shows the name of a row
 */
export function CostTable({
  items,
  title,
  label,
  name = (item) => span({ class: "mono wrap" }, escapeControls(item.name)),
}) {
  const { caption, table, tbody, td, tfoot, th, thead, tr } = el;
  const maxCost = Math.max(...items.map(({ cost }) => cost), 0);
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
                  width: `${maxCost ? (item.cost / maxCost) * 100 : 0}%`,
                }),
              ),
            ),
            td({ class: "col-number" }, item.calls.toLocaleString()),
            td({ class: "col-number" }, formatCost(item.cost)),
          ),
        ),
      ),
      items.length > 1 &&
        tfoot(
          tr(
            th({ scope: "row" }, "Total"),
            td({ class: "wide-only" }),
            td({ class: "col-number" }, sum("calls").toLocaleString()),
            td({ class: "col-number" }, formatCost(sum("cost"))),
          ),
        ),
    ),
  );
}
