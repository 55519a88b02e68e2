import { get, post, queryString } from "../lib/api.js";
import { el, h, useEffect, useRef, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { openEventStream } from "../lib/event-stream.js";
import { escapeControls, escapeControlsInLine, escapeControlsInText, shortId, truncate } from "../lib/escape.js";
import { duration, time } from "../lib/time.js";
import {
  badge,
  emptyState,
  factList,
  PageHead,
  loadingState,
  panel,
  pill,
  downloadLink,
  errorBox,
  TERMINAL,
} from "../components/ui.js";
import { CancelDialog, cancellationText } from "../components/cancel.js";
import { countsBar, countsLegend, endedCount } from "../components/counts.js";
import { VirtualTable } from "../components/table.js";

const { button, div, p, span } = el;
/** Maximum page size of the service for items with results. */
const PAGE = 100;
const RETRY_DELAY = 3_000;
/** Why a batch was stopped that no caller cancelled. @type {Record<string, string>} */
const STOPPED = { failure: "after a failure", schedule: "because the next run of its schedule was due" };
/** Time between two reloads of the items. */
const RELOAD_PAUSE = 1_000;
const MAX_VALUE_LENGTH = 2_000;
const MAX_CELL_LENGTH = 200;

/** @param {string} capability as name@version */
const capabilityPath = (capability) => {
  const [name, version] = capability.split("@");
  return `/capabilities/${encodeURIComponent(name)}?version=${encodeURIComponent(version)}`;
};

/** The batch, updated by events while it is running. @param {string} id */
function useBatch(id) {
  const load = useQuery(() => get(`/batches/${id}`), [id], { interval: 4_000 });
  const [lastEvent, setLastEvent] = useState(/** @type {any} */ (null));
  const unfinished = load.value && !load.value.finished;
  useEffect(() => {
    if (!unfinished) return undefined;
    const onEvent = (event) => {
      try {
        setLastEvent(JSON.parse(event.data));
      } catch {
        /* The next poll loads the state. */
      }
    };
    const close = openEventStream(
      () => `/api/v1/batches/${id}/events`,
      {
        ...Object.fromEntries(["message", "progress", "batch", "state"].map((name) => [name, onEvent])),
        result: (event) => {
          close();
          onEvent(event);
          load.refetch();
        },
        // After a disconnect, polled data is newer than the last event.
      },
      (live) => {
        if (!live) setLastEvent(null);
      },
    );
    return close;
  }, [id, unfinished]);
  const batch =
    load.value && lastEvent?.counts && !load.value.finished ? { ...load.value, counts: lastEvent.counts } : load.value;
  return { ...load, value: batch };
}

/** @typedef {{ start?: string, items: any[], next?: string }} ItemPage */

const isFinal = (item) => Boolean(item.problem || item.problemOmitted || !item.state || TERMINAL.has(item.state));
const countItems = (/** @type {ItemPage[]} */ pages) => pages.reduce((sum, { items }) => sum + items.length, 0);

/** Replaces the values of an item by their JSON, shortened: a page of values can be large. */
const shortened = (item) => ({
  ...item,
  ...Object.fromEntries(
    ["args", "row", "result"]
      .filter((name) => name in item)
      .map((name) => [name, truncate(JSON.stringify(item[name]), MAX_VALUE_LENGTH)]),
  ),
});

/**
 * Loads the items of a batch page by page, one page at a time.
 * @param {string} id @param {boolean} unsuccessful whether only the items that did not complete
 * @param {(pages: ItemPage[]) => void} onPages
 * @param {(failure: import("../lib/api.js").Failure | undefined) => void} onFailure
 */
function startLoader(id, unsuccessful, onPages, onFailure) {
  const aborter = new AbortController();
  const { signal } = aborter;
  /** @type {ItemPage[]} */
  let pages = [];
  let wanted = 1;
  let stale = true;
  let busy = false;
  let timer = 0;

  const loadPage = async (/** @type {string | undefined} */ start) => {
    const filter = { results: "true", unsuccessful: unsuccessful ? "true" : "" };
    const page = await get(`/batches/${id}/items` + queryString({ ...filter, limit: PAGE, cursor: start }), { signal });
    return { start, items: page.items.map(shortened), next: page.next };
  };

  /** Loads the wanted number of items; if they are stale, again those pages whose items had not ended. */
  const loadPages = async () => {
    const reload = stale;
    stale = false;
    /** @type {ItemPage[]} */
    const all = [];
    let start;
    do {
      const known = pages.find((page) => page.start === start);
      const isCurrent = known && (!reload || (!unsuccessful && known.next && known.items.every(isFinal)));
      all.push(isCurrent ? known : await loadPage(start));
      start = all[all.length - 1].next;
    } while (start && countItems(all) < wanted);
    pages = all;
  };

  const run = async () => {
    clearTimeout(timer);
    timer = 0;
    if (busy || signal.aborted) return;
    busy = true;
    try {
      do {
        await loadPages();
        onPages(pages);
      } while (!stale && pages[pages.length - 1].next && countItems(pages) < wanted);
      onFailure(undefined);
    } catch (failure) {
      stale = true;
      if (!signal.aborted) {
        onFailure(/** @type {import("../lib/api.js").Failure} */ (failure));
        timer = setTimeout(run, RETRY_DELAY);
      }
    } finally {
      busy = false;
    }
    if (stale && !timer) schedule();
  };

  const schedule = () => {
    timer = signal.aborted ? 0 : setTimeout(run, RELOAD_PAUSE);
  };

  run();
  return {
    /** Loads the pages again whose items had not ended. */
    reload: () => {
      stale = true;
      if (!busy && !timer) schedule();
    },
    loadMore: () => {
      wanted = countItems(pages) + 1;
      if (!timer) run();
    },
    retry: run,
    close: () => {
      aborter.abort();
      clearTimeout(timer);
    },
  };
}

/** The items of a batch, reloaded when its counts change. */
function useItems(/** @type {string} */ id, /** @type {boolean} */ unsuccessful, /** @type {string} */ counts) {
  const [pages, setPages] = useState(/** @type {ItemPage[] | null} */ (null));
  const [failure, setFailure] = useState(/** @type {import("../lib/api.js").Failure | undefined} */ (undefined));
  const loader = useRef(/** @type {ReturnType<typeof startLoader> | null} */ (null));
  useEffect(() => {
    setPages(null);
    setFailure(undefined);
    loader.current = startLoader(id, unsuccessful, setPages, setFailure);
    return () => loader.current?.close();
  }, [id, unsuccessful]);
  const loadedCounts = useRef(counts);
  useEffect(() => {
    if (loadedCounts.current !== counts) loader.current?.reload();
    loadedCounts.current = counts;
  }, [counts]);
  return {
    items: pages?.flatMap(({ items }) => items) ?? [],
    loaded: pages !== null,
    complete: pages !== null && !pages[pages.length - 1].next,
    failure,
    retry: () => loader.current?.retry(),
    loadMore: () => loader.current?.loadMore(),
  };
}

/** A value as JSON in one line; the tooltip has more of it. */
function valueCell(item, name) {
  if (item[name + "Omitted"]) return span({ class: "dim" }, "(large)");
  if (!(name in item)) return "";
  const text = item[name];
  return span(
    { class: "mono", title: escapeControlsInText(text) },
    escapeControlsInLine(truncate(text, MAX_CELL_LENGTH)),
  );
}

function outcomeCell(item) {
  const fault = item.problem?.detail ?? item.error?.message;
  if (fault === undefined) return valueCell(item, "result");
  const line = item.problem?.sourceLine ? `line ${item.problem.sourceLine}: ` : "";
  return span(
    { class: "cell-error", title: escapeControlsInText(truncate(fault, MAX_VALUE_LENGTH)) },
    line + (item.error?.code ? `${item.error.code}: ` : ""),
    escapeControlsInLine(truncate(fault, MAX_CELL_LENGTH)),
  );
}

const ITEM_COLUMNS = [
  {
    name: "Item",
    class: "col-number",
    cell: (item) => (item.execution ? link(`/executions/${item.execution}`, {}, item.index + 1) : item.index + 1),
  },
  {
    name: "State",
    class: "col-state",
    cell: (item) =>
      item.problem || item.problemOmitted
        ? pill("bad", "refused")
        : item.state
          ? badge(item.state)
          : pill("quiet", "deleted"),
  },
  {
    name: "Arguments",
    class: "col-main wide-only",
    cell: (item) => valueCell(item, "row" in item || "rowOmitted" in item ? "row" : "args"),
  },
  { name: "Result or error", class: "col-main", cell: outcomeCell },
  {
    name: "Duration",
    class: "col-number wide-only",
    cell: (item) => (item.runMillis === undefined ? "" : duration(item.runMillis)),
  },
  {
    name: "Execution",
    class: "col-id wide-only",
    cell: (item) =>
      item.execution ? link(`/executions/${item.execution}`, { class: "mono" }, shortId(item.execution)) : "",
  },
];

function BatchItems({ id, counts }) {
  const [unsuccessful, setUnsuccessful] = useState(false);
  // A new object for each event would reload the items without need.
  const list = useItems(id, unsuccessful, JSON.stringify(counts));
  return panel(
    {
      label: "Items",
      wide: true,
      actions: button(
        {
          type: "button",
          class: "chip",
          "aria-pressed": unsuccessful,
          onClick: () => setUnsuccessful(!unsuccessful),
        },
        "Failed only",
      ),
    },
    errorBox(list.failure, list.retry),
    !list.loaded && !list.failure && loadingState(),
    list.loaded &&
      (list.items.length
        ? h(VirtualTable, {
            label: "Items",
            items: list.items,
            id: (item) => item.index,
            onEnd: list.loadMore,
            total: list.complete,
            columns: ITEM_COLUMNS,
          })
        : p({ class: "dim" }, unsuccessful ? "No failed items." : "None.")),
  );
}

/** @param {{ id: string }} props */
export default function Batch({ id }) {
  const batch = useBatch(id);
  const mayRetry = useHasRole("submitter");
  const mayCancel = useHasRole("submitter", "operator");
  const { busy, failure, run } = useAction();
  const [asking, setAsking] = useState(false);
  const it = batch.value;
  if (!it) {
    if (!batch.failure) return loadingState();
    return batch.failure.status === 404
      ? emptyState("Batch not found", link("/batches", { class: "button" }, "All batches"))
      : errorBox(batch.failure, batch.refetch);
  }
  const accepted = it.total - it.refused;
  const done = endedCount(it.counts);
  const failed = (it.counts.FAILED ?? 0) + (it.counts.TIMED_OUT ?? 0);
  const retry = async () => {
    const created = await run(() => post(`/batches/${id}/retry`));
    if (created) navigate(`/batches/${created.id}`);
  };
  return div(
    h(PageHead, {
      name: "Batch",
      title: ["Batch ", span({ class: "mono" }, shortId(id))],
      lead: it.finished ? "All executions have ended." : "In progress.",
      actions: [
        downloadLink(`/api/v1/batches/${id}/results`, "Results"),
        mayRetry &&
          it.finished &&
          failed > 0 &&
          button({ type: "button", disabled: busy, onClick: retry }, `Retry the ${failed} failed`),
        mayCancel &&
          !it.finished &&
          button(
            {
              type: "button",
              class: "danger",
              disabled: busy,
              onClick: () => setAsking(true),
            },
            "Cancel…",
          ),
      ],
    }),
    asking &&
      h(CancelDialog, {
        title: "Cancel this batch?",
        action: "Cancel the batch",
        onClose: () => setAsking(false),
        onCancel: (reason) => {
          setAsking(false);
          run(() => post(`/batches/${id}/cancel`, reason ? { reason } : undefined)).then(batch.refetch);
        },
      }),
    errorBox(failure),
    batch.failure && errorBox(batch.failure, batch.refetch),
    panel(
      { label: `${done.toLocaleString()} of ${accepted.toLocaleString()} have ended`, wide: true },
      countsBar(it.counts, it.total),
      countsLegend(it.counts),
      factList([
        [
          "Capability",
          it.capability && link(capabilityPath(it.capability), { class: "mono" }, escapeControls(it.capability)),
        ],
        ["Submitted", time(it.createdAt)],
        ["Submitted by", span({ class: "mono wrap" }, escapeControls(it.submittedBy))],
        ["Refused items", it.refused > 0 && it.refused.toLocaleString()],
        ["Answered by an equal item", it.coalesced > 0 && it.coalesced.toLocaleString()],
        ["Max parallel", it.maxParallel],
        ["On failure", it.onFailure === "stop" ? "cancel the rest" : "continue"],
        ["Stopped", it.stopped && (STOPPED[it.stopped] ?? cancellationText(it.cancellation) ?? "by a caller")],
        ["Retry of", it.retryOf && link(`/batches/${it.retryOf}`, { class: "mono" }, shortId(it.retryOf))],
      ]),
    ),
    h(BatchItems, { id, counts: it.counts }),
  );
}
