import { loadAllLines, loadFirst } from "../lib/api.js";
import { el, Fragment, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useQuery, useDebounced } from "../lib/use-query.js";
import { link, updateQuery } from "../lib/router.js";
import { escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { emptyState, formField, PageHead, whenLoaded, pill, errorBox } from "../components/ui.js";

const { button, div, input, option, p, select, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
/** Maximum page size of the service. */
const MAX_PAGE_SIZE = 200;
const REVOKE_DELAY = 60_000;
const PILL_KINDS = { done: "good", refused: "warn", failed: "bad", unknown: "quiet" };
const SINCE = [
  ["", "any time"],
  ["PT1H", "the last hour"],
  ["P1D", "the last day"],
  ["P7D", "the last week"],
  ["P30D", "the last 30 days"],
];
/** Console pages by the first part of an action's name. */
const PAGES = {
  execution: (id) => `/executions/${id}`,
  "dead-letter": (id) => `/executions/${id}`,
  plan: (id) => `/executions/${id}`,
  batch: (id) => `/batches/${id}`,
  approval: (id) => `/approvals?state=any&id=${id}`,
  capability: (name) => `/capabilities/${encodeURIComponent(name.split("/")[0])}`,
};
const UUID = /^[0-9a-f-]{36}$/;

function objectLink(entry) {
  if (!entry.object) return "";
  const page = PAGES[entry.action.split(".")[0]];
  const known = page && (UUID.test(entry.object) || entry.action.startsWith("capability."));
  return known
    ? link(page(entry.object), { class: "mono" }, escapeControls(entry.object))
    : span({ class: "mono" }, escapeControls(entry.object));
}

function FilterField({ name, title, value, placeholder }) {
  const [text, setText] = useState(value);
  const debounced = useDebounced(text, 300);
  useEffect(() => {
    if (debounced.trim() !== value) updateQuery({ [name]: debounced.trim(), at: "" });
  }, [debounced]);
  return formField(
    title,
    input({ value: text, placeholder, spellcheck: false, onInput: (event) => setText(event.target.value) }),
  );
}

/** Downloads all matching entries as NDJSON. */
function DownloadButton({ filter }) {
  const { busy, failure, run } = useAction();
  const download = async () => {
    const lines = await run(() => loadAllLines("/audit", filter));
    if (!lines) return;
    const address = URL.createObjectURL(lines);
    const link = document.createElement("a");
    link.href = address;
    link.download = "audit.ndjson";
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY);
  };
  return h(
    Fragment,
    null,
    errorBox(failure, download),
    button(
      { type: "button", disabled: busy, title: "JSON, one entry per line", onClick: download },
      busy ? "Downloading…" : Object.values(filter).some(Boolean) ? "Download these" : "Download all",
    ),
  );
}

/** @param {{ query: URLSearchParams }} props */
export default function Audit({ query }) {
  const filter = Object.fromEntries(
    ["actor", "action", "object", "since"].map((name) => [name, query.get(name)?.trim() ?? ""]),
  );
  const [maxItems, setMaxItems] = useState(PAGE);
  useEffect(() => setMaxItems(PAGE), [JSON.stringify(filter)]);
  const list = useQuery(() => loadFirst("/audit", filter, maxItems, MAX_PAGE_SIZE), [filter], {
    interval: 10_000,
    refetchOn: maxItems,
  });
  return div(
    h(PageHead, {
      title: "Audit log",
      lead: "Who did what, on which target, from where, and the result. Entries cannot be changed.",
      actions: h(DownloadButton, { filter }),
    }),
    div(
      { class: "filter-row audit-filters", role: "search" },
      h(FilterField, { name: "actor", title: "Key", value: filter.actor, placeholder: "key ID" }),
      h(FilterField, { name: "action", title: "Action", value: filter.action, placeholder: "backend.change" }),
      h(FilterField, { name: "object", title: "Target", value: filter.object, placeholder: "ID or name" }),
      formField(
        "When",
        select(
          { value: filter.since, onChange: (event) => updateQuery({ since: event.target.value }) },
          SINCE.map(([value, text]) => option({ key: value, value }, text)),
        ),
      ),
    ),
    whenLoaded(list, ({ items, next }) =>
      div(
        items.length
          ? div(
              { class: "panel" },
              table(
                { class: "plain audit" },
                thead(
                  tr(
                    th("When"),
                    th("Action"),
                    th("Target"),
                    th("Result"),
                    th({ class: "wide-only" }, "Key"),
                    th({ class: "wide-only" }, "From"),
                  ),
                ),
                tbody(
                  items.map((entry) =>
                    tr(
                      { key: entry.id, "data-id": entry.id },
                      td(time(entry.at)),
                      td({ class: "mono wrap" }, escapeControls(entry.action)),
                      td({ class: "wrap" }, objectLink(entry)),
                      td(
                        pill(PILL_KINDS[entry.result] ?? "", entry.result),
                        entry.status >= 400 && span({ class: "dim small-text" }, ` ${entry.status}`),
                        entry.note && div({ class: "dim small-text wrap" }, escapeControls(entry.note)),
                      ),
                      td(
                        { class: "wide-only mono wrap" },
                        entry.actor
                          ? escapeControls(entry.actor)
                          : span({ class: "dim" }, entry.channel === "service" ? "the service" : "unknown"),
                      ),
                      td(
                        { class: "wide-only dim wrap" },
                        entry.address && [escapeControls(entry.address), " · "],
                        entry.channel,
                      ),
                    ),
                  ),
                ),
              ),
            )
          : emptyState("No entries", p("No entries match these filters.")),
        next &&
          div(
            { class: "list-foot" },
            button({ type: "button", class: "quiet", onClick: () => setMaxItems(items.length + PAGE) }, "Show older"),
          ),
      ),
    ),
  );
}
