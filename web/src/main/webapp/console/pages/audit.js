import { everyLine, first } from "../lib/api.js";
import { el, Fragment, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useLoad, useSettled } from "../lib/use-query.js";
import { link, refine } from "../lib/router.js";
import { visible } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { empty, field, Head, loaded, pill, trouble } from "../components/ui.js";

const { button, div, input, option, p, select, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
/** Maximum page size of the service. */
const ANSWER = 200;
const KEEP_DOWNLOAD = 60_000;
const KINDS = { done: "good", refused: "warn", failed: "bad", unknown: "quiet" };
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

function object(entry) {
  if (!entry.object) return "";
  const page = PAGES[entry.action.split(".")[0]];
  const known = page && (UUID.test(entry.object) || entry.action.startsWith("capability."));
  return known
    ? link(page(entry.object), { class: "mono" }, visible(entry.object))
    : span({ class: "mono" }, visible(entry.object));
}

function Field({ name, title, value, placeholder }) {
  const [text, setText] = useState(value);
  const settled = useSettled(text, 300);
  useEffect(() => {
    if (settled.trim() !== value) refine({ [name]: settled.trim(), at: "" });
  }, [settled]);
  return field(
    title,
    input({ value: text, placeholder, spellcheck: false, onInput: (event) => setText(event.target.value) }),
  );
}

/** Downloads all matching entries as NDJSON. */
function Download({ filter }) {
  const { busy, failure, run } = useAction();
  const download = async () => {
    const lines = await run(() => everyLine("/audit", filter));
    if (!lines) return;
    const address = URL.createObjectURL(lines);
    const link = document.createElement("a");
    link.href = address;
    link.download = "audit.ndjson";
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), KEEP_DOWNLOAD);
  };
  return h(
    Fragment,
    null,
    trouble(failure, download),
    button(
      { type: "button", disabled: busy, title: "JSON, one entry per line", onClick: download },
      busy ? "Downloading…" : Object.values(filter).some(Boolean) ? "Download these" : "Download all",
    ),
  );
}

/** @param {{ query: URLSearchParams }} props */
export default function Audit({ query: asked }) {
  const filter = Object.fromEntries(
    ["actor", "action", "object", "since"].map((name) => [name, asked.get(name)?.trim() ?? ""]),
  );
  const [most, setMost] = useState(PAGE);
  useEffect(() => setMost(PAGE), [JSON.stringify(filter)]);
  const list = useLoad(() => first("/audit", filter, most, ANSWER), [filter], { every: 10_000, more: most });
  return div(
    h(Head, {
      title: "Audit log",
      lead: "Who did what, on which target, from where, and the result. Entries cannot be changed.",
      actions: h(Download, { filter }),
    }),
    div(
      { class: "filter-row audit-filters", role: "search" },
      h(Field, { name: "actor", title: "Key", value: filter.actor, placeholder: "key ID" }),
      h(Field, { name: "action", title: "Action", value: filter.action, placeholder: "backend.change" }),
      h(Field, { name: "object", title: "Target", value: filter.object, placeholder: "ID or name" }),
      field(
        "When",
        select(
          { value: filter.since, onChange: (event) => refine({ since: event.target.value }) },
          SINCE.map(([value, text]) => option({ key: value, value }, text)),
        ),
      ),
    ),
    loaded(list, ({ items, next }) =>
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
                      td({ class: "mono wrap" }, visible(entry.action)),
                      td({ class: "wrap" }, object(entry)),
                      td(
                        pill(KINDS[entry.result] ?? "", entry.result),
                        entry.status >= 400 && span({ class: "dim small-text" }, ` ${entry.status}`),
                        entry.note && div({ class: "dim small-text wrap" }, visible(entry.note)),
                      ),
                      td(
                        { class: "wide-only mono wrap" },
                        entry.actor
                          ? visible(entry.actor)
                          : span({ class: "dim" }, entry.door === "service" ? "the service" : "unknown"),
                      ),
                      td({ class: "wide-only dim wrap" }, entry.address && [visible(entry.address), " · "], entry.door),
                    ),
                  ),
                ),
              ),
            )
          : empty("No entries", p("No entries match these filters.")),
        next &&
          div(
            { class: "list-foot" },
            button({ type: "button", class: "quiet", onClick: () => setMost(items.length + PAGE) }, "Show older"),
          ),
      ),
    ),
  );
}
