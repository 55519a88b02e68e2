import { get, post, queryString } from "../lib/api.js";
import { el, Fragment, h, useEffect, useState } from "../lib/dom.js";
import { usePagedList } from "../lib/paged-list.js";
import { useAction, useDebounced } from "../lib/use-query.js";
import { navigate, link, updateQuery } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { shortId, escapeControls, escapeControlsInLine, escapeControlsInText } from "../lib/escape.js";
import { duration, time, useNow } from "../lib/time.js";
import {
  badge,
  emptyState,
  formField,
  PageHead,
  labelPills,
  loadingState,
  STATES,
  stateName,
  TERMINAL,
  errorBox,
} from "../components/ui.js";
import { CancelDialog } from "../components/cancel.js";
import { VirtualTable } from "../components/table.js";

const { button, details, div, input, label, option, p, select, span, summary } = el;
const FULL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Filters of the service, by their names in the URL. */
const FILTERS = ["state", "q", "label", "tool", "capability", "rerunOf", "parent", "since"];
const SINCE = [
  ["", "any time"],
  ["PT15M", "the last 15 minutes"],
  ["PT1H", "the last hour"],
  ["P1D", "the last day"],
  ["P7D", "the last week"],
];
/** A search continues automatically until it has this many rows, or has read MAX_AUTO_PAGES pages. */
const MIN_ROWS = 50;
const MAX_AUTO_PAGES = 10;
/** Key of the session storage for the start of each newer section of the list, used by the button Newer. */
const NEWER_CURSORS_KEY = "sallyport-before";
const MAX_NEWER_CURSORS = 1_000;
/** New entries stay hidden while the user has scrolled down or has the focus on a row. */
const hold = () => scrollY > 240 || Boolean(document.activeElement?.closest(".rows"));

/** @returns {[string, string][]} */
function loadNewerCursors() {
  try {
    return JSON.parse(sessionStorage.getItem(NEWER_CURSORS_KEY) ?? "[]");
  } catch {
    return [];
  }
}

function storeNewerCursor(at, newer) {
  try {
    const others = loadNewerCursors().filter(([name]) => name !== at);
    sessionStorage.setItem(NEWER_CURSORS_KEY, JSON.stringify([...others, [at, newer]].slice(-MAX_NEWER_CURSORS)));
  } catch {
    // Without storage, the only way back is the button Newest.
  }
}

/** A batch as an entry of the list; its state summarizes those of its executions. */
function batchEntry(batch) {
  const { counts, finished } = batch;
  const failed = (counts.FAILED ?? 0) + (counts.TIMED_OUT ?? 0);
  const state = !finished ? "RUNNING" : failed || !counts.COMPLETED ? "FAILED" : "COMPLETED";
  return { ...batch, isBatch: true, state: finished && counts.CANCELLED && !failed ? "CANCELLED" : state };
}

/**
 * All executions; each batch is one entry.
 * @type {import("../lib/paged-list.js").Source}
 */
const COLLAPSED = {
  loadPage: async (parameters) => {
    const page = await get("/executions" + queryString({ ...parameters, collapseBatches: "true" }));
    const items = [...page.items, ...page.batches.map(batchEntry)];
    return { items: items.sort((one, other) => (one.id < other.id ? 1 : -1)), next: page.next };
  },
  loadOne: async ({ id, isBatch }) => (isBatch ? batchEntry(await get(`/batches/${id}`)) : get(`/executions/${id}`)),
};

const countWords = (counts) =>
  STATES.filter((state) => counts[state])
    .map((state) => `${counts[state].toLocaleString()} ${stateName(state)}`)
    .join(", ");

const batchCell = (batch) =>
  div(
    { class: "cell-main" },
    link(
      `/batches/${batch.id}`,
      { class: "row-link" },
      `Batch of ${batch.total.toLocaleString()}`,
      batch.capability && span({ class: "mono" }, " ", escapeControlsInLine(batch.capability)),
    ),
    span({ class: "dim small-text" }, countWords(batch.counts)),
  );

function durationCell(item, now) {
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
      item.isBatch
        ? batchCell(item)
        : div(
            { class: "cell-main" },
            link(
              `/executions/${item.id}`,
              { class: "row-link mono", title: escapeControlsInText(item.codePreview) },
              escapeControlsInLine(item.codePreview) || "(empty)",
            ),
            item.errorCode && span({ class: "cell-error" }, item.errorCode),
          ),
  },
  { name: "Labels", class: "col-labels wide-only", cell: (item) => labelPills(item.labels) },
  { name: "Duration", class: "col-number", cell: (item) => durationCell(item, now) },
  { name: "Submitted", class: "col-time wide-only", cell: (item) => time(item.createdAt) },
  { name: "ID", class: "col-id wide-only mono dim", cell: (item) => span({ title: item.id }, shortId(item.id)) },
];

/** Changes a filter; the list starts at the newest entries again. */
const setFilter = (changes) => updateQuery({ ...changes, at: "" });

/** A field whose text goes into the URL after the user has stopped typing. */
function DebouncedInput({ value, name, ...props }) {
  const [text, setText] = useState(value);
  const debounced = useDebounced(text, 300);
  useEffect(() => {
    if (debounced.trim() !== value) setFilter({ [name]: debounced.trim() });
  }, [debounced]);
  useEffect(() => {
    setText(value);
  }, [value]);
  return input({ ...props, value: text, onInput: (event) => setText(event.target.value) });
}

function Search({ q }) {
  const [text, setText] = useState(q);
  const debounced = useDebounced(text, 300);
  useEffect(() => {
    if (FULL_ID.test(debounced.trim())) navigate(`/executions/${debounced.trim().toLowerCase()}`);
    else if (debounced.trim() !== q) setFilter({ q: debounced.trim() });
  }, [debounced]);
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
    setFilter({ state: next.join(",") });
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
          stateName(state),
        ),
      ),
    ),
    details(
      { class: "more-filters", open: special || undefined },
      summary("More filters"),
      div(
        { class: "filter-row" },
        formField(
          "Label",
          h(DebouncedInput, {
            name: "label",
            value: filter.label ?? "",
            placeholder: "team:billing",
            spellcheck: false,
          }),
        ),
        formField(
          "Tool called",
          h(DebouncedInput, {
            name: "tool",
            value: filter.tool ?? "",
            placeholder: "demo.send_mail",
            spellcheck: false,
          }),
        ),
        formField(
          "Capability",
          h(DebouncedInput, {
            name: "capability",
            value: filter.capability ?? "",
            placeholder: "fees.add",
            spellcheck: false,
          }),
        ),
        formField(
          "Submitted",
          select(
            { value: filter.since ?? "", onChange: (event) => setFilter({ since: event.target.value }) },
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

/** Cancels the executions that match the filters, after it has shown their number. */
function CancelSelection({ filter, onDone }) {
  const [matches, setMatches] = useState(/** @type {number | null} */ (null));
  const [result, setResult] = useState(/** @type {any} */ (undefined));
  const { busy, failure, run } = useAction();
  const requestAll = async (dryRun, body) => {
    const total = { matches: 0, cancelled: 0, requested: 0 };
    let cursor;
    do {
      const page = await post("/executions/cancel" + queryString({ ...filter, dryRun, cursor }), body);
      Object.keys(total).forEach((name) => (total[name] += page[name] ?? 0));
      cursor = page.next;
    } while (cursor);
    return total;
  };
  const count = async () => {
    const total = await run(() => requestAll(true, {}));
    if (total) setMatches(total.matches);
  };
  const cancel = async (reason) => {
    setMatches(null);
    setResult(await run(() => requestAll(false, reason ? { reason } : {})));
    onDone();
  };
  return h(
    Fragment,
    null,
    button({ type: "button", class: "danger", disabled: busy, onClick: count }, "Cancel these…"),
    matches !== null &&
      h(CancelDialog, {
        title: `Cancel ${matches.toLocaleString()} executions that have not ended?`,
        action: `Cancel ${matches.toLocaleString()} executions`,
        onClose: () => setMatches(null),
        onCancel: cancel,
      }),
    result &&
      span(
        { class: "dim", role: "status" },
        `Cancelled ${result.cancelled.toLocaleString()}, asked ${result.requested.toLocaleString()} running to stop.`,
      ),
    failure && errorBox(failure),
  );
}

/** Buttons to the older and newer sections of the list. */
function Pager({ at, next, full }) {
  const show = (cursor) => {
    navigate("/executions" + queryWith({ at: cursor }));
    scrollTo(0, 0);
  };
  const cursorKey = (cursor) => queryWith({ at: cursor });
  const older = () => {
    storeNewerCursor(cursorKey(next), at ?? "");
    show(next);
  };
  const newer = at && loadNewerCursors().find(([each]) => each === cursorKey(at))?.[1];
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
  const maySubmit = useHasRole("submitter");
  const mayCancel = useHasRole("submitter", "operator");
  const list = usePagedList("/executions", filter, {
    hold,
    at,
    interval: filter.q ? 5_000 : 2_000,
    ...(filtered ? {} : { source: COLLAPSED }),
  });
  const { items } = list;
  const now = useNow(items.some((item) => !TERMINAL.has(item.state)) ? 1_000 : 0);
  const [pagesRead, setPagesRead] = useState(0);
  useEffect(() => setPagesRead(0), [JSON.stringify(filter), at]);
  // A page may have few rows although more follow: those of a search, or the executions of a large batch.
  const searching = Boolean(list.next) && !list.failure && items.length < MIN_ROWS && pagesRead < MAX_AUTO_PAGES;
  useEffect(() => {
    if (searching && !list.busy) {
      setPagesRead(pagesRead + 1);
      list.loadMore();
    }
  }, [searching, list.busy, pagesRead]);
  const loadedOnce = list.next !== undefined;
  return div(
    h(PageHead, {
      title: "Executions",
      lead: "Every run of every script, newest first.",
      actions: [
        filtered && mayCancel && h(CancelSelection, { key: JSON.stringify(filter), filter, onDone: list.refetch }),
        maySubmit && link("/submit", { class: "button primary" }, "Run a script"),
      ],
    }),
    h(Filters, { states, filter }),
    filter.parent &&
      p(
        { class: "dim" },
        "Only child runs of ",
        link(`/executions/${filter.parent}`, { class: "mono" }, shortId(escapeControlsInText(filter.parent))),
        ". ",
        button({ type: "button", class: "quiet small", onClick: () => setFilter({ parent: "" }) }, "Clear filter"),
      ),
    filter.rerunOf &&
      p(
        { class: "dim" },
        "Only reruns of ",
        link(`/executions/${filter.rerunOf}`, { class: "mono" }, shortId(escapeControlsInText(filter.rerunOf))),
        ". ",
        button({ type: "button", class: "quiet small", onClick: () => setFilter({ rerunOf: "" }) }, "Clear filter"),
      ),
    list.failure && errorBox(list.failure, list.refetch),
    at && h(Pager, { at, next: undefined, full: false }),
    list.newItems.length > 0 &&
      div(
        { class: "fresh" },
        button(
          {
            type: "button",
            class: "primary small",
            onClick: () => {
              list.showNew();
              scrollTo({ top: 0 });
            },
          },
          `Show ${list.newItems.length >= 500 ? "500 or more" : list.newItems.length} new`,
        ),
      ),
    !loadedOnce && !list.failure && loadingState(),
    loadedOnce &&
      !items.length &&
      !searching &&
      !list.busy &&
      (filtered || at
        ? emptyState(
            list.next ? "No matches yet" : "No matches",
            p(
              list.next
                ? "No execution searched so far matches. There are older executions."
                : [
                    "No execution ",
                    filter.q ? ["contains ", el.code(escapeControls(filter.q))] : "matches these filters",
                    ".",
                  ],
            ),
            list.next &&
              button({ type: "button", class: "button primary", onClick: () => setPagesRead(0) }, "Search further"),
            button(
              {
                type: "button",
                class: "button",
                onClick: () => setFilter(Object.fromEntries(FILTERS.map((name) => [name, ""]))),
              },
              "Show all",
            ),
          )
        : emptyState(
            "No executions yet",
            p("Executions submitted here, over REST or with the command line appear at once."),
            maySubmit && link("/submit", { class: "button primary" }, "Run a first script"),
          )),
    items.length > 0 &&
      h(VirtualTable, {
        label: "Executions",
        columns: columns(now),
        items,
        total: !list.next && !at,
        onEnd: () => list.loadMore(),
      }),
    loadedOnce &&
      div(
        { class: "list-foot dim", role: "status" },
        list.busy || searching
          ? "Loading more…"
          : list.full && list.next
            ? ""
            : list.next
              ? items.length > 0 &&
                button(
                  {
                    type: "button",
                    class: "quiet",
                    onClick: () => {
                      setPagesRead(0);
                      list.loadMore();
                    },
                  },
                  filtered ? "Search further" : "Show older",
                )
              : items.length && !at
                ? `${items.length.toLocaleString()} in total`
                : "",
      ),
    loadedOnce && h(Pager, { at: items.length > 20 || !at ? at : undefined, next: list.next, full: list.full }),
  );
}
