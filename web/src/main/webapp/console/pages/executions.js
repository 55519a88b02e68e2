import { el, h, useEffect, useState } from "../lib/dom.js";
import { useFeed } from "../lib/paged-list.js";
import { useSettled } from "../lib/use-query.js";
import { go, link, refine } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { shortId, visible, visibleLine, visibleText } from "../lib/escape.js";
import { duration, time, useNow } from "../lib/time.js";
import {
  badge,
  empty,
  field,
  Head,
  labelPills,
  loading,
  STATES,
  stateWord,
  TERMINAL,
  trouble,
} from "../components/ui.js";
import { Rows } from "../components/table.js";

const { button, details, div, input, label, option, p, select, span, summary } = el;
const WHOLE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Filters of the service, by their names in the URL. */
const FILTERS = ["state", "q", "label", "tool", "capability", "rerunOf", "parent", "since"];
const SINCE = [
  ["", "any time"],
  ["PT15M", "the last 15 minutes"],
  ["PT1H", "the last hour"],
  ["P1D", "the last day"],
  ["P7D", "the last week"],
];
/** A search continues automatically until it has this many rows, or has read PAGES_BY_ITSELF pages. */
const ENOUGH = 50;
const PAGES_BY_ITSELF = 10;
/** Key of the session storage for the start of each newer section of the list, used by the button Newer. */
const BEFORE = "sallyport-before";
const MOST_BEFORE = 1_000;
/** New entries stay hidden while the user has scrolled down or has the focus on a row. */
const hold = () => scrollY > 240 || Boolean(document.activeElement?.closest(".rows"));

/** @returns {[string, string][]} */
function stretchesBefore() {
  try {
    return JSON.parse(sessionStorage.getItem(BEFORE) ?? "[]");
  } catch {
    return [];
  }
}

function noteBefore(at, newer) {
  try {
    const others = stretchesBefore().filter(([name]) => name !== at);
    sessionStorage.setItem(BEFORE, JSON.stringify([...others, [at, newer]].slice(-MOST_BEFORE)));
  } catch {
    // Without storage, the only way back is the button Newest.
  }
}

function took(item, now) {
  if (item.runMillis !== undefined) return duration(item.runMillis);
  if (item.state === "RUNNING" && item.startedAt)
    return span({ class: "dim" }, duration(now - Date.parse(item.startedAt)));
  return "";
}

const columns = (now) => [
  { name: "State", class: "col-state", cell: (item) => badge(item.state) },
  {
    name: "Script",
    class: "col-main",
    cell: (item) =>
      div(
        { class: "cell-main" },
        link(
          `/executions/${item.id}`,
          { class: "row-link mono", title: visibleText(item.codePreview) },
          visibleLine(item.codePreview) || "(empty)",
        ),
        item.errorCode && span({ class: "cell-error" }, item.errorCode),
      ),
  },
  { name: "Labels", class: "col-labels wide-only", cell: (item) => labelPills(item.labels) },
  { name: "Duration", class: "col-number", cell: (item) => took(item, now) },
  { name: "Submitted", class: "col-time wide-only", cell: (item) => time(item.createdAt) },
  { name: "ID", class: "col-id wide-only mono dim", cell: (item) => span({ title: item.id }, shortId(item.id)) },
];

/** Changes a filter; the list starts at the newest entries again. */
const narrow = (changes) => refine({ ...changes, at: "" });

/** A field whose text goes into the URL after the user has stopped typing. */
function Settling({ value, name, ...props }) {
  const [text, setText] = useState(value);
  const settled = useSettled(text, 300);
  useEffect(() => {
    if (settled.trim() !== value) narrow({ [name]: settled.trim() });
  }, [settled]);
  useEffect(() => {
    setText(value);
  }, [value]);
  return input({ ...props, value: text, onInput: (event) => setText(event.target.value) });
}

function Search({ q }) {
  const [text, setText] = useState(q);
  const settled = useSettled(text, 300);
  useEffect(() => {
    if (WHOLE_ID.test(settled.trim())) go(`/executions/${settled.trim().toLowerCase()}`);
    else if (settled.trim() !== q) narrow({ q: settled.trim() });
  }, [settled]);
  return label(
    { class: "search" },
    span({ class: "unseen" }, "Search"),
    input({
      type: "search",
      value: text,
      maxLength: 200,
      placeholder: "Search script, intent, label, error, or paste an ID",
      onInput: (event) => setText(event.target.value),
    }),
  );
}

function Filters({ states, filter }) {
  const toggle = (state) => {
    const next = states.includes(state) ? states.filter((each) => each !== state) : [...states, state];
    narrow({ state: next.join(",") });
  };
  const special = ["label", "tool", "capability", "since"].some((name) => filter[name]);
  return div(
    { class: "filters", role: "search" },
    h(Search, { q: filter.q ?? "" }),
    div(
      { class: "chips", role: "group", "aria-label": "States" },
      STATES.map((state) =>
        button(
          {
            key: state,
            type: "button",
            class: `chip is-${state.toLowerCase()}`,
            "aria-pressed": states.includes(state),
            onClick: () => toggle(state),
          },
          stateWord(state),
        ),
      ),
    ),
    details(
      { class: "more-filters", open: special || undefined },
      summary("More filters"),
      div(
        { class: "filter-row" },
        field(
          "Label",
          h(Settling, { name: "label", value: filter.label ?? "", placeholder: "team:billing", spellcheck: false }),
        ),
        field(
          "Tool called",
          h(Settling, { name: "tool", value: filter.tool ?? "", placeholder: "demo.send_mail", spellcheck: false }),
        ),
        field(
          "Capability",
          h(Settling, {
            name: "capability",
            value: filter.capability ?? "",
            placeholder: "fees.add",
            spellcheck: false,
          }),
        ),
        field(
          "Submitted",
          select(
            { value: filter.since ?? "", onChange: (event) => narrow({ since: event.target.value }) },
            SINCE.map(([value, text]) => option({ key: value, value }, text)),
            filter.since &&
              !SINCE.some(([value]) => value === filter.since) &&
              option({ value: filter.since }, `since ${filter.since}`),
          ),
        ),
      ),
    ),
  );
}

/** Buttons to the older and newer sections of the list. */
function Stretches({ at, next, full }) {
  const show = (where) => {
    go("/executions" + queryWith({ at: where }));
    scrollTo(0, 0);
  };
  const name = (where) => queryWith({ at: where });
  const older = () => {
    noteBefore(name(next), at ?? "");
    show(next);
  };
  const newer = at && stretchesBefore().find(([each]) => each === name(at))?.[1];
  return (
    (at || (full && next)) &&
    div(
      { class: "list-foot stretches" },
      newer !== undefined && button({ type: "button", onClick: () => show(newer) }, "Newer"),
      at && button({ type: "button", class: "quiet", onClick: () => show("") }, "Newest"),
      full && next && button({ type: "button", onClick: older }, "Older"),
    )
  );
}

function queryWith(changes) {
  const params = new URLSearchParams(location.search);
  Object.entries(changes).forEach(([name, value]) => (value ? params.set(name, value) : params.delete(name)));
  const text = params.toString();
  return text ? "?" + text : "";
}

/** @param {{ query: URLSearchParams }} props */
export default function Executions({ query }) {
  const states = (query.get("state") ?? "").split(",").filter((state) => STATES.includes(state));
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim() || undefined]));
  filter.state = states.join(",") || undefined;
  const at = query.get("at") || undefined;
  const filtered = FILTERS.some((name) => filter[name]);
  const maySubmit = useMay("submitter");
  const feed = useFeed("/executions", filter, { hold, at, every: filter.q ? 5_000 : 2_000 });
  const { items } = feed;
  const now = useNow(items.some((item) => !TERMINAL.has(item.state)) ? 1_000 : 0);
  const [looked, setLooked] = useState(0);
  useEffect(() => setLooked(0), [JSON.stringify(filter), at]);
  // A page of a search may have few rows although more follow.
  const searching =
    filtered && Boolean(feed.next) && !feed.failure && items.length < ENOUGH && looked < PAGES_BY_ITSELF;
  useEffect(() => {
    if (searching && !feed.busy) {
      setLooked(looked + 1);
      feed.more();
    }
  }, [searching, feed.busy, looked]);
  const begun = feed.next !== undefined;
  return div(
    h(Head, {
      title: "Executions",
      lead: "Every run of every script, newest first.",
      actions: maySubmit && link("/submit", { class: "button primary" }, "Run a script"),
    }),
    h(Filters, { states, filter }),
    filter.parent &&
      p(
        { class: "dim" },
        "Only child runs of ",
        link(`/executions/${filter.parent}`, { class: "mono" }, shortId(visibleText(filter.parent))),
        ". ",
        button({ type: "button", class: "quiet small", onClick: () => narrow({ parent: "" }) }, "Clear filter"),
      ),
    filter.rerunOf &&
      p(
        { class: "dim" },
        "Only reruns of ",
        link(`/executions/${filter.rerunOf}`, { class: "mono" }, shortId(visibleText(filter.rerunOf))),
        ". ",
        button({ type: "button", class: "quiet small", onClick: () => narrow({ rerunOf: "" }) }, "Clear filter"),
      ),
    feed.failure && trouble(feed.failure, feed.again),
    at && h(Stretches, { at, next: undefined, full: false }),
    feed.fresh.length > 0 &&
      div(
        { class: "fresh" },
        button(
          {
            type: "button",
            class: "primary small",
            onClick: () => {
              feed.show();
              scrollTo({ top: 0 });
            },
          },
          `Show ${feed.fresh.length >= 500 ? "500 or more" : feed.fresh.length} new`,
        ),
      ),
    !begun && !feed.failure && loading(),
    begun &&
      !items.length &&
      !searching &&
      !feed.busy &&
      (filtered || at
        ? empty(
            feed.next ? "No matches yet" : "No matches",
            p(
              feed.next
                ? "No execution searched so far matches. There are older executions."
                : [
                    "No execution ",
                    filter.q ? ["contains ", el.code(visible(filter.q))] : "matches these filters",
                    ".",
                  ],
            ),
            feed.next &&
              button({ type: "button", class: "button primary", onClick: () => setLooked(0) }, "Search further"),
            button(
              {
                type: "button",
                class: "button",
                onClick: () => narrow(Object.fromEntries(FILTERS.map((name) => [name, ""]))),
              },
              "Show all",
            ),
          )
        : empty(
            "No executions yet",
            p("Executions submitted here, over REST or with the command line appear at once."),
            maySubmit && link("/submit", { class: "button primary" }, "Run a first script"),
          )),
    items.length > 0 &&
      h(Rows, {
        label: "Executions",
        columns: columns(now),
        items,
        total: !feed.next && !at,
        onEnd: () => feed.more(),
      }),
    begun &&
      div(
        { class: "list-foot dim", role: "status" },
        feed.busy || searching
          ? "Loading more…"
          : feed.full && feed.next
            ? ""
            : feed.next
              ? items.length > 0 &&
                button(
                  {
                    type: "button",
                    class: "quiet",
                    onClick: () => {
                      setLooked(0);
                      feed.more();
                    },
                  },
                  filtered ? "Search further" : "Show older",
                )
              : items.length && !at
                ? `${items.length.toLocaleString()} in total`
                : "",
      ),
    begun && h(Stretches, { at: items.length > 20 || !at ? at : undefined, next: feed.next, full: feed.full }),
  );
}
