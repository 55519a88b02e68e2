import { get, getReadiness } from "../lib/api.js";
import { el, h, useRef } from "../lib/dom.js";
import { useQuery } from "../lib/use-query.js";
import { link } from "../lib/router.js";
import { useSession } from "../lib/session.js";
import { escapeControls } from "../lib/escape.js";
import { relativeTime, duration, time, useNow } from "../lib/time.js";
import { factList, PageHead, whenLoaded, panel, pill } from "../components/ui.js";
import { Chart } from "../components/chart.js";

const { div, p, span, table, tbody, td, th, thead, tr } = el;
const MAX_SAMPLES = 300;

/** The values of the queue since the page was opened. */
function useHistory(value) {
  const history = useRef(/** @type {any[]} */ ([]));
  const last = useRef(null);
  if (value && value !== last.current) {
    last.current = value;
    history.current = [...history.current, { at: Date.now(), value }].slice(-MAX_SAMPLES);
  }
  return history.current;
}

const series = (history, pick) => history.map(({ at, value }) => ({ at, value: pick(value) }));

function PriorityTable({ counts }) {
  const all = Object.entries(counts).sort(([one], [other]) => Number(other) - Number(one));
  return all.length
    ? table(
        { class: "plain" },
        thead(tr(th("Priority"), th({ class: "col-number" }, "Queued"))),
        tbody(
          all.map(([priority, count]) =>
            tr({ key: priority }, td(priority), td({ class: "col-number" }, count.toLocaleString())),
          ),
        ),
      )
    : p({ class: "dim" }, "Queue is empty.");
}

const NodeTable = ({ items, now }) =>
  table(
    { class: "plain" },
    thead(
      tr(
        th("Node"),
        th("Lease"),
        th({ class: "col-number" }, "Running"),
        th({ class: "wide-only" }, "Started"),
        th({ class: "wide-only" }, "Directory"),
      ),
    ),
    tbody(
      items.map((node) =>
        tr(
          { key: node.id },
          td(span({ class: "mono wrap" }, escapeControls(node.id)), " ", node.self && pill("quiet", "this node")),
          td(
            pill(node.alive ? "good" : "bad", node.alive ? "alive" : "expired"),
            span(
              { class: "dim" },
              node.alive
                ? `, lease expires ${relativeTime(node.leaseUntil, now)} unless renewed`
                : ` ${relativeTime(node.leaseUntil, now)}`,
            ),
          ),
          td({ class: "col-number" }, node.running.toLocaleString()),
          td({ class: "wide-only" }, time(node.startedAt)),
          td({ class: "wide-only mono dim wrap" }, escapeControls(node.host)),
        ),
      ),
    ),
  );

function NodesPanel({ now }) {
  const nodes = useQuery(() => get("/nodes"), [], { interval: 3_000 });
  return panel(
    { label: "Nodes", wide: true },
    whenLoaded(nodes, ({ items }) => h(NodeTable, { items, now })),
  );
}

const isolationFeatures = (text) => text.split(", ").filter((each) => each !== "");

/** How the operating system isolates this node's workers. Always shows what is missing. */
function Isolation({ sandbox }) {
  const missing = isolationFeatures(sandbox.missingIsolation);
  const inWorkers = sandbox.mode === "worker";
  return div(
    factList([
      ["Scripts run", inWorkers ? "in worker processes" : "inside the server"],
      ["Workers", sandbox.workers.toLocaleString()],
      ["Isolated by", isolationFeatures(sandbox.isolation).join(", ") || "nothing"],
    ]),
    !inWorkers
      ? p(
          pill("warn", "not isolated"),
          " A script that escapes its language runs inside the server. " +
            "Set sallyport.sandbox.mode=worker to run scripts in their own processes.",
        )
      : missing.length
        ? p(
            pill("warn", "not isolated"),
            ` Missing on this system: ${missing.join(", ")}. ` +
              `With sallyport.sandbox.require-os-isolation=true, the service does not start in this case.`,
          )
        : p({ class: "dim" }, pill("good", "isolated"), " All isolation features of the operating system are active."),
  );
}

export default function Queue() {
  const queue = useQuery(() => get("/queue"), [], { interval: 1_500 });
  const isOperator = Boolean(useSession()?.operates);
  const health = useQuery(() => getReadiness(), [], { interval: 15_000 });
  const sandbox = health.value?.checks.find((check) => check.name === "sandbox")?.data;
  const history = useHistory(queue.value);
  const now = useNow(1_000);
  return div(
    h(PageHead, { title: "Queue and nodes", lead: "Queued and running executions, and the nodes that run them." }),
    whenLoaded(queue, (it) =>
      div(
        div(
          { class: "grid grid-charts" },
          panel(
            "",
            h(Chart, {
              label: "Queued",
              values: series(history, (each) => (each.all ?? each.tenant).counts.PENDING ?? 0),
            }),
          ),
          panel(
            "",
            h(Chart, {
              label: "Running",
              values: series(history, (each) => (each.all ?? each.tenant).counts.RUNNING ?? 0),
            }),
          ),
          panel(
            "",
            h(Chart, {
              label: "Waiting",
              values: series(history, (each) => (each.all ?? each.tenant).counts.WAITING ?? 0),
            }),
          ),
          panel(
            "",
            h(Chart, {
              label: "Accepted",
              unit: "in the last minute",
              values: series(history, (each) => each.acceptedLastMinute),
            }),
          ),
        ),
        div(
          { class: "columns" },
          panel(
            "Your tenant's queue",
            h(PriorityTable, { counts: it.tenant.pendingByPriority }),
            it.tenant.oldestPendingMillis !== undefined &&
              p(
                { class: "dim" },
                `The oldest execution has waited ${duration(it.tenant.oldestPendingMillis)}. `,
                link("/executions?state=PENDING", {}, "Show queued executions"),
              ),
          ),
          it.all &&
            panel(
              "Queue of all tenants",
              h(PriorityTable, { counts: it.all.pendingByPriority }),
              it.all.oldestPendingMillis !== undefined &&
                p({ class: "dim" }, `The oldest execution has waited ${duration(it.all.oldestPendingMillis)}.`),
            ),
        ),
      ),
    ),
    isOperator && h(NodesPanel, { now }),
    sandbox && panel("Isolation on this node", h(Isolation, { sandbox })),
  );
}
