import { el, h, useEffect, useState } from "../lib/dom.js";
import { useFeed } from "../lib/feed.js";
import { useSettled } from "../lib/load.js";
import { go, link, refine } from "../lib/route.js";
import { useMay } from "../lib/session.js";
import { shortId, visibleLine, visibleText } from "../lib/text.js";
import { duration, time, useNow } from "../lib/time.js";
import { badge, empty, Head, labelPills, loading, STATES, stateWord, TERMINAL, trouble } from "../parts/basics.js";
import { Rows } from "../parts/rows.js";

const { button, div, input, label, p, span } = el;
const WHOLE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A search looks through so many of the newest by itself, and through more as one scrolls. */
const SEARCHED = 1_000;

/** Whether all words are somewhere in what a row shows. */
function fits(item, words) {
  const text = [item.id, item.codePreview, item.errorCode ?? "", item.state, item.tier, ...Object.entries(item.labels).flatMap(([name, value]) => [`${name}=${value}`, value])].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function took(item, now) {
  if (item.runMillis !== undefined) return duration(item.runMillis);
  if (item.state === "RUNNING" && item.startedAt) return span({ class: "dim" }, duration(now - Date.parse(item.startedAt)));
  return "";
}

const columns = (now) => [
  { name: "State", class: "col-state", cell: (item) => badge(item.state) },
  { name: "Script", class: "col-main", cell: (item) => div({ class: "cell-main" },
    link(`/executions/${item.id}`, { class: "row-link mono", title: visibleText(item.codePreview) }, visibleLine(item.codePreview) || "(empty)"),
    item.errorCode && span({ class: "cell-error" }, item.errorCode)) },
  { name: "Labels", class: "col-labels wide-only", cell: (item) => labelPills(item.labels) },
  { name: "Took", class: "col-number", cell: (item) => took(item, now) },
  { name: "Submitted", class: "col-time wide-only", cell: (item) => time(item.createdAt) },
  { name: "Id", class: "col-id wide-only mono dim", cell: (item) => span({ title: item.id }, shortId(item.id)) },
];

function Filters({ states, words }) {
  const [text, setText] = useState(words);
  const settled = useSettled(text, 200);
  useEffect(() => {
    if (WHOLE_ID.test(settled.trim())) go(`/executions/${settled.trim().toLowerCase()}`);
    else if (settled !== words) refine({ q: settled });
  }, [settled]);
  const toggle = (state) => {
    const next = states.includes(state) ? states.filter((each) => each !== state) : [...states, state];
    refine({ state: next.join(",") });
  };
  return div({ class: "filters", role: "search" },
    label({ class: "search" }, span({ class: "unseen" }, "Search"),
      input({ type: "search", value: text, placeholder: "Search script, label, error, or paste an id", onInput: (event) => setText(event.target.value) })),
    div({ class: "chips", role: "group", "aria-label": "States" }, STATES.map((state) =>
      button({ key: state, type: "button", class: `chip is-${state.toLowerCase()}`, "aria-pressed": states.includes(state), onClick: () => toggle(state) }, stateWord(state)))));
}

/** @param {{ query: URLSearchParams }} props */
export default function Executions({ query }) {
  const states = (query.get("state") ?? "").split(",").filter((state) => STATES.includes(state));
  const q = query.get("q") ?? "";
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const maySubmit = useMay("submitter");
  const feed = useFeed("/executions", { state: states.join(",") || undefined }, () => scrollY > 240);
  const items = words.length ? feed.items.filter((item) => fits(item, words)) : feed.items;
  const now = useNow(items.some((item) => !TERMINAL.has(item.state)) ? 1_000 : 0);
  const searching = words.length > 0 && Boolean(feed.next) && feed.items.length < SEARCHED;
  useEffect(() => { if (searching && !feed.busy) feed.more(); }, [searching, feed.busy, feed.items.length]);
  const begun = feed.next !== undefined;
  const filtered = words.length > 0 || states.length > 0;
  return div(
    h(Head, { title: "Executions", lead: "Every run of every script, newest first.", actions: maySubmit && link("/submit", { class: "button primary" }, "Run a script") }),
    h(Filters, { states, words: q }),
    feed.failure && trouble(feed.failure, feed.again),
    feed.fresh.length > 0 && div({ class: "fresh" }, button({ type: "button", class: "primary small", onClick: () => { feed.show(); scrollTo({ top: 0 }); } }, `Show ${feed.fresh.length} new`)),
    !begun && !feed.failure && loading(),
    begun && !items.length && !searching && (filtered
      ? empty("Nothing fits", p(words.length ? `None of the ${feed.items.length} newest executions ${states.length ? "in these states " : ""}has all of these words.` : "No execution is in one of these states now."),
        button({ type: "button", class: "button", onClick: () => refine({ state: "", q: "" }) }, "Show all"))
      : empty("No executions yet", p("What is submitted here, over REST or with the command line appears at once."),
        maySubmit && link("/submit", { class: "button primary" }, "Run a first script"))),
    items.length > 0 && h(Rows, { label: "Executions", columns: columns(now), items, total: !feed.next, onEnd: () => feed.more() }),
    begun && div({ class: "list-foot dim", role: "status" },
      feed.busy || searching ? `Looking further… ${feed.items.length.toLocaleString()} read` : feed.next
        ? button({ type: "button", class: "quiet", onClick: () => feed.more() }, words.length ? `Search on (the ${feed.items.length.toLocaleString()} newest were)` : "Show older")
        : items.length ? `${items.length.toLocaleString()} in all` : ""));
}
