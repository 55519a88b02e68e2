import { get, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useLoad, useSettled } from "../lib/load.js";
import { link, refine } from "../lib/route.js";
import { visible } from "../lib/text.js";
import { time } from "../lib/time.js";
import { empty, field, Head, loaded, pill, plainLink } from "../parts/basics.js";

const { button, div, input, option, p, select, span, table, tbody, td, th, thead, tr } = el;
const PAGE = 50;
const MOST = 200;
const KINDS = { done: "good", refused: "warn", failed: "bad", unknown: "quiet" };
const SINCE = [["", "whenever"], ["PT1H", "the last hour"], ["P1D", "the last day"], ["P7D", "the last week"], ["P30D", "the last 30 days"]];
/** Pages of the console for what an action names first. */
const PAGES = { execution: (id) => `/executions/${id}`, "dead-letter": (id) => `/executions/${id}`, plan: (id) => `/executions/${id}`, batch: (id) => `/batches/${id}`, approval: (id) => `/approvals?state=any&id=${id}`, capability: (name) => `/capabilities/${encodeURIComponent(name.split("/")[0])}` };
const UUID = /^[0-9a-f-]{36}$/;

function object(entry) {
  if (!entry.object) return "";
  const page = PAGES[entry.action.split(".")[0]];
  const known = page && (UUID.test(entry.object) || entry.action.startsWith("capability."));
  return known ? link(page(entry.object), { class: "mono" }, visible(entry.object)) : span({ class: "mono" }, visible(entry.object));
}

function Field({ name, title, value, placeholder }) {
  const [text, setText] = useState(value);
  const settled = useSettled(text, 300);
  useEffect(() => { if (settled.trim() !== value) refine({ [name]: settled.trim(), at: "" }); }, [settled]);
  return field(title, input({ value: text, placeholder, spellcheck: false, onInput: (event) => setText(event.target.value) }));
}

/** @param {{ query: URLSearchParams }} props */
export default function Audit({ query: asked }) {
  const filter = Object.fromEntries(["actor", "action", "object", "since"].map((name) => [name, asked.get(name)?.trim() ?? ""]));
  const [most, setMost] = useState(PAGE);
  const list = useLoad(() => get("/audit" + query({ ...filter, limit: most })), [filter, most], { every: 10_000 });
  return div(
    h(Head, { title: "Audit log", lead: "Who did what to what, from where, and what came of it. Nothing changes an entry.",
      actions: plainLink("/api/v1/audit?" + new URLSearchParams({ ...filter, limit: "200" }), span({ class: "button" }, "Download the newest 200")) }),
    div({ class: "filter-row audit-filters", role: "search" },
      h(Field, { name: "actor", title: "Key", value: filter.actor, placeholder: "id of a key" }),
      h(Field, { name: "action", title: "Deed", value: filter.action, placeholder: "backend.change" }),
      h(Field, { name: "object", title: "Of what", value: filter.object, placeholder: "id or name" }),
      field("When", select({ value: filter.since, onChange: (event) => refine({ since: event.target.value }) }, SINCE.map(([value, text]) => option({ key: value, value }, text))))),
    loaded(list, ({ items, next }) => div(items.length ? div({ class: "panel" }, table({ class: "plain audit" },
      thead(tr(th("When"), th("Deed"), th("Of what"), th("Result"), th({ class: "wide-only" }, "Key"), th({ class: "wide-only" }, "From"))),
      tbody(items.map((entry) => tr({ key: entry.id, "data-id": entry.id },
        td(time(entry.at)), td({ class: "mono wrap" }, visible(entry.action)), td({ class: "wrap" }, object(entry)),
        td(pill(KINDS[entry.result] ?? "", entry.result), entry.status >= 400 && span({ class: "dim small-text" }, ` ${entry.status}`), entry.note && div({ class: "dim small-text wrap" }, visible(entry.note))),
        td({ class: "wide-only mono wrap" }, entry.actor ? visible(entry.actor) : span({ class: "dim" }, "nobody known")),
        td({ class: "wide-only dim wrap" }, visible(entry.address), " · ", entry.door)))))) : empty("No entries", p("Nothing like this was done.")),
      next && div({ class: "list-foot" }, most < MOST ? button({ type: "button", class: "quiet", onClick: () => setMost(Math.min(MOST, most + PAGE)) }, "Show older") : p({ class: "dim" }, "These are the newest 200. Choose by key, deed or time to see others, or take the log away with ", el.code("GET /api/v1/audit"), ".")))));
}
