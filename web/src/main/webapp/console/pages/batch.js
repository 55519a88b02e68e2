import { get, post, query } from "../lib/api.js";
import { el, h, useEffect, useState } from "../lib/dom.js";
import { useAction, useLoad } from "../lib/use-query.js";
import { go, link } from "../lib/router.js";
import { useMay } from "../lib/session.js";
import { stream } from "../lib/event-stream.js";
import { shortId, visible } from "../lib/escape.js";
import { time } from "../lib/time.js";
import { badge, empty, facts, Head, loading, panel, pill, plainLink, trouble } from "../components/ui.js";
import { countsBar, countsWords, ended } from "../components/counts.js";
import { Rows } from "../components/table.js";

const { button, div, p, span } = el;
const PAGE = 500;
const TRY_AGAIN = 3_000;

/** The batch, updated by events while it is running. @param {string} id */
function useBatch(id) {
  const load = useLoad(() => get(`/batches/${id}`), [id], { every: 4_000 });
  const [told, setTold] = useState(/** @type {any} */ (null));
  const unfinished = load.value && !load.value.finished;
  useEffect(() => {
    if (!unfinished) return undefined;
    const hear = (event) => {
      try {
        setTold(JSON.parse(event.data));
      } catch {
        /* The next poll loads the state. */
      }
    };
    const leave = stream(
      () => `/api/v1/batches/${id}/events`,
      {
        ...Object.fromEntries(["message", "progress", "batch", "state"].map((name) => [name, hear])),
        result: (event) => {
          leave();
          hear(event);
          load.again();
        },
        // After a disconnect, polled data is newer than the last event.
      },
      (live) => {
        if (!live) setTold(null);
      },
    );
    return leave;
  }, [id, unfinished]);
  const batch =
    load.value && told?.counts && !load.value.finished ? { ...load.value, counts: told.counts } : load.value;
  return { ...load, value: batch };
}

function Items({ id, counts }) {
  const [state, setState] = useState(/** @type {any} */ ({ items: [], next: undefined }));
  const [failure, setFailure] = useState(/** @type {unknown} */ (undefined));
  const [round, setRound] = useState(0);
  const again = () => setRound((n) => n + 1);
  const read = async (items, cursor) => {
    const page = await get(`/batches/${id}/items` + query({ limit: PAGE, cursor }));
    return { items: [...items, ...page.items], next: page.next };
  };
  useEffect(() => {
    let gone = false;
    let timer = 0;
    // Load as many items as before, so that rows keep their positions.
    (async () => {
      let all = { items: [], next: undefined };
      do all = await read(all.items, all.next);
      while (all.next && all.items.length < state.items.length);
      if (!gone) {
        setState(all);
        setFailure(undefined);
      }
    })().catch((failure) => {
      if (gone) return;
      setFailure(failure);
      timer = setTimeout(again, TRY_AGAIN);
    });
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [id, JSON.stringify(counts), round]);
  const more = () => {
    if (state.next)
      read(state.items, state.next).then((all) => {
        setState(all);
        setFailure(undefined);
      }, setFailure);
  };
  return div(
    trouble(failure, again),
    h(Rows, {
      label: "Items",
      items: state.items,
      id: (item) => item.index,
      onEnd: more,
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
              : span({ class: "cell-error" }, visible(item.problem?.detail)),
        },
      ],
    }),
  );
}

/** @param {{ id: string }} props */
export default function Batch({ id }) {
  const batch = useBatch(id);
  const may = useMay("submitter");
  const mayCancel = useMay("submitter", "operator");
  const { busy, failure, run } = useAction();
  const it = batch.value;
  if (!it) {
    if (!batch.failure) return loading();
    return batch.failure.status === 404
      ? empty("Batch not found", link("/batches", { class: "button" }, "All batches"))
      : trouble(batch.failure, batch.again);
  }
  const accepted = it.total - it.refused;
  const done = ended(it.counts);
  const failed = (it.counts.FAILED ?? 0) + (it.counts.TIMED_OUT ?? 0);
  const retry = async () => {
    const again = await run(() => post(`/batches/${id}/retry`));
    if (again) go(`/batches/${again.id}`);
  };
  return div(
    h(Head, {
      name: "Batch",
      title: ["Batch ", span({ class: "mono" }, shortId(id))],
      lead: it.finished ? "All executions have ended." : "In progress.",
      actions: [
        plainLink(`/api/v1/batches/${id}/results`, "Results"),
        may &&
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
              onClick: () => run(() => post(`/batches/${id}/cancel`)).then(batch.again),
            },
            "Cancel",
          ),
      ],
    }),
    trouble(failure),
    batch.failure && trouble(batch.failure, batch.again),
    panel(
      { label: `${done.toLocaleString()} of ${accepted.toLocaleString()} have ended`, wide: true },
      countsBar(it.counts, it.total),
      countsWords(it.counts),
      facts([
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
      it.total ? h(Items, { id, counts: it.counts }) : p({ class: "dim" }, "None."),
    ),
  );
}
