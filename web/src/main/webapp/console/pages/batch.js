import { get, post, queryString } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useQuery } from "../lib/use-query.js";
import { navigate, link } from "../lib/router.js";
import { useHasRole } from "../lib/session.js";
import { openEventStream } from "../lib/event-stream.js";
import { shortId, escapeControls } from "../lib/escape.js";
import { time } from "../lib/time.js";
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
} from "../components/ui.js";
import { countsBar, countsLegend, endedCount } from "../components/counts.js";
import { VirtualTable } from "../components/table.js";

const { button, div, p, span } = el;
const PAGE = 500;
const RETRY_DELAY = 3_000;

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

function BatchItems({ id, counts }) {
  const [state, setState] = useState(/** @type {any} */ ({ items: [], next: undefined }));
  const [failure, setFailure] = useState(/** @type {import("../lib/api.js").Failure | undefined} */ (undefined));
  const [attempt, setAttempt] = useState(0);
  const retry = () => setAttempt((n) => n + 1);
  const loadPage = async (/** @type {any[]} */ items, cursor) => {
    const page = await get(`/batches/${id}/items` + queryString({ limit: PAGE, cursor }));
    return { items: [...items, ...page.items], next: page.next };
  };
  useEffect(() => {
    let disposed = false;
    let timer = 0;
    // Load as many items as before, so that rows keep their positions.
    (async () => {
      /** @type {{ items: any[], next?: string }} */
      let all = { items: [], next: undefined };
      do all = await loadPage(all.items, all.next);
      while (all.next && all.items.length < state.items.length);
      if (!disposed) {
        setState(all);
        setFailure(undefined);
      }
    })().catch((failure) => {
      if (disposed) return;
      setFailure(failure);
      timer = setTimeout(retry, RETRY_DELAY);
    });
    return () => {
      disposed = true;
      clearTimeout(timer);
    };
  }, [id, JSON.stringify(counts), attempt]);
  const loadMore = () => {
    if (state.next)
      loadPage(state.items, state.next).then((all) => {
        setState(all);
        setFailure(undefined);
      }, setFailure);
  };
  return div(
    errorBox(failure, retry),
    h(VirtualTable, {
      label: "Items",
      items: state.items,
      id: (item) => item.index,
      onEnd: loadMore,
      total: !state.next,
      columns: [
        { name: "Item", class: "col-number", cell: (item) => item.index },
        {
          name: "State",
          class: "col-state",
          cell: (item) =>
            item.problem ? pill("bad", "refused") : item.state ? badge(item.state) : pill("quiet", "deleted"),
        },
        {
          name: "Execution",
          class: "col-main",
          cell: (item) =>
            item.execution
              ? link(`/executions/${item.execution}`, { class: "mono" }, shortId(item.execution))
              : span({ class: "cell-error" }, escapeControls(item.problem?.detail)),
        },
      ],
    }),
  );
}

/** @param {{ id: string }} props */
export default function Batch({ id }) {
  const batch = useBatch(id);
  const mayRetry = useHasRole("submitter");
  const mayCancel = useHasRole("submitter", "operator");
  const { busy, failure, run } = useAction();
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
              onClick: () => run(() => post(`/batches/${id}/cancel`)).then(batch.refetch),
            },
            "Cancel",
          ),
      ],
    }),
    errorBox(failure),
    batch.failure && errorBox(batch.failure, batch.refetch),
    panel(
      { label: `${done.toLocaleString()} of ${accepted.toLocaleString()} have ended`, wide: true },
      countsBar(it.counts, it.total),
      countsLegend(it.counts),
      factList([
        ["Submitted", time(it.createdAt)],
        ["Refused items", it.refused > 0 && it.refused],
        ["Max parallel", it.maxParallel],
        ["On failure", it.onFailure === "stop" ? "cancel the rest" : "continue"],
        ["Stopped", it.stopped && (it.stopped === "failure" ? "after a failure" : "by a caller")],
        ["Retry of", it.retryOf && link(`/batches/${it.retryOf}`, { class: "mono" }, shortId(it.retryOf))],
      ]),
    ),
    panel(
      { label: "Items", wide: true },
      it.total ? h(BatchItems, { id, counts: it.counts }) : p({ class: "dim" }, "None."),
    ),
  );
}
